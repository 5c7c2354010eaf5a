"""Rates of `highwater` with their errors, as rows of the long table.

Accuracy is the share of right answers over valid episodes, crashed and cut-off ones too. `accuracy_drop` is how many
points it falls under errors, `accuracy_decrease` the same as a share of what it was, both over the problems that were
played in both modes; so are `kept`, the share that is right under errors of what was right without, and `gained`, that
of what was wrong without. An agent gains where a refusal tells it that it had taken a part of the answer for the whole.
What was done after the first refusal is over the episodes that met one. The questions of one database are one cluster
in every interval and standard error, since an agent does alike on them: they ask about the same tables, and many
differ in a value alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sealegs.scoring.highwater_judge import HighwaterVerdict
from sealegs.scoring.metric import (
    ALL,
    Design,
    EpisodeTable,
    Figure,
    Metric,
    Row,
    difference,
    estimate,
    figure_row,
    standard_error,
)

CLEAN = "no errors"
HOPELESS = "distractors"  # begins the name of the setting in which nothing gives the answer
STAGES = ("exposed", "found plan B", "finished plan B", "right")  # between a planned fault and success


@dataclass(frozen=True, slots=True)
class HighwaterResult:
    """One judged episode.

    Attributes:
        problem: its id.
        database: what it is about.
        level: the setting.
        mode: `no errors`, or what strikes.
        epoch: from 1.
        verdict: of the judge.
    """

    problem: str
    database: str
    level: str
    mode: str
    epoch: int
    verdict: HighwaterVerdict

    @property
    def hopeless(self) -> bool:
        """Whether nothing gives the answer, so that there is no plan B and giving up is right."""
        return self.level.startswith(HOPELESS)

    @property
    def went_wrong(self) -> str:
        """The term of the verdict; empty where giving up was right."""
        return "" if self.hopeless and self.verdict.gave_up else self.verdict.term

    @property
    def stage(self) -> int | None:
        """The number of `STAGES` that it passed; one that came to a later stage passed those before.

        None where nothing strikes, or where there is no plan B.
        """
        if self.mode == CLEAN or self.hopeless:
            return None
        if not self.verdict.exposed:
            return 0
        return 4 if self.verdict.right else 3 if self.verdict.composed else 2 if self.verdict.found else 1


DESIGN = Design[HighwaterResult](stratum=lambda _: "", cluster=lambda r: r.database)
ACCURACY = Metric[HighwaterResult]("accuracy", lambda r: r.verdict.right)
SHARES = (ACCURACY, Metric[HighwaterResult]("gave_up", lambda r: r.verdict.gave_up))
MEANS = (
    Metric[HighwaterResult]("turns", lambda r: r.verdict.turns, kind="amount"),
    Metric[HighwaterResult]("calls", lambda r: r.verdict.calls, kind="amount"),
)
EXPOSED = Metric[HighwaterResult]("exposed", lambda r: r.verdict.exposed)
AFTER = (
    Metric[HighwaterResult]("recovered", lambda r: r.verdict.right, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("searched_again", lambda r: r.verdict.searched, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("found_plan_b", lambda r: r.verdict.found, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("composed_it", lambda r: r.verdict.composed, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("gave_up_after", lambda r: r.verdict.gave_up, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("looped", lambda r: r.verdict.looped, lambda r: r.verdict.exposed),
)


def highwater_table(results: Sequence[HighwaterResult], who: Row) -> list[Row]:
    """The long table of a run.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
    """
    run = EpisodeTable(results, DESIGN)
    rows: list[Row] = []
    for level, at in run.by(lambda r: r.level).items():
        for mode, cell in at.by(lambda r: r.mode).items():
            rows += [figure_row(who, level, mode, name, figure) for name, figure in _cell(cell, mode)]
        rows += [figure_row(who, level, ALL, name, figure) for name, figure in _drop(list(at))]
    return rows


def _cell(cell: EpisodeTable[HighwaterResult], mode: str) -> Iterator[tuple[str, Figure]]:
    for share in SHARES:
        yield share.name, estimate(share, cell)
        yield f"{share.name}_se", standard_error(share, cell)
    for mean in MEANS:
        yield mean.name, estimate(mean, cell)
    if mode != CLEAN:
        yield EXPOSED.name, estimate(EXPOSED, cell)
        # What was done after an error is a share of the episodes that met one; without any, it is of nothing.
        for share in AFTER if any(r.verdict.exposed for r in cell) else ():
            yield share.name, estimate(share, cell)


def _drop(results: Sequence[HighwaterResult]) -> Iterator[tuple[str, Figure]]:
    """The figures of losses and gains by errors, over the problems that were played in both modes."""
    clean = {(r.problem, r.epoch): r for r in results if r.mode == CLEAN}
    faulty = {(r.problem, r.epoch): r for r in results if r.mode != CLEAN}
    # Problem by problem: without the pairs, the difference would be between two samples of problems, too.
    both = [key for key in clean if key in faulty]
    before, after = (EpisodeTable([mode[key] for key in both], DESIGN) for mode in (clean, faulty))
    drop, decrease = difference(ACCURACY, after, before), difference(ACCURACY, before, after, relative=True)
    for name, figure in (("accuracy_drop", drop), ("accuracy_decrease", decrease)):
        if figure.value is not None:
            yield name, figure
    for name, before_it in (("kept", True), ("gained", False)):
        found = [faulty[key] for key in both if clean[key].verdict.right == before_it]
        if found:
            yield name, estimate(Metric[HighwaterResult](name, lambda r: r.verdict.right), EpisodeTable(found, DESIGN))
