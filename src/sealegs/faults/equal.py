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
from marshal import dumps
from typing import Any, Generic, TypeVar, cast

from sealegs.faults import seeds
from sealegs.faults.spec import ToolSpec

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:e[+-][0-9]+)?", re.IGNORECASE)  # neither 007 nor the hash 9e3
LONGEST = 400  # digits of a number that a text is read as
LARGEST = 10**LONGEST
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
LONG = 4_000  # characters of the form of an object within an argument that is kept as it is
SHORT = 200  # characters of a key that is kept as it is; of a longer one the hash
MOST = 64  # forms of arguments that are remembered
FORM = 1_000  # bytes of one
DEEPEST = 4  # levels of lists and objects in one
PLAIN = frozenset({str, int, float, bool, type(None)})  # types of values that hold no others
V = TypeVar("V")


def arguments_key(arguments: Mapping[str, Any], spec: ToolSpec | None = None) -> str:
    """A text that is equal for equal arguments of one tool, and for these alone.

    Args:
        arguments: those of a call, by name.
        spec: what is known of the tool. Where its schema declares a parameter as a string, texts are equal only letter
            by letter: "1.10" is not "1.1" there.
    """
    fields = _fields(spec)
    key = spec.key if spec is not None else ""
    found = []
    for name, value in arguments.items():
        if name == key and key:
            continue
        field = fields.get(name)
        if not field or not isinstance(field, Mapping):
            found.append((str(name), _written(value)))
            continue
        literal = field.get("type") == "string"
        written = _written(value, literal)
        if "default" not in field or written != _written(field["default"], literal):
            found.append((str(name), written))
    # Arguments are given by name, so their order says nothing.
    return repr(sorted(found))


def draw_key(arguments: Mapping[str, Any], spec: ToolSpec | None = None) -> str:
    """A key for draws: as `arguments_key`, short, and the same in every process.

    An object that shows no more of itself than where it lies counts as any other of its class.
    """
    key = arguments_key(arguments, spec)
    if " at 0x" in key:
        key = ADDRESS.sub("", key)
    return key if len(key) <= SHORT else _hashed(key)


def form_of(given: Any) -> bytes:
    """The bytes by which arguments are looked up; empty where one is an object that is not data."""
    try:
        return dumps(given, 0)
    except ValueError:
        return b""


class FormMemory(dict[bytes, V], Generic[V]):
    """Knowledge of arguments, by their form. `get` gives it; arguments of which nothing is kept are simply new."""

    __slots__ = ()

    def remember(self, form: bytes, given: object, known: V) -> None:
        """Keep what is known of these arguments, if their form is short and theirs alone.

        Arrays and the like have the form of their bytes, so none that holds bytes is kept. Nor can one of them then be
        taken for what is kept: the form of bytes begins as no other does.
        """
        if 0 < len(form) <= FORM and _plain(given, DEEPEST):
            # Cleared rather than evicted one by one: a retry comes soon, so what is old is hardly needed again.
            if len(self) >= MOST:
                self.clear()
            self[form] = known


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

    __slots__ = ("_counts", "_known", "_spec")

    def __init__(self, spec: ToolSpec | None) -> None:
        self._spec = spec
        self._counts: dict[str, Iterator[int]] = {}  # by key: the calls with these arguments
        self._known: FormMemory[KnownArguments] = FormMemory()

    def known(self, arguments: Mapping[str, Any]) -> KnownArguments:
        """The arguments, as draws are named by them."""
        form = form_of(arguments)
        found = self._known.get(form)
        if found is None:
            key = draw_key(arguments, self._spec)
            # `setdefault` is atomic in CPython, so no lock is needed.
            found = KnownArguments(key, self._counts.get(key) or self._counts.setdefault(key, itertools.count()))
            self._known.remember(form, arguments, found)
        return found


def _fields(spec: ToolSpec | None) -> Mapping[str, Any]:
    fields = spec.parameters.get("properties") if spec is not None else None
    return fields if isinstance(fields, Mapping) else {}


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
        return f"<{type(value).__name__} at {id(value)}>"


def _plain(value: object, levels: int) -> bool:
    """Return whether a value is of plain types alone, down to so many levels."""
    kind = type(value)
    if kind in PLAIN:
        return True
    if not levels:
        return False
    if kind is dict:
        items = cast(dict[object, object], value).items()
        return all(type(key) is str and _plain(item, levels - 1) for key, item in items)
    return (kind is list or kind is tuple) and all(_plain(one, levels - 1) for one in cast(list[object], value))
