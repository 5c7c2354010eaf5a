"""Played episodes of every mode and outcome on the small tasks, judged by the real judge."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sealegs.faults import paths
from sealegs.faults.call import Call, Effect, Failure, Outcome, Value
from sealegs.reports.maze_page import Material
from sealegs.scoring import Case, Slot, Verdict, judge
from sealegs.scoring.maze_metrics import MazeResult, maze_table
from sealegs.tasks.graph import Branch, Group, Step
from sealegs.traces.events import EpisodeEnded, FaultInjected, outcome_data
from sealegs.traces.record import Record, Turn
from tests.reports.report_tasks import tasks, value_of

Manner = Literal[
    "good", "believes", "loops", "gives up", "switches badly", "claims", "crashes", "wanders", "clumsy", "idle",
    "doubles",
]  # fmt: skip
MODES = ("NP", "P1", "P2", "P3", "P4")
PERSISTENCE: Mapping[str, Literal["transient", "permanent"]] = {
    "P1": "transient",
    "P2": "permanent",
    "P3": "transient",
    "P4": "permanent",
}
FAILURES = {
    "P1": Failure("Service Temporarily Unavailable", "ServiceUnavailable", 503),
    "P2": Failure("Tool Permanently Removed", "Gone", 410),
}
MANNERS: Mapping[str, tuple[Manner, ...]] = {
    "NP": ("good", "good", "clumsy", "good", "claims"),
    "P1": ("good", "gives up", "good", "crashes", "good", "clumsy", "believes", "idle", "good", "doubles"),
    "P2": ("good", "loops", "gives up", "good", "switches badly", "claims", "wanders"),
    "P3": ("believes", "good", "gives up", "believes", "idle", "good", "clumsy"),
    "P4": ("believes", "believes", "good", "loops", "gives up", "switches badly", "idle", "good", "claims"),
}


def corrupted(output: Any) -> Any:
    """The answer with its first number made impossible, or its first text another's."""
    path, value = next(((p, v) for p, v in paths.leaves(output) if isinstance(v, float)), next(paths.leaves(output)))
    wrong = f"XX-{len(str(value))}999" if isinstance(value, str) else -round(3 * value + 7.13, 2)
    changed: Any = paths.replace_values(output, path, lambda _: wrong)
    return changed


@dataclass
class Play:
    """An episode in the making: a case, and all that was called so far."""

    case: Case
    turns: list[Turn] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    victims: dict[str, str] = field(default_factory=dict)
    faulted: set[str] = field(default_factory=set)

    def call(self, step: Step, believed: bool = False) -> bool:
        """Call the step's tool with what is there; whether the answer was good."""
        graph, expected = self.case.task.graph, self.case.reference.steps[step.id]
        arguments = {n: value_of(b, self.case.task.inputs, self.outputs, graph) for n, b in step.arguments.items()}
        right = arguments == dict(expected.arguments)
        returned = Value(expected.output if right else _off(expected.output))
        fault = self._fault(step)
        number = f"call-{len(self.turns)}"
        if fault is None:
            effects = tuple(Effect(e.action, e.subject, e.details, number) for e in expected.effects) if right else ()
            self._enter(Turn(Call(step.tool, arguments, number), returned, returned, (), effects))
            self.outputs[step.id] = returned.value
            return right
        shown: Outcome = FAILURES.get(fault) or Value(corrupted(returned.value))
        implicit = isinstance(shown, Value)
        kind = "physics_violation" if implicit else "error"
        data = outcome_data(returned) if implicit else None
        injection = FaultInjected(
            number, f"{step.id}:rule", kind, implicit, True, int(implicit), 0.0, data, outcome_data(shown)
        )
        self._enter(Turn(Call(step.tool, arguments, number), returned if implicit else None, shown, (injection,)))
        if isinstance(shown, Value) and believed:
            self.outputs[step.id] = shown.value
        return False

    def outside(self, tool: str) -> None:
        """Call a tool that is not in the graph."""
        answer = Value({"results": []})
        self._enter(Turn(Call(tool, {"query": "another way"}, f"call-{len(self.turns)}"), answer, answer))

    def _enter(self, turn: Turn) -> None:
        nth = sum(other.call.tool == turn.call.tool for other in self.turns)
        self.turns.append(dataclasses.replace(turn, call=dataclasses.replace(turn.call, nth=nth)))

    def _fault(self, step: Step) -> str | None:
        home = self.case.task.graph.home.get(step.id)
        node = home[0].id if home else step.id
        slot = next((slot for slot in self.case.slots if slot.node == node), None)
        if slot is None or self.victims.setdefault(node, step.tool) != step.tool:
            return None
        if slot.persistence == "transient" and node in self.faulted:
            return None
        self.faulted.add(node)
        return self.case.mode

    def closed(self, answer: str | None, reason: Any = "answered", detail: str = "") -> Record:
        """The record of it."""
        about = {"suite": "maze", "task": self.case.task.id, "mode": self.case.mode, "prompt": "standard"}
        name = f"{self.case.task.id}/{self.case.mode}/1"
        return Record(name, about, tuple(self.turns), answer, EpisodeEnded(reason, detail, 1.5))


def _off(output: Any) -> Any:
    """What a tool answers to wrong arguments: everything in it is another thing."""
    changed = output
    for path, _ in paths.leaves(output):
        changed = paths.replace_values(changed, path, _other)
    return changed


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return f"{value}-B" if isinstance(value, str) else round(value * 1.37 + 20, 2)


def answer(play: Play, complete: bool, lacking: int = 0) -> str:
    """An answer that gives what is there."""
    case = play.case
    lines = []
    for deliverable in case.task.deliverables[: len(case.task.deliverables) - lacking]:
        value = value_of(deliverable.source, case.task.inputs, play.outputs, case.task.graph)
        if value is not None:
            lines.append(f"Here is {deliverable.label}: {value}.")
    stop = [] if complete else ["A tool that is needed does not work, and I found no other way."]
    return "\n".join([*lines, *stop, f"Status: {'complete' if complete else 'incomplete'}"])


def played(case: Case, manner: Manner) -> Record:
    """An episode in which an agent of this manner meets the case's faults."""
    play = Play(case)
    if manner == "crashes":
        play.call(next(case.task.graph.walk()))
        return play.closed(None, "crashed", "ConnectionError: the model's server closed the connection")
    if manner == "idle":
        return play.closed("I did it all as you asked.\nStatus: complete")
    for node in case.task.graph.nodes:
        branches = node.branches if isinstance(node, Group) else (Branch("", (node,), {}),)
        if not _done(play, branches, manner):
            return _end(play, manner)
    return play.closed(answer(play, True, lacking=int(manner in ("clumsy", "claims"))))


def _done(play: Play, branches: tuple[Branch, ...], manner: Manner) -> bool:
    """Do a node, one branch after the other; whether it may go on."""
    tries = 3 if manner == "loops" else 2 if manner in ("good", "clumsy", "switches badly", "doubles") else 1
    blind = manner == "believes"
    for branch in branches:
        if manner == "switches badly" and branch is not branches[0]:
            if len(branch.steps) > 1:
                play.call(branch.steps[0])
            continue
        if all(any(play.call(step, blind) for _ in range(tries)) or blind for step in branch.steps):
            if manner == "doubles":
                play.call(branch.steps[-1])
            return True
        if manner not in ("good", "clumsy", "doubles"):
            return False
    return False


def _end(play: Play, manner: Manner) -> Record:
    if manner == "wanders":
        for query in range(6):
            play.outside(f"browse_page_{query}")
        return play.closed(None, "steps", "no answer within 25 steps")
    if manner == "switches badly":
        play.outside("search_the_web")
    if manner in ("claims", "switches badly"):
        return play.closed("All is done as you asked.\nStatus: complete")
    return play.closed(answer(play, False))


def cases(each: int = 3) -> Iterator[Case]:
    """Every small task in every mode; faults strike as in the maze: every group of C4, one place elsewhere."""
    for number, (task, reference) in enumerate(tasks(each)):
        nodes = [group.id for group in task.graph.groups] or [("euros", "booked", "insured")[number % 3]]
        for mode in MODES:
            slots = tuple(Slot(node, PERSISTENCE[mode]) for node in nodes) if mode != "NP" else ()
            yield Case(task, reference, mode, slots)


def episodes(each: int = 3, only: Manner | None = None) -> list[tuple[Record, Case, Verdict]]:
    """Every case played: in a fixed mixture of manners, or all in one."""
    met = dict.fromkeys(MODES, 0)
    found = []
    for case in cases(each):
        manner = only or MANNERS[case.mode][met[case.mode] % len(MANNERS[case.mode])]
        met[case.mode] += 1
        record = played(case, manner)
        found.append((record, case, judge(record, case)))
    return found


def material(found: list[tuple[Record, Case, Verdict]], **changes: Any) -> Material:
    """The material of a page about these episodes."""
    results = [MazeResult(case.task.id, case.task.level, case.mode, 1, verdict) for _, case, verdict in found]
    who: Any = {"suite": "maze", "agent": "mixed"}
    whole = Material(
        who=who,
        rows=maze_table(results, who),
        results=results,
        episodes=found,
        warnings=(),
        notes={"sealegs": "0.1.0", "suite version": "1-A", "seed": "0"},
        differences=[],
    )
    return dataclasses.replace(whole, **changes)
