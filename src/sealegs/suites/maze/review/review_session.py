"""A reviewer at a task: its tools under NP, what was called, and the record that a judge reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome, no_such_tool, render
from sealegs.inject import Session
from sealegs.inject.clock import VirtualClock
from sealegs.scenarios.scenario import TOOL_TIMEOUT, Scenario
from sealegs.scoring import Verdict, judge
from sealegs.traces import Recorder
from sealegs.traces.events import Reason
from sealegs.traces.record import UNREADABLE, Record, build_record
from sealegs.world.state import World

COMPLETE, INCOMPLETE = "Status: complete", "Status: incomplete"
CallFacts = Mapping[str, Any]  # `tool`, `arguments`, and `shown` where it was made


class ReviewSession:
    """A task's world, to be called and answered once. The same calls always have the same results.

    Args:
        scenario: the task under NP.
        reviewer: who solves it.
        calls: what was called before, where a session is taken up again.

    Attributes:
        session, recorder: of the episode.
    """

    def __init__(self, scenario: Scenario, reviewer: str, calls: Iterable[CallFacts] = ()) -> None:
        self._names = {spec.name for spec in scenario.specs}
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start(scenario.id, scenario.about({"agent": reviewer}))
        self._world, self._corpus = World(self.recorder.effect), scenario.set.corpus(scenario.task)
        self.session = Session(
            scenario.plan,
            episode=scenario.id,
            specs=scenario.specs,
            others=None,
            clock=clock,
            timeout=TOOL_TIMEOUT,
            watcher=self.recorder,
        )
        self.calls: list[dict[str, Any]] = []
        for call in calls:
            self.call(call["tool"], call["arguments"])

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; what was called and what it says."""
        shown = render(self.session.call(tool, dict(arguments), self.run))
        self.calls.append({"tool": tool, "arguments": dict(arguments), "shown": shown})
        return self.calls[-1]

    def run(self, call: Call) -> Outcome:
        """Run a tool, as the session asks for it."""
        return self._corpus.run(call, self._world) if call.tool in self._names else no_such_tool(call)

    def finish(self, answer: str | None, end: Reason = "answered") -> Record:
        """The record of the session, whose `end` is not `answered` where there is no answer."""
        self.recorder.finish(end, answer=answer)
        return build_record(self.recorder.events)


def recorded_reply(record: Record) -> dict[str, Any]:
    """The reply to a task that a finished record gives: the answer, the end, and the calls that reached a tool."""
    calls = [
        {"tool": turn.call.tool, "arguments": dict(turn.call.arguments), "shown": render(turn.shown)}
        for turn in record.turns
        if turn.shown is not None and not (isinstance(turn.shown, Failure) and turn.shown.type == UNREADABLE)
    ]
    return {"answer": record.answer, "end": record.end.reason, "calls": calls}


def form_answer(labels: Sequence[str], given: Mapping[str, str]) -> str:
    """The final answer that a filled form gives."""
    lines = [f"- {label}: {' '.join(given[label].split())}" for label in labels]
    return "\n".join([*lines, COMPLETE])


def stop_answer(why: str) -> str:
    """The final answer of a reviewer who says that it cannot be done."""
    reason = " ".join(why.split())
    return "\n".join(["The request cannot be carried out.", *([f"Why: {reason}"] if reason else []), INCOMPLETE])


def review_verdict(scenario: Scenario, reviewer: str, reply: Mapping[str, Any]) -> Verdict:
    """The judge's verdict on a reply to a task: its calls are made again, and its answer is read.

    Raises:
        ValueError: a call's answer differs from the one that the reviewer saw, so the tools have changed.
    """
    session = ReviewSession(scenario, reviewer)
    for call in reply["calls"]:
        if session.call(call["tool"], call["arguments"])["shown"] != call["shown"]:
            raise ValueError(f"{call['tool']} does not give the answer that the reviewer saw")
    found = session.finish(reply["answer"], reply.get("end", "answered"))
    return judge(found, scenario.case(found))
