"""Runs of any suite, read for a ranking: which may be in one table, and the message where some may not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sealegs.engines.logs import SETTINGS
from sealegs.faults.user_error import UserError
from sealegs.scenarios.task_sets import is_private
from sealegs.scoring.entrants import Entrant
from sealegs.scoring.invalid import InvalidCount
from sealegs.scoring.ranking import Ranking
from sealegs.scoring.ranking_rows import RankTable, invalid_of, why_unranked
from sealegs.scoring.scaling import scaling_of
from sealegs.scoring.set_difference import compare_sets
from sealegs.suites.choices import unknown_name_problems
from sealegs.suites.run_options import ModelOptions
from sealegs.suites.suite import suite_holding, suites
from sealegs.tasks.editions import TASK_SET

CAMPAIGN = "campaign.json"
EXAMPLE = "sealegs run maze --agent planner"
HOW = "`sealegs maze generate --private` makes a private set; play it and a public one with the same options"
ASIDE = "previous-"  # begins the name of a folder that was set aside


def run_folders(path: Path) -> list[Path]:
    """The folders of runs that a folder is or holds; the path itself where it names no such folder."""
    marks = (SETTINGS, CAMPAIGN)
    if not path.is_dir() or any((path / mark).is_file() for mark in marks):
        return [path]
    found = {file.parent for mark in marks for file in path.rglob(mark)}
    return sorted(one for one in found if not one.name.startswith(ASIDE)) or [path]


def read_ranked_runs(paths: Iterable[Path]) -> list[Entrant]:
    """Every agent and model of these runs.

    Raises:
        UserError: there is nothing to read, something that cannot be read, or a run is there twice.
    """
    found: list[Entrant] = []
    seen: dict[Path, Path] = {}
    for path in paths:
        for folder in run_folders(path):
            if folder.resolve() in seen:
                raise UserError(f"{folder} is named twice ({seen[folder.resolve()]} and {path}); name it once")
            seen[folder.resolve()] = path
            sampling = _sampling(folder)
            named = suite_holding(folder, EXAMPLE).entrants(folder)
            found += [replace(one, name=f"{one.name} ({sampling})") if sampling else one for one in named]
    return found


def _sampling(folder: Path) -> str:
    """Return how a model was called, where that is not the default: two such runs are two entrants."""
    try:
        settings: dict[str, Any] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    names = [name for name, field in ModelOptions.model_fields.items() if not field.exclude]
    values = {name: settings.get(name) for name in names}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items() if value not in (None, ""))


def comparable_groups(
    entrants: Sequence[Entrant], *, vary: Collection[str] = (), apart: bool = False
) -> list[list[Entrant]]:
    """Entrants that played the same tasks by the same rules, together, in the order in which they came.

    Args:
        entrants: all of them.
        vary: options in which those of one group may differ; where names are then equal, these distinguish them.
        apart: whether there may be several groups.

    Raises:
        UserError: there are several; the message names the difference. Or an option is unknown, or two entrants of a
            group have one name.
    """
    _check_options(entrants, vary)
    groups: dict[tuple[Any, ...], list[Entrant]] = {}
    for one in entrants:
        groups.setdefault(_rules(one, vary), []).append(one)
    found = [_renamed_apart(group, vary) for group in groups.values()]
    if len(found) > 1 and not apart:
        raise UserError("\n".join(_refusal(found, vary)))
    return found


def _check_options(entrants: Sequence[Entrant], vary: Collection[str]) -> None:
    known = sorted({name for one in entrants for name in one.facts})
    problems = unknown_name_problems("option", list(vary), known) if vary else []
    if problems:
        raise UserError(f"--vary: {'; '.join(problems)}")


def _rules(one: Entrant, vary: Collection[str]) -> tuple[Any, ...]:
    facts = tuple(sorted((name, value) for name, value in one.facts.items() if name not in vary))
    return one.suite, one.tasks, facts


def _refusal(groups: Sequence[Sequence[Entrant]], vary: Collection[str]) -> Iterator[str]:
    first = groups[0][0]
    yield f"{len(groups)} sorts of runs cannot be ranked together:"
    for group in groups[1:]:
        differences = "; ".join(
            f"{name} {mine} and {theirs}" for name, mine, theirs in entrant_differences(first, group[0], vary)
        )
        yield f"{first.source} ({first.name}) and {group[0].source} ({group[0].name}) differ in {differences}"
    yield "rank them one by one, or each sort in a table of its own with --apart"


def entrant_differences(one: Entrant, other: Entrant, vary: Collection[str] = ()) -> Iterator[tuple[str, str, str]]:
    """The settings in which two entrants differ, with the value of each."""
    if one.suite != other.suite:
        yield "suite:", one.suite, other.suite
        return
    for name in sorted({*one.facts, *other.facts} - set(vary)):
        mine, theirs = (each.facts.get(name) or "none" for each in (one, other))
        if mine != theirs:
            yield f"{name}:", mine, theirs
    if one.tasks != other.tasks:
        yield "tasks:", str(one.tasks), str(other.tasks)


def public_and_private(entrants: Sequence[Entrant], vary: Collection[str] = ()) -> tuple[list[Entrant], list[Entrant]]:
    """The entrants on the public set, and those on the private one.

    Args:
        entrants: of one set of either sort.
        vary: options in which runs on a set may differ.

    Raises:
        UserError: there is not one of each, a set was not played alike by all, or no model played both.
    """
    sides = [[one for one in entrants if is_private(one.task_set) == private] for private in (False, True)]
    for own, sort in zip(sides, ("public", "private"), strict=True):
        editions = sorted({one.task_set or f"those of {one.suite}" for one in own})
        if len(editions) != 1:
            named = f"{len(editions)} {sort} sets of tasks ({', '.join(editions)})" if editions else f"no {sort} set"
            raise UserError(f"--private compares one public set with one private set, and there is {named}; {HOW}")
    public, private = (_alike(own, vary) for own in sides)
    differences = [
        f"{name} {mine} and {theirs}"
        # The sets of tasks differ by purpose; all else has to be the same, or it could be what makes the difference.
        for name, mine, theirs in entrant_differences(public[0], replace(private[0], tasks=public[0].tasks), vary)
        if name != f"{TASK_SET}:"
    ]
    if differences:
        raise UserError(
            f"--private: {public[0].source} and {private[0].source} differ in {'; '.join(differences)}; {HOW}"
        )
    if not {one.name for one in public} & {one.name for one in private}:
        raise UserError(
            f"--private: no model played both sets ({', '.join(one.name for one in public)} the public one, "
            f"{', '.join(one.name for one in private)} the private one); {HOW}"
        )
    return public, private


def _alike(own: Sequence[Entrant], vary: Collection[str]) -> list[Entrant]:
    (group,) = comparable_groups(own, vary=vary)
    return group


def _renamed_apart(group: Sequence[Entrant], vary: Collection[str]) -> list[Entrant]:
    """Entrants of different names."""
    names = Counter(one.name for one in group)
    named: dict[str, Entrant] = {}
    for one in group:
        values = ", ".join(f"{name} {one.facts[name]}" for name in sorted(vary) if one.facts.get(name))
        mine = replace(one, name=f"{one.name} ({values})") if values and names[one.name] > 1 else one
        if mine.name in named:
            raise UserError(
                f"{named[mine.name].source} and {mine.source} both hold a run of {mine.name} on the same tasks; leave "
                "one of them out"
            )
        named[mine.name] = mine
    return list(named.values())


def ranking_of(group: Sequence[Entrant], name: str = "") -> Ranking:
    """The ranking of a group by a metric; by the suite's own for no name.

    Raises:
        UserError: the suite ranks by no metric of this name.
    """
    scores = group[0].scores
    try:
        metric = group[0].metric(name)
    except KeyError:
        known = ", ".join(one.name for one in scores.reduced)
        raise UserError(
            f"--metric {name}: runs of {group[0].suite} are ranked by {known}; choose one of them"
        ) from None
    return Ranking(group, metric, metric.name not in scores.less_is_better)


def ranked_tables(
    paths: Sequence[Path],
    metric: str = "",
    *,
    vary: Collection[str] = (),
    apart: bool = False,
    published: bool = False,
    sizes: Mapping[str, float] | None = None,
    private: bool = False,
) -> list[RankTable]:
    """The rankings of runs.

    Args:
        paths: of the runs.
        metric: by which they are ranked; the suite's own for no name.
        vary, apart: see `comparable_groups`.
        published: whether published models are shown beside them.
        sizes: of the models by name; then each table says how success and recovery grow with them.
        private: whether some runs are on a private set, with which those on the public one are compared.

    Raises:
        UserError: something cannot be read or compared.
    """
    entrants = read_ranked_runs(paths)
    if private:
        public, secret = public_and_private(entrants, vary)
        ranking = ranking_of(public, metric)
        tables = [RankTable(ranking, private=compare_sets(public, secret, ranking.metric))]
    else:
        tables = [RankTable(ranking_of(group, metric)) for group in comparable_groups(entrants, vary=vary, apart=apart)]
    for table in tables:
        _check_ranked(table)
    if sizes is not None:
        tables = [replace(table, scaling=scaling_of(table.entrants, sizes)) for table in tables]
    if not published:
        return tables
    found = [_beside_published(table) for table in tables]
    if not any(table.published for table in found):
        metrics = ", ".join(dict.fromkeys(f"{table.metric} of {table.suite}" for table in tables))
        raise UserError(
            f"--published: there are no published figures for {metrics}; leave it out, or choose another --metric"
        )
    return found


def _check_ranked(table: RankTable) -> None:
    """Refuse a ranking of models without a figure."""
    if not table.standings:
        reasons = "; ".join(f"{one.name} ({one.source}) {why_unranked(one, table.metric)}" for one in table.left_out)
        raise UserError(f"nothing can be ranked: {reasons}; run what is missing again, or leave it out")


def _beside_published(table: RankTable) -> RankTable:
    """The table with the published models of its suite."""
    suite = suites().get(table.suite)
    if suite is None or suite.published is None:
        return table
    return replace(table, published=suite.published.measured_as(table.metric, table.options))


def read_sizes(file: Path) -> dict[str, float]:
    """The sizes of models, from a YAML file that maps names to numbers.

    Raises:
        UserError: it cannot be read, or is something else.
    """
    import yaml

    example = "write a line for each model, as `openai/gpt-oss-20b: 20`"
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"--sizes {file} cannot be read ({error.strerror}); name a YAML file") from error
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"--sizes {file} is not valid YAML; {example}") from error
    if not isinstance(found, dict) or not found:
        raise UserError(f"--sizes {file} holds no sizes; {example}")
    for name, size in found.items():
        # YAML reads `yes` as true, which Python takes for 1.
        if isinstance(size, bool) or not isinstance(size, int | float):
            raise UserError(f"--sizes {file}: the size of {name} is {size!r}, which is not a number; {example}")
    return {str(name): float(size) for name, size in found.items()}


def worst_validity(tables: Iterable[RankTable]) -> InvalidCount:
    """The count of invalid episodes of the model with the largest share of them."""
    counts = [invalid_of(one) for table in tables for one in table.entrants]
    return max(counts, key=lambda count: count.share, default=InvalidCount())
