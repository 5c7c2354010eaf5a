"""All kinds of faults, one small file each. Each is loaded when it is first used."""

from typing import TYPE_CHECKING

from sealegs.faults.kinds.built_in import CLASSES
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
    **{name: f"{__name__}.{kind}" for kind, name in CLASSES.items()},
    "KINDS": f"{__name__}.built_in",
    "AnyFault": f"{__name__}.any_fault",
    "Exponential": f"{__name__}.delay",
    "Fault": f"{__name__}.fault",
    "FaultSetting": f"{__name__}.fault",
    "Lognormal": f"{__name__}.delay",
    "Normal": f"{__name__}.delay",
    "Quantiles": f"{__name__}.delay",
    "Rewrite": f"{__name__}.fault",
    "Steps": f"{__name__}.fault",
    "Uniform": f"{__name__}.delay",
    "applicable_kinds": f"{__name__}.corruption",
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
