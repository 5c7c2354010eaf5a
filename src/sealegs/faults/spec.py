"""The specification of a tool, as far as it is known besides the code: schemas, tags, invariants."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sealegs.faults.call import PreparedEncoder

if TYPE_CHECKING:  # they are loaded for the tools that declare some
    from sealegs.faults.invariants import Invariant, Present, Violation

MODEL = "model"  # the tag of requests through a model's interface
MOST_CHECKED = 256  # answers of a tool whose violations are kept
_ENCODER = PreparedEncoder()


@dataclass(frozen=True)
class ToolSpec:
    """A tool as faults, agents and judges see it.

    Attributes:
        name: the tool's name.
        description: what a model reads.
        parameters: JSON Schema of the arguments (an object schema).
        returns: JSON Schema of the answer, where it is known.
        tags: labels for matching (`travel`, `action`, ...).
        invariants: what holds on every right answer.
        effects: whether a call changes the world; None where it is not declared, so that it may.
        idempotent: whether a second identical call changes it no further: it is refused, or has no effect.
        key: the parameter that carries an idempotency key; calls with equal keys have their effect once.
        shown_by: the read tool whose answer shows whether a call of this tool took effect.
        statuses: `own`: a status that the tool fails with is the answer to the call itself, and not that of a request
            that the tool makes in its turn; so one that refuses the call proves that nothing was done.
        parts: how many separate effects a call may have; of a tool with several, a fault can leave some out.
        examples: documented arguments; also where an answer about another entity is taken from.
        used: paths in the answer that later steps use; a corruption must change one of them.
        model_api: the interface that answers, where this is not a tool but a model (a name of `faults.model_apis`).
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    returns: Mapping[str, Any] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    invariants: tuple[Invariant, ...] = ()
    effects: bool | None = None
    idempotent: bool = False
    key: str = ""
    shown_by: str = ""
    statuses: Literal["", "own"] = ""
    parts: int = 1
    examples: tuple[Mapping[str, Any], ...] = ()
    used: tuple[str, ...] = ()
    model_api: str = ""

    @cached_property
    def present(self) -> Present | None:
        """The answer's schema as an invariant; None where it is not known."""
        if not self.returns:
            return None
        from sealegs.faults.invariants import Present

        return Present(self.returns)

    @cached_property
    def returns_text(self) -> str:
        """The answer's schema as JSON text."""
        return json.dumps(self.returns)

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The parameters that the schema declares to be secret, and fields in them."""
        # Kept, since the whole schema is searched, and every record of an episode notes what is found.
        return frozenset(secret_fields(self.parameters))

    def with_declared(self, declared: ToolSpec) -> ToolSpec:
        """The spec, with what another one says of the tool's effects, parameters and interface where it is silent."""
        # Compared with None, not by `or`: `effects=False` is a declaration, too.
        return replace(
            self,
            effects=declared.effects if self.effects is None else self.effects,
            idempotent=self.idempotent or declared.idempotent,
            key=self.key or declared.key,
            shown_by=self.shown_by or declared.shown_by,
            statuses=self.statuses or declared.statuses,
            parameters=self.parameters or declared.parameters,
            model_api=self.model_api or declared.model_api,
            tags=self.tags | declared.tags,
        )

    def violations(self, arguments: Mapping[str, Any], output: Any) -> tuple[Violation, ...]:
        """Everything that is wrong with an answer as far as the call and the answer alone can tell."""
        from sealegs.faults.invariants import violations

        return violations(self.invariants, self.present, arguments, output)

    def violations_in_message(self, arguments: Mapping[str, Any], text: str, output: Any) -> tuple[Violation, ...]:
        """The `violations` of an answer, known by this text; kept, as most answers come in many episodes."""
        try:
            key = _ENCODER.encode(arguments), text
        except (TypeError, ValueError, RecursionError):  # arguments that are not JSON
            return self.violations(arguments, output)
        found = self._checked.get(key)
        if found is None:
            if len(self._checked) >= MOST_CHECKED:
                self._checked.clear()
            found = self._checked[key] = self.violations(arguments, output)
        return found

    @cached_property
    def _checked(self) -> dict[tuple[str, str], tuple[Violation, ...]]:
        """The violations of the answers seen so far, by arguments and text."""
        return {}


def secret_fields(schema: Any) -> Iterator[str]:
    """The names that a JSON schema declares to be secret: `format: password` or `writeOnly`, at any depth."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        for name, one in properties.items() if isinstance(properties, Mapping) else ():
            if isinstance(one, Mapping) and (one.get("format") == "password" or one.get("writeOnly") is True):
                yield str(name)
    inner = schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list) else ()
    for one in inner:
        yield from secret_fields(one)
