"""One run of an experiment: played, recorded, and judged by the check and the contracts.

The judges' findings are noted in the record, which is all that is kept: a report needs no agent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sealegs.experiments.agent_under_test import AgentUnderTest
from sealegs.experiments.experiment_options import ExperimentOptions, ExperimentRun
from sealegs.experiments.run_guards import RunOverTime, exits_raised
from sealegs.experiments.run_harness import RunHarness
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.hunt.trial import call_quietly, error_line
from sealegs.inject import Clock, EndlessWait, RealClock, Session, VirtualClock
from sealegs.inject.layer_context import Watcher
from sealegs.inject.limit import CallLimit
from sealegs.scoring.experiment_metrics import RunResult
from sealegs.scoring.run_contracts import RunContract
from sealegs.scoring.run_evidence import RunEvidence
from sealegs.traces import AnswerGiven, EpisodeEnded, Event, Record, Recorder, Watchers, build_record, doubled_effects
from sealegs.traces.events import FaultInjected, Reason
from sealegs.traces.json_data import to_json_data
from sealegs.traces.usage import metering

SUITE = "test"
DOUBLED = "no_action_twice"  # holds without being asked for, as far as it is proven (`doubled_effects`)
ENDS = (UserError, KeyboardInterrupt)  # what ends an experiment, no matter who raises it
JUDGED = "judged"  # where a record holds what the judges found
Check = Callable[..., Any]


@dataclass(frozen=True)
class RunPlayer:
    """A player of an experiment's runs.

    Attributes:
        agent: the agent.
        options: of the experiment.
        check: takes the answer, and `record` and `input` if it names them; fails by returning False or by raising.
            None: an agent that ends by itself passes.
        contracts: the contracts that every run must keep.
        specs: the known facts of the tools.
        watch: makes a further watcher of a run, of its plan and its clock; None for none.
        key: a part of the key of the draws, besides the run's number.
        quiet: whether the agent's output and warnings are discarded.
        passing: the classes of exceptions that end the whole experiment when the agent raises them.
        facts: further facts that a record notes of its run.
    """

    agent: AgentUnderTest
    options: ExperimentOptions
    check: Check | None = None
    contracts: Sequence[RunContract] = ()
    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    watch: Callable[[Plan, Clock], Watcher] | None = None
    key: str = ""
    quiet: bool = True
    passing: tuple[type[BaseException], ...] = ENDS
    facts: Mapping[str, Any] = field(default_factory=dict)

    def play(self, run: ExperimentRun, plan: Plan) -> list[Event]:
        """Play one run; whatever the agent does, the events end with an end.

        Raises:
            UserError: the agent, the check or a contract cannot be used as it is.
        """
        clock = VirtualClock() if self.options.clock == "virtual" else RealClock()
        recorder = Recorder(clock)
        recorder.start(run.id, self._facts(run, plan))
        limit = CallLimit(self.options.max_calls)
        harness = self._harness(run, plan, clock, recorder, limit)
        answer: Any = None
        end: Reason = "answered"
        detail = ""
        with metering() as usage, exits_raised():
            try:
                answer = call_quietly(lambda: self.agent.run(harness)) if self.quiet else self.agent.run(harness)
            except self.passing:
                raise
            except (EndlessWait, RunOverTime) as error:
                end, detail = "hung", error_line(error)
            except BaseException as error:
                end, detail = "crashed", error_line(error)
        if limit.reached:  # also where the agent took the stop for an error of a tool
            end, detail = "limit", f"more than {limit.calls} calls"
        recorder.note({"usage": usage.data()} if usage.data() else {})
        self._judge(recorder, run, answer, end, detail)
        return recorder.events

    def _harness(
        self, run: ExperimentRun, plan: Plan, clock: Clock, recorder: Recorder, limit: CallLimit
    ) -> RunHarness:
        episode = f"{self.key}{run.number}"
        session = Session(
            plan,
            episode=episode,
            specs=self.specs.values(),
            layers=(limit,),
            clock=clock,
            timeout=self.options.timeout,
            watcher=recorder if self.watch is None else Watchers(recorder, self.watch(plan, clock)),
        )
        options = self.options
        return RunHarness(run.input, episode, plan, session, recorder, options.timeout, options.time_limit, limit)

    def _facts(self, run: ExperimentRun, plan: Plan) -> dict[str, Any]:
        return {
            "suite": SUITE,
            "agent": self.agent.name,
            "arm": run.arm,
            "number": run.number,
            "input": run.input,
            "plan": plan.as_data() if plan.rules else None,
            **self.facts,
        }

    def _judge(self, recorder: Recorder, run: ExperimentRun, answer: Any, end: Reason, detail: str) -> None:
        """End the record with the answer and what is wrong with the run."""
        text = recorded_answer(answer) if end == "answered" and answer is not None else None
        recorder.note_effects()
        record = _ended(recorder.events, text, end, detail)
        request = record.about["input"]  # an agent may have noted its request there
        evidence = RunEvidence(record, recorder.events, request, self.specs)
        doubled = doubled_effects(record, self.specs.values())
        broken = {DOUBLED: doubled[0].says()} if doubled else {}
        broken |= {one.name: found for one in self.contracts if (found := one.violation(evidence))}
        problems = [f"{WORDS[end]}: {detail}"] if end != "answered" else []
        problems += [f"{name}: {found}" for name, found in broken.items()]
        problems += self._checked(answer, record, run) if end == "answered" else []
        recorder.note({JUDGED: {"problems": problems, "violations": sorted(broken)}})
        recorder.finish(end, answer=text, detail=detail)

    def _checked(self, answer: Any, record: Record, run: ExperimentRun) -> list[str]:
        if self.check is None:
            return []
        # By name, so that a check of the answer alone, as most are, need not take what it does not use.
        names = inspect.signature(self.check).parameters
        named = {name: value for name, value in (("record", record), ("input", run.input)) if name in names}
        check = self.check
        try:
            passed = call_quietly(lambda: check(answer, **named))
        except AssertionError as error:
            return [f"the check failed: {' '.join(str(error).split())[:300] or repr(answer)[:200]}"]
        except Exception as error:
            return [f"the check raised {error_line(error)}"]
        # numpy's truth value is not a bool; its class is called `bool_`, and `bool` from numpy 2 on.
        if passed is not None and not isinstance(passed, bool) and type(passed).__name__ not in ("bool_", "bool"):
            raise UserError(f"the check returned {passed!r:.100}; return True or False, or raise an AssertionError")
        return [] if passed is None or passed else [f"the check returned False for {answer!r:.200}"]


WORDS: Mapping[Reason, str] = {
    "crashed": "the agent crashed",
    "hung": "the agent hung",
    "limit": "the agent did not stop",
    "steps": "the agent did not stop",
}


def recorded_answer(answer: Any) -> str:
    """An agent's answer as the record keeps it: a text as it is, anything else as JSON or as `str` shows it."""
    if isinstance(answer, str):
        return answer
    data = to_json_data(answer)
    return data if isinstance(data, str) else repr(data)


def _ended(events: Sequence[Event], answer: str | None, end: Reason, detail: str) -> Record:
    """The record as it will be, for the judges."""
    given: list[Event] = [] if answer is None else [AnswerGiven(answer)]
    return build_record([*events, *given, EpisodeEnded(end, detail)])


def result_of(record: Record) -> RunResult:
    """The judged run that a record of an experiment holds.

    Raises:
        KeyError: it was not made by an experiment.
    """
    about = record.about
    judged = about[JUDGED]
    return RunResult(
        about["arm"],
        about["number"],
        about["input"],
        tuple(judged["problems"]),
        tuple(judged["violations"]),
        tuple(
            _fault(turn.call.tool, injection)
            for turn in record.turns
            for injection in turn.injections
            if injection.delivered
        ),
        record.end.seconds,
        record,
    )


def _fault(tool: str, injection: FaultInjected) -> str:
    shown = injection.shown or {}
    status = (shown.get("failure") or {}).get("status") if injection.kind == "error" else None
    return " ".join(str(part) for part in (tool, injection.kind, status, injection.moment) if part)
