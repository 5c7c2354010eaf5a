"""Checks of a finished set, from its rows alone: leaks, duplicates, lapses that it teaches, and the judge's verdicts.

The leakage checks know nothing of how the set was divided. The judge's check plays rows again in the world from their
contents (task, plan, calls, answer) and compares the tools' answers, the verdict and the costs.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path
from typing import Any

from sealegs.agents import UseTool
from sealegs.faults import seeds
from sealegs.faults.call import render
from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import plan_from
from sealegs.faults.user_error import UserError
from sealegs.training.data import UNSEEN
from sealegs.training.data.attempts import SetDefinition
from sealegs.training.data.conduct import KINDS, RowWithTools
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.exporters import FORMS, row_reader
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.failure_catalogue import failure_kinds
from sealegs.training.data.files import parts, read_row_files
from sealegs.training.data.near_duplicates import TrajectorySet, calls_of, text_digest, trajectory_features
from sealegs.training.data.task_sources import BaseTask, DataSources, all_base_tasks, task_variant
from sealegs.training.data.trajectory_player import TrajectoryOrder, TrajectoryPlayer

MANIFEST = "dataset.json"
NAMED = 3  # examples in a message


class Leak(UserError):
    """Something is in two splits, or there twice; the message names everything."""


@dataclass
class RowContents:
    """The contents of a set's rows.

    Attributes:
        tasks, pairs: the splits that hold each base task, and each pair of a failure's class and its step's tool.
        faulted, kinds: the splits in which a tool was struck, and in which a kind of failure came.
        there: the splits in which a tool was offered or called.
        rows, twice, near: the number of rows, and names of those that are like one before.
        requests, orders: different requests, and different sequences of calls (by tool) of one base task.
    """

    tasks: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    pairs: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    faulted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    kinds: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    there: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    rows: Counter[str] = field(default_factory=Counter)
    twice: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    requests: set[tuple[str, int]] = field(default_factory=set)
    orders: set[int] = field(default_factory=set)

    def add(self, row: Row, split: str, known: TrajectorySet) -> None:
        """One more row."""
        self.rows[split] += 1
        self.tasks[row["base_task"]].add(split)
        called = [tool for tool, _, _ in calls_of(row)]
        for tool in {*row["offered"], *called}:
            self.there[tool].add(split)
        if row["failing"]:
            self.pairs[row["failure_class"], row["step_tool"]].add(split)
            self.faulted[row["step_tool"]].add(split)
            self.kinds[row["failure_kind"]].add(split)
        self.requests.add((row["base_task"], row["variant"]))
        self.orders.add(seeds.digest(row["base_task"], *called))
        text, marked = text_digest(row), trajectory_features(row)
        alike = known.like(row["base_task"], text, marked)
        if alike:
            (self.twice if alike == "exact" else self.near).append(row["id"])
        known.add(row["base_task"], text, marked)

    def problems(self) -> Iterator[str]:
        """Everything that leaks, in sentences."""
        yield from _shared("base task", {name: splits for name, splits in self.tasks.items() if len(splits) > 1})
        pairs = {
            f"{failure_class} at {tool}": splits
            for (failure_class, tool), splits in self.pairs.items()
            if len(splits) > 1
        }
        yield from _shared("pair of class and step", pairs)
        unseen = {tool for tool, splits in self.faulted.items() if UNSEEN in splits}
        # Being offered in another split is a leak as well: its description would have been read there.
        tools = {tool: self.there[tool] for tool in sorted(unseen) if self.there[tool] != {UNSEEN}}
        yield from _shared("tool struck in generalisation", tools)
        known = {name: splits for name, splits in self.kinds.items() if UNSEEN in splits and len(splits) > 1}
        yield from _shared("kind of failure of generalisation", known)
        for what, names in (("the same text as", self.twice), ("nearly the same calls and answers as", self.near)):
            if names:
                yield f"{len(names)} rows have {what} another: {', '.join(names[:NAMED])}"


def _shared(noun: str, found: dict[str, set[str]]) -> Iterator[str]:
    if found:
        named = [f"{name} ({', '.join(sorted(splits))})" for name, splits in sorted(found.items())[:NAMED]]
        yield f"{len(found)} of this kind are in several splits: {noun}: {'; '.join(named)}"


def read_row_contents(folder: Path, similarity: float) -> RowContents:
    """The contents of a set's rows, read once from its files."""
    seen, known = RowContents(), TrajectorySet(similarity)
    for split, files in parts(folder).items():
        for row in read_row_files(files):
            if row["split"] != split:
                raise Leak(f"{folder}: row {row['id']} of the split {row['split']} lies in a file of {split}")
            seen.add(row, split, known)
    return seen


def check_leaks(folder: Path, similarity: float) -> RowContents:
    """The contents of a set's rows, checked for leaks.

    Raises:
        Leak: something is where it must not be.
    """
    seen = read_row_contents(folder, similarity)
    problems = list(seen.problems())
    if problems:
        raise Leak("\n".join([f"{folder} leaks:", *(f"  {problem}" for problem in problems)]))
    return seen


def read_manifest(folder: Path) -> tuple[SetDefinition, dict[str, Any]]:
    """The making of a finished set, and its manifest.

    Raises:
        UserError: the folder holds no finished set.
    """
    file = folder / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        return making_of(manifest["settings"]), manifest
    except OSError as error:
        raise UserError(
            f"{folder} holds no finished set ({MANIFEST} is not there); `sealegs data make` makes one, and the same "
            "command finishes one that was stopped"
        ) from error
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise UserError(f"{file} is not a manifest of a set: {error!r}; make the set again") from error


def making_of(settings: Mapping[str, Any]) -> SetDefinition:
    """The making of the set that has these settings.

    Raises:
        ValueError, KeyError, TypeError, StopIteration: they are not settings of a set.
    """
    origin = settings["sources"]
    sources = DataSources(origin["shipped"], tuple(origin["folders"]), tuple(origin["trajectories"]))
    form = next(form for form in FORMS if form == settings["form"])
    recipe = DataRecipe.model_validate(settings["recipe"])
    return SetDefinition(recipe, sources, settings["n"], settings["seed"], form, settings["teacher"])


def judged_again(folder: Path, making: SetDefinition, sample: int) -> list[str]:
    """Problems of some of the rows, found by playing them again.

    Args:
        sample: the number of rows; the same ones each time.
    """
    every = (row for files in parts(folder).values() for row in read_row_files(files))
    chosen = nsmallest(sample, every, key=lambda row: (seeds.digest("sample", row["id"]), row["id"]))
    return [f"row {row['id']}: {wrong}" for row in chosen for wrong in played_again(row, making)]


def played_again(row: Row, making: SetDefinition) -> Iterator[str]:
    """Problems of a row that is played again: another answer of a tool, another verdict, or another cost."""
    base = all_base_tasks(making.sources, making.recipe.leave_out).get(row["base_task"])
    found = task_variant(base, row["variant"], making.seed) if base is not None else None
    if base is None or found is None:
        yield f"there is no task {row['base_task']} in variant {row['variant']}"
        return
    step = base.task.graph.step_of.get(row["step_tool"] or "")
    order = TrajectoryOrder(
        variant=found,
        specs=tuple(base.specs.get(name) or base.corpus.spec(name) for name in row["offered"]),
        prompt=making.recipe.prompts[0],
        kind=failure_kinds()[row["failure_kind"]] if row["failing"] else None,
        mode=row["mode"] if row["failing"] else "",
        step=step,
        plan=plan_from(json.loads(row["plan"])) if row["plan"] else Plan(name="clean"),
        noted=False,
        key=tuple(map(int, row["id"].rsplit("-", 2))),
    )
    player = TrajectoryPlayer(order)
    for place, (tool, arguments, answer) in enumerate(calls_of(row), 1):
        shown_again = render(player.call(UseTool(tool, json.loads(arguments))))
        # The answer of the failed call may hold the bank's advice, which is not given here (`noted`).
        if place != row["step"] and not _same(shown_again, answer):
            yield f"call {place} of {tool} is answered otherwise now"
    last = row_reader(row).answer(row)
    made = player.end(last)
    verdict = made.judged
    if row["outcome"] == "cut":
        if last is not None:
            yield "it is cut, and has an answer"
        return
    if not verdict.success:
        yield f"the judge says no success: {verdict.reasons[0]}"
    if verdict.exposed and (verdict.best, verdict.cost) != (row["optimal_cost"], row["cost"]):
        yield f"c* and cost are {verdict.best} and {verdict.cost}, and it says {row['optimal_cost']} and {row['cost']}"


def _same(shown_text: str, observed_text: str) -> bool:
    if shown_text == observed_text:
        return True
    try:
        observed = json.loads(observed_text)
    except (ValueError, RecursionError):
        return False
    return isinstance(observed, dict) and shown_text in (
        observed.get("response"),
        json.dumps({"error": _error(observed)}),
    )


def _error(observed: dict[str, Any]) -> Any:
    try:
        return json.loads(observed.get("error") or "null")
    except (ValueError, RecursionError):
        return observed["error"]


@dataclass
class LapseCounts:
    """Counts of the lapses that the rows of a set teach.

    Attributes:
        counts: of each of `conduct.KINDS`.
        named: a row of each.
    """

    counts: Counter[str] = field(default_factory=Counter)
    named: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row, base: BaseTask) -> None:
        """One more row."""
        for kind in RowWithTools(row, base).problems():
            self.counts[kind] += 1
            self.named.setdefault(kind, row["id"])

    def report_text(self) -> str:
        """All counts, a line each."""
        return "\n".join(f"{self.counts[kind]:6} times: {kind}" for kind in KINDS)

    def problems(self) -> list[str]:
        """Those that are not 0, in sentences."""
        return [
            f"{self.counts[kind]} times {kind}, as in row {self.named[kind]}" for kind in KINDS if self.counts[kind]
        ]


def lapses(folder: Path, making: SetDefinition) -> LapseCounts:
    """The lapses that the rows of a set teach."""
    found, known = LapseCounts(), all_base_tasks(making.sources, making.recipe.leave_out)
    for files in parts(folder).values():
        for row in read_row_files(files):
            if row["base_task"] in known:
                found.add(row, known[row["base_task"]])
    return found
