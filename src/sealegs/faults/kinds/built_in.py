"""The kinds of this package by name. Each is imported when it is asked for: a plan pays for the kinds that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sealegs.faults.kinds.fault import Fault

CLASSES = {  # of each kind, which is a module here
    "error": "Error",
    "rate_limit": "RateLimit",
    "connection": "Connection",
    "timeout": "Timeout",
    "delay": "Delay",
    "hang": "Hang",
    "interrupted": "Interrupted",
    "drip": "Drip",
    "malformed": "Malformed",
    "empty": "Empty",
    "partial": "Partial",
    "schema_drift": "SchemaDrift",
    "delta": "Delta",
    "scramble": "Scramble",
    "stale": "Stale",
    "wrong_entity": "WrongEntity",
    "unit_swap": "UnitSwap",
    "forged": "Forged",
    "lost_ack": "LostAck",
    "silent_noop": "SilentNoop",
    "duplicate": "Duplicate",
    "poisoned": "Poisoned",
    "physics_violation": "PhysicsViolation",
    "tool_leakage": "ToolLeakage",
    "irrelevant_response": "IrrelevantResponse",
    "statistical_inconsistency": "StatisticalInconsistency",
    "internal_contradiction": "InternalContradiction",
    "missing_required_fields": "MissingRequiredFields",
    "logic_violation": "LogicViolation",
    "temporal_contradiction": "TemporalContradiction",
    "fact_contradiction": "FactContradiction",
    "model_error": "ModelError",
    "altered_reply": "AlteredReply",
}


class BuiltInKinds(Mapping[str, "type[Fault]"]):
    """The class of each kind. Only what is looked up is imported; names alone import nothing."""

    def __getitem__(self, kind: str) -> type[Fault]:
        name = CLASSES[kind]
        found: type[Fault] = getattr(import_module(f"{__package__}.{kind}"), name)
        return found

    def __contains__(self, kind: object) -> bool:
        return kind in CLASSES

    def __iter__(self) -> Iterator[str]:
        return iter(CLASSES)

    def __len__(self) -> int:
        return len(CLASSES)


KINDS: Mapping[str, type[Fault]] = BuiltInKinds()


def is_built_in(fault: Fault) -> bool:
    """Whether a fault is of a kind of this package, and not of a class of others."""
    return type(fault).__module__.startswith(f"{__package__}.")
