"""The entrants of a ranking: an agent or model with its judged episodes in a few numbers each.

A suite's own episodes are large, and a ranking holds those of many models at once. So each is reduced, as soon as it is
judged, to its contribution to the suite's metrics (`Scores.compared`); the metrics over these are estimated by `metric`
like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern
from typing import Any, Generic, NamedTuple, TypeVar

from sealegs.scoring.metric import Composite, Design, EpisodeTable, Figure, Metric
from sealegs.tasks.editions import TASK_SET, contents_digest

E = TypeVar("E")


class ComparedEpisode(NamedTuple):
    """One judged episode.

    Attributes:
        name: unique in a run, and the same whoever plays it: what two models are paired by.
        task: the base task: what is independent.
        level, mode: where a table counts it.
        epoch: counts its repetitions.
        block, stratum: of the suite's `Design`.
        adds: what it adds above and below the line of each part of the metrics, in turn.
        stage: how many of the suite's stages it passed from a planned fault to success; None where none was planned.
        term: what went wrong in it; empty where nothing did.
    """

    name: str
    task: str
    level: str
    mode: str
    epoch: int
    block: str
    stratum: str
    adds: tuple[float, ...]
    stage: int | None = None
    term: str = ""


AnyMetric = Metric[ComparedEpisode] | Composite[ComparedEpisode]
DESIGN = Design[ComparedEpisode](
    stratum=lambda one: one.stratum, cluster=lambda one: one.task, block=lambda one: one.block
)


@dataclass(frozen=True)
class Scores(Generic[E]):
    """The metrics by which a suite's episodes are ranked.

    Attributes:
        design: of the suite.
        metrics: shares, means and composites in %, the one that ranks by default first.
        level, mode, epoch: of an episode.
        in_cells: the name of the metric that is shown by level and by mode; the first by default.
        less_is_better: the names of those metrics that rank the lowest first.
        growth: the names of the metrics of success without faults and of recovery, whose growth with the size of models
            is compared; None where a suite does not measure both.
        stages, stage: the names of the stages between a planned fault and success, and how many an episode passed;
            None where no fault was planned, or none of it is run.
        terms, term: what can go wrong, in order, and what did in an episode; empty where nothing did.
    """

    design: Design[E]
    metrics: tuple[Metric[E] | Composite[E], ...]
    level: Callable[[E], str]
    mode: Callable[[E], str]
    epoch: Callable[[E], int] = lambda _: 1
    in_cells: str = ""
    less_is_better: frozenset[str] = frozenset()
    growth: tuple[str, str] | None = None
    stages: tuple[str, ...] = ()
    stage: Callable[[E], int | None] = lambda _: None
    terms: tuple[str, ...] = ()
    term: Callable[[E], str] = lambda _: ""

    @cached_property
    def parts(self) -> tuple[Metric[E], ...]:
        """The parts of all the metrics, each once, after the metric that it requires."""
        every = (one for metric in self.metrics for part in metric.parts for one in (part.requires, part) if one)
        return tuple({part.name: part for part in every}.values())

    @cached_property
    def reduced(self) -> tuple[AnyMetric, ...]:
        """The metrics over reduced episodes."""
        own: dict[str, Metric[ComparedEpisode]] = {}
        for place, part in enumerate(self.parts):
            own[part.name] = _column(part, place, own.get(part.requires.name) if part.requires else None)
        return tuple(
            Composite(
                metric.name, tuple(own[part.name] for part in metric.parts), metric.less_is_better, digits=metric.digits
            )
            if isinstance(metric, Composite)
            else own[metric.name]
            for metric in self.metrics
        )

    def compared(self, name: str, result: E) -> ComparedEpisode:
        """An episode, reduced to what it adds.

        Args:
            name: of the episode, in which nothing tells who played it.
            result: of the judge.
        """
        adds: list[float] = []
        for part in self.parts:
            below = float(part.below(result))
            adds += (float(part.top(result)) if below else 0.0, below)
        block, stratum = str(self.design.block(result)), str(self.design.stratum(result))
        task = str(self.design.cluster(result))
        return ComparedEpisode(
            name=intern(name),  # every entrant has the same ones
            task=task,
            level=self.level(result),
            mode=self.mode(result),
            epoch=self.epoch(result),
            block=block,
            stratum=stratum,
            adds=tuple(adds),
            stage=self.stage(result),
            term=intern(self.term(result)),
        )


def _column(part: Metric[Any], place: int, requires: Metric[ComparedEpisode] | None) -> Metric[ComparedEpisode]:
    return Metric(
        part.name,
        lambda one: one.adds[2 * place],
        lambda one: one.adds[2 * place + 1],
        part.kind,
        part.digits,
        requires,
    )


class TaskSetMark(NamedTuple):
    """The tasks under faults that were played: their version, a digest of their contents, and their number."""

    version: str
    digest: str
    tasks: int

    def __str__(self) -> str:
        return f"version {self.version}, {self.tasks:,} task{'s' * (self.tasks != 1)}, digest {self.digest}"


def task_set_mark(version: str, contents: Iterable[tuple[str, Hashable]]) -> TaskSetMark:
    """Make the mark of a set.

    Args:
        version: of the suite.
        contents: of each episode its base task, and what tells it from another one: mode, faults, digests. Neither
            order nor repetition matters.
    """
    every = sorted({(task, repr(rest)) for task, rest in contents})
    digest = contents_digest(f"{task}\t{rest}".encode() for task, rest in every)
    return TaskSetMark(version, digest, len({task for task, _ in every}))


@dataclass(frozen=True)
class Entrant:
    """An agent or model that takes part in a ranking.

    Attributes:
        suite, name: of whom, in words.
        scripted: whether it is an agent and no model.
        source: the folder or file that its episodes are from.
        scores: by what it is ranked.
        episodes: its valid ones.
        tasks: which they are of.
        facts: the options in which runs must agree to be compared, by name.
        use: invalid episodes in %, and per valid episode tokens, cost in dollars and calls, where they are known.
        warnings: what reading had to leave out.
    """

    suite: str
    name: str
    scripted: bool
    source: str
    scores: Scores[Any]
    episodes: Sequence[ComparedEpisode]
    tasks: TaskSetMark
    facts: dict[str, str] = field(default_factory=dict)
    use: dict[str, Figure] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @cached_property
    def table(self) -> EpisodeTable[ComparedEpisode]:
        """The episodes in columns."""
        return EpisodeTable(self.episodes, DESIGN)

    @property
    def task_set(self) -> str:
        """The edition of the tasks that it was played on; empty where the records do not say."""
        return self.facts.get(TASK_SET, "")

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its valid episodes."""
        return frozenset(one.name for one in self.episodes)

    def paired(self, names: frozenset[str], design: Design[ComparedEpisode] = DESIGN) -> EpisodeTable[ComparedEpisode]:
        """The episodes of these names."""
        return EpisodeTable([one for one in self.episodes if one.name in names], design)

    def metric(self, name: str) -> AnyMetric:
        """The metric of this name; the suite's first for none.

        Raises:
            KeyError: there is no such metric.
        """
        known = {metric.name: metric for metric in self.scores.reduced}
        return known[name] if name else self.scores.reduced[0]
