"""A parameter of a function made from SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

RowForm = Literal["lists", "records"]
"""How rows are written: each a list of its cells, or a record keyed by column."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        name: `arg_0`, `arg_1`, ...
        role: `value`, or what a scratchpad takes: `values` (one column) or `rows`.
        types: the JSON types of a value.
        description: as an agent reads it.
        width: how many cells each row of a scratchpad has.
        column: the table and column that a value is compared with as it is; nothing where there is none.
    """

    name: str
    role: Literal["value", "values", "rows"]
    types: tuple[str, ...] = ()
    description: str = ""
    width: int = 0
    column: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The parameter as JSON Schema; a scratchpad takes rows as lists."""
        return self.schema_in("lists")

    def schema_in(self, form: RowForm) -> dict[str, Any]:
        """The parameter as JSON Schema, with the rows of a scratchpad in a form."""
        described: dict[str, Any] = {"description": self.description} if self.description else {}
        cells = {"type": ["string", "number", "integer", "null"]}
        if self.role == "value":
            return {"type": self.types[0] if len(self.types) == 1 else list(self.types), **described}
        if form == "records":
            fewest = self.width or 1
            record = {"type": "object", "additionalProperties": cells, "minProperties": fewest, "maxProperties": fewest}
            return {
                "type": "array",
                "items": {"anyOf": [cells, record]} if self.role == "values" else record,
                **described,
            }
        if self.role == "rows":
            row = {"type": "array", "items": cells, "minItems": self.width, "maxItems": self.width}
            return {"type": "array", "items": row, **described}
        one = {"type": "array", "items": cells, "minItems": 1, "maxItems": 1}
        return {"type": "array", "items": {"anyOf": [cells, one]}, **described}
