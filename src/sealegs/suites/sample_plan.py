"""The input of `sealegs power`: two models of a pilot, or two assumed rates; and its answer as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.scoring.metric import Row
from sealegs.scoring.sample_size import AssumedRates, Draw, PowerFigure, pilot_of, power, tasks_needed
from sealegs.suites.choices import split_names, unknown_name_problems
from sealegs.suites.ranked_runs import comparable_groups, ranking_of, read_ranked_runs


@dataclass(frozen=True)
class SamplePlan:
    """The rates and samples that experiments are drawn from.

    Attributes:
        draw: draws them.
        models: the two models.
        about: what is taken for true, in a sentence.
        most_epochs: how many epochs can be judged; None for any number.
    """

    draw: Draw
    models: tuple[str, str]
    about: str
    most_epochs: int | None = None


def plan_of_rates(rates: str, alike: float) -> SamplePlan:
    """Experiments on assumed rates.

    Args:
        rates: two rates in %, separated by a comma.
        alike: the correlation of a task's episodes.

    Raises:
        UserError: they are not two rates between 0 and 100, or are equal.
    """
    try:
        one, other = (float(rate) for rate in rates.split(","))
    except ValueError:
        raise UserError(f"--rates {rates}: give two rates in %, separated by a comma, such as 60,70") from None
    if not (0 < one < 100 and 0 < other < 100):
        raise UserError(f"--rates {rates}: rates must be above 0 and below 100 %; give two, such as 60,70")
    if one == other:
        raise UserError(f"--rates {rates}: models of equal rates can never be distinguished; give two different ones")
    about = f"success rates of {one:g} and {other:g} % in one mode, episodes of a task alike by {alike:g}"
    return SamplePlan(AssumedRates(one / 100, other / 100, alike).draw, (f"{one:g} %", f"{other:g} %"), about)


def plan_of_pilot(runs: Sequence[Path], metric: str = "", models: str = "") -> SamplePlan:
    """Experiments on a pilot.

    Args:
        runs: its folders.
        metric: by which the models are compared; the suite's own for no name.
        models: which two, separated by a comma; the two best by default.

    Raises:
        UserError: something cannot be read or compared, or there are not two such models that differ.
    """
    (group,) = comparable_groups(read_ranked_runs(runs))
    ranking = ranking_of(group, metric)
    names = [group[one.entrant].name for one in ranking.standings]
    chosen = split_names(models) if models else names[:2]
    if problems := unknown_name_problems("model", chosen, names):
        raise UserError(f"--pair: {'; '.join(problems)}")
    if len(set(chosen)) != 2:
        raise UserError(
            f"a pilot compares two models, but {len(set(chosen))} {'is' if len(set(chosen)) == 1 else 'are'} named "
            f"({', '.join(chosen)}); give runs of two, or name two with --pair"
        )
    two = [one for name in chosen for one in group if one.name == name]
    pilot = pilot_of(ranking.metric, two[0], two[1])
    change = 100 * float(pilot.other.value - pilot.one.value)
    if not abs(change) > 0:
        raise UserError(
            f"{chosen[0]} and {chosen[1]} do not differ in the pilot, so no number of tasks tells them apart"
        )
    about = (
        f"{ranking.metric.name} of {chosen[1]} is {change:+.1f} points from that of {chosen[0]} in a pilot of "
        f"{pilot.tasks:,} tasks and {pilot.epochs} epoch{'s' * (pilot.epochs != 1)}"
    )
    return SamplePlan(pilot.draw, (chosen[0], chosen[1]), about, None if pilot.epochs > 1 else 1)


def answer(
    plan: SamplePlan,
    epochs: Sequence[int],
    tasks: Sequence[int],
    wanted: float,
    *,
    error: float = 0.05,
    experiments: int = 1000,
    seed: int = 0,
) -> list[PowerFigure]:
    """The power of each size, or the fewest tasks for each number of epochs where no size is given.

    Raises:
        UserError: the pilot says nothing of so many epochs.
    """
    if plan.most_epochs is not None and max(epochs) > plan.most_epochs:
        raise UserError(
            f"--epoch-counts {max(epochs)}: the pilot has one epoch, which does not say how alike epochs are; run it "
            "with --epochs 2 or more, or assume it with --rates and --alike"
        )
    if tasks:
        return [
            power(plan.draw, count, each, error=error, experiments=experiments, seed=seed)
            for each in epochs
            for count in tasks
        ]
    return [tasks_needed(plan.draw, each, wanted, error=error, experiments=experiments, seed=seed) for each in epochs]


def power_rows(plan: SamplePlan, found: Sequence[PowerFigure]) -> list[Row]:
    """The answer as rows of the long table."""
    return [
        {
            "suite": "power",
            "agent": " / ".join(plan.models),
            "level": f"{one.tasks} tasks",
            "mode": f"{one.epochs} epochs",
            "metric": "power",
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "n": one.n,
        }
        for one in found
    ]
