"""Small sets to look at."""

from __future__ import annotations

from functools import cache
from typing import Any

from sealegs.training.data.attempts import SetDefinition, first_fit_row
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.task_sources import DataSources

ROWS = 160


def making(n: int = ROWS, seed: int = 0, form: Any = "both", teacher: str = "", **recipe: Any) -> SetDefinition:
    return SetDefinition(DataRecipe.model_validate({"name": "small", **recipe}), DataSources(), n, seed, form, teacher)


@cache
def rows() -> tuple[Row, ...]:
    """The rows of a set as they are made, duplicates included."""
    made = [first_fit_row(making(), number)[1] for number in range(ROWS)]
    return tuple(row for row in made if row is not None)
