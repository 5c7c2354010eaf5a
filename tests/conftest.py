"""For all tests: no deadline but their own, signals that arrive, and skips that are counted.

Where pytest runs in the background of a shell (`nohup pytest &`), SIGINT is ignored, its children would inherit that,
and a test that waits for one to end by it would wait for ever.
"""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

from tests import needs

signal.signal(signal.SIGINT, signal.default_int_handler)

# A slow machine makes no test fail. Examples that are too large, or filtered out too often, still do.
settings.register_profile("sealegs", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("sealegs")


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
