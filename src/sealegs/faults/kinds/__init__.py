"""All kinds of faults, one small file each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from sealegs.faults.kinds.connection import Connection
from sealegs.faults.kinds.corruption import applicable_kinds
from sealegs.faults.kinds.delay import Delay, Exponential, Lognormal, Normal, Quantiles, Uniform
from sealegs.faults.kinds.delta import Delta
from sealegs.faults.kinds.drip import Drip
from sealegs.faults.kinds.duplicate import Duplicate
from sealegs.faults.kinds.empty import Empty
from sealegs.faults.kinds.error import Error
from sealegs.faults.kinds.fact_contradiction import FactContradiction
from sealegs.faults.kinds.fault import Fault, FaultSetting, Steps
from sealegs.faults.kinds.hang import Hang
from sealegs.faults.kinds.internal_contradiction import InternalContradiction
from sealegs.faults.kinds.interrupted import Interrupted
from sealegs.faults.kinds.irrelevant_response import IrrelevantResponse
from sealegs.faults.kinds.logic_violation import LogicViolation
from sealegs.faults.kinds.lost_ack import LostAck
from sealegs.faults.kinds.malformed import Malformed
from sealegs.faults.kinds.missing_required_fields import MissingRequiredFields
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

AnyFault = Annotated[
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
    | FactContradiction,
    Field(discriminator="kind"),
]

KINDS: Mapping[str, type[Fault]] = MappingProxyType(
    {kind.model_fields["kind"].default: kind for kind in AnyFault.__origin__.__args__}  # type: ignore[attr-defined]
)

__all__ = [
    "KINDS",
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
    "Hang",
    "InternalContradiction",
    "Interrupted",
    "IrrelevantResponse",
    "LogicViolation",
    "Lognormal",
    "LostAck",
    "Malformed",
    "MissingRequiredFields",
    "Normal",
    "Partial",
    "PhysicsViolation",
    "Poisoned",
    "Quantiles",
    "RateLimit",
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
