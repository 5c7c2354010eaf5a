"""`sealegs rank RUNS...`: many models in one table, and what is shown of their ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import (
    exit_if_invalid,
    warn_if_invalid,
    write_table_rows,
)
from sealegs.cli.shared_options import JUDGING_JOBS, CommandOnSuites, json_option
from sealegs.cli.target_files import check_different, check_file_target, write_target
from sealegs.faults.user_error import UserError
from sealegs.suites.choices import INVALID_HELP, MOST_INVALID, split_names

if TYPE_CHECKING:
    from sealegs.scoring.ranking_rows import RankTable

app = typer.Typer(add_completion=False)
PLOTS = (".svg", ".pdf")
PRIVATE = typer.Option(
    "--private", help="Some runs are on a private task set: compare them with those on the public one."
)
ALL_PAIRS = typer.Option("--all-pairs", help="Print the paired difference of every two models.")
FIGURES = ("--plot", "--bump", "--growth", "--funnel", "--terms")


def _target(option: str, help: str) -> Any:
    """Return an option that names a file; one that cannot be written is refused before anything is read."""

    def check(target: str) -> str:
        if option in FIGURES and target and Path(target).suffix.lower() not in PLOTS:
            raise UserError(f"{option} {target}: a figure is written as {' or '.join(PLOTS)}; name such a file")
        return check_file_target(option, target)

    return typer.Option(option, callback=check, help=help)


@app.command(cls=CommandOnSuites, no_args_is_help=True)
def rank_command(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs of one suite, or folders that hold several, with any models.")
    ],
    metric: Annotated[str, typer.Option(help="The metric to rank by; the suite's main one by default.")] = "",
    apart: Annotated[bool, typer.Option("--apart", help="Show runs that cannot be compared in tables apart.")] = False,
    vary: Annotated[str, typer.Option(help="Options in which runs of one table may differ, as recovery,prompt.")] = "",
    published: Annotated[bool, typer.Option("--published", help="Add the published models, marked as such.")] = False,
    private: Annotated[bool, PRIVATE] = False,
    all_pairs: Annotated[bool, ALL_PAIRS] = False,
    html: Annotated[str, _target("--html", "Write a page to this file.")] = "",
    plot: Annotated[str, _target("--plot", "Write a forest plot to this file, .svg or .pdf.")] = "",
    bump: Annotated[str, _target("--bump", "Write a bump plot of the modes to this file, .svg or .pdf.")] = "",
    sizes: Annotated[str, typer.Option(help="A YAML file (model: size): say how success and recovery grow.")] = "",
    growth: Annotated[str, _target("--growth", "Write a plot of that growth to this file, .svg or .pdf.")] = "",
    funnel: Annotated[str, _target("--funnel", "Write a plot of how far faults came to this file, .svg or .pdf.")] = "",
    terms: Annotated[str, _target("--terms", "Write a plot of what went wrong to this file, .svg or .pdf.")] = "",
    latex: Annotated[str, _target("--latex", "Write the table for LaTeX to this file.")] = "",
    csv: Annotated[str, _target("--csv", "Write the long table as CSV to this file.")] = "",
    parquet: Annotated[str, _target("--parquet", "Write the long table as Parquet to this file.")] = "",
    json: Annotated[str, json_option("the long table")] = "",
    max_invalid: Annotated[float, typer.Option(min=0, max=100, help=INVALID_HELP)] = MOST_INVALID,
    jobs: Annotated[int | None, JUDGING_JOBS] = None,
) -> None:
    """Rank models by their runs: a table with intervals, ranks with intervals, and corrected paired differences.

    Runs of different tasks, versions or options are refused, unless they may be shown --apart.
    """
    from sealegs.engines.judging_ahead import judging_jobs
    from sealegs.suites.ranked_runs import ranked_tables, read_sizes, worst_validity

    targets = {"html": html, "plot": plot, "bump": bump, "growth": growth, "funnel": funnel, "terms": terms}
    targets |= {"latex": latex, "csv": csv, "parquet": parquet}
    check_different({f"--{name}": target for name, target in {**targets, "json": json}.items()})
    _check_together(growth=growth, sizes=sizes, private=private, apart=apart)
    with judging_jobs(jobs):
        tables = ranked_tables(
            runs,
            metric,
            vary=split_names(vary) if vary else (),
            apart=apart,
            published=published,
            sizes=read_sizes(Path(sizes)) if sizes else None,
            private=private,
        )
    validity = worst_validity(tables)
    warn_if_invalid(validity, max_invalid)
    warnings = _print_warnings(tables)
    _write(tables, warnings, targets)
    write_table_rows(_rows(tables), json, _about(tables))
    if json != "-":
        _print_tables(tables, pairs=all_pairs)
    exit_if_invalid(validity, max_invalid)


def _check_together(*, growth: str, sizes: str, private: bool, apart: bool) -> None:
    """Refuse options that do not go together."""
    if growth and not sizes:
        raise UserError("--growth draws how models grow with their size; name a file of sizes with --sizes")
    if private and apart:
        raise UserError("--private compares two task sets, and --apart shows sorts of runs one by one; leave one out")


def _print_tables(tables: list[RankTable], *, pairs: bool) -> None:
    from sealegs.reports.rank_tables import print_ranking_table

    for place, table in enumerate(tables):
        console.print("\n" * bool(place), end="")
        print_ranking_table(table, console, pairs=pairs)


def _print_warnings(tables: list[RankTable]) -> list[str]:
    """Print what reading had to leave out, each warning once, and return it."""
    found = list(dict.fromkeys(note for table in tables for one in table.entrants for note in one.warnings))
    for warning in found:
        errors.print(f"note: {warning}")
    return found


def _about(tables: list[RankTable]) -> dict[str, list[str]]:
    """The editions of each table's task sets, and which of the tasks were played."""
    named = [", ".join(dict.fromkeys(one.task_set for one in table.entrants)) for table in tables]
    return {"task_sets": named, "played": [str(table.entrants[0].tasks) for table in tables]}


def _rows(tables: list[RankTable]) -> list[dict[str, Any]]:
    return [{**row, "group": place} for place, table in enumerate(tables, 1) for row in table.rows()]


def _write(tables: list[RankTable], warnings: list[str], targets: dict[str, str]) -> None:
    """Write the requested files, each once all of it is known."""
    from sealegs.reports.rank_files import csv_text, latex_text, parquet_bytes

    made: dict[str, Callable[[], str | bytes]] = {
        "latex": lambda: latex_text(tables),
        "csv": lambda: csv_text(_rows(tables)),
        "parquet": lambda: parquet_bytes(_rows(tables)),  # type: ignore[arg-type]
        "html": lambda: _page(tables, warnings),
        **{name: partial(_figure, tables, name, targets[name]) for name in targets if f"--{name}" in FIGURES},
    }
    contents = {targets[name]: make() for name, make in made.items() if targets[name]}
    for target, content in contents.items():
        write_target(Path(target), content)


def _page(tables: list[RankTable], warnings: list[str]) -> str:
    from sealegs.reports.rank_page import render_rank_page

    return render_rank_page(tables, warnings)


def _figure(tables: list[RankTable], option: str, target: str) -> bytes:
    """The bytes of a figure.

    Raises:
        UserError: there are several rankings, or nothing that is played in several modes.
    """
    from sealegs.reports.page_extra import extra

    with extra():
        from sealegs.reports.rank_funnel_plots import draw_funnel, draw_terms
        from sealegs.reports.rank_plots import bump_lines, draw_bump, draw_forest, draw_scaling, plot_file
    if len(tables) > 1:
        raise UserError(
            f"--{option} draws one ranking, and there are {len(tables)}; leave --apart out, or rank fewer runs"
        )
    (table,) = tables
    if option == "plot":
        return plot_file(partial(draw_forest, table), Path(target))
    if option == "growth":
        # `_check_together` has asked for sizes, and with sizes every table has its growth.
        assert table.scaling is not None
        return plot_file(partial(draw_scaling, table.scaling), Path(target))
    if option == "funnel":
        _check_measured(option, any(table.funnels), table.suite, "how far planned faults came")
        return plot_file(partial(draw_funnel, table), Path(target))
    if option == "terms":
        _check_measured(option, any(table.terms), table.suite, "what went wrong")
        return plot_file(partial(draw_terms, table), Path(target))
    axis = next((axis for axis in ("mode", "level") if len(bump_lines(table, axis)[0]) > 1), "")
    if not axis:
        raise UserError("--bump plots ranks by mode or level, and these runs have only one of each; leave it out")
    return plot_file(partial(draw_bump, table, axis), Path(target))


def _check_measured(option: str, measured: bool, suite: str, what: str) -> None:
    """Refuse a figure of what these runs do not show."""
    if not measured:
        raise UserError(f"--{option} draws {what}, and these runs of {suite} do not show it; leave it out")
