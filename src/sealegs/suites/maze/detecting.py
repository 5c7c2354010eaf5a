"""How well learned detectors tell the suite's implicit faults: the material, cut so that nothing leaks, and the units.

Base tasks are cut into two halves. Detectors learn from the clean episodes of one and are asked about the other, both
ways round, so that every task is asked about once. Of the record to learn from, every call is left out that the other
half makes with the same arguments, so that no asked answer was ever seen; `unclean` checks that. A unit is one struck
answer (the first of each fault of an episode: what an agent does after it is another matter) or one clean answer. What
this does not cover: tools that are unlike the suite's, whose answers repeat arguments and keep sums more than most do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sealegs.faults import seeds
from sealegs.faults.call import Call, Layer, Value
from sealegs.faults.mistake import Mistake
from sealegs.recovery.detectors import Profiles, learn
from sealegs.recovery.detectors.detector import LearnedDetector
from sealegs.recovery.layer import RecoveryLayer, active
from sealegs.scenarios import LEVELS
from sealegs.scenarios.scenario import Scenario, episodes
from sealegs.scoring import judge
from sealegs.scoring.maze_metrics import Result
from sealegs.suites.maze.direct import run_episode
from sealegs.suites.maze.recovering import declared
from sealegs.traces.observed import Trace, recorded
from sealegs.traces.record import Turn, record

AGENT = "planner"  # who makes the calls: it goes on after a fault, so that every fault of an episode strikes
WANTED = (0.01, 0.05)  # shares of false alarms
PER = ("answer", "episode")
STRUCK = ("P3", "P4")
ARMS = ("declared", "learned", "learned and leak pattern", "declared and learned")
Progress = Callable[[int, int], None]
Marks = tuple[str, float, str]  # arm, wanted share, per what


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """One answer that was asked about.

    Attributes:
        task: the base task.
        mode: NP for a clean one.
        kind: the corruption; empty for a clean one.
        known: whether the tool was in the record that was learned from.
        episode: its episode.
        told: who called it wrong, as (arm, wanted share, per what).
    """

    task: str
    mode: str
    kind: str
    known: bool
    episode: str
    told: frozenset[Marks]


@dataclass(frozen=True, slots=True)
class Half:
    """One direction.

    Attributes:
        training: the record to learn from.
        further: a record of other tasks, learned from as well.
        asked: the turns to ask about, with their episode and kind.
        left_out: how many calls were left out of the record because the asked half makes them too.
    """

    training: tuple[Trace, ...]
    further: tuple[Trace, ...]
    asked: tuple[tuple[Scenario, Turn, str], ...]
    left_out: int

    @property
    def record(self) -> tuple[Trace, ...]:
        """All that is learned from."""
        return (*self.training, *self.further)


def halves(names: Iterable[str], seed: int = 0) -> tuple[frozenset[str], frozenset[str]]:
    """The tasks in two halves, which the seed decides."""
    ordered = sorted(names, key=lambda name: seeds.digest("halves", seed, name))
    return frozenset(ordered[::2]), frozenset(ordered[1::2])


def material(
    limit: int | None, epochs: int, seed: int, more: Sequence[str] = (), progress: Progress = lambda *_: None
) -> tuple[Half, Half]:
    """Both directions.

    Args:
        limit: at most this many base tasks of each level.
        epochs: how many times each faulty episode is run.
        seed: decides the halves, the victims and the faults.
        more: folders of further tasks, whose clean episodes are learned from in both directions.
        progress: told how many episodes are done.
    """
    chosen = [
        *episodes(LEVELS, ("NP",), limit=limit, seed=seed),
        *episodes(LEVELS, STRUCK, limit=limit, epochs=epochs, seed=seed),
        *(one for folder in more for one in episodes(LEVELS, ("NP",), seed=seed, tasks=folder)),
    ]
    played = []
    for done, episode in enumerate(chosen):
        progress(done, len(chosen))
        played.append((episode, run_episode(episode, AGENT)))
    progress(len(chosen), len(chosen))
    first, second = halves({one.task for one in chosen if not one.tasks}, seed)
    further = [recorded(events) for one, events in played if one.tasks]
    clean = [(one.task, recorded(events)) for one, events in played if not one.tasks and one.mode == "NP"]
    turns = [(one, turn) for one, events in played if not one.tasks for turn in record(events).turns]

    def half(learned: frozenset[str], asked: frozenset[str]) -> Half:
        units = tuple(_units((one, turn) for one, turn in turns if one.task in asked))
        return parted([trace for task, trace in clean if task in learned], units, further)

    return half(first, second), half(second, first)


def _units(turns: Iterable[tuple[Scenario, Turn]]) -> Iterator[tuple[Scenario, Turn, str]]:
    """What is asked about: all answers of clean episodes, the first that each fault struck of the others."""
    met: set[tuple[str, str]] = set()
    for episode, turn in turns:
        if not isinstance(turn.shown, Value):
            continue
        if episode.mode == "NP":
            yield episode, turn, ""
            continue
        for strike in turn.strikes:
            if strike.delivered and (episode.id, strike.rule) not in met:
                met.add((episode.id, strike.rule))
                yield episode, turn, strike.kind


def parted(
    traces: Iterable[Trace], asked: tuple[tuple[Scenario, Turn, str], ...], further: Iterable[Trace] = ()
) -> Half:
    """A direction whose record holds no call that is asked about."""
    barred = {key(turn.call.tool, turn.call.arguments) for _, turn, _ in asked}

    def cut(trace: Trace) -> Trace:
        calls = tuple(one for one in trace.calls if key(one.tool, one.arguments) not in barred)
        return replace(trace, calls=calls)

    given = list(traces), list(further)
    kept = [tuple(map(cut, part)) for part in given]
    before, after = (sum(len(one.calls) for part in parts for one in part) for parts in (given, kept))
    half = Half(kept[0], kept[1], asked, before - after)
    problems = unclean(half)
    assert not problems, problems
    return half


def unclean(half: Half) -> list[str]:
    """What of the asked half stands in the record that is learned from: base tasks, and calls with their arguments."""
    asked = {episode.task for episode, _, _ in half.asked}
    calls = {key(turn.call.tool, turn.call.arguments) for _, turn, _ in half.asked}
    tasks = {str(trace.about.get("task")) for trace in half.record if not trace.about.get("tasks")}
    told = [f"task {name} is learned from and asked about" for name in sorted(asked & tasks)]
    seen = {key(one.tool, one.arguments) for trace in half.record for one in trace.calls}
    return [*told, *(f"call {call[0]}{call[1]} is learned from and asked about" for call in sorted(calls & seen))]


def key(tool: str, arguments: Any) -> tuple[str, str]:
    """A call by its tool and arguments."""
    return tool, json.dumps(arguments, sort_keys=True, default=str)


def asked(half: Half, profiles: Profiles) -> list[CheckedAnswer]:
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
            frozenset(_told(episode, turn, detectors)),
        )
        for episode, turn, kind in half.asked
    ]


def _detectors(profiles: Profiles) -> dict[tuple[float, str], LearnedDetector]:
    found: dict[tuple[float, str], LearnedDetector] = {}
    for share in WANTED:
        found[share, "answer"] = profiles.detector(share)
        try:
            found[share, "episode"] = profiles.detector(share, per="episode")
        except Mistake:  # too few episodes for so small a share
            continue
    return found


def _told(
    episode: Scenario, turn: Turn, detectors: dict[tuple[float, str], LearnedDetector]
) -> Iterator[tuple[str, float, str]]:
    assert isinstance(turn.shown, Value)
    call = Call(turn.call.tool, turn.call.arguments)
    spec = next((one for one in episode.specs if one.name == call.tool), None)
    declared = spec is not None and bool(spec.violations(call.arguments, turn.shown.value))
    for (share, per), detector in detectors.items():
        found = detector.findings(call, turn.shown.value)
        learned = any(one.family != "tool_leakage" for one in found)
        told = (declared, learned, bool(found), declared or bool(found))
        yield from ((arm, share, per) for arm, yes in zip(ARMS, told, strict=True) if yes)


def profiles_of(half: Half) -> Profiles:
    """What is learned in a direction."""
    return learn(half.training, also=half.further)


def guarded(
    agent: str, half: Half, profiles: Profiles, modes: Sequence[str], share: float, epochs: int, seed: int
) -> dict[str, list[Result]]:
    """An agent's episodes of the asked half: without recovery, with what is declared, with what was learned alone."""
    detector = profiles.detector(share)
    tasks = {episode.task for episode, _, _ in half.asked}
    chosen = [one for one in episodes(LEVELS, modes, epochs=epochs, seed=seed) if one.task in tasks]
    arms: dict[str, Callable[[Scenario], list[Layer]]] = {
        "off": lambda _: [],
        "declared": lambda one: [RecoveryLayer(active(declared(one), seed=one.seed))],
        "learned": lambda one: [
            RecoveryLayer(active(declared(one), seed=one.seed), detectors=(detector,), check=False)
        ],
    }
    return {arm: [_result(one, agent, stack(one)) for one in chosen] for arm, stack in arms.items()}


def _result(episode: Scenario, agent: str, stack: list[Layer]) -> Result:
    found = record(run_episode(episode, agent, stack=stack))
    verdict = judge(found, episode.case(found))
    return Result(episode.task, episode.base.level, episode.mode, episode.epoch, verdict)
