"""The reader and the writer of faults of any kind, by their kind, which may be a class of others (`own_kinds`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializationInfo,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

from sealegs.faults.built_in_kinds import KINDS, is_built_in
from sealegs.faults.fault import Fault, problem
from sealegs.faults.own_kinds import findable, is_own_kind, own_fault
from sealegs.faults.user_error import UserError

IMPORTS = "imports"  # in a validation's context: whether modules that a plan names may be imported


class _AnyKind:
    """The schema of a fault of any kind. Those of the kinds are built when a plan names them."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A function that knows where each kind is."""
        return core_schema.with_info_plain_validator_function(
            _fault_of_any_kind,
            serialization=core_schema.plain_serializer_function_ser_schema(_written, info_arg=True),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Of a kind of others it is known that its name is `module:Class`, or one that is not used here."""
        known = handler(_reader(*KINDS).core_schema)
        name = {"type": "string", "minLength": 1, "not": {"enum": list(KINDS)}}
        own = {"type": "object", "properties": {"kind": name}, "required": ["kind"]}
        return {**known, "oneOf": [*known["oneOf"], own]}


@cache
def _reader(*kinds: str) -> TypeAdapter[Any]:
    """The reader of a fault of one of these kinds of ours. Its errors are the same whatever others it could read."""
    classes: Any = reduce(or_, (KINDS[kind] for kind in kinds))
    form: Any = Annotated[classes, Field(discriminator="kind")]
    return TypeAdapter(form)


def _fault_of_any_kind(value: Any, info: ValidationInfo) -> Fault:
    # Made in Python, of a class of others: its kind becomes a name by which a replay finds the class again.
    if isinstance(value, Fault) and not is_built_in(value):
        try:
            return findable(value)
        except UserError as error:
            raise _unusable(value.kind, error) from None
    kind = value.get("kind") if isinstance(value, Mapping) else getattr(value, "kind", None)
    if isinstance(kind, str) and kind not in KINDS and isinstance(value, Mapping) and is_own_kind(kind):
        return _own_fault(kind, value, info)
    # A known kind needs no schema but its own, and imports no other. Without one, the union of all says what is wrong.
    known = (kind,) if isinstance(kind, str) and kind in KINDS else KINDS
    found: Fault = _reader(*known).validate_python(value, context=info.context)
    return found


def _own_fault(kind: str, value: Mapping[str, Any], info: ValidationInfo) -> Fault:
    try:
        if ":" in kind and not (info.context or {}).get(IMPORTS, True):
            raise UserError("a plan that was sent may name no module; install the kind as a package")
        return own_fault(kind, value)
    except UserError as error:
        raise _unusable(kind, error) from None


def _unusable(kind: str, error: UserError) -> ValidationError:
    """The error of a kind of others that cannot be used, at its name."""
    wrong, _, remedy = str(error).partition("; ")
    details = problem(f"cannot be used: {wrong}", f"{remedy[:1].upper()}{remedy[1:]}." if remedy else "Check it.")
    return ValidationError.from_exception_data("fault", [InitErrorDetails(type=details, loc=("kind",), input=kind)])


def _written(fault: Fault, info: SerializationInfo) -> Any:
    return fault.model_dump(mode=info.mode, by_alias=info.by_alias, exclude_defaults=info.exclude_defaults)


AnyFault = Annotated[Fault, _AnyKind()]
