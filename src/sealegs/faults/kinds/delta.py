"""Numbers drift a little."""

from __future__ import annotations

import random
import re
import string
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from sealegs.faults import paths
from sealegs.faults.fault import FaultSetting, Rewrite, Text

Sign = Literal["up", "down", "either"]

# A number by itself: none of those in `2026-11-20`, `09:30` or `FL-203`.
NUMBER = re.compile(r"(?<![\w.,:/+-])\d+(?:\.\d+)?(?![\w:/+-]|[.,]\d)")
# Just before a number that belongs to a name or is one: `Gate 12`, `your code is 1234`, `#7`.
CALLED = "codes?|ids?|number|refs?|reference|pin|order|ticket|invoice|account|flight|room|gate|seat"
NAMED = re.compile(rf"(?:\b[^\W\d_a-z][\w'.-]*|#|\b[Nn][or]\.|\b(?:{CALLED})(?: is|:)?) ?$")
MONEY = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|NOK|SEK|DKK|PLN|CZK|BRL|MXN|ZAR|SGD|HKD|KRW"
TIME = "ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|years?"
SIZE = "mm|cm|m|km|mi|miles?|ft|feet|inch(?:es)?|g|kg|oz|lbs?|l|ml|percent|points?|degrees?|[km]?W|kWh|[KMGT]?B"
UNIT = re.compile(rf" ?(?:[%‰°€$£¥]|(?:{MONEY}|{TIME}|{SIZE})\b)")  # just after a number
PRICED = re.compile(rf"(?:[€$£¥]|\b(?:{MONEY})) ?$")  # just before one
MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
MONTH = re.compile(rf"{MONTHS}\b")
MONTH_BEFORE = re.compile(rf"\b{MONTHS} $")
PLAIN = re.compile(r"[:=€$£¥(]|\b[a-z]{2,}")  # what a text has that is neither a name nor an address
SMALL = re.compile(r"[^\W\d_A-Z]")  # a letter that is not a capital: of a text without one it may be a code
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Last words of the names of fields that identify, name or locate a thing, and measure nothing.
IDENTIFYING = frozenset(
    (
        *("id", "ids", "uuid", "guid", "key", "keys", "code", "codes", "ref", "refs", "reference", "token", "hash"),
        *("sku", "isbn", "iban", "bic", "account", "pin", "version", "name", "names", "title", "titles"),
        *("zip", "zipcode", "postcode", "postal", "address", "street", "phone", "tel", "telephone", "fax"),
        *("email", "url", "uri"),
    )
)
NUMBERING = frozenset({"number", "numbers", "no", "nr"})  # last words of a longer name that does: `order_number`


class Delta(Rewrite):
    """The tool runs; the agent sees every number moved by a bounded share of itself.

    Integers stay integers and decimals keep their places; each number really changes, by one unit of its last place
    where the share is smaller. Numbers in a text move alike where they measure something. Codes, identifiers and names
    stay: text without such a number, a number that belongs to a name (`Gate 12`), and what a field holds whose own name
    says so (`order_id`), unless `fields` names it. Truth values and nulls stay too. With `typos`, a text that holds no
    number and small letters has one character inserted, deleted or replaced, or two neighbours swapped.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["delta"] = "delta"
    offset: Annotated[float, Strict(), Field(gt=0, le=1)] = Field(
        default=0.1, description="Largest drift as a share of the number."
    )
    sign: Sign = Field(default="either", description="up: numbers grow; down: they shrink; either: drawn for each.")
    typos: Annotated[bool, Strict()] = Field(
        default=False, description="Whether a text without a number, other than a code, has one character wrong."
    )
    fields: tuple[Text, ...] = Field(default=(), description="Dotted paths of what drifts; else the whole answer.")

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer with drifted numbers."""
        for path in self.fields or ("",):
            value = paths.replace_values(value, path, lambda part: self._drifted(part, "", setting.draw))
        return value

    def _drifted(self, value: Any, name: str, draw: random.Random) -> Any:
        if isinstance(value, dict):
            return {key: self._drifted(item, str(key), draw) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._drifted(item, name, draw) for item in value]
        if identifies(name) or value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._drifted_text(value, draw)
        if not isinstance(value, (int, float)):
            return value
        # Judged by the digits that the agent would see: the binary value of 0.1 has fifty more.
        moved = drifted(Decimal(repr(value)), self.offset, draw, self.sign)
        return int(moved) if isinstance(value, int) else float(moved)

    def _drifted_text(self, text: str, draw: random.Random) -> str:
        def moved(found: re.Match[str]) -> str:
            if not is_quantity(text, found):
                return found[0]
            return f"{drifted(Decimal(found[0]), self.offset, draw, self.sign):f}"

        if self.typos and NUMBER.search(text) is None:
            return mistyped(text, draw) if SMALL.search(text) else text
        return NUMBER.sub(moved, text)


def identifies(name: str) -> bool:
    """Return whether a field's name says that what it holds is a code, an identifier or a name."""
    words = (
        [name.lower()] if name.isalpha() and name.lower() in IDENTIFYING else [w.lower() for w in WORDS.findall(name)]
    )
    return bool(words) and (words[-1] in IDENTIFYING or (len(words) > 1 and words[-1] in NUMBERING))


def is_quantity(text: str, found: re.Match[str]) -> bool:
    """Return whether a number in a text is a quantity, and not part of a name, a code or an address.

    It is one where it has a unit or a currency, and beside a month. Else it is part of a name where a word with a
    capital stands just before it, and in a text that has no word without one.
    """
    before, after = text[: found.start()], text[found.end() :]
    if UNIT.match(after) or PRICED.search(before):
        return True
    if MONTH_BEFORE.search(before) or MONTH.match(after.lstrip()):
        return True
    return NAMED.search(before) is None and (PLAIN.search(text) is not None or text.strip() == found[0])


def drifted(number: Decimal, offset: float, draw: random.Random, sign: Sign = "either") -> Decimal:
    """Another number of as many decimal places, within `offset` of it or one unit of its last place away."""
    places = number.as_tuple().exponent
    unit = Decimal(1).scaleb(min(int(places), 0)) if isinstance(places, int) else Decimal(1)
    reach = int(abs(number) * Decimal(offset) / unit)
    steps = draw.randint(1, reach) if reach > 0 else 1
    up = draw.random() < 0.5  # drawn in any case: the sign changes no other number
    return number + unit * (steps if sign == "up" or (sign == "either" and up) else -steps)


def mistyped(text: str, draw: random.Random) -> str:
    """The text with one character inserted, deleted or replaced, or two different neighbours swapped."""
    at = draw.randrange(len(text))
    letter = draw.choice([c for c in string.ascii_lowercase if c != text[at].lower()])
    ways = [text[:at] + letter + text[at:], text[:at] + letter + text[at + 1 :]]
    if len(text) > 1:
        ways.append(text[:at] + text[at + 1 :])
    pairs = [i for i in range(len(text) - 1) if text[i] != text[i + 1]]
    if pairs:
        i = draw.choice(pairs)
        ways.append(text[:i] + text[i + 1] + text[i] + text[i + 2 :])
    return draw.choice(ways)
