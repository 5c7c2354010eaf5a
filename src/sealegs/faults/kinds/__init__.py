"""All kinds of faults, one small file each. Each is loaded when it is first used."""

from typing import TYPE_CHECKING

from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.faults.kinds.altered_reply import AlteredReply
    from sealegs.faults.kinds.any_fault import AnyFault
    from sealegs.faults.kinds.built_in import KINDS
    from sealegs.faults.kinds.connection import Connection
    from sealegs.faults.kinds.corruption import applicable_kinds
    from sealegs.faults.kinds.delay import Delay, Exponential, Lognormal, Normal, Quantiles, Uniform
    from sealegs.faults.kinds.delta import Delta
    from sealegs.faults.kinds.drip import Drip
    from sealegs.faults.kinds.duplicate import Duplicate
    from sealegs.faults.kinds.empty import Empty
    from sealegs.faults.kinds.error import Error
    from sealegs.faults.kinds.fact_contradiction import FactContradiction
    from sealegs.faults.kinds.fault import Fault, FaultSetting, Rewrite, Steps
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

_HOMES = {
    "KINDS": "sealegs.faults.kinds.built_in",
    "AlteredReply": "sealegs.faults.kinds.altered_reply",
    "AnyFault": "sealegs.faults.kinds.any_fault",
    "Connection": "sealegs.faults.kinds.connection",
    "Delay": "sealegs.faults.kinds.delay",
    "Delta": "sealegs.faults.kinds.delta",
    "Drip": "sealegs.faults.kinds.drip",
    "Duplicate": "sealegs.faults.kinds.duplicate",
    "Empty": "sealegs.faults.kinds.empty",
    "Error": "sealegs.faults.kinds.error",
    "Exponential": "sealegs.faults.kinds.delay",
    "FactContradiction": "sealegs.faults.kinds.fact_contradiction",
    "Fault": "sealegs.faults.kinds.fault",
    "FaultSetting": "sealegs.faults.kinds.fault",
    "Forged": "sealegs.faults.kinds.forged",
    "Hang": "sealegs.faults.kinds.hang",
    "InternalContradiction": "sealegs.faults.kinds.internal_contradiction",
    "Interrupted": "sealegs.faults.kinds.interrupted",
    "IrrelevantResponse": "sealegs.faults.kinds.irrelevant_response",
    "LogicViolation": "sealegs.faults.kinds.logic_violation",
    "Lognormal": "sealegs.faults.kinds.delay",
    "LostAck": "sealegs.faults.kinds.lost_ack",
    "Malformed": "sealegs.faults.kinds.malformed",
    "MissingRequiredFields": "sealegs.faults.kinds.missing_required_fields",
    "ModelError": "sealegs.faults.kinds.model_error",
    "Normal": "sealegs.faults.kinds.delay",
    "Partial": "sealegs.faults.kinds.partial",
    "PhysicsViolation": "sealegs.faults.kinds.physics_violation",
    "Poisoned": "sealegs.faults.kinds.poisoned",
    "Quantiles": "sealegs.faults.kinds.delay",
    "RateLimit": "sealegs.faults.kinds.rate_limit",
    "Rewrite": "sealegs.faults.kinds.fault",
    "SchemaDrift": "sealegs.faults.kinds.schema_drift",
    "Scramble": "sealegs.faults.kinds.scramble",
    "SilentNoop": "sealegs.faults.kinds.silent_noop",
    "Stale": "sealegs.faults.kinds.stale",
    "StatisticalInconsistency": "sealegs.faults.kinds.statistical_inconsistency",
    "Steps": "sealegs.faults.kinds.fault",
    "TemporalContradiction": "sealegs.faults.kinds.temporal_contradiction",
    "Timeout": "sealegs.faults.kinds.timeout",
    "ToolLeakage": "sealegs.faults.kinds.tool_leakage",
    "Uniform": "sealegs.faults.kinds.delay",
    "UnitSwap": "sealegs.faults.kinds.unit_swap",
    "WrongEntity": "sealegs.faults.kinds.wrong_entity",
    "applicable_kinds": "sealegs.faults.kinds.corruption",
}
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
__getattr__ = lazy_names(__name__, _HOMES)
