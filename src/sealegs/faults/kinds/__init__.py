"""All kinds of faults, one small file each, and nothing else. The class in a file bears the file's name.

Each is loaded when it is first used. The imports below are for type checkers, which cannot list a folder.
"""

from typing import TYPE_CHECKING

from sealegs.faults.built_in_kinds import CLASSES
from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.faults.any_fault import AnyFault as AnyFault
    from sealegs.faults.built_in_kinds import KINDS as KINDS
    from sealegs.faults.corruption import applicable_kinds as applicable_kinds
    from sealegs.faults.fault import Fault as Fault
    from sealegs.faults.fault import FaultSetting as FaultSetting
    from sealegs.faults.fault import Rewrite as Rewrite
    from sealegs.faults.fault import Steps as Steps
    from sealegs.faults.fault import Substitute as Substitute
    from sealegs.faults.kinds.altered_reply import AlteredReply as AlteredReply
    from sealegs.faults.kinds.connection import Connection as Connection
    from sealegs.faults.kinds.delay import Delay as Delay
    from sealegs.faults.kinds.delay import Exponential as Exponential
    from sealegs.faults.kinds.delay import Lognormal as Lognormal
    from sealegs.faults.kinds.delay import Normal as Normal
    from sealegs.faults.kinds.delay import Quantiles as Quantiles
    from sealegs.faults.kinds.delay import Uniform as Uniform
    from sealegs.faults.kinds.delta import Delta as Delta
    from sealegs.faults.kinds.drip import Drip as Drip
    from sealegs.faults.kinds.duplicate import Duplicate as Duplicate
    from sealegs.faults.kinds.empty import Empty as Empty
    from sealegs.faults.kinds.error import Error as Error
    from sealegs.faults.kinds.fact_contradiction import FactContradiction as FactContradiction
    from sealegs.faults.kinds.forged import Forged as Forged
    from sealegs.faults.kinds.hang import Hang as Hang
    from sealegs.faults.kinds.internal_contradiction import InternalContradiction as InternalContradiction
    from sealegs.faults.kinds.interrupted import Interrupted as Interrupted
    from sealegs.faults.kinds.irrelevant_response import IrrelevantResponse as IrrelevantResponse
    from sealegs.faults.kinds.logic_violation import LogicViolation as LogicViolation
    from sealegs.faults.kinds.lost_ack import LostAck as LostAck
    from sealegs.faults.kinds.malformed import Malformed as Malformed
    from sealegs.faults.kinds.missing_required_fields import MissingRequiredFields as MissingRequiredFields
    from sealegs.faults.kinds.model_error import ModelError as ModelError
    from sealegs.faults.kinds.partial import Partial as Partial
    from sealegs.faults.kinds.physics_violation import PhysicsViolation as PhysicsViolation
    from sealegs.faults.kinds.poisoned import Poisoned as Poisoned
    from sealegs.faults.kinds.rate_limit import RateLimit as RateLimit
    from sealegs.faults.kinds.schema_drift import SchemaDrift as SchemaDrift
    from sealegs.faults.kinds.scramble import Scramble as Scramble
    from sealegs.faults.kinds.silent_noop import SilentNoop as SilentNoop
    from sealegs.faults.kinds.stale import Stale as Stale
    from sealegs.faults.kinds.statistical_inconsistency import StatisticalInconsistency as StatisticalInconsistency
    from sealegs.faults.kinds.temporal_contradiction import TemporalContradiction as TemporalContradiction
    from sealegs.faults.kinds.timeout import Timeout as Timeout
    from sealegs.faults.kinds.tool_leakage import ToolLeakage as ToolLeakage
    from sealegs.faults.kinds.unit_swap import UnitSwap as UnitSwap
    from sealegs.faults.kinds.wrong_entity import WrongEntity as WrongEntity

_HOMES = {
    **{name: f"{__name__}.{kind}" for kind, name in CLASSES.items()},
    "AnyFault": "sealegs.faults.any_fault",
    "KINDS": "sealegs.faults.built_in_kinds",
    "applicable_kinds": "sealegs.faults.corruption",
    "Fault": "sealegs.faults.fault",
    "FaultSetting": "sealegs.faults.fault",
    "Rewrite": "sealegs.faults.fault",
    "Substitute": "sealegs.faults.fault",
    "Steps": "sealegs.faults.fault",
    "Exponential": f"{__name__}.delay",
    "Lognormal": f"{__name__}.delay",
    "Normal": f"{__name__}.delay",
    "Quantiles": f"{__name__}.delay",
    "Uniform": f"{__name__}.delay",
}
__getattr__ = lazy_names(__name__, _HOMES)
