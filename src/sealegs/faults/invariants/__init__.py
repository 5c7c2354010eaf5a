"""Invariants of every right answer of a tool, as data that can be checked and broken.

An invariant belongs to the family of implicit corruption that breaks it. `violations` is what a careful agent can know
from the call and the answer alone; `Invariant.broken` is how a corruption makes an answer wrong in exactly that way.
An answer that keeps every invariant may still be false.
"""

from typing import TYPE_CHECKING

from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.faults.invariants.identity import Echo
    from sealegs.faults.invariants.invariant import Invariant, Violation, roughly_equal, same_shape, touches
    from sealegs.faults.invariants.known_facts import Known
    from sealegs.faults.invariants.logic import OneOf, Requires
    from sealegs.faults.invariants.numbers import Bounds, Counts, Formula, Mean, Sums
    from sealegs.faults.invariants.order import Ordered
    from sealegs.faults.invariants.shape import NoLeak, Present, leaking
    from sealegs.faults.invariants.verdict import violations

_HOMES = {
    "Bounds": "sealegs.faults.invariants.numbers",
    "Counts": "sealegs.faults.invariants.numbers",
    "Echo": "sealegs.faults.invariants.identity",
    "Formula": "sealegs.faults.invariants.numbers",
    "Invariant": "sealegs.faults.invariants.invariant",
    "Known": "sealegs.faults.invariants.known_facts",
    "Mean": "sealegs.faults.invariants.numbers",
    "NoLeak": "sealegs.faults.invariants.shape",
    "OneOf": "sealegs.faults.invariants.logic",
    "Ordered": "sealegs.faults.invariants.order",
    "Present": "sealegs.faults.invariants.shape",
    "Requires": "sealegs.faults.invariants.logic",
    "Sums": "sealegs.faults.invariants.numbers",
    "Violation": "sealegs.faults.invariants.invariant",
    "leaking": "sealegs.faults.invariants.shape",
    "roughly_equal": "sealegs.faults.invariants.invariant",
    "same_shape": "sealegs.faults.invariants.invariant",
    "touches": "sealegs.faults.invariants.invariant",
    "violations": "sealegs.faults.invariants.verdict",
}
__all__ = [
    "Bounds",
    "Counts",
    "Echo",
    "Formula",
    "Invariant",
    "Known",
    "Mean",
    "NoLeak",
    "OneOf",
    "Ordered",
    "Present",
    "Requires",
    "Sums",
    "Violation",
    "leaking",
    "roughly_equal",
    "same_shape",
    "touches",
    "violations",
]
__getattr__ = lazy_names(__name__, _HOMES)
