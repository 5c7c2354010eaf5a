"""Arithmetic in text, read into exact fractions by our own small parser. Nothing is evaluated as code."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

LONGEST = 300  # characters
DEEPEST = 30  # brackets and signs inside one another
LARGEST = Fraction(10) ** 300
TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d{1,3})?|\.\d+)|(?P<name>[A-Za-z]+)|(?P<mark>\*\*|[-+*/%^(),]))"
)
TYPED = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})
CONSTANTS = {"pi": Fraction(math.pi), "e": Fraction(math.e)}


class BadExpression(ValueError):
    """An expression cannot be worked out; the message says why."""


def _sqrt(value: Fraction) -> Fraction:
    if value < 0:
        raise BadExpression("there is no square root of a negative number")
    return _power(value, Fraction(1, 2))


def _rounded(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    if places.denominator != 1 or abs(places) > 20:
        raise BadExpression("round takes a number of places from -20 to 20")
    return Fraction(round(value, int(places)))


FUNCTIONS: dict[str, tuple[int, int, Callable[..., Fraction]]] = {  # least and most arguments
    "sqrt": (1, 1, _sqrt),
    "abs": (1, 1, abs),
    "round": (1, 2, _rounded),
    "floor": (1, 1, lambda value: Fraction(math.floor(value))),
    "ceil": (1, 1, lambda value: Fraction(math.ceil(value))),
    "min": (1, 9, min),
    "max": (1, 9, max),
}


def evaluate_expression(expression: str) -> int | float:
    """The value: whole if it is a whole number, otherwise to ten significant digits.

    Raises:
        BadExpression: it is not arithmetic, has no value, or is too long or too large.
    """
    if len(expression) > LONGEST:
        raise BadExpression(f"the expression has more than {LONGEST} characters")
    value = _Reader(expression).whole()
    if abs(value) > LARGEST:
        raise BadExpression("the result is too large")
    return int(value) if value.denominator == 1 else float(f"{float(value):.10g}")


def _tokens(text: str) -> list[str]:
    # Behind a bracket, a comma may separate arguments: `max(1,234)`.
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text.translate(TYPED)) if "(" not in text else text.translate(TYPED)
    text = text.rstrip().rstrip("=").rstrip()
    found: list[str] = []
    at = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise BadExpression(f"{text[at:].strip()[:20]!r} is not arithmetic")
        found.append(token[0].strip())
        at = token.end()
    return found


class _Reader:
    """Reads sums of products of powers, left to right (powers from the right)."""

    def __init__(self, text: str) -> None:
        self._left = _tokens(text)[::-1]
        self._depth = 0

    def whole(self) -> Fraction:
        if not self._left:
            raise BadExpression("there is nothing to work out")
        value = self._sum()
        if self._left:
            raise BadExpression(f"{self._left[-1]!r} was not expected there")
        return value

    def _next(self) -> str:
        return self._left[-1] if self._left else ""

    def _take(self, *marks: str) -> str:
        return self._left.pop() if self._next() in marks else ""

    def _sum(self) -> Fraction:
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadExpression("there are too many brackets inside one another")
        value = self._product()
        while mark := self._take("+", "-"):
            other = self._product()
            value = value + other if mark == "+" else value - other
        self._depth -= 1
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while mark := self._take("*", "/", "%"):
            other = self._signed()
            if mark != "*" and other == 0:
                raise BadExpression("it divides by zero")
            value = value * other if mark == "*" else value / other if mark == "/" else value % other
            _bounded(value)
        return value

    def _signed(self) -> Fraction:
        minus = False
        while mark := self._take("-", "+"):
            minus ^= mark == "-"
        value = self._powered()
        return -value if minus else value

    def _powered(self) -> Fraction:
        value = self._atom()
        if self._take("**", "^"):
            self._depth += 1
            if self._depth > DEEPEST:
                raise BadExpression("there are too many powers of powers")
            value = _power(value, self._signed())
            self._depth -= 1
        return value

    def _atom(self) -> Fraction:
        token = self._left.pop() if self._left else ""
        if token == "(":
            value = self._sum()
            self._close()
            return value
        if token[:1].isdigit() or token[:1] == ".":
            return Fraction(token)
        if token in FUNCTIONS:
            return self._function(token)
        if token in CONSTANTS:
            return CONSTANTS[token]
        if token.isalpha():
            raise BadExpression(f"{token!r} is not known; there is {', '.join([*FUNCTIONS, *CONSTANTS])}")
        raise BadExpression(f"a number was expected, not {token!r}" if token else "it ends where a number was expected")

    def _function(self, name: str) -> Fraction:
        least, most, function = FUNCTIONS[name]
        if not self._take("("):
            raise BadExpression(f"{name} wants its arguments in brackets")
        given = [self._sum()]
        while self._take(","):
            given.append(self._sum())
        self._close()
        if not least <= len(given) <= most:
            raise BadExpression(f"{name} does not take {len(given)} arguments")
        return function(*given)

    def _close(self) -> None:
        if not self._take(")"):
            raise BadExpression("a bracket is not closed")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent < 0:
        raise BadExpression("it divides by zero")
    # The bits of the result, before it is worked out: 9**9**9 would take all memory.
    size = abs(exponent) * max(abs(base.numerator).bit_length(), base.denominator.bit_length())
    if size > 4000:
        raise BadExpression("the power is too large")
    if exponent.denominator == 1:
        return base ** int(exponent)
    if base < 0:
        raise BadExpression("there is no such root of a negative number")
    return Fraction(float(base) ** float(exponent))


def _bounded(value: Fraction) -> None:
    if max(abs(value.numerator).bit_length(), value.denominator.bit_length()) > 20000:
        raise BadExpression("the numbers are too long")
