"""Alternatives that a plan writes as an object with one key: `{first: 2}`, `{burst: {probability: 0.1, length: 3}}`.

The key says which alternative is meant, so that a mistake inside is reported for that alternative alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)


class Keyed(BaseModel):
    """A model with several fields, which data holds under the model's key."""

    model_config = ConfigDict(**STRICT, frozen=True)
    key: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _inside(cls, data: Any) -> Any:
        return data[cls.key] if isinstance(data, Mapping) and set(data) == {cls.key} else data

    @model_serializer(mode="wrap")
    def _under_key(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {self.key: handler(self)}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of the object with the one key."""
        return {
            "type": "object",
            "properties": {cls.key: handler(schema)},
            "required": [cls.key],
            "additionalProperties": False,
        }


def alternative_key(value: Any) -> str | None:
    """The key of the alternative that is meant: an object's only key, or that of a model; None where neither tells."""
    if isinstance(value, Mapping):
        return str(next(iter(value))) if len(value) == 1 else None
    key = getattr(type(value), "key", None)
    return key if isinstance(key, str) else None
