"""A field of the answer has another name or type, or is gone, as after a new release of an API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults import paths
from sealegs.faults.fault import FaultSetting, Rewrite, Text, draw_field


class SchemaDrift(Rewrite):
    """The tool runs; the agent sees one field renamed, retyped or dropped."""

    implicit: ClassVar[bool] = True
    kind: Literal["schema_drift"] = "schema_drift"
    mode: Literal["renamed", "retyped", "dropped"] = Field(
        default="renamed", description="What happens to the field. Its value stays, in another form where retyped."
    )
    field: Text | None = Field(
        default=None,
        description="Dotted path of the field; else a drawn top-level field, in preference one that later steps use.",
    )

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer in its new form."""
        path = self.field or draw_field(_names(value), setting)
        if path is None:
            return value
        parent, _, name = path.rpartition(".")
        return paths.replace_values(value, parent, lambda data: self._drifted(data, name))

    def _drifted(self, data: Any, name: str) -> Any:
        # A release changes every row of a list. Rows without the field stay as they are.
        if isinstance(data, (list, tuple)):
            return [self._drifted(item, name) for item in data]
        if not isinstance(data, Mapping) or name not in data:
            return data
        if self.mode == "dropped":
            return {key: item for key, item in data.items() if key != name}
        if self.mode == "retyped":
            return {key: _retyped(item) if key == name else item for key, item in data.items()}
        # Built anew and not popped, so that the field keeps its place among the others.
        return {_renamed(key, data) if key == name else key: item for key, item in data.items()}


def _names(value: Any) -> list[str]:
    """The top-level fields of an object, or of the first object of a list."""
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return sorted(value) if isinstance(value, Mapping) else []


def _renamed(name: str, data: Mapping[str, Any]) -> str:
    """`total_price` becomes `totalPrice`; a name of one word gets a suffix."""
    first, *rest = name.split("_")
    new = first + "".join(word.capitalize() for word in rest)
    new = f"{name}_value" if new == name else new
    while new in data:
        new += "_2"
    return new


def _retyped(value: Any) -> Any:
    """The same content as another JSON type."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "null"
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return {str(index): item for index, item in enumerate(value)}
    return json.dumps(value, ensure_ascii=False, default=str)
