"""Reading one clause of the text form of alternative groups (see `group_parser`) from left to right.

It knows names, references, JSON values and lists of them, and nothing of what a group is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from sealegs.tasks.graph import Constant

T = TypeVar("T")
LITERALS = frozenset({"true", "false", "null"})
RESERVED = LITERALS | {"in"}  # `Way` writes an input `in.NAME`, so no input or tool may be called `in`
_NAME = re.compile(r"[^\W\d]\w*")
_REFERENCE = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


class SyntaxProblem(Exception):
    """A clause that cannot be read: the line, and what is wrong with it."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


@dataclass(frozen=True, slots=True)
class Clause:
    """A line with those that continue it; a line break for each, so that a place in the text tells its line."""

    line: int
    text: str

    def continued(self, number: int, text: str) -> Clause:
        """The clause with one more line, which has this number."""
        return Clause(self.line, self.text + "\n" * (number - self.line - self.text.count("\n")) + text)


class Scanner:
    """Reads one clause from left to right; fails with the line that it has come to."""

    def __init__(self, clause: Clause) -> None:
        self._text, self._line, self._at = clause.text, clause.line, 0

    def whole(self, parse: Callable[[Scanner], T]) -> T:
        """Return the result of `parse` on the clause, of which nothing may be left."""
        found = parse(self)
        if not self.at_end():
            self.fail(f"did not expect {self._next()} here")
        return found

    def fail(self, message: str) -> NoReturn:
        """Raise a problem with the place that was reached."""
        raise SyntaxProblem(self._line + self._text.count("\n", 0, self._at), message)

    def at_end(self) -> bool:
        """Tell whether nothing but space is left."""
        self._skip_space()
        return self._at == len(self._text)

    def take(self, sign: str) -> bool:
        """Go past the sign if it comes next."""
        self._skip_space()
        found = self._text.startswith(sign, self._at)
        self._at += len(sign) * found
        return found

    def need(self, sign: str, before: str) -> None:
        """Go past the sign, which must come next."""
        if not self.take(sign):
            self.fail(f"expected `{sign}` and {before}, not {self._next()}")

    def listed(self, item: Callable[[], T], end: str = "") -> list[T]:
        """Items between commas: up to the end sign, before which there may be none, or as far as commas go."""
        found: list[T] = []
        if end and self.take(end):
            return found
        while not found or self.take(","):
            found.append(item())
        if end and not self.take(end):
            self.fail(f"expected `,` or `{end}`, not {self._next()}")
        return found

    def name(self, what: str) -> str:
        """A name."""
        self._skip_space()
        found = _NAME.match(self._text, self._at)
        if found is None:
            self.fail(f"expected {what}, which is a name, not {self._next()}")
        self._at = found.end()
        return found[0]

    def new_name(self, what: str) -> str:
        """A name that the author chose, so that it must not be one of the form's own words."""
        name = self.name(what)
        if name in RESERVED:
            self.fail(f"{what} cannot be named {name}, a word of this form; rename it")
        return name

    def input(self, name: str, inputs: Sequence[str]) -> str:
        """The reference to an input of this name."""
        if name not in inputs:
            choices = f"its inputs are {', '.join(inputs)}" if inputs else "it has none"
            self.fail(f"{name} is not an input of the group; {choices}; put a text in double quotes")
        return f"in.{name}"

    def field(self, calls: Mapping[str, Any]) -> str:
        """A reference to a field of the answer of one of these calls."""
        self._skip_space()
        found = _REFERENCE.match(self._text, self._at)
        if found is None or "." not in found[0]:
            self.fail(f"expected a field as `TOOL.FIELD`, not {self._next()}")
        tool = found[0].partition(".")[0]
        if tool == "in":
            self.fail(f"cannot read {found[0]}; an input is written by its name alone")
        if tool not in calls:
            known = f"it called {', '.join(calls)}" if calls else "this is its first call"
            self.fail(f"{found[0]} is a field of a tool that the way did not call before; {known}")
        self._at = found.end()
        return found[0]

    def bound(self, inputs: Sequence[str], calls: Mapping[str, Any]) -> str | Constant:
        """The value that an argument is bound to: the reference to an input or a field, or a constant."""
        self._skip_space()
        found = _REFERENCE.match(self._text, self._at)
        if found is None or found[0] in LITERALS:
            return Constant(self.value())
        if "." in found[0]:
            return self.field(calls)
        return self.input(self.name("an input"), inputs)

    def value(self) -> Any:
        """A JSON value."""
        self._skip_space()
        try:
            found, self._at = _DECODER.raw_decode(self._text, self._at)
        except ValueError:
            self.fail(f"expected a JSON value, not {self._next()}; put a text in double quotes, on one line")
        return found

    def refuse_twice(self, what: str, names: Sequence[str]) -> None:
        """Fail where a name is given twice."""
        for name in repeated_names(names):
            self.fail(f"the {what} {name} is given twice; leave one out")

    def _skip_space(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in " \n":
            self._at += 1

    def _next(self) -> str:
        """The text that comes next, for a message."""
        self._skip_space()
        rest = self._text[self._at :].partition("\n")[0]
        return (repr(rest[:30]) + ("..." if len(rest) > 30 else "")) if rest else "the end"


def repeated_names(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]
