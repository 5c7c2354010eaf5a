"""Checks that an action was done: the read that shows it, and the content that its answer must have.

A check speaks of one call: `CallArgument` is an argument of that call, `Fixed` a constant. What an answer does not tell
is `Unclear`, never "not done": a field that is not there, something that is not a list, and, where entries are told
apart by fields, a field that no entry has. Entries of others that look the same count too: name in `where` what
tells the call's own entry from theirs (a reference, an idempotency key).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sealegs.faults import paths
from sealegs.faults.call import Call
from sealegs.recovery.policies.alternative import CallArgument, Fixed
from sealegs.recovery.policies.value_match import match_all, match_values

IDS = ("id", "uuid")
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
        parts: entries of such calls of which only a part was done.
        partly: something else than an entry says that a part was done.
        unclear: entries that may be of such a call, for they do not show all of it, or show it otherwise.
        part: what was done, in words, where only a part was done.
    """

    state: Literal["done", "partial", "undone"]
    entries: tuple[Any, ...] = ()
    counted: bool = False
    parts: tuple[Any, ...] = ()
    partly: bool = False
    unclear: tuple[Any, ...] = ()
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
        if found is None:
            done = holds(self.done, answer, call)
            # What was done is known, and a part is of no interest any more.
            return LookEvidence("done") if done else replace(self._part(answer, call), counted=False)
        whole, unclear = found
        # Beside a whole one of an earlier call, a part may be what this call did.
        seen = self._part(answer, call, but=whole)
        if unclear and not whole:
            raise Unclear(f"an entry may be of this call: {unclear[-1]!r:.80}")
        return replace(seen, state="done" if whole else seen.state, entries=whole, unclear=(*unclear, *seen.unclear))

    def _part(self, answer: Any, call: Call, but: Sequence[Any] = ()) -> LookEvidence:
        """The evidence of a part, in entries other than these."""
        if self.partial is None:
            return LookEvidence("undone", counted=True)
        found = _entries(self.partial, answer, call)
        if found is None:
            partly = holds(self.partial, answer, call)
            return LookEvidence("partial" if partly else "undone", counted=True, partly=partly)
        parts = tuple(entry for entry in found[0] if not any(entry is one for one in but))
        unclear = tuple(entry for entry in found[1] if not any(entry is one for one in but))
        if unclear and not parts and not but:
            raise Unclear(f"an entry may be of a part of this call: {unclear[-1]!r:.80}")
        return LookEvidence("partial" if parts else "undone", counted=True, parts=parts, unclear=unclear)

    def subject(self, call: Call) -> Mapping[str, Any]:
        """The arguments that the check goes by: calls that are equal in them look the same to it."""
        names = {*_names(self.done), *_names(self.partial)}
        names |= {one.argument for one in self.arguments.values() if isinstance(one, CallArgument)}
        # One that is missing is filled in later, like a key: then all of the call counts.
        return {name: call.arguments[name] for name in names} if names <= call.arguments.keys() else call.arguments

    def trace(self, answer: Any, call: Call) -> Mapping[str, Any]:
        """The id in the action's own answer that the entry of this call has too, by its path in the entry."""
        pairs = [(path, one.path) for path, one in self.answer.items() if isinstance(one, InEntry)]
        pairs = [(path, entry) for path, entry in pairs if "." not in entry and (path in IDS or entry in IDS)]
        for path, entry in pairs or [(name, name) for name in IDS]:
            value = next(iter(paths.values_at(answer, path)), None)
            # An id that the call itself gives is the same for every equal call.
            if type(value) in (str, int) and not any(match_values(value, one) for one in call.arguments.values()):
                return {entry: value}
        return {}

    def shows(self, entry: Any, trace: Mapping[str, Any]) -> bool | None:
        """Return whether an entry is that of the call that left this trace; None where that cannot be told."""
        return match_all(_match_field(entry, path, value) for path, value in trace.items()) if trace else None

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


def holds(condition: Condition, answer: Any, call: Call) -> bool:
    """Return whether a condition holds of an answer.

    Raises:
        Unclear: the answer does not show it.
    """
    match condition:
        case Equals(path, source):
            found, wanted_value = _field(answer, path), source_value(source, call)
            match = match_values(found, wanted_value)
            if match is None:
                raise Unclear(f"{path} is {found!r:.80}, which may be {wanted_value!r:.80}")
            return match
        case Exists(path, wanted):
            return any(value not in (None, "", [], {}) for value in paths.values_at(answer, path)) is wanted
        case Count(path, least):
            found = _field(answer, path)
            # `type`, since a bool is an int and counts nothing.
            return (found if type(found) is int else len(list_at(answer, path))) >= least
        case ListedEntry():
            entries, unclear = _matching(condition, answer, call)
            if unclear and not entries:
                raise Unclear(f"an entry may be the one: {unclear[-1]!r:.80}")
            return bool(entries)
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


Found = tuple[tuple[Any, ...], tuple[Any, ...]]  # entries that match, and those that may


def _entries(condition: Condition, answer: Any, call: Call) -> Found | None:
    """The entries that meet a condition of entries; None where it is of another form."""
    if isinstance(condition, ListedEntry):
        return _matching(condition, answer, call)
    # Two conditions on entries may be met by different ones, so there is no single list to count.
    if isinstance(condition, All) and not any(isinstance(one, All) for one in condition.conditions):
        of_entries = [one for one in condition.conditions if isinstance(one, ListedEntry)]
        if len(of_entries) == 1:
            return _matching(of_entries[0], answer, call) if holds(condition, answer, call) else ((), ())
    return None


def _place(condition: Condition) -> str:
    if isinstance(condition, All):
        places = sorted(condition.conditions, key=lambda one: not isinstance(one, ListedEntry))
        return _place(places[0]) if places else ""
    return condition.path


def _matching(condition: ListedEntry, answer: Any, call: Call) -> Found:
    entries = list_at(answer, condition.path)
    wanted = {path: source_value(source, call) for path, source in condition.where.items()}
    for path in wanted:
        # A field that no entry has was renamed, perhaps; without it, nothing proves an absence.
        if entries and not any(paths.values_at(entry, path) for entry in entries):
            raise Unclear(f"no entry of {condition.path} has a field {path}")
    matches = [
        (entry, match_all(_match_field(entry, path, value) for path, value in wanted.items())) for entry in entries
    ]
    return tuple(entry for entry, match in matches if match), tuple(entry for entry, match in matches if match is None)


def _match_field(entry: Any, path: str, value: Any) -> bool | None:
    """Return whether one of the values at a path of an entry is this one; None where one may be, or none is there."""
    matches = [match_values(found, value) for found in paths.values_at(entry, path)]
    return True if True in matches else None if None in matches or not matches else False


def _names(condition: Condition | None) -> Iterator[str]:
    """The arguments of a call that a condition goes by."""
    match condition:
        case Equals(_, CallArgument(argument)):
            yield argument
        case ListedEntry(_, where):
            yield from (one.argument for one in where.values() if isinstance(one, CallArgument))
        case All(conditions):
            for one in conditions:
                yield from _names(one)


def list_at(answer: Any, path: str) -> Sequence[Any]:
    """The list at a path of an answer.

    Raises:
        Unclear: there is none.
    """
    found = _field(answer, path)
    if not isinstance(found, (list, tuple)):
        raise Unclear(f"{path or 'the answer'} is not a list")
    return found


def _field(answer: Any, path: str) -> Any:
    try:
        return paths.first_value(answer, path)
    except KeyError:
        raise Unclear(f"there is no {path}") from None
