"""The questions of a review, drawn by key: tasks to solve, and answers of tools that are clean or corrupt.

Half of the answers are corrupt: the first faulted answer of an episode under P3 or P4, in equal shares of the four
rungs of the ladder. The clean ones answer the same kinds of calls: what the call that would have been faulted answers
without faults, drawn in the same shares. So neither the tool nor the place of a call tells. No task is drawn twice: who
has solved a task under NP knows the right answers of its tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from sealegs.engines.direct import play_scenario
from sealegs.faults import seeds
from sealegs.faults.call import Value, render
from sealegs.faults.rungs.visible_rung import RUNGS, Rung
from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS
from sealegs.scenarios.scenario import SUITE, Scenario
from sealegs.scenarios.system_prompts import NOW
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.tasks.editions import TASK_SET
from sealegs.traces.record import Turn, build_record

CALLER = "planner"  # who makes the calls whose answers are shown
MODES = ("P3", "P4")
SOLVE, DETECT = 8, 24
MOST_SOLVE, MOST_DETECT = 200, 96


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """The settings that decide the questions.

    Attributes:
        solve: how many tasks are to be solved.
        detect: how many answers of tools are shown.
        seed: of the draw.
    """

    solve: int = SOLVE
    detect: int = DETECT
    seed: int = 0

    def facts(self) -> dict[str, Any]:
        """The settings, and of which tasks they are, as replies note them."""
        return {"suite": SUITE, TASK_SET: task_set(SHIPPED).edition, **asdict(self)}


@dataclass(frozen=True)
class SolveQuestion:
    """A task to be solved under NP.

    Attributes:
        id: opaque, unique in a review.
        scenario: the task.
    """

    id: str
    scenario: Scenario
    kind = "solve"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the requested values."""
        return tuple(one.label for one in self.scenario.base.deliverables)

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """All that a reviewer sees of it before the first call."""
        return {
            "id": self.id,
            "kind": self.kind,
            "now": NOW,
            "request": self.scenario.base.request,
            "deliverables": list(self.labels),
            "tools": [
                {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
                for spec in self.scenario.specs
            ],
        }


@dataclass(frozen=True)
class DetectQuestion:
    """An answer of a tool, clean or corrupt.

    Attributes:
        id: opaque, unique in a review.
        scenario: the episode under P3 or P4, also of a clean answer.
        before: the calls before it.
        turn: the call and its answer.
        corrupt: the truth.
        rung: of the corruption; of a clean one that of the corruption that it is drawn beside.
    """

    id: str
    scenario: Scenario
    before: tuple[Turn, ...]
    turn: Turn
    corrupt: bool
    rung: Rung
    kind = "detect"

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """All that a reviewer sees of it."""
        specs = {spec.name: spec for spec in self.scenario.specs}

        def described(turn: Turn) -> dict[str, Any]:
            assert turn.shown is not None
            name = turn.call.tool
            shown = {"arguments": dict(turn.call.arguments), "shown": render(turn.shown)}
            return {"tool": name, "description": specs[name].description, **shown}

        return {
            "id": self.id,
            "kind": self.kind,
            "now": NOW,
            "request": self.scenario.base.request,
            "calls": [described(turn) for turn in self.before],
            "asked": described(self.turn),
        }


ReviewQuestion = SolveQuestion | DetectQuestion


def question_digest(question: ReviewQuestion) -> str:
    """The digest that tells whether a question is still the one that was answered."""
    return f"{seeds.digest('shown', json.dumps(question.shown, sort_keys=True, default=str)):016x}"


@lru_cache(maxsize=8)
def draw_questions(settings: ReviewSettings) -> tuple[ReviewQuestion, ...]:
    """The questions of a review in the order in which they are put.

    Raises:
        UserError: there are not as many.
    """
    solve = _solve_tasks(settings)
    drawn: list[tuple[str, DetectQuestion | None]] = [(task, None) for task in solve]
    drawn += [(one.scenario.task, one) for one in _detect_questions(settings, frozenset(solve))]
    drawn.sort(key=lambda one: seeds.digest("review order", settings.seed, one[0]))
    found: list[ReviewQuestion] = []
    for place, (task, detect) in enumerate(drawn, 1):
        id = f"q{place:03d}"
        if detect is None:
            found.append(SolveQuestion(id, Scenario(task, "NP", seed=settings.seed)))
        else:
            found.append(replace(detect, id=id))
    return tuple(found)


def _shuffled(settings: ReviewSettings, purpose: str) -> list[str]:
    return sorted(task_set(SHIPPED).tasks, key=lambda task: seeds.digest("review", purpose, settings.seed, task))


def _solve_tasks(settings: ReviewSettings) -> list[str]:
    """Tasks to solve, each level as often as any other."""
    tasks = task_set(SHIPPED).tasks
    by_level = {level: [t for t in _shuffled(settings, "solve") if tasks[t].level == level] for level in LEVELS}
    return [by_level[LEVELS[place % len(LEVELS)]][place // len(LEVELS)] for place in range(settings.solve)]


def _detect_questions(settings: ReviewSettings, taken: frozenset[str]) -> list[DetectQuestion]:
    """Corrupt and clean answers in equal shares of the rungs."""
    corrupt = settings.detect // 2
    # As many as if they were dealt out in turn: of what does not divide by four, the first rungs get one more.
    open_places = {
        (truth, rung): len(range(place, count, len(RUNGS)))
        for truth, count in ((True, corrupt), (False, settings.detect - corrupt))
        for place, rung in enumerate(RUNGS)
    }
    found: list[DetectQuestion] = []
    for task in _shuffled(settings, "detect"):
        if len(found) == settings.detect:
            break
        if task in taken:
            continue
        truth = bool(seeds.digest("review truth", settings.seed, task) % 2)
        mode = MODES[seeds.digest("review mode", settings.seed, task) % len(MODES)]
        episode = Scenario(task, mode, seed=settings.seed)
        # An episode has several rungs, and only playing it tells which fault strikes first. Playing takes long.
        if not any(open_places[truth, rung] for rung in set(episode.rungs.values())):
            continue
        one = _answer_of(episode, truth)
        if one is not None and open_places[truth, one.rung]:
            open_places[truth, one.rung] -= 1
            found.append(one)
    if len(found) < settings.detect:
        raise UserError(
            f"only {len(found)} answers of tools can be drawn in equal shares, fewer than the "
            f"{settings.detect} requested; give a smaller --detect, or another --seed"
        )
    return found


def _answer_of(episode: Scenario, corrupt: bool) -> DetectQuestion | None:
    """The answer that the first fault strikes, or what its call answers without faults; None where there is none."""
    turns = build_record(play_scenario(episode, CALLER)).turns
    at = _first_faulted(turns)
    if at is None or not isinstance(turns[at].shown, Value):
        return None
    injection = next(one for one in turns[at].injections if one.delivered)
    rung = episode.rungs.get(injection.rule)
    if rung is None:
        return None
    if not corrupt:
        clean = build_record(play_scenario(Scenario(episode.task, "NP", seed=episode.seed), CALLER)).turns
        # Another way to this call would tell by itself whether the answer was struck.
        alike = [_called(turn) for turn in clean[: at + 1]] == [_called(turn) for turn in turns[: at + 1]]
        if not alike or not isinstance(clean[at].shown, Value):
            return None
        turns = clean
    return DetectQuestion("", episode, tuple(turns[:at]), turns[at], corrupt, rung)


def _first_faulted(turns: Sequence[Turn]) -> int | None:
    return next((place for place, turn in enumerate(turns) if turn.faulted), None)


def _called(turn: Turn) -> tuple[str, Mapping[str, Any]]:
    return turn.call.tool, turn.call.arguments
