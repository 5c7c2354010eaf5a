"""Rules for making a call again: never where it may have changed the world, unless that is proven to do no harm.

Proof is a declaration (the tool has no effects, is idempotent, or all tries carry one idempotency key), or that the
call never left: an adapter could not send its own request, or refused the arguments itself (`Failure.unsent`). Words
prove nothing: "connection refused" may be about the receipt's mail, after the payment. Nor does a status, which may
be that of a request that the tool made in its turn, unless the tool is declared to answer by its own.
"""

from __future__ import annotations

from sealegs.faults.call import Call, Failure, Outcome
from sealegs.faults.refused_statuses import REFUSED_STATUSES
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.response import status_of


def effect_free(spec: ToolSpec | None) -> bool:
    """Return whether it is declared that the tool changes nothing."""
    return spec is not None and spec.effects is False


def harmless(spec: ToolSpec | None) -> bool:
    """Return whether a call of this tool can be made twice whatever came of it."""
    return spec is not None and (spec.effects is False or spec.idempotent)


def carries_key(spec: ToolSpec | None, call: Call) -> bool:
    """Return whether the call carries an idempotency key, so that it has its effect once however often it is made."""
    return spec is not None and bool(spec.key) and bool(call.arguments.get(spec.key))


def nothing_done(spec: ToolSpec | None, outcome: Outcome) -> bool:
    """Return whether it is proven that a call that came to this changed nothing."""
    if effect_free(spec):
        return True
    if not isinstance(outcome, Failure):
        return False
    return outcome.unsent or (spec is not None and spec.statuses == "own" and status_of(outcome) in REFUSED_STATUSES)


def lacks_declaration(spec: ToolSpec | None) -> bool:
    """Return whether nothing is declared by which the tool's calls could be repeated, nor that they cannot be."""
    return spec is None or (spec.effects is None and not spec.idempotent and not spec.key)
