"""JSON with comments and trailing commas, read so that each value is known by its place in the text.

An edit then replaces only the characters of the value, and everything else stays byte for byte. JSON5's single quotes,
bare names and hexadecimal numbers are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

BYTE_ORDER_MARK = "\ufeff"
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_ATOM = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SHOWN = 20  # characters of what was found, in a message
Edit = tuple[int, int, str]  # from, to, and what is to be there instead


@dataclass(frozen=True, slots=True)
class JsoncValue:
    """A value and its place in the text.

    Attributes:
        start: the index of its first character.
        end: the index after its last.
        data: what it says.
        members: the members of an object, in order.
        items: the items of an array.
    """

    start: int
    end: int
    data: Any
    members: tuple[JsoncMember, ...] = ()
    items: tuple[JsoncValue, ...] = ()

    def member(self, name: str) -> JsoncMember | None:
        """The member of this name; None where there is none.

        Raises:
            ValueError: there are several, of which clients may take either.
        """
        found = [one for one in self.members if one.name == name]
        if len(found) > 1:
            raise ValueError(f"the name {name!r} is there {len(found)} times in one object; delete all but one")
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class JsoncMember:
    """A name in an object and its value. `start`: the index of the name's first quote."""

    name: str
    start: int
    value: JsoncValue


def parse_jsonc(text: str) -> JsoncValue:
    """The value that a text holds.

    Raises:
        ValueError: it is not JSON with comments; the message names the line.
    """
    reader = _Reader(text)
    try:
        return reader.document()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def blank_length(text: str, at: int) -> int:
    """The number of characters from there on that are white space or comments."""
    found = _BLANK.match(text, at)
    return 0 if found is None else found.end() - at


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 1 if text.startswith(BYTE_ORDER_MARK) else 0

    def document(self) -> JsoncValue:
        self._skip()
        found = self._value()
        self._skip()
        if self._at < len(self._text):
            self._fail("the end of the file")
        return found

    def _value(self) -> JsoncValue:
        start, first = self._at, self._text[self._at : self._at + 1]
        if first == "{":
            members = tuple(self._listed("}", self._member))
            return JsoncValue(start, self._at, {one.name: one.value.data for one in members}, members=members)
        if first == "[":
            items = tuple(self._listed("]", self._value))
            return JsoncValue(start, self._at, [one.data for one in items], items=items)
        data = self._matched(_STRING if first == '"' else _ATOM, "a value")
        return JsoncValue(start, self._at, data)

    def _member(self) -> JsoncMember:
        start = self._at
        name = self._matched(_STRING, "a name in double quotes")
        self._skip()
        if self._text[self._at : self._at + 1] != ":":
            self._fail("a colon")
        self._at += 1
        self._skip()
        return JsoncMember(name, start, self._value())

    def _listed(self, close: str, one: Any) -> list[Any]:
        """The items between brackets, a comma after each but the last, which may have one."""
        found = []
        self._at += 1
        self._skip()
        while self._text[self._at : self._at + 1] != close:
            found.append(one())
            self._skip()
            if self._text[self._at : self._at + 1] == ",":
                self._at += 1
                self._skip()
            elif self._text[self._at : self._at + 1] != close:
                self._fail(f"a comma or {close!r}")
        self._at += 1
        return found

    def _matched(self, form: re.Pattern[str], wanted: str) -> Any:
        found = form.match(self._text, self._at)
        if found is None:
            self._fail(wanted)
        try:
            data = json.loads(found[0])
        except (ValueError, RecursionError) as error:  # a wrong escape
            raise ValueError(f"line {self._line()}: {error}") from error
        self._at = found.end()
        return data

    def _skip(self) -> None:
        self._at += blank_length(self._text, self._at)

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1

    def _fail(self, wanted: str) -> NoReturn:
        found = self._text[self._at : self._at + _SHOWN].partition("\n")[0]
        raise ValueError(
            f"line {self._line()}: {wanted} is missing before {found!r}" if found else f"{wanted} is missing at the end"
        )
