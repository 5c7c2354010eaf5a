"""All kinds of faults, one small file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializationInfo,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

from sealegs.faults.kinds.altered_reply import AlteredReply
from sealegs.faults.kinds.connection import Connection
from sealegs.faults.kinds.corruption import applicable_kinds
from sealegs.faults.kinds.delay import Delay, Exponential, Lognormal, Normal, Quantiles, Uniform
from sealegs.faults.kinds.delta import Delta
from sealegs.faults.kinds.drip import Drip
from sealegs.faults.kinds.duplicate import Duplicate
from sealegs.faults.kinds.empty import Empty
from sealegs.faults.kinds.error import Error
from sealegs.faults.kinds.fact_contradiction import FactContradiction
from sealegs.faults.kinds.fault import Fault, FaultSetting, Rewrite, Steps, problem
from sealegs.faults.kinds.forged import Forged
from sealegs.faults.kinds.hang import Hang
from sealegs.faults.kinds.internal_contradiction import InternalContradiction
from sealegs.faults.kinds.interrupted import Interrupted
from sealegs.faults.kinds.irrelevant_response import IrrelevantResponse
from sealegs.faults.kinds.logic_violation import LogicViolation
from sealegs.faults.kinds.lost_ack import LostAck
from sealegs.faults.kinds.malformed import Malformed
from sealegs.faults.kinds.missing_required_fields import MissingRequiredFields
from sealegs.faults.kinds.model_error import ModelError
from sealegs.faults.kinds.own_kinds import findable, is_own_kind, own_fault
from sealegs.faults.kinds.partial import Partial
from sealegs.faults.kinds.physics_violation import PhysicsViolation
from sealegs.faults.kinds.poisoned import Poisoned
from sealegs.faults.kinds.rate_limit import RateLimit
from sealegs.faults.kinds.schema_drift import SchemaDrift
from sealegs.faults.kinds.scramble import Scramble
from sealegs.faults.kinds.silent_noop import SilentNoop
from sealegs.faults.kinds.stale import Stale
from sealegs.faults.kinds.statistical_inconsistency import StatisticalInconsistency
from sealegs.faults.kinds.temporal_contradiction import TemporalContradiction
from sealegs.faults.kinds.timeout import Timeout
from sealegs.faults.kinds.tool_leakage import ToolLeakage
from sealegs.faults.kinds.unit_swap import UnitSwap
from sealegs.faults.kinds.wrong_entity import WrongEntity
from sealegs.faults.user_error import UserError

BuiltInFault = Annotated[
    Error
    | RateLimit
    | Connection
    | Timeout
    | Delay
    | Hang
    | Interrupted
    | Drip
    | Malformed
    | Empty
    | Partial
    | SchemaDrift
    | Delta
    | Scramble
    | Stale
    | WrongEntity
    | UnitSwap
    | Forged
    | LostAck
    | SilentNoop
    | Duplicate
    | Poisoned
    | PhysicsViolation
    | ToolLeakage
    | IrrelevantResponse
    | StatisticalInconsistency
    | InternalContradiction
    | MissingRequiredFields
    | LogicViolation
    | TemporalContradiction
    | FactContradiction
    | ModelError
    | AlteredReply,
    Field(discriminator="kind"),
]

KINDS: Mapping[str, type[Fault]] = MappingProxyType(
    {kind.model_fields["kind"].default: kind for kind in BuiltInFault.__origin__.__args__}  # type: ignore[attr-defined]
)
BUILT_IN = frozenset(KINDS.values())
IMPORTS = "imports"  # in a validation's context: whether modules that a plan names may be imported


class _AnyKind:
    """How a fault of any kind is read and written: by its kind, which may be a class of others (`own_kinds`)."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The kinds of this package, and around them what knows the others."""
        return core_schema.with_info_wrap_validator_function(
            _fault_of_any_kind,
            handler.generate_schema(BuiltInFault),
            serialization=core_schema.wrap_serializer_function_ser_schema(_written, info_arg=True),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Of a kind of others it is known that its name is `module:Class`, or one that is not used here."""
        known = handler(schema)
        name = {"type": "string", "minLength": 1, "not": {"enum": list(KINDS)}}
        own = {"type": "object", "properties": {"kind": name}, "required": ["kind"]}
        return {**known, "oneOf": [*known["oneOf"], own]}


def _fault_of_any_kind(value: Any, handler: Callable[[Any], Fault], info: ValidationInfo) -> Fault:
    if isinstance(value, Fault) and type(value) not in BUILT_IN:
        try:
            return findable(value)
        except UserError as error:
            raise _unusable(value.kind, error) from None
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if not isinstance(kind, str) or kind in KINDS or not is_own_kind(kind):
        return handler(value)
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


def _written(fault: Fault, handler: Callable[[Fault], Any], info: SerializationInfo) -> Any:
    if type(fault) in BUILT_IN:
        return handler(fault)
    return fault.model_dump(mode=info.mode, by_alias=info.by_alias, exclude_defaults=info.exclude_defaults)


AnyFault = Annotated[Fault, _AnyKind()]

__all__ = [
    "KINDS",
    "AlteredReply",
    "AnyFault",
    "Connection",
    "Delay",
    "Delta",
    "Drip",
    "Duplicate",
    "Empty",
    "Error",
    "Exponential",
    "FactContradiction",
    "Fault",
    "FaultSetting",
    "Forged",
    "Hang",
    "InternalContradiction",
    "Interrupted",
    "IrrelevantResponse",
    "LogicViolation",
    "Lognormal",
    "LostAck",
    "Malformed",
    "MissingRequiredFields",
    "ModelError",
    "Normal",
    "Partial",
    "PhysicsViolation",
    "Poisoned",
    "Quantiles",
    "RateLimit",
    "Rewrite",
    "SchemaDrift",
    "Scramble",
    "SilentNoop",
    "Stale",
    "StatisticalInconsistency",
    "Steps",
    "TemporalContradiction",
    "Timeout",
    "ToolLeakage",
    "Uniform",
    "UnitSwap",
    "WrongEntity",
    "applicable_kinds",
]
