"""A tool's bad answer: its fault, its advice, and the effect of a repetition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sealegs.agents import UseTool
from sealegs.agents.planners import same_request
from sealegs.agents.scripted_agent import error_body
from sealegs.faults.invariants import Violation
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.bank.exemplar import BEGINNING
from sealegs.recovery.policies.advise import NOTE

Repetition = Literal["reads", "refused", "no_effect", "key", "acts"]
Status = Literal["none", "partial", "completed"]
REFUSED = "second identical call is refused"  # as the world's tools say it
_LOOKS = re.compile(r"took effect|Read the state|whether it was done|whether the last", re.IGNORECASE)
_FORBIDS = re.compile(r"\b(?:do not|never) (?:repeat|call (?:it|this|the tool)|insist|try)", re.IGNORECASE)
_REPEATS = re.compile(r"\bagain\b|\bonce more\b|\bone more\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AdviceNote:
    """The advice in a tool's message.

    Attributes:
        text: all of it.
        looks: it asks to read first whether the call took effect.
        forbids: it is against the same call.
        repeats: it is for the same call.
    """

    text: str

    @property
    def looks(self) -> bool:
        """Whether it asks to look before acting."""
        return bool(_LOOKS.search(self.text))

    @property
    def forbids(self) -> bool:
        """Whether it is against calling the tool again."""
        return bool(_FORBIDS.search(self.text))

    @property
    def repeats(self) -> bool:
        """Whether it is for calling the tool again."""
        return not self.forbids and bool(_REPEATS.search(self.text))


@dataclass(frozen=True, slots=True)
class BadMessage:
    """One bad message of a tool.

    Attributes:
        use: the call.
        spec: the tool.
        data: what the message holds.
        times: how many bad ones the tool has given in a row, this one included.
    """

    use: UseTool
    spec: ToolSpec
    data: Any
    times: int = 1

    @property
    def error(self) -> Mapping[str, Any] | None:
        """The error that it tells; None where it looks like data."""
        return error_body(self.data)

    @property
    def violation(self) -> Violation | None:
        """The first thing that is wrong with it, where it looks like data."""
        found = self.spec.violations(self.use.arguments, strip_advice_note(self.data)) if self.error is None else ()
        return found[0] if found else None

    @property
    def note(self) -> AdviceNote | None:
        """The advice that it carries."""
        return advice_note(self.data)


@dataclass(frozen=True, slots=True)
class LookResult:
    """The result of looking for one call in a history tool's answer.

    Attributes:
        history: the tool that was called.
        status: whether the call is listed, and how.
        entry: the listed entry; empty if there is none.
    """

    history: str
    status: Status
    entry: Mapping[str, Any]


def advice_note(data: Any) -> AdviceNote | None:
    """The advice in a tool's message; None where there is none."""
    error = error_body(data)
    if error is not None:
        _, _, rest = str(error.get("message", "")).partition(f"\n\n{BEGINNING}")
        return AdviceNote(f"{BEGINNING}{rest}") if rest else None
    if isinstance(data, Mapping):
        return AdviceNote(str(data[NOTE])) if NOTE in data else None
    _, _, rest = str(data).partition(f"\n\n{BEGINNING}")
    return AdviceNote(f"{BEGINNING}{rest}") if rest else None


def strip_advice_note(data: Any) -> Any:
    """The tool's answer without the advice."""
    if not isinstance(data, Mapping) or NOTE not in data:
        return data
    rest = {name: value for name, value in data.items() if name != NOTE}
    return rest["answer"] if rest.keys() == {"answer"} else rest


def repetition(spec: ToolSpec, arguments: Mapping[str, Any]) -> Repetition:
    """The effect of a second identical call, as far as the tool declares it."""
    if spec.effects is False:
        return "reads"
    if spec.key and arguments.get(spec.key):
        return "key"
    if spec.idempotent:
        return "refused" if REFUSED in spec.description else "no_effect"
    return "acts"


def looked_up(history: str, spec: ToolSpec, use: UseTool, data: Any) -> LookResult:
    """The last entry of a history tool's answer that is of this call."""
    entries = data.get("entries", ()) if isinstance(data, Mapping) else ()
    same = [entry for entry in entries if _is(entry, spec, use)]
    if not same:
        return LookResult(history, "none", {})
    return LookResult(history, same[-1]["status"], same[-1])


def _is(entry: Mapping[str, Any], spec: ToolSpec, use: UseTool) -> bool:
    """Return whether an entry is that of a call; requests are listed with defaults."""
    properties = spec.parameters.get("properties", {})
    defaults = {name: given["default"] for name, given in properties.items() if "default" in given}
    arguments = {**defaults, **use.arguments}
    return entry.get("operation") == use.tool and same_request(entry["request"], arguments)
