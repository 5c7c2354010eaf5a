"""Sessions for tests: what the mark and the fixture ask for, what came of it, and the note on the test's report."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal

import pytest

from sealegs.adapters import pytest_report
from sealegs.adapters.pytest_marks import FOUND, MARK, RUNS
from sealegs.cli_extra import why_unusable
from sealegs.faults.call import Call, Layer
from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import plan_from, read_plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.faults.visible_text import visible
from sealegs.inject import Clock, Injection, RealClock, Session, VirtualClock
from sealegs.inject.limit import CallLimit
from sealegs.traces import Recorder, Repetition, build_record, repetitions

AnyPlan = str | Path | Plan | Mapping[str, Any]
ARMED = "sealegs_armed"
PARTS = "sealegs.pytest"  # entry points of further hooks: those for tests with runs, which adapters must not import
RUN_HOOKS = "sealegs_runs"  # the name of that one
NO_RUN_HOOKS = "give the mark before the test is collected, or install Sealegs again"
OF_RUNS = ("min_pass_rate", "baseline", "contracts")


class FaultWatch:
    """A watcher of a session's faults, which records every call and every fault that fired."""

    def __init__(self, plan: Plan, clock: Clock) -> None:
        self.plan = plan
        self.calls: list[Call] = []
        self.injections: list[Injection] = []
        self._recorder = Recorder(clock)
        self._recorder.start("test", {})
        self.knows = self._recorder.knows
        self.layer_action = self._recorder.layer_action

    def around(self, layer: Layer) -> Layer:
        """The layer, its calls noted."""
        layer = self._recorder.around(layer)

        def noted(call: Call) -> Generator[Any, Any, Any]:
            self.calls.append(call)
            return (yield from layer(call))

        return noted

    def injected(self, injection: Injection) -> None:
        """A fault fired."""
        self.injections.append(injection)
        self._recorder.injected(injection)

    def repetitions(self) -> tuple[Repetition, ...]:
        """The calls that took effect again after a lost answer; the session is over then."""
        self._recorder.finish("answered")
        return repetitions(build_record(self._recorder.events))


class Faults:
    """The faults of one test.

    Called with a plan it gives a session; the session as a context manager is the active one, so that `@sealegs.tool`
    functions find it. Every session of a test is an episode of its own.

    Attributes:
        marked: the session of the test's mark, or of the run that is being made; None where there is none.
        answer: what the agent answered as the test reports it, and to what; None where it reported nothing.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._watches: list[FaultWatch] = []
        self.marked: Session | None = None
        self.answer: tuple[str, str] | None = None

    def __call__(
        self,
        plan: AnyPlan,
        *,
        seed: int | None = None,
        episode: str | None = None,
        specs: Iterable[ToolSpec] = (),
        timeout: float | None = None,
        clock: Literal["real", "virtual"] = "real",
        max_calls: int | None = None,
    ) -> Session:
        """A session under this plan.

        Args:
            plan: a file (beside the test's own, or from pytest's root), a plan, or a plan's data.
            seed: takes the place of the plan's own; `--faults-seed` that of both.
            episode: part of the key of every random decision; the test's id by default, with a number from the
                second session on.
            specs: what is known of the tools; some kinds of fault need it.
            timeout: seconds of waiting after which the caller gives up on one call.
            clock: `virtual` lets no time pass while faults wait.
            max_calls: the test fails with the call after this many.

        Raises:
            UserError: the plan cannot be used, or an argument.
        """
        if asks_for_runs(self._item):
            raise UserError(f"{self._item.name} has a mark with runs, which opens its sessions; leave this one out")
        read = self.read(plan)
        chosen = self.seed(seed)
        if chosen is not None:
            read = read.model_copy(update={"seed": chosen})
        if clock not in ("real", "virtual"):
            raise UserError(f"clock is {clock!r}; give 'real' or 'virtual'")
        if max_calls is not None and max_calls < 1:
            raise UserError(f"max_calls is {max_calls}; give 1 or more, or leave it out")
        time = VirtualClock() if clock == "virtual" else RealClock()
        watch = FaultWatch(read, time)
        self._watches.append(watch)
        return Session(
            read,
            episode=self._episode() if episode is None else episode,
            specs=specs,
            layers=() if max_calls is None else (CallLimit(max_calls),),
            clock=time,
            timeout=timeout,
            watcher=watch,
        )

    @property
    def armed(self) -> bool:
        """Whether the test has had a session."""
        return bool(self._watches)

    @property
    def session(self) -> Session:
        """The session of the test's mark, for tools that are bound to one (`wrap(tool, faults.session)`).

        Raises:
            UserError: the test has no mark.
        """
        if self.marked is None:
            raise UserError(
                f"{self._item.name} has no mark `faults`, and so no session of its own; "
                'open one: with faults("plan.yaml") as session'
            )
        return self.marked

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call so far, as the agent made it."""
        return tuple(call for watch in self._watches for call in watch.calls)

    @property
    def injections(self) -> tuple[Injection, ...]:
        """Every fault that has fired so far, delivered or not."""
        return tuple(injection for watch in self._watches for injection in watch.injections)

    @property
    def delivered(self) -> int:
        """The number of faults that have made a difference so far."""
        return sum(injection.delivered for injection in self.injections)

    def answered(self, text: str, to: str = "") -> None:
        """Tell what the agent answered in a test with `runs`, for the contracts that judge answers.

        Args:
            text: the answer.
            to: the agent's input.
        """
        self.answer = (text, to)

    def watch_run(self, plan: Plan, clock: Clock) -> FaultWatch:
        """Begin anew with what a run's session will do."""
        watch = FaultWatch(plan, clock)
        self._watches, self.answer = [watch], None
        return watch

    def seed(self, given: int | None) -> int | None:
        """The seed that takes the place of a plan's own; None where none does."""
        option: int | None = self._item.config.getoption("--faults-seed")
        return given if option is None else option

    def mark(self) -> None:
        """Make the session that the test's mark asks for, if there is one.

        Raises:
            UserError: the mark's arguments cannot be used.
        """
        mark = self._item.get_closest_marker(MARK)
        if mark is None:
            return
        require_one_mark(self._item)
        for name in OF_RUNS:
            if name in mark.kwargs:
                raise UserError(f"@pytest.mark.faults of {self._item.name} has {name} and no runs; add runs=20, say")
        try:
            inspect.signature(self).bind(*mark.args, **mark.kwargs)
        except TypeError as error:
            raise UserError(f"@pytest.mark.faults of {self._item.name}: {error}; see `pytest --markers`") from None
        self.marked = self(*mark.args, **mark.kwargs)

    def mistake(self) -> str:
        """Make the marked session and say what is wrong with the mark; nothing where all is well."""
        try:
            self.mark()
        except UserError as error:
            return str(error)
        return ""

    def found(self) -> dict[str, Any]:
        """The episodes with their faults, as plain data, and the reason why the test is inconclusive."""
        episodes = [
            pytest_report.episode_data(watch.plan, watch.calls, watch.injections, watch.repetitions())
            for watch in self._watches
        ]
        return {"episodes": episodes, "inconclusive": pytest_report.inconclusive(episodes)}

    def doubled(self) -> str:
        """The message for a test to fail with whose agent did something twice; empty where none did."""
        return pytest_report.describe_repetitions(one for watch in self._watches for one in watch.repetitions())

    def failure(self, watch: FaultWatch | None = None, run: int | None = None) -> str:
        """The text shown under a failed test: what was delivered, the plans, and the command that replays it.

        Args:
            watch: of the run that it is about, where the test has runs.
            run: the number of that run.
        """
        config = self._item.config
        _, mark, name = self._item.nodeid.partition("::")
        file = os.path.relpath(self._item.path, config.invocation_params.dir)
        shown = [(one.plan, one.injections) for one in ([watch] if watch else self._watches)]
        return pytest_report.failure(shown, f"{file}{mark}{name}", config.getoption("--faults-seed"), run)

    def _episode(self) -> str:
        number = len(self._watches)
        return self._item.nodeid if number == 1 else f"{self._item.nodeid} #{number}"

    def read(self, plan: AnyPlan) -> Plan:
        """The plan that a test names or gives.

        Raises:
            UserError: it cannot be used.
        """
        if isinstance(plan, Plan):
            return plan
        if isinstance(plan, Mapping):
            return plan_from(plan)
        if not isinstance(plan, (str, Path)):
            raise UserError(f"the plan is {plan!r}; give a file's name, a Plan, or a plan's data")
        beside = self._item.path.parent / plan
        return read_plan(beside if beside.exists() else self._item.config.rootpath / plan)


KEY = pytest.StashKey[Faults]()


def faults_of(item: pytest.Item) -> Faults:
    """The faults of this test, made at their first use."""
    return item.stash.setdefault(KEY, Faults(item))


def require_one_mark(item: pytest.Item) -> None:
    """Refuse several marks on one test, of which the closest would count; those of its class and module are others.

    Raises:
        UserError: there are several.
    """
    if sum(mark.name == MARK for mark in item.own_markers) > 1:
        raise UserError(
            f"{item.name} has several marks @pytest.mark.faults, and one counts; write their rules into one plan, or "
            "open a session for each with the fixture `faults`"
        )


def asks_for_runs(item: pytest.Item) -> bool:
    """Return whether the test's mark has its body run many times."""
    mark = item.get_closest_marker(MARK)
    return mark is not None and RUNS in mark.kwargs


def arm(config: pytest.Config, *, runs: bool = False) -> None:
    """Have the hooks below called, once; with `runs`, those of the parts that play tests with runs too."""
    if not config.pluginmanager.has_plugin(ARMED):
        config.pluginmanager.register(FaultHooks(), ARMED)
    if runs and (message := why_unusable("a test with runs", ("numpy", "rich"))):
        raise pytest.UsageError(message)
    for part in entry_points(group=PARTS) if runs else ():
        if not config.pluginmanager.has_plugin(part.name):
            config.pluginmanager.register(part.load()(), part.name)


class FaultHooks:
    """The hooks that pytest calls around each test once a run has a test with faults."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Make the marked session, anew for each time that the test runs."""
        if KEY in item.stash:
            del item.stash[KEY]
        if asks_for_runs(item):
            return
        mistake = faults_of(item).mistake()
        if mistake:
            pytest.fail(mistake, pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """The marked session is the active one while the test's body runs. A test fails that did something twice."""
        faults = item.stash.get(KEY, None)
        if asks_for_runs(item) and not item.config.pluginmanager.has_plugin(RUN_HOOKS):
            pytest.fail(f"{item.name} has runs, and nothing plays them: {NO_RUN_HOOKS}", pytrace=False)
        if faults is None or asks_for_runs(item):
            return (yield)
        with faults.marked or contextlib.nullcontext():
            result = yield
        doubled = faults.doubled()
        if doubled:
            pytest.fail(doubled, pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note on the report what the faults did, and turn a pass without a delivered fault into what it is."""
        report = yield
        faults = item.stash.get(KEY, None)
        if faults is not None and call.when == "call" and faults.armed and not asks_for_runs(item):
            note_on_report(report, item, faults.found(), faults.failure)
        return report


def note_on_report(
    report: pytest.TestReport, item: pytest.Item, found: dict[str, Any], failure: Callable[[], str]
) -> None:
    """Note on the report what the faults did, and turn a pass that shows nothing into what it is.

    Args:
        report: of the call.
        item: the test.
        found: what the faults did.
        failure: makes the text shown under the test that failed.
    """
    setattr(report, FOUND, found)
    item.user_properties += pytest_report.properties(found)  # those of the teardown report are JUnit's
    if report.failed:
        add_section(report, failure())
        found["inconclusive"] = ""  # it counts as failed, here as in pytest's last line
    elif report.passed and found["inconclusive"] and not hasattr(report, "wasxfail"):
        _doubt(report, item, f"inconclusive: {found['inconclusive']}")
    else:
        found["inconclusive"] = ""


def add_section(report: pytest.TestReport, text: str) -> None:
    """Put a section under a failure: with the failure itself where it can carry one, whatever `--show-capture` says."""
    text = visible(text)
    add = getattr(report.longrepr, "addsection", None)
    if add is not None:
        add("faults", text)
    else:
        report.sections.append(("faults", text))


def _doubt(report: pytest.TestReport, item: pytest.Item, reason: str) -> None:
    strict = item.config.getoption("--faults-strict") or item.config.getini("faults_strict")
    if strict:
        report.outcome = "failed"
        report.longrepr = reason
    else:  # as pytest tells of a skipped test, so that reports for machines do not count it as passed
        report.outcome = "skipped"
        report.longrepr = (str(item.path), (item.location[1] or 0) + 1, reason)
