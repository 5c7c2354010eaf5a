"""Equality of two calls of a tool: they ask for the same, however their arguments are written.

Numbers count by value (1 is 1.0, and not true), a text that is nothing but a number counts as that number, and an
argument that only spells out the schema's default counts as left out. The parameter that carries an idempotency key
does not count. The same wish in other words (another unit, another spelling) counts as different.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Set
from decimal import Decimal
from typing import Any

from sealegs.faults import seeds
from sealegs.faults.call import Call
from sealegs.faults.spec import ToolSpec

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:e[+-][0-9]+)?", re.IGNORECASE)  # neither 007 nor the hash 9e3
LONGEST = 400  # digits of a number that a text is read as
LARGEST = 10**LONGEST
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
LONG = 4_000  # characters of the form of an object within an argument that is kept as it is
SHORT = 200  # characters of a key that is kept as it is; of a longer one the hash
MOST = 64  # forms of arguments that are remembered
PLAIN = frozenset({str, int, float, bool, type(None)})  # types of values that hold no others
SPECS = 100  # tools of which fields are kept
CallKey = tuple[str, str]
_fields: dict[int, tuple[ToolSpec | None, WrittenFields]] = {}  # by the id of the spec


def arguments_key(arguments: Mapping[str, Any], spec: ToolSpec | None = None) -> str:
    """A text that is equal for equal arguments of one tool, and for these alone.

    Args:
        arguments: those of a call, by name.
        spec: what is known of the tool. Where its schema declares a parameter as a string, texts are equal only letter
            by letter: "1.10" is not "1.1" there.
    """
    return written_fields(spec).key(arguments)


def equality_key(call: Call, spec: ToolSpec | None = None) -> CallKey:
    """The key of a call, equal for calls of one tool with equal arguments. `spec`: what is known of the tool."""
    return call.tool, arguments_key(call.arguments, spec)


def draw_key(arguments: Mapping[str, Any], spec: ToolSpec | None = None) -> str:
    """A key for draws: as `arguments_key`, short, and the same in every process.

    An object that shows no more of itself than where it lies counts as any other of its class.
    """
    return _drawn(arguments_key(arguments, spec))


def written_fields(spec: ToolSpec | None) -> WrittenFields:
    """The fields of a tool, looked up once for a spec: calls ask again and again."""
    known = _fields.get(id(spec))
    if known is None or known[0] is not spec:
        if len(_fields) >= SPECS:
            _fields.clear()
        known = _fields[id(spec)] = (spec, WrittenFields(spec))  # with the spec, so that no other gets its id
    return known[1]


class WrittenFields(dict[str, tuple[bool, str | None]]):
    """The fields of a tool's arguments, each with whether it is declared as text, and its default as it is written.

    A field is looked up in the schema when it is first given. `spec`: what is known of the tool; it does not change.
    """

    __slots__ = ("_left_out", "_properties")

    def __init__(self, spec: ToolSpec | None) -> None:
        super().__init__()
        properties = spec.parameters.get("properties") if spec is not None else None
        self._properties: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
        self._left_out = spec.key if spec is not None and spec.key else None

    def __missing__(self, name: str) -> tuple[bool, str | None]:
        field = self._properties.get(name)
        if not isinstance(field, Mapping):
            return False, None  # and not kept, since an agent may name any
        literal = field.get("type") == "string"
        self[name] = found = (literal, _written(field["default"], literal) if "default" in field else None)
        return found

    def key(self, arguments: Mapping[str, Any]) -> str:
        """The text of `arguments_key`."""
        found = []
        for name, value in arguments.items():
            literal, default = self[name]
            written = _written(value, literal)
            if written != default and name != self._left_out:
                found.append((name if type(name) is str else str(name), written))
        # Arguments are given by name, so their order says nothing.
        return repr(sorted(found))


def may_be_kept(value: Any) -> bool:
    """Return whether an argument may be held from its first call on: it holds no others, and is no long text."""
    return type(value) in PLAIN and (type(value) is not str or len(value) <= LONG)


class KnownArguments:
    """Arguments that a tool was called with.

    Attributes:
        key: as draws are named by them.
        calls: counts the calls with them, where a rule goes by arguments.
    """

    __slots__ = ("calls", "key")

    def __init__(self, key: str, calls: Iterator[int]) -> None:
        self.key = key
        self.calls = calls


class ArgumentMemory:
    """The arguments of one tool's calls in one episode. `spec`: what is known of the tool."""

    __slots__ = ("_counts", "_fields", "_known", "_seen")

    def __init__(self, spec: ToolSpec | None) -> None:
        self._fields = written_fields(spec)
        self._counts: dict[str, Iterator[int]] = {}  # by key: the calls with these arguments
        self._known: dict[tuple[Any, ...], KnownArguments] = {}  # those that come again, by their forms
        self._seen: set[int] = set()  # hashes of forms, so as to hold no arguments

    def known(self, arguments: Mapping[str, Any]) -> KnownArguments:
        """The arguments, as draws are named by them."""
        form = (*arguments.items(), *map(type, arguments.values()))  # with their types, since 1 and true are equal
        try:
            found = self._known.get(form)
        except Exception:  # a list among them, which has no hash, or an object that fails to give one
            return self.new(arguments)
        if found is None:
            found = self.new(arguments)
            if self._comes_again(form, arguments):
                self._known[form] = found
        return found

    def _comes_again(self, form: tuple[Any, ...], arguments: Mapping[str, Any]) -> bool:
        """Return whether arguments came before, so that what is known of them is worth being kept."""
        seen = hash(form)
        if seen in self._seen:
            return PLAIN.issuperset(map(type, arguments.values()))  # of what holds others, their types would count, too
        # Cleared rather than evicted one by one: a retry comes soon, so what is old is hardly needed again.
        if len(self._seen) >= MOST:
            self._seen.clear()
            self._known.clear()
        self._seen.add(seen)
        return False

    def new(self, arguments: Mapping[str, Any]) -> KnownArguments:
        """Do the same for arguments that hardly came before, without looking them up."""
        key = _drawn(self._fields.key(arguments))
        # `setdefault` is atomic in CPython, so no lock is needed.
        return KnownArguments(key, self._counts.get(key) or self._counts.setdefault(key, itertools.count()))


def _drawn(key: str) -> str:
    """The key for draws, from that of `arguments_key`."""
    if " at 0x" in key:
        key = ADDRESS.sub("", key)
    return key if len(key) <= SHORT else _hashed(key)


def _written(value: Any, literal: bool = False) -> str:
    kind = type(value)  # most values take the short way: a draw may ask for the key of every call
    if kind is str and (literal or value[-1:].isalpha()):  # what ends so is not a number
        return repr(value)
    if kind is int and not literal and -LARGEST < value < LARGEST:
        return f"#{value}"
    try:
        return _one_form(value, literal)
    except Exception:  # what holds itself, and whatever else agents hand over
        return _shown(value)


def _one_form(value: Any, literal: bool = False) -> str:
    """The value in the one form that all its equals have; `literal` where a text is wanted."""
    # Before the numbers, since True is an int to Python and must not be one here.
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float, Decimal)):
        number = _number(value)
        return repr(number[1:]) if literal else number
    if isinstance(value, str):
        text = str.__str__(value)
        return repr(text) if literal else _of_text(text)
    if isinstance(value, Mapping):
        # Sorted, because models write the same arguments in any order.
        return _shortened(repr(sorted((str(name), _one_form(item)) for name, item in value.items())))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_one_form, value))}]"
    if isinstance(value, Set):
        return _shortened(f"set{sorted(map(_one_form, value))}")
    return _shown(value)


def _shortened(form: str) -> str:
    """The form of an object; of a long one its hash, and the addresses in it, which a draw leaves out.

    Each `repr` escapes what the one within it escaped, so that forms of nested objects would double with every level.
    """
    if len(form) <= LONG:
        return form
    return f"{{{_hashed(ADDRESS.sub('', form))}{''.join(ADDRESS.findall(form))}}}"


def _hashed(text: str) -> str:
    """128 bits of a hash of the text."""
    return f"{seeds.digest(text):016x}{seeds.digest('more', text):016x}"


def _number(value: float | Decimal) -> str:
    if isinstance(value, int):
        # In hexadecimal, since Python refuses to write very long whole numbers in decimal.
        return f"#{int(value)}" if -LARGEST < value < LARGEST else f"#{hex(value)}"
    if not math.isfinite(value) or (isinstance(value, Decimal) and value.adjusted() >= LONGEST):
        return f"#{value}"
    if value == int(value):
        return _number(int(value))
    return f"#{float(value)!r}"


def _of_text(text: str) -> str:
    plain = text.strip()
    found = NUMBER.fullmatch(plain) if len(plain.lstrip("-")) <= LONGEST else None
    if found is None:
        return repr(text)
    number = int(plain) if found[1] is None and plain.lstrip("-").isdigit() else float(plain)
    return _number(number) if math.isfinite(number) else repr(text)


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # an object that cannot say what it is
        return f"<{type(value).__name__} at {id(value):#x}>"  # as others, so that draws leave the address out
