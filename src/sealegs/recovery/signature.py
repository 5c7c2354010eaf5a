"""The signature of a failure: what it has in common with others of its kind, whatever the tool, wording and numbers.

A signature holds what can be seen of one call and what the episode remembers of the tool before it. It does not judge:
what class a failure is of, and what to do, are left to `classes` and `bank`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome
from sealegs.faults.invariants import Violation
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.masking import masked
from sealegs.recovery.response import status_of
from sealegs.recovery.safety import carries_key, harmless, nothing_done

SCHEMA_FAMILIES = frozenset({"malformed", "missing_required_fields"})
_OF_THE_TOOL = frozenset({"harmless", "doubtful"})  # say nothing of the failure


@dataclass(frozen=True, slots=True)
class Signature:
    """The visible features of one failure.

    Attributes:
        status: the HTTP status, where there is one.
        type: the error's name as the tool or its framework gives it; empty for an answer that came as data.
        message: the failure's text, masked.
        schema: violations of the tool's output schema, each as a sentence.
        invariants: families of the invariants that the answer breaks.
        repeated: how many times before in this episode the same call came to the same failure.
        late: how many times longer the call took than the tool's slowest usual one; None where that is not known.
        reasons: what is wrong with an answer, in sentences for people, with its own numbers; no part of its identity.
        inner: the status is that of a request that the tool's own code made, perhaps after others that did their work.
        harmless: it is proven that the call can be made again without doing anything twice.
        doubtful: it is known which tool was called, and not proven that it did nothing.
    """

    status: int | None = None
    type: str = ""
    message: str = ""
    schema: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    repeated: int = 0
    late: float | None = None
    reasons: tuple[str, ...] = field(default=(), compare=False)
    inner: bool = field(default=False, compare=False)
    harmless: bool = field(default=False, compare=False)
    doubtful: bool = field(default=False, compare=False)

    @property
    def silent(self) -> bool:
        """Whether only the answer itself shows the failure."""
        return not self.type and self.status is None

    def data(self) -> dict[str, Any]:
        """The signature as JSON data, without what is empty."""
        found = {name: value for name, value in asdict(self).items() if value not in (None, "", (), 0)}
        return {name: value for name, value in found.items() if name not in _OF_THE_TOOL}


def signature(
    call: Call, outcome: Outcome, spec: ToolSpec | None = None, *, repeated: int = 0, late: float | None = None
) -> Signature | None:
    """The signature of an outcome; None for an answer in which nothing is wrong as far as call and answer can tell."""
    if isinstance(outcome, Failure):
        status = status_of(outcome)
        inner = status is not None and outcome.status is None
        seen = Signature(status, outcome.type, masked(outcome.message), repeated=repeated, late=late, inner=inner)
    else:
        found = declaration_violations(spec, call.arguments, outcome.value) if spec is not None else ()
        if not found and late is None:
            return None
        seen = signature_of_violations(found, repeated=repeated, late=late)
    undone = nothing_done(spec, outcome)
    safe = undone or harmless(spec) or carries_key(spec, call)
    return replace(seen, harmless=safe, doubtful=spec is not None and not undone)


def declaration_violations(spec: ToolSpec, arguments: Mapping[str, Any], answer: Any) -> tuple[Violation, ...]:
    """The violations of a tool's declarations in an answer.

    A tool that declares only a schema is checked against that alone: what is wrong for most tools (an empty text, words
    of SQL) may be normal for another. A tool that declares invariants is checked against its whole spec. Objects that
    are not JSON are not judged.
    """
    if spec.invariants:
        return spec.violations(arguments, answer)
    present = spec.present
    if present is None or not _is_data(answer) or present.validator.is_valid(answer):
        return ()
    if isinstance(answer, str) or (spec.returns.get("type") == "object" and not isinstance(answer, Mapping)):
        return (Violation("malformed", (), f"the answer is {type(answer).__name__}, not an object"),)
    return (Violation(present.family, (), present.missing(answer) or ""),)


def _is_data(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, dict, list))


def signature_of_violations(found: tuple[Violation, ...], *, repeated: int = 0, late: float | None = None) -> Signature:
    """The signature of an answer that came as data and breaks what holds of the tool's answers."""
    return Signature(
        message=masked("; ".join(violation.reason for violation in found)),
        schema=tuple(violation.reason for violation in found if violation.family in SCHEMA_FAMILIES),
        invariants=tuple(dict.fromkeys(v.family for v in found if v.family not in SCHEMA_FAMILIES)),
        repeated=repeated,
        late=late,
        reasons=tuple(violation.reason for violation in found),
    )
