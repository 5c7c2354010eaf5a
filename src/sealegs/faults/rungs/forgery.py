"""Wrong answers that are right in themselves: one value is another one, and what follows from it is made to follow.

Each scalar of the true answer is changed in turn (a number by some share, a time by some days or minutes, a code in
its letters and digits, another text to what the tool says of another entity), and every declared relation that this
breaks is repaired by working out its result anew. What is left holds every statement that the tool declares. Relations
that nobody declared may break; the caller must look for these (`contradiction`, or arithmetic).
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sealegs.faults import paths
from sealegs.faults.invariants import Formula, Mean, Sums
from sealegs.faults.invariants.invariant import look_up, number, same_shape
from sealegs.faults.rungs.visible_rung import emptied, has_changed, keeps_structure, visible_rung
from sealegs.faults.spec import ToolSpec

FACTORS = (1.08, 0.93, 1.17, 0.86, 1.31, 0.78)
DAYS = (1, -1, 2, 3, -2, 7)
MINUTES = (30, -20, 45, 65, -35, 90)
REPAIRS = 8  # results worked out anew; what is not right by then is given up
CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9_-]{2,}$")
TIME_OF_DAY = re.compile(r"[0-2]\d:[0-5]\d$")
Edit = dict[str, Any]


def forgeries(
    spec: ToolSpec, arguments: Mapping[str, Any], truth: Any, others: Sequence[Any], draw: random.Random
) -> Iterator[tuple[Edit, Any]]:
    """Answers that keep every declared statement although a used value is wrong, each with what is written over.

    Args:
        spec: the tool, with the fields that are used; where none is named, any may be wrong.
        arguments: what it was called with, defaults filled in.
        truth: what it truly answered.
        others: its answers to its documented arguments, from which other texts are taken.
        draw: the order in which values are tried.
    """
    if not isinstance(truth, Mapping):
        return
    leaves = [(path, value) for path, value in paths.leaves(truth) if not isinstance(value, bool) and value is not None]
    draw.shuffle(leaves)
    leaves.sort(key=lambda leaf: leaf[0] not in spec.used)  # stable: a used value itself first
    for path, value in leaves:
        for new in _other_values(path, value, others, draw):
            wrong = _repaired(spec, arguments, _with(truth, path, new), path)
            if wrong is not None and _forged(spec, arguments, truth, wrong):
                yield _edit(truth, wrong), wrong


def written_over(output: Any, edit: Mapping[str, Any]) -> Any:
    """The answer with other values at the given paths."""
    changed = output
    for path, value in edit.items():
        changed = _with(changed, path, value)
    return changed


def _with(output: Any, path: str, value: Any) -> Any:
    return paths.replace_values(output, path, lambda _: value)


def _forged(spec: ToolSpec, arguments: Mapping[str, Any], truth: Any, wrong: Any) -> bool:
    return (
        (not spec.used or any(has_changed(truth, wrong, path) for path in spec.used))
        and same_shape(truth, wrong)
        and keeps_structure(spec, wrong)
        and not emptied(truth, wrong)
        and not spec.violations(arguments, wrong)
        and visible_rung(spec, arguments, truth, wrong) is None
    )


def _edit(truth: Any, wrong: Any) -> Edit:
    before = dict(paths.leaves(truth))
    return {path: value for path, value in paths.leaves(wrong) if before[path] != value}


def _other_values(path: str, value: Any, others: Sequence[Any], draw: random.Random) -> Iterator[Any]:
    if number(value):
        for factor in draw.sample(FACTORS, len(FACTORS)):
            if isinstance(value, int):
                # A share of a small whole number rounds back to it; the next one on that side is then taken.
                yield round(value * factor) if round(value * factor) != value else value + (1 if factor > 1 else -1)
            else:
                yield round(value * factor, _digits(value))
    elif isinstance(value, str):
        yield from _other_texts(path, value, others, draw)


def _other_texts(path: str, value: str, others: Sequence[Any], draw: random.Random) -> Iterator[str]:
    moment = _moment(value)
    if moment is not None:
        units = [timedelta(days=d) for d in DAYS] if len(value) == 10 else [timedelta(minutes=m) for m in MINUTES]
        # A moment moves by whole days or minutes, so that the tool could still have answered it.
        for unit in draw.sample(units, len(units)):
            yield (moment + unit).isoformat(value[10:11] or "T")[: len(value.removesuffix("Z"))] + "Z" * value.endswith(
                "Z"
            )
    elif TIME_OF_DAY.match(value):
        for minutes in draw.sample(MINUTES, len(MINUTES)):
            # Round the clock, so that it stays a time of day.
            moved = (int(value[:2]) * 60 + int(value[3:]) + minutes) % (24 * 60)
            yield f"{moved // 60:02}:{moved % 60:02}"
    elif CODE.match(value):
        for _ in range(4):
            yield _other_code(value, draw)
    else:
        # A name or a place must be one from another answer of the tool, so that this answer stays plausible.
        known = {one for other in others for one in paths.values_at(other, path) if isinstance(one, str)}
        yield from draw.sample(sorted(known - {value, ""}), min(4, len(known - {value, ""})))


def _other_code(value: str, draw: random.Random) -> str:
    """A code of the same form: two of the last letters and digits differ, each of its own sort."""
    places = [at for at, letter in enumerate(value) if letter.isdigit()][-3:]
    changed = list(value)
    for at in draw.sample(places, min(2, len(places))):
        changed[at] = draw.choice([digit for digit in string.digits if digit != value[at]])
    return "".join(changed)


def _repaired(spec: ToolSpec, arguments: Mapping[str, Any], output: Any, kept: str) -> Any:
    """The answer with the results of broken relations worked out anew; None where the changed value is one of them."""
    # A repair may break another relation, and relations that form a circle would be repaired for ever.
    for _ in range(REPAIRS):
        relations = (one for one in spec.invariants if isinstance(one, (Formula, Sums, Mean)))
        broken = next((one for one in relations if not one.holds(arguments, output)), None)
        if broken is None:
            return output
        # The relation would put the true value back in place of the forged one.
        if broken.field == kept:
            return None
        result = _result(broken, arguments, output)
        before = paths.values_at(output, broken.field)
        if result is None or not before or (type(before[0]) is not type(result) and not number(result)):
            return None
        if number(result) and number(before[0]):
            result = round(result) if isinstance(before[0], int) else round(float(result), max(2, _digits(before[0])))
        output = _with(output, broken.field, result)
    return None


def _result(broken: Formula | Sums | Mean, arguments: Mapping[str, Any], output: Any) -> Any:
    if isinstance(broken, Formula):
        return broken.function(*(look_up(name, arguments, output)[0] for name in broken.inputs))
    parts = broken.parts if isinstance(broken, Sums) else (broken.parts,)
    found = [value for part in parts for value in look_up(part, arguments, output)]
    numbers = [one for value in found for one in (value if isinstance(value, list) else [value])]
    return sum(numbers) / (len(numbers) if isinstance(broken, Mean) else 1)


def _digits(value: float) -> int:
    return len(str(value).partition(".")[2])


def _moment(text: str) -> datetime | None:
    if len(text) < 10 or not text[:4].isdigit():
        return None
    try:
        return datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return None
