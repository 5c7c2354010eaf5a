"""Tests of learned detectors on the suite's implicit faults: the material, cut so that nothing leaks, and the units.

Base tasks are cut into two halves. Detectors learn from the clean episodes of one and are tested on the other, both
ways round, so that every task is tested once. Of the record to learn from, every call that the other half makes
with the same arguments is left out, so no tested answer was ever seen; `leaked_items` checks that. A unit is one
faulted answer (the first of each fault of an episode: what an agent does after it is another matter) or one clean
answer. The tools are the suite's, whose answers repeat arguments and keep sums more than most do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sealegs.engines.direct import play_scenario
from sealegs.faults import seeds
from sealegs.faults.call import Call, Layer, Value
from sealegs.faults.user_error import UserError
from sealegs.recovery.detectors import Profiles, learn
from sealegs.recovery.detectors.detector import LearnedDetector
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.scenarios import LEVELS
from sealegs.scenarios.perturbation import PUBLISHED_FAMILIES
from sealegs.scenarios.recovery_alternatives import declared_alternatives
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scoring import judge
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.traces.observed import Trace, trace_from_events
from sealegs.traces.record import Turn, build_record

AGENT = "planner"  # who makes the calls: it continues after a fault, so that every fault of an episode strikes
WANTED = (0.01, 0.05)  # shares of false alarms
PER = ("answer", "episode")
FAULTED_MODES = ("P3", "P4")
ARMS = ("declared", "learned", "learned and leak pattern", "declared and learned")
Progress = Callable[[int, int], None]
Marks = tuple[str, float, str]  # arm, wanted share, per what


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """One answer that was tested.

    Attributes:
        task: the base task.
        mode: NP for a clean one.
        kind: the corruption; empty for a clean one.
        known: whether the tool was in the record that was learned from.
        episode: its episode.
        detections: who called it wrong, as (arm, wanted share, share of what).
    """

    task: str
    mode: str
    kind: str
    known: bool
    episode: str
    detections: frozenset[Marks]


@dataclass(frozen=True, slots=True)
class DetectionSplit:
    """One direction.

    Attributes:
        training: the record to learn from.
        further: a record of other tasks, learned from as well.
        tested: the turns to test, with their episode and kind.
        left_out: how many calls were left out of the record because the tested half makes them too.
    """

    training: tuple[Trace, ...]
    further: tuple[Trace, ...]
    tested: tuple[tuple[Scenario, Turn, str], ...]
    left_out: int

    @property
    def record(self) -> tuple[Trace, ...]:
        """All that is learned from."""
        return (*self.training, *self.further)


def halves(names: Iterable[str], seed: int = 0) -> tuple[frozenset[str], frozenset[str]]:
    """The tasks in two halves, which the seed decides."""
    # Split by digest, so that the halves do not depend on the order of the tasks.
    ordered = sorted(names, key=lambda name: seeds.digest("halves", seed, name))
    return frozenset(ordered[::2]), frozenset(ordered[1::2])


def play_detection_splits(
    limit: int | None, epochs: int, seed: int, more: Sequence[str] = (), progress: Progress = lambda *_: None
) -> tuple[DetectionSplit, DetectionSplit]:
    """Both directions.

    Args:
        limit: at most this many base tasks of each level.
        epochs: how many times each faulty episode is run.
        seed: decides the halves, the victims and the faults.
        more: folders of further tasks, whose clean episodes are learned from in both directions.
        progress: called with how many episodes are done.
    """
    chosen = [
        *list_scenarios(LEVELS, ("NP",), limit=limit, seed=seed),
        *list_scenarios(LEVELS, FAULTED_MODES, limit=limit, epochs=epochs, seed=seed, implicit=PUBLISHED_FAMILIES),
        *(one for folder in more for one in list_scenarios(LEVELS, ("NP",), seed=seed, tasks=folder)),
    ]
    played = []
    for done, episode in enumerate(chosen):
        progress(done, len(chosen))
        played.append((episode, play_scenario(episode, AGENT)))
    progress(len(chosen), len(chosen))
    first, second = halves({one.task for one in chosen if not one.tasks}, seed)
    # Other tasks than the halves are made of, so that they leak into neither.
    further = [trace_from_events(events) for one, events in played if one.tasks]
    clean = [(one.task, trace_from_events(events)) for one, events in played if not one.tasks and one.mode == "NP"]
    turns = [(one, turn) for one, events in played if not one.tasks for turn in build_record(events).turns]

    def half(learned: frozenset[str], tested: frozenset[str]) -> DetectionSplit:
        units = tuple(_units((one, turn) for one, turn in turns if one.task in tested))
        return split_without_leaks([trace for task, trace in clean if task in learned], units, further)

    return half(first, second), half(second, first)


def _units(turns: Iterable[tuple[Scenario, Turn]]) -> Iterator[tuple[Scenario, Turn, str]]:
    """Return what is tested: all answers of clean episodes, and of the others the first that each fault struck."""
    met: set[tuple[str, str]] = set()
    for episode, turn in turns:
        if not isinstance(turn.shown, Value):
            continue
        if episode.mode == "NP":
            yield episode, turn, ""
            continue
        # Only the first injection of each rule: a permanent fault would otherwise count once for every retry.
        for injection in turn.injections:
            if injection.delivered and (episode.id, injection.rule) not in met:
                met.add((episode.id, injection.rule))
                yield episode, turn, injection.kind


def split_without_leaks(
    traces: Iterable[Trace], tested: tuple[tuple[Scenario, Turn, str], ...], further: Iterable[Trace] = ()
) -> DetectionSplit:
    """Return a direction whose record holds no tested call."""
    barred = {call_key(turn.call.tool, turn.call.arguments) for _, turn, _ in tested}

    def cut(trace: Trace) -> Trace:
        calls = tuple(one for one in trace.calls if call_key(one.tool, one.arguments) not in barred)
        return replace(trace, calls=calls)

    given = list(traces), list(further)
    kept = [tuple(map(cut, part)) for part in given]
    before, after = (sum(len(one.calls) for part in parts for one in part) for parts in (given, kept))
    half = DetectionSplit(kept[0], kept[1], tested, before - after)
    # A leak would make every figure too good, so it is checked on the result and not taken on trust.
    problems = leaked_items(half)
    assert not problems, problems
    return half


def leaked_items(half: DetectionSplit) -> list[str]:
    """List what of the tested half is in the training record: base tasks, and calls with their arguments."""
    tested = {episode.task for episode, _, _ in half.tested}
    calls = {call_key(turn.call.tool, turn.call.arguments) for _, turn, _ in half.tested}
    tasks = {str(trace.about.get("task")) for trace in half.record if not trace.about.get("tasks")}
    leaked = [f"task {name} is learned from and tested" for name in sorted(tested & tasks)]
    seen = {call_key(one.tool, one.arguments) for trace in half.record for one in trace.calls}
    return [*leaked, *(f"call {call[0]}{call[1]} is learned from and tested" for call in sorted(calls & seen))]


def call_key(tool: str, arguments: Any) -> tuple[str, str]:
    """A call by its tool and arguments."""
    return tool, json.dumps(arguments, sort_keys=True, default=str)


def check_split(half: DetectionSplit, profiles: Profiles) -> list[CheckedAnswer]:
    """Every unit of a direction, with who called it wrong."""
    detectors = _detectors(profiles)
    known = {call.tool for trace in half.record for call in trace.calls}
    return [
        CheckedAnswer(
            episode.task,
            episode.mode,
            kind,
            turn.call.tool in known,
            episode.id,
            frozenset(_detections(episode, turn, detectors)),
        )
        for episode, turn, kind in half.tested
    ]


def _detectors(profiles: Profiles) -> dict[tuple[float, str], LearnedDetector]:
    found: dict[tuple[float, str], LearnedDetector] = {}
    for share in WANTED:
        found[share, "answer"] = profiles.detector(share)
        try:
            found[share, "episode"] = profiles.detector(share, per="episode")
        except UserError:  # too few episodes for so small a share
            continue
    return found


def _detections(
    episode: Scenario, turn: Turn, detectors: dict[tuple[float, str], LearnedDetector]
) -> Iterator[tuple[str, float, str]]:
    assert isinstance(turn.shown, Value)
    call = Call(turn.call.tool, turn.call.arguments)
    spec = next((one for one in episode.specs if one.name == call.tool), None)
    declared = spec is not None and bool(spec.violations(call.arguments, turn.shown.value))
    for (share, per), detector in detectors.items():
        found = detector.findings(call, turn.shown.value)
        # Leaks are found by a rule that ships with every detector, and not by what was learned.
        learned = any(one.family != "tool_leakage" for one in found)
        verdicts = (declared, learned, bool(found), declared or bool(found))
        yield from ((arm, share, per) for arm, yes in zip(ARMS, verdicts, strict=True) if yes)


def profiles_of(half: DetectionSplit) -> Profiles:
    """The profiles that are learned in a direction."""
    return learn(half.training, also=half.further)


def play_guarded(
    agent: str, half: DetectionSplit, profiles: Profiles, modes: Sequence[str], share: float, epochs: int, seed: int
) -> dict[str, list[MazeResult]]:
    """An agent's episodes of the tested half: without recovery, with what is declared, with what was learned alone."""
    detector = profiles.detector(share)
    tasks = {episode.task for episode, _, _ in half.tested}
    chosen = [
        one
        for one in list_scenarios(LEVELS, modes, epochs=epochs, seed=seed, implicit=PUBLISHED_FAMILIES)
        if one.task in tasks
    ]
    arms: dict[str, Callable[[Scenario], list[Layer]]] = {
        "off": lambda _: [],
        "declared": lambda one: [RecoveryLayer(active_policy(declared_alternatives(one), seed=one.seed))],
        "learned": lambda one: [
            RecoveryLayer(active_policy(declared_alternatives(one), seed=one.seed), detectors=(detector,), check=False)
        ],
    }
    return {arm: [_result(one, agent, stack(one)) for one in chosen] for arm, stack in arms.items()}


def _result(episode: Scenario, agent: str, stack: list[Layer]) -> MazeResult:
    found = build_record(play_scenario(episode, agent, stack=stack))
    verdict = judge(found, episode.case(found))
    return MazeResult(episode.task, episode.base.level, episode.mode, episode.epoch, verdict)
