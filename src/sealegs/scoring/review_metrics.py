"""Figures of a review: whether tasks can be solved, which corrupt answers are recognised, and who agrees with whom.

- `solved`: the outcome is right (ledger, deliverables, no false claim); `solved_strictly`: the strict verdict too;
  `given_up`: the reviewer says that it cannot be done. `solved_by_any`: the share of the tasks that at least one
  reviewer solved.
- `sensitivity`: the share of the corrupt answers that are called corrupt, also by the rung of the ladder on which code
  can tell them (`sensitivity_glance`, ...); `specificity`: the share of the clean answers that are called right. A
  reply that cannot be read is wrong in either.
- `agreement` (in %) and `kappa`: with the truth, and of two reviewers; `alpha` of all reviewers of a kind.

Several replies to one question are one case of an interval. Alpha has no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sealegs.faults.rungs.visible_rung import RUNGS, Rung
from sealegs.scoring.agreement import Label, agreement, krippendorff_alpha
from sealegs.scoring.maze_metrics import CLEAN
from sealegs.scoring.metric import ALL, Design, EpisodeTable, Figure, Metric, Row, estimate, figure_row

UNREADABLE = "unreadable"
TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class ReviewedTask:
    """A reply to a task.

    Attributes:
        reviewer: who.
        task, level: which.
        solved, strictly, given_up: see this module.
    """

    reviewer: str
    task: str
    level: str
    solved: bool
    strictly: bool
    given_up: bool


@dataclass(frozen=True, slots=True)
class ReviewedAnswer:
    """A reply to an answer of a tool.

    Attributes:
        reviewer: who.
        task, mode: of the episode that the answer is from.
        rung: on which the corruption is, or would be.
        corrupt: the truth.
        verdict: the reviewer's verdict; None for a reply that cannot be read.
    """

    reviewer: str
    task: str
    mode: str
    rung: str
    corrupt: bool
    verdict: bool | None


def _presented_as_true(reply: ReviewedAnswer) -> bool:
    return reply.corrupt and reply.verdict is True


def _presented_on(rung: Rung) -> Metric[ReviewedAnswer]:
    return Metric(f"sensitivity_{rung}", _presented_as_true, lambda one: one.corrupt and one.rung == rung)


TASKS = Design[ReviewedTask](stratum=lambda _: "", cluster=lambda one: one.task, block=lambda one: one.level)
ANSWERS = Design[ReviewedAnswer](stratum=lambda _: "", cluster=lambda one: one.task)
TASK_METRICS = (
    Metric[ReviewedTask]("solved", lambda one: one.solved),
    Metric[ReviewedTask]("solved_strictly", lambda one: one.strictly),
    Metric[ReviewedTask]("given_up", lambda one: one.given_up),
)
ANSWER_METRICS = (
    Metric[ReviewedAnswer]("sensitivity", _presented_as_true, lambda one: one.corrupt),
    *(_presented_on(rung) for rung in RUNGS),
    Metric[ReviewedAnswer]("specificity", lambda one: one.verdict is False, lambda one: not one.corrupt),
)


def review_table(tasks: Sequence[ReviewedTask], answers: Sequence[ReviewedAnswer], who: Row) -> list[Row]:
    """The rows of a reviewer, or of several as one group.

    Args:
        tasks, answers: the replies.
        who: `suite` and `agent` or `model`, copied into each row.
    """
    rows = []
    done = EpisodeTable(tasks, TASKS)
    for level, part in (*sorted(done.by(lambda one: one.level).items()), (ALL, done)):
        rows += [figure_row(who, level, CLEAN, one.name, estimate(one, part)) for one in TASK_METRICS if len(part)]
    if len({one.reviewer for one in tasks}) > 1:
        rows.append(figure_row(who, ALL, CLEAN, "solved_by_any", estimate(TASK_METRICS[0], _best(tasks))))
    shown = EpisodeTable(answers, ANSWERS)
    for mode, cell in (*sorted(shown.by(lambda one: one.mode).items()), (ALL, shown)):
        figures = [(metric.name, estimate(metric, cell)) for metric in ANSWER_METRICS]
        rows += [figure_row(who, ALL, mode, name, figure) for name, figure in figures if figure.n]
    return rows


def _best(tasks: Sequence[ReviewedTask]) -> EpisodeTable[ReviewedTask]:
    """Each task once, as whoever did best left it."""
    best: dict[str, ReviewedTask] = {}
    for one in tasks:
        if one.task not in best or one.solved:
            best[one.task] = one
    return EpisodeTable(list(best.values()), TASKS)


def agreement_table(answers: Sequence[ReviewedAnswer], name: Callable[[str], Row]) -> list[Row]:
    """Agreement of each reviewer with the truth, of each two with one another, and of all.

    Args:
        answers: the replies of people, or of models.
        name: makes `suite` and `agent` or `model` of a reviewer's name, or of two names.
    """
    labels_by_reviewer: dict[str, dict[str, Label]] = {}
    truth: dict[str, Label] = {}
    for reply in answers:
        labels_by_reviewer.setdefault(reply.reviewer, {})[reply.task] = (
            UNREADABLE if reply.verdict is None else reply.verdict
        )
        truth[reply.task] = reply.corrupt
    rows: list[Row] = []
    for reviewer, labels in labels_by_reviewer.items():
        rows += _pair_rows(name(f"{reviewer} / {TRUTH}"), labels, truth)
    for (one, first), (other, second) in combinations(labels_by_reviewer.items(), 2):
        rows += _pair_rows(name(f"{one} / {other}"), first, second)
    if len(labels_by_reviewer) > 1:
        alpha, n = krippendorff_alpha(
            [own[task] for own in labels_by_reviewer.values() if task in own] for task in truth
        )
        figure = Figure(None if alpha is None else round(alpha, 4), None, None, n)
        rows.append(figure_row(name(ALL), ALL, ALL, "alpha", figure))
    return rows


def _pair_rows(who: Row, one: Mapping[str, Label], other: Mapping[str, Label]) -> Iterator[Row]:
    pairs = [(label, other[task]) for task, label in one.items() if task in other]
    if not pairs:
        return
    found = agreement("corrupt", pairs)
    share = (found.share, found.low, found.high)
    kappa = (found.kappa, found.kappa_low, found.kappa_high)
    for metric, ends in (("agreement", share), ("kappa", kappa)):
        value, low, high = (None if end is None else round(end, 4) for end in ends)
        yield figure_row(who, ALL, ALL, metric, Figure(value, low, high, found.n))
