"""The pytest plugin: tests whose tools are struck by a plan.

`@pytest.mark.faults("plan.yaml")` makes a session the active one while the test's body runs; the fixture `faults` opens
sessions by hand. This file is what every run of pytest loads, so it loads nothing: the rest is in `pytest_faults`, and
comes only where a collected test asks for it or a report speaks of faults. Calls that a test's fixtures make through
the active session pass as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sealegs.adapters.pytest_marks import FOUND, MARK

if TYPE_CHECKING:
    from sealegs.adapters.pytest_faults import Faults

MEANING = (
    "faults(plan, *, seed=None, episode=None, specs=(), timeout=None, clock='real', max_calls=None): "
    "the test's tool calls go through a session of Sealegs, and this plan strikes them. "
    "faults(plan=None, *, runs, min_pass_rate=0.8, baseline=True, contracts=(), ...): the test's body is run so many "
    "times without faults and under them, and the pass rate decides."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's options."""
    group = parser.getgroup("sealegs", "faults between an agent and its tools (Sealegs)")
    group.addoption("--faults-seed", type=int, default=None, metavar="N", help="seed of every fault plan in this run")
    group.addoption(
        "--faults-strict",
        action="store_true",
        help="a test whose faults were never delivered fails; it is inconclusive otherwise",
    )
    group.addoption(
        "--faults-run", type=int, default=None, metavar="N", help="of tests with runs, only run N under faults"
    )
    parser.addini("faults_strict", "as --faults-strict", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line("markers", MEANING)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Arm the run, if any test asks for it."""
    if any(MARK in item.keywords or MARK in getattr(item, "fixturenames", ()) for item in items):
        from sealegs.adapters.pytest_faults import arm, asks_for_runs

        arm(config, runs=any(map(asks_for_runs, items)))


@pytest.fixture
def faults(request: pytest.FixtureRequest) -> Faults:
    """The faults of this test: `with faults("plan.yaml") as session:`, and what came of them.

    With the mark, `faults.session` is the marked plan's session.
    """
    from sealegs.adapters.pytest_faults import arm, faults_of

    arm(request.config)
    return faults_of(request.node)


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """A test whose faults were never delivered is neither passed nor skipped."""
    found: dict[str, Any] | None = getattr(report, FOUND, None)
    if found is None or not found["inconclusive"] or report.failed:
        return None
    return "inconclusive", "i", ("INCONCLUSIVE", {"yellow": True})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The section `faults`, where any test had some."""
    reports = [r for found in terminalreporter.stats.values() for r in found if getattr(r, FOUND, None) is not None]
    if reports:
        from sealegs.adapters.pytest_report import write_section

        write_section(terminalreporter, [(report.nodeid, getattr(report, FOUND)) for report in reports])
