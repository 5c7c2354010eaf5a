"""Checks that an action was done: the read that shows it, and the content that its answer must have.

A check speaks of one call: `CallArgument` is an argument of that call, `Fixed` a constant. What an answer does not tell
is `Unclear`, never "not done": a field that is not there, something that is not a list, and, where entries are told
apart by fields, a field that no entry has. Entries of others that look the same count too: name in `where` what
tells the call's own entry from theirs (a reference, an idempotency key).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sealegs.faults import paths
from sealegs.faults.call import Call
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies.alternative import CallArgument, Fixed

OPERATION, ENTRIES, REQUEST, STATUS, DONE, RESULT = "operation", "entries", "request", "status", "done", "result"
Own = CallArgument | Fixed


class Unclear(Exception):
    """The answer does not show whether the action was done."""


@dataclass(frozen=True, slots=True)
class InEntry:
    """A field of the entry that was found."""

    path: str


@dataclass(frozen=True, slots=True)
class InAnswer:
    """A field of the read's whole answer."""

    path: str


AnswerField = Own | InEntry | InAnswer


@dataclass(frozen=True, slots=True)
class Equals:
    """The field at `path` has this value."""

    path: str
    value: Own


@dataclass(frozen=True, slots=True)
class Exists:
    """There is a field at `path` that is not empty; or there is none, where `wanted` is false."""

    path: str
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """The list at `path` has at least so many items, or the number there is at least that."""

    path: str
    least: int


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry of the list at `path` has all of these values, each at a path inside the entry."""

    path: str
    where: Mapping[str, Own]


@dataclass(frozen=True, slots=True)
class All:
    """All of these hold."""

    conditions: tuple[Condition, ...]


Condition = Equals | Exists | Count | ListedEntry | All


@dataclass(frozen=True, slots=True)
class LookEvidence:
    """The evidence of a look.

    Attributes:
        state: whether it was done, or a part of it, or nothing.
        entries: those about such a call, where entries show it; the latest last.
        counted: whether these are one for each such call.
        part: what was done, in words, where only a part was done.
    """

    state: Literal["done", "partial", "undone"]
    entries: tuple[Any, ...] = ()
    counted: bool = False
    part: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """The look that shows whether a call of an action was done.

    Attributes:
        tool: the read.
        arguments: its arguments.
        done: what its answer says where the action was done.
        partial: what it says where only a part was done; None: it never says so.
        resumes: an identical call after a part was done does the rest alone.
        answer: for each field of the action's answer (a dotted path), where it is found; empty: the entry itself is
            shown.
        settles: seconds after which the read shows what was done, 0 where it does at once; None: that is not known, and
            what it does not show may have been done all the same.
    """

    tool: str
    arguments: Mapping[str, Own]
    done: Condition
    partial: Condition | None = None
    resumes: bool = False
    answer: Mapping[str, AnswerField] = field(default_factory=dict)
    settles: float | None = None

    @property
    def place(self) -> str:
        """The path of what shows that the action was done: of the list of entries, where it is one."""
        return _place(self.done)

    def look_arguments(self, call: Call) -> dict[str, Any]:
        """The arguments of the look after this call; what the call left out is left out."""
        return {
            name: source_value(source, call)
            for name, source in self.arguments.items()
            if not isinstance(source, CallArgument) or source.argument in call.arguments
        }

    def seen(self, answer: Any, call: Call) -> LookEvidence:
        """The evidence on this call in the read's answer.

        Raises:
            Unclear: nothing that can be relied on.
        """
        found = _entries(self.done, answer, call)
        if found is not None:
            # No entry of this call may also mean that a part of it was done, which another statement can tell.
            if found or self.partial is None or not holds(self.partial, answer, call):
                return LookEvidence("done" if found else "undone", found, counted=True)
        elif holds(self.done, answer, call):
            return LookEvidence("done")
        if self.partial is not None and holds(self.partial, answer, call):
            return LookEvidence("partial", _entries(self.partial, answer, call) or ())
        return LookEvidence("undone")

    def translated(self, answer: Any, entry: Any, call: Call) -> Any:
        """The answer that the action would have given, as far as the check says.

        Raises:
            KeyError: a field is not there.
        """
        whole: dict[str, Any] = {}
        for path, source in self.answer.items():
            *outer, last = path.split(".")
            place = whole
            for key in outer:
                place = place.setdefault(key, {})
            if isinstance(source, InEntry):
                place[last] = paths.first_value(entry, source.path)
            elif isinstance(source, InAnswer):
                place[last] = paths.first_value(answer, source.path)
            else:
                place[last] = source_value(source, call)
        return whole


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
        own = [entry for entry in _list(answer, ENTRIES) if self._speaks(entry, call)]
        done = tuple(entry for entry in own if entry[STATUS] == "completed")
        if done:
            return LookEvidence("done", done, counted=True)
        if own:
            return LookEvidence("partial", tuple(own), part=", ".join(map(str, own[-1].get(DONE) or ())))
        return LookEvidence("undone", counted=True)

    def translated(self, answer: Any, entry: Any, call: Call) -> Any:
        """The action's own answer, as the entry has it.

        Raises:
            KeyError: the entry has none.
        """
        if not isinstance(entry[RESULT], Mapping):
            raise KeyError(RESULT)
        return entry[RESULT]

    def _speaks(self, entry: Any, call: Call) -> bool:
        known = isinstance(entry, Mapping) and isinstance(entry.get(REQUEST), Mapping)
        if not known or entry.get(STATUS) not in ("completed", "partial") or OPERATION not in entry:
            # One strange entry makes the whole list doubtful: it may be the one that was looked for.
            raise Unclear(f"an entry is not the record of a call: {entry!r:.80}")
        request = entry[REQUEST]
        if entry[OPERATION] != call.tool or any(
            not loosely_equal(request.get(n), v) for n, v in call.arguments.items()
        ):
            return False
        fields = self.spec.parameters.get("properties", {})
        # A server fills in its defaults, so an argument that the call left out may be there with that value.
        left = {name: value for name, value in request.items() if name not in call.arguments}
        return all(
            value is None or loosely_equal(value, fields.get(name, {}).get("default")) for name, value in left.items()
        )


AnyCheck = Check | ByHistory


def holds(condition: Condition, answer: Any, call: Call) -> bool:
    """Return whether a condition holds of an answer.

    Raises:
        Unclear: the answer does not show it.
    """
    match condition:
        case Equals(path, source):
            return loosely_equal(_field(answer, path), source_value(source, call))
        case Exists(path, wanted):
            return any(value not in (None, "", [], {}) for value in paths.values_at(answer, path)) is wanted
        case Count(path, least):
            found = _field(answer, path)
            # `type`, since a bool is an int and counts nothing.
            return (found if type(found) is int else len(_list(answer, path))) >= least
        case ListedEntry():
            return bool(_matching(condition, answer, call))
        case All(conditions):
            held = [holds(one, answer, call) for one in conditions]  # all of them, for any may be unclear
            return all(held)


def source_value(source: Own, call: Call) -> Any:
    """The value that a source names.

    Raises:
        Unclear: the call has no such argument.
    """
    if isinstance(source, Fixed):
        return source.value
    if source.argument not in call.arguments:
        raise Unclear(f"the call has no argument {source.argument}")
    return call.arguments[source.argument]


def loosely_equal(left: Any, right: Any) -> bool:
    """Return whether two values are the same, however a server writes them: 5 and 5.0 and "5", "Ann " and "ann"."""
    # Part by part, so that the leaves of lists and objects are compared as loosely as values by themselves.
    if isinstance(left, (Mapping, list, tuple)) or isinstance(right, (Mapping, list, tuple)):
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            return left.keys() == right.keys() and all(loosely_equal(left[key], right[key]) for key in left)
        if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            return len(left) == len(right) and all(map(loosely_equal, left, right))
        return False
    return bool(left == right) or _plain(left) == _plain(right)


def _plain(value: Any) -> Any:
    # Otherwise "true" or "None" as texts would equal them.
    if value is None or isinstance(value, bool):
        return value
    text = str(value).strip().casefold()
    try:
        return float(text)
    except ValueError:
        return text


def _entries(condition: Condition, answer: Any, call: Call) -> tuple[Any, ...] | None:
    """The entries that meet a condition of entries; None where it is of another form."""
    if isinstance(condition, ListedEntry):
        return _matching(condition, answer, call)
    # Two conditions on entries may be met by different ones, so there is no single list to count.
    if isinstance(condition, All) and not any(isinstance(one, All) for one in condition.conditions):
        of_entries = [one for one in condition.conditions if isinstance(one, ListedEntry)]
        if len(of_entries) == 1:
            return _matching(of_entries[0], answer, call) if holds(condition, answer, call) else ()
    return None


def _place(condition: Condition) -> str:
    if isinstance(condition, All):
        places = sorted(condition.conditions, key=lambda one: not isinstance(one, ListedEntry))
        return _place(places[0]) if places else ""
    return condition.path


def _matching(condition: ListedEntry, answer: Any, call: Call) -> tuple[Any, ...]:
    entries = _list(answer, condition.path)
    wanted = {path: source_value(source, call) for path, source in condition.where.items()}
    for path in wanted:
        # A field that no entry has was renamed, perhaps; without it, nothing proves an absence.
        if entries and not any(paths.values_at(entry, path) for entry in entries):
            raise Unclear(f"no entry of {condition.path} has a field {path}")
    return tuple(
        entry
        for entry in entries
        if all(
            any(loosely_equal(found, value) for found in paths.values_at(entry, path)) for path, value in wanted.items()
        )
    )


def _list(answer: Any, path: str) -> Sequence[Any]:
    found = _field(answer, path)
    if not isinstance(found, (list, tuple)):
        raise Unclear(f"{path or 'the answer'} is not a list")
    return found


def _field(answer: Any, path: str) -> Any:
    try:
        return paths.first_value(answer, path)
    except KeyError:
        raise Unclear(f"there is no {path}") from None
