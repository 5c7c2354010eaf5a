"""Everything that is wrong with an answer, as far as the call and the answer alone can tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sealegs.faults.invariants.invariant import Invariant, Violation
from sealegs.faults.invariants.shape import NoLeak, Present

NO_LEAK = NoLeak()


def violations(
    invariants: Iterable[Invariant], returns: Present | None, arguments: Mapping[str, Any], output: Any
) -> tuple[Violation, ...]:
    """The statements that the answer breaks: first its schema, then leaks, then the tool's own invariants."""
    if not isinstance(output, (dict, Mapping)):
        if returns is not None and returns.schema.get("type") == "object":
            return (Violation("malformed", (), f"the answer is {type(output).__name__}, not an object"),)
        # The tool's own invariants are about fields, which only an object has.
        return () if NO_LEAK.holds(arguments, output) else (_broken(NO_LEAK),)
    found = []
    missing = returns.missing(output) if returns is not None else None
    if returns is not None and missing:
        found.append(Violation(returns.family, returns.fields(), missing))
    for invariant in (NO_LEAK, *invariants):
        if not invariant.holds(arguments, output):
            found.append(_broken(invariant))  # noqa: PERF401  # a comprehension takes longer where nothing is broken
    return tuple(found)


def _broken(invariant: Invariant) -> Violation:
    return Violation(invariant.family, invariant.fields(), f"not true that {invariant.says()}")
