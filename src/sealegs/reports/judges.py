"""Differences between the strict and the published judge, with the reasons of the one and the rule of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.reports.card_selection import Played
from sealegs.scoring import TERMS, Case
from sealegs.scoring.task_progress import TaskProgress, progress_of
from sealegs.tasks.graph import Group

EACH = 4


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An episode that the judges see differently.

    Attributes:
        episode: its name.
        level, mode: of the episode.
        looser: whether the published judge alone says success.
        reasons: what the strict judge holds against it; empty where that judge says success.
        term: the attribution, with its meaning.
        rule: what the published judge looked at.
    """

    episode: str
    level: str
    mode: str
    looser: bool
    reasons: tuple[str, ...]
    term: str
    meaning: str
    rule: str


def disagreements(episodes: Sequence[Played], each: int = EACH) -> list[Disagreement]:
    """Examples, at most `each` of either kind, from as many modes and terms as can be."""
    parted = [p for p in sorted(episodes, key=lambda p: p[0].episode) if p[2].success != p[2].published]
    chosen: list[Played] = []
    for looser in (True, False):
        left = [played for played in parted if played[2].published is looser]
        for _ in range(min(each, len(left))):
            fresh = min(left, key=lambda played: _seen(played, chosen))
            left.remove(fresh)
            chosen.append(fresh)
    return [_disagreement(played) for played in chosen]


def _seen(played: Played, chosen: Sequence[Played]) -> int:
    _, case, verdict = played
    return sum((c.mode == case.mode) + (v.attribution == verdict.attribution) for _, c, v in chosen)


def _disagreement(played: Played) -> Disagreement:
    record, case, verdict = played
    return Disagreement(
        episode=record.episode,
        level=case.task.level,
        mode=case.mode,
        looser=verdict.published,
        reasons=verdict.reasons,
        term=verdict.attribution,
        meaning=TERMS.get(verdict.attribution, ""),
        rule=published_rule(case, progress_of(record, case)),
    )


def published_rule(case: Case, way: TaskProgress) -> str:
    """The demand of the published judge on this episode, in one sentence (`scoring.toolmaze_judge` holds the rules)."""
    met = [slot for slot in case.slots if slot.node in way.victims]
    if not met:
        return "every tool of some valid path was called without an error being shown"
    if any(slot.persistence == "transient" for slot in met):
        return "the victim was called again and once showed no error, or another branch showed none"
    if any(_has_other(case, slot.node, way.victims[slot.node]) for slot in met):
        return "another branch was called without an error, and so was every tool outside the groups"
    return "every tool before the victim was called, nothing but the victim after it"


def _has_other(case: Case, node: str, victim: str) -> bool:
    found = case.task.graph.by_id[node]
    return isinstance(found, Group) and any(all(s.tool != victim for s in b.steps) for b in found.branches)
