"""Entrants of `paladin` in a ranking: every arm is an entrant of its own."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

from sealegs.scoring.attribution import TERMS
from sealegs.scoring.entrants import Entrant, Scores
from sealegs.scoring.episode_verdict import STAGES
from sealegs.scoring.metric import Metric
from sealegs.scoring.paladin_metrics import CLEAN, DESIGN, NAMED, PaladinResult
from sealegs.suites.entrant_reading import PLAYERS, EntrantForm, read_entrants
from sealegs.suites.paladin.arm_engine import ARM_FACTS
from sealegs.suites.paladin.arm_table import FORM, paladin_place
from sealegs.suites.paladin.episodes import PaladinEpisode
from sealegs.suites.paladin.paladin_logs import SCHEMA, PaladinJudge, paladin_player

RANKED = ("tsr", "rr", "csr", "efficiency", "tsr_as_published", "rr_as_published", "csr_as_published")


def _of_faulty(metric: Metric[PaladinResult]) -> Metric[PaladinResult]:
    """A metric of the episodes with a failure: the clean ones are in no mean."""
    return replace(metric, below=lambda result: 0.0 if result.failure_class == CLEAN else metric.below(result))


SCORES = Scores(
    DESIGN,
    tuple(_of_faulty(NAMED[name]) for name in RANKED),
    level=lambda result: result.failure_class,
    mode=lambda result: result.kind,
    stages=STAGES,
    stage=lambda result: None if result.failure_class == CLEAN else result.verdict.stage,
    terms=tuple(TERMS),
    term=lambda result: result.verdict.attribution,
)


def _content(episode: PaladinEpisode, plan: str) -> Hashable:
    e = episode
    return e.set, e.failure_class, e.kind, e.failure, e.node, plan or e.plan.digest()


def paladin_entrants(path: Path, judge: PaladinJudge) -> list[Entrant]:
    """The entrants of a file or folder.

    Args:
        path: of the file or folder.
        judge: the suite's.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    form = EntrantForm(
        SCHEMA,
        lambda _: SCORES,
        paladin_place,
        _content,
        paladin_player,
        PLAYERS | (set(ARM_FACTS) - {"max_steps"}),
        table=FORM,
    )
    return read_entrants(path, form, judge)
