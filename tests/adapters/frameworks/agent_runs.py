"""An agent object of a framework, as `sealegs.experiment` and `sealegs.check` run it: without a session named anywhere.

The model remembers nothing: what it does next is in what it reads. So whatever one run leaves behind in the agent
object shows in what the next run reads first. Real models are not tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol, runtime_checkable

import sealegs
from sealegs.adapters.conformance import (
    CheckVerdict,
    ConformanceCase,
    ConformanceReport,
    Harness,
    Mode,
    ModelScript,
    ScriptedToolCall,
)
from sealegs.adapters.conformance.fixtures import WeatherTools
from sealegs.experiments.experiment_runner import SilentView
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import First, Tool

DEGREES = {"Oslo": 17, "Rome": 31}
INPUTS = [f"What is the weather of {city}?" for city in DEGREES]
RUNS = 14  # that all pass show a pass rate of 80 %
OUTAGE = Plan(
    name="outage",
    rules=(Rule(match=Tool("forecast"), when=First(1), fault=Error(status=503), moment="before"),),
)
GIVEN_UP = "I could not find out the weather."


@runtime_checkable
class HasAgent(Protocol):
    """A harness that can hand out the agent object that it plays."""

    def agent(self, case: ConformanceCase) -> Any:
        """The agent, wired as the case says."""


class Conversation(ModelScript):
    """A model whose every turn follows from what it reads: it asks for a forecast, and again where that gave nothing.

    Args:
        tries: how often it asks at most.
    """

    def __init__(self, tries: int) -> None:
        super().__init__([])
        self.tries = tries

    def turn(self, prompt: str, results: Mapping[str, str]) -> tuple[ScriptedToolCall, ...]:
        """Ask for the forecast of the city that was asked for last, or say it."""
        self.prompts.append(prompt)
        city = re.findall(r"weather of (\w+)", prompt)[-1]
        degrees = [found[1] for text in results.values() if (found := re.search(r"degrees\W+(\d+)", text))]
        calls = max((int(id.partition("_")[2]) for id in results), default=0)
        if degrees or calls >= self.tries:
            self.last_words = f"{degrees[-1]} degrees in {city}" if degrees else GIVEN_UP
            return ()
        return (ScriptedToolCall(f"call_{calls + 1}", "forecast", {"city": city}),)


@dataclass
class PromptsByRun(SilentView):
    """What the model read in each run, kept apart as the runs end."""

    script: ModelScript
    runs: list[list[str]] = field(default_factory=list)

    def progress(self, done: int, total: int) -> None:
        """A run has ended, or an arm begins."""
        if self.script.prompts:
            self.runs.append(list(self.script.prompts))
            self.script.prompts.clear()


def right(answer: str, input: str) -> bool:
    """Whether the answer tells the degrees of the city that was asked for."""
    city = input.rstrip("?").split()[-1]
    return f"{DEGREES[city]} degrees in {city}" in answer


def case_of(mode: Mode, tries: int) -> tuple[ConformanceCase, WeatherTools]:
    """A case of an agent that is wired to no session, and its tools."""
    weather = WeatherTools(
        mode, {"forecast": lambda arguments: {"city": arguments["city"], "degrees": DEGREES[arguments["city"]]}}
    )
    return ConformanceCase(mode, weather.tools(), Conversation(tries), armed=True, shows=True), weather


def agents(harness: HasAgent, case: ConformanceCase) -> dict[str, Any]:
    """The agent objects that a harness has, by name."""
    others: Callable[[ConformanceCase], Mapping[str, Any]] = getattr(harness, "others", lambda case: {})
    return {"agent": harness.agent(case), **others(case)}


@dataclass(frozen=True)
class AgentTrial:
    """One agent object of a harness, made anew for each check.

    Attributes:
        harness: the framework.
        mode: whether its tools are functions or coroutine functions.
        name: which of the harness's agent objects.
    """

    harness: Harness
    mode: Mode
    name: str

    def made(self, tries: int) -> tuple[Any, PromptsByRun, WeatherTools]:
        """The agent, what keeps what its model reads, and its tools."""
        assert isinstance(self.harness, HasAgent)
        case, weather = case_of(self.mode, tries)
        return agents(self.harness, case)[self.name], PromptsByRun(case.script), weather

    def held(self) -> None:
        """An agent that asks again holds, and every run begins as the first one did."""
        agent, view, weather = self.made(tries=3)
        report = sealegs.experiment(agent, OUTAGE, check=right, inputs=INPUTS, runs=RUNS, view=view)
        problems = [problem for run in report.runs for problem in run.problems]
        assert report.verdict.decision == "held", f"{report.verdict.reason}; {problems[:2]}"
        assert len(report.runs) == 2 * RUNS
        for run in report.runs:
            faulted = run.arm == "faults"
            cities = [turn.call.arguments["city"] for turn in run.record.turns]
            assert cities == [run.input.rstrip("?").split()[-1]] * (1 + faulted), f"{run.number}: calls for {cities}"
            assert run.record.exposed == faulted, f"run {run.number} without faults was struck, or the other way"
            assert run.record.answer == f"{DEGREES[cities[0]]} degrees in {cities[0]}", f"answer: {run.record.answer}"
        assert len(weather.ended) == 2 * RUNS, f"the tool ran {len(weather.ended)} times, once a run is right"
        self._fresh(view, 2 * RUNS)
        sealegs.experiment(agent, OUTAGE, check=right, inputs=INPUTS, runs=len(INPUTS), settle=False, view=view)
        self._fresh(view, 2 * RUNS + 2 * len(INPUTS))

    def _fresh(self, view: PromptsByRun, runs: int) -> None:
        assert len(view.runs) == runs
        for number, prompts in enumerate(view.runs):
            first = view.runs[number % len(INPUTS)]
            assert prompts[0] == first[0], f"run {number + 1} begins with {prompts[0]!r}, the first with {first[0]!r}"

    def weak(self) -> None:
        """An agent that asks once has a weakness, which the runs without faults do not have."""
        agent, view, weather = self.made(tries=1)
        report = sealegs.experiment(agent, OUTAGE, check=right, inputs=INPUTS, runs=RUNS, view=view)
        assert report.verdict.decision == "weakness", report.verdict.reason
        for run in report.runs:
            assert run.passed == (run.arm == "baseline"), f"run {run.number} of {run.arm}: {run.problems}"
            assert run.record.answer == GIVEN_UP or run.passed, f"answer: {run.record.answer}"
        assert len(weather.ended) == RUNS, "a failure before the work leaves the work undone"

    def in_processes(self) -> None:
        """An agent that is named is run in several processes as in one."""
        target = f"{__name__}:{self.target}"
        settings: dict[str, Any] = {"check": f"{__name__}:right", "inputs": INPUTS, "runs": 4, "settle": False}
        one, two = (sealegs.experiment(target, OUTAGE, jobs=jobs, specs="", **settings) for jobs in (1, 2))
        assert [_seen(run) for run in one.runs] == [_seen(run) for run in two.runs]
        assert all(run.passed for run in two.runs), [run.problems for run in two.runs]

    def checked(self) -> None:
        """The same agent against ground truth: what is right is learned from its own runs."""
        agent, _, weather = self.made(tries=3)
        report = sealegs.check(agent, list(weather.tools().values()), INPUTS[0], effects=[], reference=None)
        modes = {run.episode.mode for run in report.runs}
        assert {"NP", "P1", "P2", "P3", "P4"} <= modes, f"only {sorted(modes)}"
        wrong = [f"{run.episode.id}: {run.verdict.reasons}" for run in report.runs if not run.verdict.success]
        assert not wrong, wrong

    @property
    def target(self) -> str:
        """A name under which this module gives the agent."""
        page = type(self.harness).__module__.rpartition(".")[2]
        return re.sub(r"\W", "_", "__".join((page, type(self.harness).__name__, self.mode, self.name)))


def _seen(run: Any) -> tuple[Any, ...]:
    turns = [(turn.call.tool, dict(turn.call.arguments), len(turn.injections)) for turn in run.record.turns]
    return run.record.about["arm"], run.number, run.input, run.passed, run.record.answer, turns


AGENT_CHECKS: Mapping[str, Callable[[AgentTrial], None]] = {
    "agent_held": AgentTrial.held,
    "agent_weak": AgentTrial.weak,
    "agent_in_processes": AgentTrial.in_processes,
    "agent_checked": AgentTrial.checked,
}


def trials(harness: Harness) -> Iterator[AgentTrial]:
    """Every agent object of a harness, with each sort of tools; none where it has no agent object."""
    if isinstance(harness, HasAgent):
        for mode in harness.modes:
            if mode != "mixed" or "sync" not in harness.modes:
                names = list(agents(harness, case_of(mode, 1)[0]))
                yield from (AgentTrial(harness, mode, name) for name in names)


def agent_verdicts(harness: Harness, wanted: Collection[str] | None = None) -> list[CheckVerdict]:
    """What the checks say of every agent object of a harness; `wanted`: only these.

    Processes are slow to start and know nothing of the sort of tools, so one sort is tried in them.
    """
    names = [name for name in AGENT_CHECKS if wanted is None or name in wanted]
    found = list(trials(harness)) if names else []
    return [
        _verdict(name, trial)
        for trial in found
        for name in names
        if name != "agent_in_processes" or trial.mode == found[0].mode
    ]


def agent_report(report: ConformanceReport, verdicts: Iterable[CheckVerdict]) -> ConformanceReport:
    """The report of a harness, with these verdicts in place of its own."""
    return replace(report, verdicts=tuple(verdicts))


def agent_row(report: ConformanceReport) -> dict[str, Any]:
    """A row of the table of agent objects as data."""
    return {
        "framework": report.framework,
        "package": report.package,
        "version": report.version,
        "objects": list(dict.fromkeys(verdict.check.partition(" of ")[2] for verdict in report.verdicts)),
        "tools": list(dict.fromkeys("async" if verdict.mode == "async" else "sync" for verdict in report.verdicts)),
        "counts": report.counts(),
        "absent": {one.check: one.detail for one in report.verdicts if one.result == "absent"},
    }


def _verdict(check: str, trial: AgentTrial) -> CheckVerdict:
    name = f"{check} of {trial.name}"
    if name in trial.harness.absent:
        return CheckVerdict(name, trial.mode, "absent", trial.harness.absent[name])
    try:
        AGENT_CHECKS[check](trial)
    except Exception as error:
        return CheckVerdict(name, trial.mode, "failed", f"{type(error).__name__}: {error}")
    return CheckVerdict(name, trial.mode, "passed")


def __getattr__(name: str) -> Any:
    """An agent object by the name of `AgentTrial.target`, made once in each process."""
    if name.count("__") == 3:
        return _named(name)
    raise AttributeError(name)


@cache
def _named(name: str) -> Any:
    from tests.adapters.frameworks.suite import harnesses

    for harness in harnesses(name.partition("__")[0]):
        for trial in trials(harness):
            if trial.target == name:
                return trial.made(tries=3)[0]
    raise AttributeError(name)
