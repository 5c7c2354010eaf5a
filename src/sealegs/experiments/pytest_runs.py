"""Tests with `@pytest.mark.faults(..., runs=20)`: the hooks that pytest calls around them.

The first plugin (`adapters.pytest`) loads this by the entry point `sealegs.pytest`, and only where a collected test
asks for runs. The runs of one test share its function-scoped fixtures.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any
from unittest import TestCase

import pytest

from sealegs.adapters.pytest_faults import (
    FaultWatch,
    add_section,
    asks_for_runs,
    faults_of,
    note_on_report,
    require_one_mark,
)
from sealegs.adapters.pytest_marks import MARK
from sealegs.experiments.body_runs import (
    BodyAgent,
    BodyRuns,
    body_runs,
    failing_lines,
    fails_by_itself,
    made_runs,
    runs_found,
)
from sealegs.experiments.experiment_report import ExperimentReport
from sealegs.experiments.experiment_runner import ExperimentRunner
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.inject import Clock, Session
from sealegs.scoring.experiment_metrics import RunResult

SHOWN = 8  # failing runs that are listed


@dataclass
class RunsOfTest:
    """One test with runs.

    Attributes:
        item: the test.
        plan: that its mark gives; None where faults are drawn.
        wanted: the runs that its mark asks for.
        report: what came of the runs, once they are made.
        single: the one run that `--faults-run` asked for, once it is made.
    """

    item: pytest.Item
    plan: Plan | None
    wanted: BodyRuns
    report: ExperimentReport | None = None
    single: RunResult | None = None
    _errors: dict[str, BaseException] = field(default_factory=dict)
    _watches: dict[str, FaultWatch] = field(default_factory=dict)
    _watch: FaultWatch | None = None

    def play(self, body: Callable[[], None]) -> None:
        """Make the runs; a weakness fails the test."""
        faults = faults_of(self.item)
        failures = (AssertionError, pytest.fail.Exception)
        agent = BodyAgent(
            self.item.nodeid,
            body,
            self._began,
            lambda: faults.answer,
            failures,
            skips=(pytest.skip.Exception,),
            ends=(pytest.exit.Exception,),
            errors=self._errors,
        )
        mistake = ""
        try:
            self._make(self.wanted.runner(agent, self._watched))
        except UserError as error:
            mistake = str(error)
        failure = mistake or (self._judged(self.report) if self.report else "")
        if failure:
            pytest.fail(failure, pytrace=False)

    def _make(self, runner: ExperimentRunner) -> None:
        """Make the runs, or the one that `--faults-run` asks for, which ends the test as it ended."""
        only: int | None = self.item.config.getoption("--faults-run")
        if only is None:
            self.report = made_runs(runner)
            return
        run = self.single = runner.single(only - 1 if only else 0, "faults" if only else "baseline")
        error = self._errors.get(run.record.episode)
        if error is not None:
            raise error
        if run.problems:
            pytest.fail("; ".join(run.problems), pytrace=False)

    def failure(self) -> str:
        """The text shown under the test that failed: a failing run, and the command that replays it."""
        made = self.report.runs if self.report else (self.single,) if self.single else ()
        failed = [run for run in made if not run.passed]
        if not failed:
            return ""
        # A run under faults first: that one has a plan that can be replayed.
        run = next((run for run in failed if run.arm == "faults"), failed[0])
        name = run.record.episode
        number = run.number + 1 if run.arm == "faults" else 0
        failure = faults_of(self.item).failure(self._watches[name], number)
        error = self._errors.get(name)
        if error is None or self.single is not None:
            return failure
        shown = self.item.repr_failure(pytest.ExceptionInfo.from_exception(error))
        return f"{shown}\n\n{failure}"

    def _watched(self, plan: Plan, clock: Clock) -> FaultWatch:
        self._watch = faults_of(self.item).watch_run(plan, clock)
        return self._watch

    def _began(self, run: str, session: Session) -> None:
        assert self._watch is not None
        self._watches[run] = self._watch
        faults_of(self.item).marked = session

    def _judged(self, report: ExperimentReport) -> str:
        """The message that the test fails with; empty if it does not fail."""
        verdict = report.verdict
        reason = verdict.reason if verdict.decision == "weakness" else ""
        if verdict.decision == "inconclusive":
            reason = fails_by_itself(report.runs, report.options.fail_under)
        return "\n".join([f"{reason}:", *failing_lines(report.runs, SHOWN)]) if reason else ""


KEY = pytest.StashKey[RunsOfTest]()


class RunHooks:
    """The hooks that pytest calls around each test once a run has a test with runs."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Read the mark, anew for each time that the test runs."""
        if KEY in item.stash:
            del item.stash[KEY]
        if not asks_for_runs(item):
            return
        try:
            item.stash[KEY] = runs_of(item)
        except UserError as error:
            pytest.fail(str(error), pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Have the body run as often as it takes, whoever runs it: pytest itself or a plugin for async tests."""
        runs = item.stash.get(KEY, None)
        if runs is None:
            return (yield)
        once = item.runtest
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(item, "runtest", lambda: runs.play(once))
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note on the report what the runs found, and turn a pass without a verdict into what it is."""
        report = yield
        runs = item.stash.get(KEY, None)
        if runs is not None and call.when == "call" and runs.report is not None:
            note_on_report(report, item, runs_found(runs.report, runs.plan), runs.failure)
        elif runs is not None and call.when == "call" and report.failed and runs.single is not None:
            add_section(report, runs.failure())
        return report


def runs_of(item: pytest.Item) -> RunsOfTest:
    """The runs that a test's mark asks for.

    Raises:
        UserError: the mark cannot be used.
    """
    mark = item.get_closest_marker(MARK)
    assert mark is not None
    require_one_mark(item)
    who = f"@pytest.mark.faults of {item.name}"
    if not isinstance(item, pytest.Function) or (item.cls is not None and issubclass(item.cls, TestCase)):
        raise UserError(f"{who}: runs are for test functions; write it as a function, or leave runs out")
    faults = faults_of(item)
    try:
        given = inspect.signature(_mark).bind(*mark.args, **mark.kwargs).arguments
    except TypeError as error:
        raise UserError(f"{who}: {error}; see `pytest --markers`") from None
    more: dict[str, Any] = given.get("more", {})
    seed = faults.seed(more.pop("seed", None))
    plan = None if given.get("plan") is None else faults.read(given["plan"])
    if plan is not None and seed is not None:
        # The mark's seed, or `--faults-seed` before it, decides over the plan's own: so a failure can be replayed.
        plan = plan.model_copy(update={"seed": seed})
    try:
        wanted = body_runs(item.name, plan, runs=given["runs"], seed=seed, **more)
    except TypeError as error:
        raise UserError(f"{who}: {str(error).removeprefix('body_runs() ')}; see `pytest --markers`") from None
    return RunsOfTest(item, plan, wanted)


def _mark(plan: Any = None, *, runs: int, **more: Any) -> None:
    """The arguments of a mark with runs."""
