"""The card of a set: the facts that a person who finds the folder must know."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sealegs.tasks.editions import CANARY
from sealegs.training.data import CLEAN, SPLITS
from sealegs.training.data.attempts import SetDefinition
from sealegs.training.data.files import DATA, Format, write
from sealegs.training.data.row_blocks import RowTally, manifest
from sealegs.training.data.sentences import count_of_forms
from sealegs.training.data.set_checks import MANIFEST, RowContents

CARD = "README.md"
LICENCE = "apache-2.0"


def write_card(
    making: SetDefinition, out: Path, format: Format, tally: RowTally, seen: RowContents, command: str
) -> None:
    """Write the manifest and then the card, which finishes the set."""
    write(out / MANIFEST, manifest(making, format, tally).encode())
    write(out / CARD, data_set_card(making, format, tally, seen, command).encode())


def data_set_card(making: SetDefinition, format: Format, tally: RowTally, seen: RowContents, command: str) -> str:
    """The card as Markdown, with the fields that dataset hubs read."""
    splits = [split for split in SPLITS if tally.rows[split]]
    files = "\n".join(f"  - split: {split}\n    path: {DATA}/{split}-*.{format}" for split in splits)
    lacking = f"\n{tally.lost} of the {making.n} requested rows were not found: {_why(making)}\n" if tally.lost else ""
    return f"""---
license: {LICENCE}
language: [en]
task_categories: [text-generation]
tags: [tool-calling, agents, error-recovery]
configs:
- config_name: default
  data_files:
{files}
---

# {tally.total} trajectories of tool calling and recovery

Made by Sealegs from {_origin(making)} with the recipe `{making.recipe.name}`:

    {command}

SHA-256 of the data: `{tally.digest()}`. Licence: Apache-2.0.
{lacking}
## Composition

{_table(tally, 0, "split", splits)}

{_table(tally, 1, "mode", ["NP", "P1", "P2", "P3", "P4"])}

{_table(tally, 2, "class of the failure", sorted({cell[2] for cell in tally.cells}))}

{_table(tally, 3, "outcome", sorted({cell[3] for cell in tally.cells}))}

NP: nothing fails; P1 and P2: explicit failures that pass and that stay; P3 and P4: answers that look like data and are
wrong, once and always.

{_variety(making, seen)}

## Splits

Disjoint in base tasks and in (class, tool) pairs. `generalisation`: the failures strike tools that no other split
offers or calls, and are of kinds that no other split holds; the other tools of its tasks may be known. `sealegs data
check` proves it again.

## Attempts that gave no row

{_fell(tally)}

<!-- {CANARY} -->
"""


def _variety(making: SetDefinition, seen: RowContents) -> str:
    """The section on the differences among the rows."""
    return f"""## What is different in them

{len(seen.requests)} different requests ({len(seen.tasks)} base tasks, the others with other numbers in them);
{len(seen.orders)} different sequences of calls; {len(seen.pairs)} pairs of a failure's class and the tool it strikes;
{len(seen.kinds)} kinds of failures. No two rows of a base task are alike by more than {making.recipe.similarity:g} (the
Jaccard index of their calls, answers and successions; another wording makes no difference). What an expert says is
drawn from {count_of_forms()} forms of sentences, filled with the row's own facts; every fourth is said in `test` and
`generalisation` alone."""


def _origin(making: SetDefinition) -> str:
    sources = making.sources
    sources_named = ["the tasks of `maze`"] if sources.shipped else []
    sources_named += [f"the tasks in `{Path(name).name}`" for name in sources.folders]
    sources_named += [f"the trajectories in `{Path(name).name}`" for name in sources.trajectories]
    return ", ".join(sources_named)


def _why(making: SetDefinition) -> str:
    if making.teacher:
        return f"{making.recipe.tries} attempts each gave none; see below what they fell at."
    return (
        f"{making.recipe.tries} attempts each gave nothing that is unlike the others. More tasks (`--tasks`) or more "
        "`variants` give more."
    )


def _table(tally: RowTally, place: int, noun: str, names: list[str]) -> str:
    counts: Counter[str] = Counter()
    for cell, count in tally.cells.items():
        counts[cell[place]] += count
    rows = [f"| {name or CLEAN} | {counts[name]} | {100 * counts[name] / max(1, tally.total):.1f} |" for name in names]
    return "\n".join([f"| {noun} | rows | % |", "|---|---|---|", *rows])


def _fell(tally: RowTally) -> str:
    lines = [
        f"- {reason}: {count}" for reason, count in sorted(tally.fell.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join(lines) or "None."
