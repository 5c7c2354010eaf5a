"""Check that every value of an answer comes from the agent's input or from the answers that its tools showed it.

A value counts as given in any notation, rounded as it is written, and worked out by simple arithmetic (see
`known_values`), also from other values of the answer that are given. Values that the agent put into its calls were not
given to it. docs/contracts.md lists the cases that are not covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sealegs.faults import paths
from sealegs.faults.call import Failure, Value, failure_body
from sealegs.scoring.known_values import GivenValues
from sealegs.scoring.run_evidence import RunEvidence, named_call, outcomes_seen
from sealegs.scoring.stated_values import LOOSE, StatedValue, stated_values
from sealegs.scoring.value_words import CONVERSIONS, PERCENT

NAMED = 3  # invented values that a sentence names
LONGEST_SUM = 60  # numbers of an answer of which neighbours are added up
ROUNDS = 3  # an answer may work a number out from one that it worked out
NEAR = 0.05  # a share: how far a number of few digits may be off if it is stated as rounded
FEW_DIGITS = 2


def invented_answer(run: RunEvidence) -> str:
    """The values of the answer that nothing holds; empty where there are none."""
    found = invented_in(run.record.answer or "", known_from(run))
    if not found:
        return ""
    named = ", ".join(f"the {value.kind} {value.text!r}" for value in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    calls = [named_call(turn).partition("(")[0] for turn in run.record.own]
    sources = f"the input nor any answer to its calls ({', '.join(calls[:6])}{', ...' if len(calls) > 6 else ''})"
    return f"the answer tells {named}{more}, which neither {sources if calls else 'the input nor any tool'} holds"


def known_from(run: RunEvidence) -> GivenValues:
    """The values that the run gave to the agent: its input, the names of its tools, and the outcomes it was shown."""
    known = GivenValues()
    known.add_text(run.input)
    for outcome in outcomes_seen(run).values():
        if isinstance(outcome, Value):
            known.add_data(outcome.value if not isinstance(outcome.value, str) else [outcome.value])
        elif isinstance(outcome, Failure):
            known.add_text(" ".join(str(leaf) for _, leaf in paths.leaves(failure_body(outcome))), field="failure")
    for turn in run.record.turns:
        known.add_text(turn.call.tool, field="tool")
    known.close_dates()
    return known


def invented_in(answer: str, known: GivenValues) -> list[StatedValue]:
    """The values of an answer that do not come from what is known, in the order of the answer."""
    stated = stated_values(known.without_gaps(answer))
    given = {id(one) for one in stated if _given(one, known)}
    numbers = [one for one in stated if one.kind == "number" and one.numbers]
    pool = _Pool(known)
    for _ in range(ROUNDS):
        # Round by round, because answers calculate with what they have calculated: a sum first, then its share.
        pool.add(one for one in numbers if id(one) in given)
        more = {id(one) for one in numbers if id(one) not in given and pool.gives(one)}
        if not more:
            break
        given |= more
    found = [one for one in stated if id(one) not in given]
    return sorted(found, key=lambda one: answer.find(one.text))


def _given(value: StatedValue, known: GivenValues) -> bool:
    """Return whether a value is known as stated, without arithmetic."""
    if value.free or (value.parts and all(_given(part, known) for part in value.parts)):
        return True
    text = value.text.casefold()
    match value.kind:
        case "link":
            # Answers add and leave out the scheme, `www.` and the last slash of what a tool gave.
            return re.sub(r"^https?://(?:www\.)?|/$", "", text) in known.text
        case "e-mail address":
            return text in known.text
        case "quotation":
            return known.says_words(value.text)
        case "code":
            return known.says_code(value.text)
        case "phone":
            return known.says_digits(value.text)
        case "date":
            return any(map(known.says_day, value.days))
        case "time":
            # `12:30` without am or pm may be a ratio or a duration as well.
            return any(map(known.says_moment, value.moments)) or _given_number(value, known)
        case "duration":
            # `2 h 30` may also be how a time of day is written.
            return known.says_minutes(value.numbers[0][0]) or any(map(known.says_moment, value.moments))
        case "number":
            return _given_number(value, known)


def _given_number(value: StatedValue, known: GivenValues) -> bool:
    digits = re.sub(r"\D", "", value.text)
    if re.fullmatch(r"\d+", value.text.split(" ")[0]) and known.says_run(digits):
        return True
    if any(map(known.says_day, value.days)) and value.days:
        return True
    return any(known.has(number, _off(value, number, grain)) for number, grain in value.numbers) or _converted(
        value, known
    )


def _off(value: StatedValue, number: float, grain: float) -> float:
    """The tolerance for a known number: rounding to the stated places, and more where the text says so."""
    off = grain / 2 if grain >= 1 else grain  # cut off or rounded
    if value.rough and number >= 10:
        digits = f"{number / grain:.0f}" if number / grain < 1e15 else "1"
        bare = digits.rstrip("0")
        off = max(off, grain * 10.0 ** (len(digits) - len(bare)) / 2, NEAR * number if len(bare) <= FEW_DIGITS else 0.0)
    return off * (1 + 1e-9) + 1e-9


def _converted(value: StatedValue, known: GivenValues) -> bool:
    """Return whether a known number in another unit equals the stated one."""
    factors = CONVERSIONS.get(value.unit, ())
    if any(known.reckons(n / factor, _off(value, n, g) / factor) for n, g in value.numbers for factor in factors):
        return True
    # Scales of temperature differ by an offset too, which no factor of `CONVERSIONS` can express.
    if "°" not in value.unit and "degree" not in value.unit:
        return False
    return any(known.reckons((n - 32) / 1.8, g / 3) or known.reckons(n * 1.8 + 32, g) for n, g in value.numbers)


@dataclass
class _Pool:
    """The known numbers, with those of the answer that are known to be given."""

    known: GivenValues
    stated: list[float] | None = None

    def add(self, values: Iterable[StatedValue]) -> None:
        """Take in what of the answer is given."""
        self.stated = [value.numbers[0][0] for value in values]
        self.known.add_numbers(self.stated, field="")

    def gives(self, value: StatedValue) -> bool:
        """Return whether a number can be worked out."""
        first = value.numbers[0][1]
        readings = [
            (n, grain) for n, grain in value.numbers if not (first == 1 and grain == 0.001)
        ]  # 1,234 is no 1.234
        return any(self._gives(number, _off(value, number, grain), value) for number, grain in readings)

    def _gives(self, number: float, off: float, value: StatedValue) -> bool:
        percent = re.fullmatch(PERCENT, value.unit) is not None
        follows = self.known.follows(number, off, rough=value.rough, percent=percent)
        return follows or self.known.has(number, off) or self._adds_up(number, off)

    def _adds_up(self, number: float, off: float) -> bool:
        """Return whether neighbours in the answer add up to it, or one of its numbers so many times and another."""
        stated = (self.stated or [])[:LONGEST_SUM]
        for first in range(len(stated)):
            # Neighbours alone: of any subset of many numbers, some would add up to nearly anything.
            total = stated[first]
            for one in stated[first + 1 :]:
                total += one
                if abs(total - abs(number)) <= off:
                    return True
        times = [one for one in stated if one < LOOSE and one == int(one)]
        return any(abs(many * one + more - abs(number)) <= off for many in times for one in stated for more in stated)
