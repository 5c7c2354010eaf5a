"""A ranking as tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from sealegs.reports.metric_grids import NOTHING, figure
from sealegs.reports.modes import SHORT
from sealegs.reports.tables import plain_table
from sealegs.scoring.metric import Figure, Row
from sealegs.scoring.ranking_rows import RankTable, why_unranked
from sealegs.scoring.sample_size import PowerFigure
from sealegs.scoring.scaling import Scaling
from sealegs.scoring.set_difference import PrivateComparison

FUNNEL = "How far planned faults came, %"
WRONG = "What went wrong, % of episodes"
NOTHING_KNOWN = Figure(None, None, None, 0)
UNITS = {"invalid": "invalid, %", "tokens": "tokens", "cost": "cost, $", "seconds": "time, s"}


def shown_metric(name: str) -> str:
    """A metric's name as a table has it."""
    return SHORT.get(name, name.replace("_", " "))


def shown_figure(found: Figure, *, signed: bool = False) -> str:
    """A figure with its interval."""
    if found.value is None:
        return NOTHING
    if signed:
        ends = "" if found.low is None or found.high is None else f" [{found.low:+.1f}, {found.high:+.1f}]"
        return f"{found.value:+.1f}{ends}".replace("-", "−")
    ends = "" if found.low is None or found.high is None else f" [{figure(found.low)}, {figure(found.high)}]"
    return f"{figure(found.value)}{ends}"


def shown_p(p: float | None) -> str:
    """A P value to two digits."""
    if p is None:
        return NOTHING
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def shown_ranks(low: int, high: int) -> str:
    """The interval of a rank."""
    return str(low) if low == high else f"{low} to {high}"


def shown_use(name: str, found: Figure) -> str:
    """The amount that was used, or the share that was invalid."""
    if found.value is None:
        return NOTHING
    return {"tokens": f"{found.value:,.0f}", "cost": f"{found.value:.4g}"}.get(name, figure(found.value))


def used(table: RankTable) -> list[str]:
    """The names of the uses that are known of any model."""
    return [name for name in UNITS if any(name in entrant.use for entrant in table.entrants)]


def ranking_lines(table: RankTable) -> tuple[list[str], list[tuple[str, ...]]]:
    """The head and the lines of the main table: models by rank, then published ones by value; the name comes first."""
    head = ["rank", "rank, 95 %", shown_metric(table.metric), "to the best", "P (Holm)"]
    head += [*map(shown_metric, table.beside), *(UNITS[name] for name in used(table))]
    lines = []
    for standing in table.standings:
        entrant, comparison = table.entrants[standing.entrant], table.to_best(standing.entrant)
        lines.append(
            (
                entrant.name,
                str(standing.rank),
                shown_ranks(standing.low, standing.high),
                shown_figure(standing.figure),
                shown_figure(comparison.figure, signed=True) if comparison else NOTHING,
                shown_p(comparison.p_holm) if comparison else NOTHING,
                *(shown_figure(table.figures[standing.entrant][name]) for name in table.beside),
                *(shown_use(name, entrant.use.get(name, NOTHING_KNOWN)) for name in used(table)),
            )
        )
    blanks = (NOTHING,) * (len(head) - 3)
    others = sorted(table.published, key=lambda one: one.figure.value or 0.0, reverse=table.ranking.descending)
    lines += [(f"{one.name} (published)", NOTHING, NOTHING, shown_figure(one.figure), *blanks) for one in others]
    return head, lines


def heading(table: RankTable) -> str:
    """The suite, the number of models, the tasks and the options of a ranking, in a line."""
    options = ", ".join(f"{name} {value}" for name, value in table.options.items())
    models = len(table.entrants)
    whole = f"{table.suite}: {models} model{'s' * (models != 1)}, {table.entrants[0].tasks}"
    return f"{whole}; {options}" if options else whole


def how(table: RankTable) -> list[str]:
    """The notes that a reader of the figures must know."""
    best = "the highest" if table.ranking.descending else "the lowest"
    pairs = sum(one.p is not None for one in table.ranking.comparisons)
    notes = [
        f"Ranked by {shown_metric(table.metric)}, {best} first, with 95 % intervals; differences are paired by "
        f"episode, and P values corrected for all {pairs} pairs by Holm. The interval of a "
        "rank counts who is shown to be better and who to be worse."
    ]
    notes += [f"Published figures are of other tasks, and have no rank here ({note})." for note in _notes(table)]
    notes += [
        f"{one.name} {why_unranked(one, shown_metric(table.metric))} and is not ranked." for one in table.left_out
    ]
    return notes


def _notes(table: RankTable) -> list[str]:
    return list(dict.fromkeys(one.note for one in table.published))


def print_ranking_table(table: RankTable, console: Console, *, pairs: bool = False) -> None:
    """Print a ranking.

    Args:
        table: the ranking.
        console: where.
        pairs: whether all paired differences are printed, too.
    """
    console.print(Text(heading(table), style="bold"))
    head, lines = ranking_lines(table)
    _print(head, lines, console)
    for line in how(table):
        console.print(Text(line, style="dim"))
    for axis in ("level", "mode"):
        # With a single level or mode, the table would only repeat the main one.
        names = list(dict.fromkeys(name for own in table.cells for at, name in own if at == axis))
        if len(names) > 1:
            console.print(Text(f"\n{shown_metric(table.cell_metric)} by {axis}, %", style="bold"))
            _print(names, [(name, *cells) for name, cells in cell_lines(table, axis, names)], console)
    for title, names, lines, _ in course_tables(table):
        console.print(Text(f"\n{title}", style="bold"))
        _print(names, lines, console)
    if table.scaling is not None:
        console.print(Text("\nGrowth with size", style="bold"))
        _print(["95 % interval"], scaling_lines(table.scaling), console)
        for line in scaling_notes(table.scaling):
            console.print(Text(line, style="dim"))
    if table.private is not None:
        for title, names, lines in private_tables(table.private):
            console.print(Text(f"\n{title}", style="bold"))
            _print(names, lines, console)
        for line in private_notes(table.private):
            console.print(Text(line, style="dim"))
    if pairs and (lines := pair_lines(table)):
        console.print(Text(f"\nPaired differences of {shown_metric(table.metric)}, in points", style="bold"))
        _print(["is higher by", "than", "P", "P (Holm)"], lines, console)


def course_tables(table: RankTable) -> Iterator[tuple[str, list[str], list[tuple[str, ...]], str]]:
    """The tables of how far the models came and of what went wrong: the title, the head, the lines, and a note."""
    sorts = (
        (FUNNEL, table.funnels, "An episode that came to a later stage passed those before."),
        (WRONG, table.terms, "Each failed episode has one term: the first cause that fits."),
    )
    for title, found, note in sorts:
        names = list(next(filter(None, found), {}))
        if names:
            lines: list[tuple[str, ...]] = [
                (table.entrants[place].name, *(shown_figure(found[place].get(name, NOTHING_KNOWN)) for name in names))
                for place in (standing.entrant for standing in table.standings)
            ]
            yield title, names, lines, note


def scaling_lines(scaling: Scaling) -> list[tuple[str, ...]]:
    """The growth of success and of recovery with size, and the ratio of the first slope to the second."""
    points = [
        (f"{shown_metric(one.metric)}, points per doubling", shown_figure(one.slope, signed=True))
        for one in (scaling.execution, scaling.recovery)
    ]
    value, low, high, _ = scaling.ratio
    ends = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    open_end = " (any is possible)" if value is not None and not ends else ""
    shown = NOTHING if value is None else f"{value:.2f}{ends}{open_end}".replace("-", "−")
    return [*points, ("first slope to second", shown)]


def scaling_notes(scaling: Scaling) -> list[str]:
    """The notes that a reader of growth with size must know."""
    points = scaling.execution.points
    notes = [
        f"By least squares over {len(points)} models of size {points[0][1]:g} to {points[-1][1]:g}. The intervals are "
        "over tasks, for these models, and say nothing of others."
    ]
    return notes + [f"{name} has no size and is left out of it." for name in scaling.left_out]


def private_tables(found: PrivateComparison) -> Iterator[tuple[str, list[str], list[tuple[str, ...]]]]:
    """The tables of models on a private set beside a public one: the title, the head, and the lines."""
    whole: list[tuple[str, ...]] = [
        (
            one.model,
            shown_figure(one.public),
            shown_figure(one.private),
            shown_figure(one.figure, signed=True),
            shown_p(one.p),
            shown_p(one.p_holm),
        )
        for one in found.models
    ]
    head = ["public", "private", "private less public", "P", "P (Holm)"]
    yield f"{shown_metric(found.metric)} on private tasks and on public ones, %", head, whole
    for axis in ("level", "mode"):
        names = [name for at, name in found.cells if at == axis]
        if len(names) > 1:
            models = (one.model for one in found.models)
            lines: list[tuple[str, ...]] = [
                (model, *(_difference_cell(found, axis, name, model) for name in names)) for model in models
            ]
            yield f"{shown_metric(found.cell_metric)}: private less public by {axis}, in points", names, lines


def _difference_cell(found: PrivateComparison, axis: str, name: str, model: str) -> str:
    one = next((one for one in found.cells[axis, name] if one.model == model), None)
    if one is None:
        return NOTHING
    return shown_figure(one.figure, signed=True) + "*" * (one.p_holm is not None and one.p_holm < 0.05)


def private_notes(found: PrivateComparison) -> list[str]:
    """The notes that a reader of the comparison must know."""
    public, private = found.editions
    notes = [
        f"Private tasks: {private}; public ones: {public}. The sets hold different tasks; they are compared level by "
        "level and mode by mode, with the public set's weights. * differs after Holm's correction over all cells."
    ]
    return notes + [f"{name} played one of the sets alone." for name in found.left_out]


def cell_lines(table: RankTable, axis: str, names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Each model's figures by level or mode; * where it differs from the best one's after Holm's correction."""
    found = []
    for standing in table.standings:
        own = table.cells[standing.entrant]
        cells = []
        for name in names:
            effect = next((one for one in table.effects.get((axis, name), ()) if one.other == standing.entrant), None)
            mark = "*" if effect and effect.p_holm is not None and effect.p_holm < 0.05 else ""
            cells.append(shown_figure(own.get((axis, name), NOTHING_KNOWN)) + mark)
        found.append((table.entrants[standing.entrant].name, cells))
    return found


def pair_lines(table: RankTable) -> list[tuple[str, ...]]:
    """Each pair of models, the better one first."""
    order = {one.entrant: place for place, one in enumerate(table.standings)}
    known = [one for one in table.ranking.comparisons if one.one in order and one.other in order]
    turned = [one.seen_from(max(one.one, one.other, key=lambda place: order[place])) for one in known]
    return [
        (
            table.entrants[one.other].name,
            shown_figure(one.figure, signed=True),
            table.entrants[one.one].name,
            shown_p(one.p),
            shown_p(one.p_holm),
        )
        for one in sorted(turned, key=lambda one: (order[one.other], order[one.one]))
    ]


def _print(head: Sequence[str], lines: Sequence[Sequence[str]], console: Console) -> None:
    """Print a table; one that is wider than the terminal in parts, each with the names."""
    widths = [max(map(len, column)) + 2 for column in zip(head, *(cells for _, *cells in lines), strict=True)]
    room = console.width - max(len(name) for name, *_ in lines)
    start = 0
    while start < len(head):
        end = start + 1
        while end < len(head) and sum(widths[start : end + 1]) <= room:
            end += 1
        table = plain_table(head[start:end])
        for name, *cells in lines:
            table.add_row(Text(name), *map(Text, cells[start:end]))
        console.print(table)
        start = end


def print_differences(rows: Sequence[Row], other: str, console: Console) -> None:
    """Print the paired differences of a run from another one; nothing without any.

    Args:
        rows: the differences, over all levels and modes.
        other: what the run is compared with.
        console: where.
    """
    if not rows:
        return
    console.print(Text(f"\nPaired differences from {other}, in points", style="bold"))
    table = plain_table(["difference", "episodes"])
    for row in rows:
        found = Figure(row["value"], row["low"], row["high"], row["n"])
        name = shown_metric(row["metric"].removesuffix("_difference"))
        table.add_row(Text(name), shown_figure(found, signed=True), f"{found.n:,}")
    console.print(table)


def print_power(found: Sequence[PowerFigure], wanted: float, console: Console) -> None:
    """Print how often experiments of these sizes tell two models apart."""
    table = plain_table(["epochs", "power, %", "episodes of a mode"])
    for one in found:
        enough = "" if one.value >= wanted else " (not enough)"
        table.add_row(
            Text(f"{one.tasks:,} tasks{enough}"),
            str(one.epochs),
            f"{one.value:.1f} [{one.low:.1f}, {one.high:.1f}]",
            f"{one.tasks * one.epochs:,}",
        )
    console.print(table)
