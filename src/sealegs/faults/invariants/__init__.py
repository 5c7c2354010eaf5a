"""What holds on every right answer of a tool, as data that can be checked and broken.

An invariant belongs to the family of implicit corruption that breaks it. `violations` is what a careful agent can know
from the call and the answer alone; `Invariant.broken` is how a corruption makes an answer wrong in exactly that way.
What it does not cover: whether an answer that keeps every invariant is true.
"""

from sealegs.faults.invariants.identity import Echo
from sealegs.faults.invariants.invariant import Invariant, Violation, roughly_equal, same_shape, touches
from sealegs.faults.invariants.known_facts import Known
from sealegs.faults.invariants.logic import OneOf, Requires
from sealegs.faults.invariants.numbers import Bounds, Counts, Formula, Mean, Sums
from sealegs.faults.invariants.order import Ordered
from sealegs.faults.invariants.shape import NoLeak, Present, leaking
from sealegs.faults.invariants.verdict import violations

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
