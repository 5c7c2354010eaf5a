"""For all tests: no deadline but their own, signals that arrive, no file in anybody's home, skips that are counted.

Where pytest runs in the background of a shell (`nohup pytest &`), SIGINT and SIGHUP are ignored, its children would
inherit that, and a test that waits for one to end by them would wait forever.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from tests import needs

signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A slow machine makes no test fail. Examples that are too large, or filtered out too often, still do.
settings.register_profile("sealegs", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("sealegs")


PLACES = ("XDG_DATA_HOME", "XDG_STATE_HOME")  # where Inspect writes what it traces


def pytest_configure(config: pytest.Config) -> None:
    """Let libraries write beside the tests' own files: the home may be read-only, and is nobody's business."""
    folder = tempfile.mkdtemp(prefix="sealegs-tests-")
    before = {name: os.environ.get(name) for name in PLACES}
    os.environ.update(dict.fromkeys(PLACES, folder))

    def clean() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value

    config.add_cleanup(clean)


def _skipped(reporter: pytest.TerminalReporter) -> list[str]:
    """The reason of every test, or file, that was skipped."""
    found = (report.longrepr for report in reporter.stats.get("skipped", []))
    return [one[2].removeprefix("Skipped: ") for one in found if isinstance(one, tuple)]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skip that does not say what to do about it makes the run fail."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and needs.vague(_skipped(reporter)) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count what was skipped, by what is missing."""
    reasons = _skipped(terminalreporter)
    for line in needs.summary(reasons):
        terminalreporter.write_line(line)
    for one in needs.vague(reasons):
        terminalreporter.write_line(f"a skip names no remedy (see tests/needs.py): {one}", red=True)
