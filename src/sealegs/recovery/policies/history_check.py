"""The check of an action whose spec names the read that shows it (`ToolSpec.shown_by`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sealegs.faults import paths
from sealegs.faults.call import Call
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies.completion_check import Check, LookEvidence, Unclear, list_at
from sealegs.recovery.policies.value_match import match_all, match_values

OPERATION, ENTRIES, REQUEST, STATUS, DONE, RESULT = "operation", "entries", "request", "status", "done", "result"


@dataclass(frozen=True, slots=True)
class ByHistory:
    """The check of a tool whose spec names the read that shows it (`shown_by`), where that answers in the known form.

    `{"entries": [{"operation": TOOL, "request": {...}, "status": "completed" or "partial", "done": [...], "result":
    {...}}]}`: one entry for each call that did something, the latest last, with its arguments, there as soon as it did.

    Attributes:
        tool: the read.
        spec: the action.
        resumes: as of `Check`.
        place: as of `Check`.
    """

    tool: str
    spec: ToolSpec
    resumes: bool = False
    settles: float | None = 0.0
    place: str = ENTRIES

    def look_arguments(self, call: Call) -> dict[str, Any]:
        """The arguments of the look after this call."""
        return {OPERATION: call.tool}

    def seen(self, answer: Any, call: Call) -> LookEvidence:
        """The evidence on this call in the read's answer.

        Raises:
            Unclear: it has another form.
        """
        found = [(entry, self._speaks(entry, call)) for entry in list_at(answer, ENTRIES)]
        own = tuple(entry for entry, speaks in found if speaks)
        unclear = tuple(entry for entry, speaks in found if speaks is None)
        done = tuple(entry for entry in own if entry[STATUS] == "completed")
        parts = tuple(entry for entry in own if entry[STATUS] == "partial")
        if unclear and not done:
            raise Unclear(f"an entry may be of this call: {unclear[-1]!r:.80}")
        state: Literal["done", "partial", "undone"] = "done" if done else "partial" if parts else "undone"
        part = ", ".join(map(str, parts[-1].get(DONE) or ())) if parts else ""
        return LookEvidence(state, done, counted=True, parts=parts, unclear=unclear, part=part)

    def subject(self, call: Call) -> Mapping[str, Any]:
        """The arguments that the check goes by: all of them."""
        return call.arguments

    def trace(self, answer: Any, call: Call) -> Mapping[str, Any]:
        """The plain fields of the action's own answer, which an entry has in its result."""
        if not isinstance(answer, Mapping):
            return {}
        return {name: value for name, value in answer.items() if type(value) in paths.SCALARS}

    def shows(self, entry: Any, trace: Mapping[str, Any]) -> bool | None:
        """Return whether an entry may be that of the call that left this trace: nothing in its result differs."""
        result = entry.get(RESULT)
        common = {name for name in trace if name in result} if isinstance(result, Mapping) else ()
        # Otherwise their number counts: the form has one entry for each call, and keeps it.
        return all(match_values(result[name], trace[name]) is not False for name in common)

    def translated(self, answer: Any, entry: Any, call: Call) -> Any:
        """The action's own answer, as the entry has it.

        Raises:
            KeyError: the entry has none.
        """
        if not isinstance(entry[RESULT], Mapping):
            raise KeyError(RESULT)
        return entry[RESULT]

    def _speaks(self, entry: Any, call: Call) -> bool | None:
        """Return whether an entry is of such a call; None where it may be."""
        known = isinstance(entry, Mapping) and isinstance(entry.get(REQUEST), Mapping)
        if not known or entry.get(STATUS) not in ("completed", "partial") or OPERATION not in entry:
            # One strange entry makes the whole list doubtful: it may be the one that was looked for.
            raise Unclear(f"an entry is not the record of a call: {entry!r:.80}")
        if entry[OPERATION] != call.tool:
            return False
        request, fields = entry[REQUEST], self.spec.parameters.get("properties", {})
        given = match_all(self._given(request, name, value) for name, value in call.arguments.items())
        left = (name for name, value in request.items() if name not in call.arguments and value is not None)
        return match_all((given, *(self._left_out(request[name], fields, name) for name in left)))

    def _given(self, request: Mapping[str, Any], name: str, value: Any) -> bool | None:
        if name in request:
            return match_values(request[name], value)
        # A server may leave out what only spells out a default.
        default = self.spec.parameters.get("properties", {}).get(name, {}).get("default")
        return True if value is None or (default is not None and match_values(default, value)) else None

    def _left_out(self, shown: Any, fields: Mapping[str, Any], name: str) -> bool | None:
        """Match a value that the call did not give: a server fills in defaults, and adds fields of its own."""
        if name not in fields:
            return True if fields else None  # without a schema it may be an argument of another call
        return match_values(shown, fields[name]["default"]) if "default" in fields[name] else None


AnyCheck = Check | ByHistory
