"""The funnels of models from a planned fault to success, and the causes of their failures: shares with intervals.

The funnel is over the episodes in which a fault is planned, the terms are over all valid ones; both are means over
modes where the suite's metrics are. So in `maze` the shares of all terms and TSR add to 100.
"""

from __future__ import annotations

from collections.abc import Sequence

from sealegs.scoring.entrants import ComparedEpisode, Entrant
from sealegs.scoring.metric import Figure, Metric, estimate


def funnel_figures(entrant: Entrant) -> dict[str, Figure]:
    """The share in % of the episodes with a planned fault that passed each stage; empty without any."""
    stages = entrant.scores.stages if any(one.stage is not None for one in entrant.episodes) else ()
    return {name: estimate(_passed(name, place), entrant.table) for place, name in enumerate(stages, 1)}


def term_figures(entrants: Sequence[Entrant]) -> tuple[dict[str, Figure], ...]:
    """The share in % of each entrant's episodes by term, for every one that occurs in any, in the suite's order."""
    found = {one.term for entrant in entrants for one in entrant.episodes} - {""}
    known = [term for term in entrants[0].scores.terms if term in found]
    terms = [*known, *sorted(found.difference(known))]
    return tuple({term: estimate(_is(term), entrant.table) for term in terms} for entrant in entrants)


def _passed(name: str, place: int) -> Metric[ComparedEpisode]:
    return Metric(name, lambda one: (one.stage or 0) >= place, lambda one: one.stage is not None)


def _is(term: str) -> Metric[ComparedEpisode]:
    return Metric(term, lambda one: one.term == term)
