"""Statements mined from recorded answers: what is true of all of them, and hardly so by chance.

A relation between numbers is kept where it has no exception, says more than that a field repeats another, and would
not be expected to hold by chance: the chance that it holds of one answer is measured by pairing the fields of different
answers, and what the record says against chance must outweigh the number of relations that were looked at. It does not
find relations with exceptions, of more than three terms, or between items of two lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from statistics import median
from typing import Any

from sealegs.faults.invariants.invariant import number
from sealegs.recovery.detectors.flat_call import ARGUMENT, NUMBER_OF, FlatCall
from sealegs.recovery.detectors.relations import (
    Before,
    Determined,
    Echoes,
    Equation,
    equals_rounded,
    equation_result,
    repeats_value,
)
from sealegs.recovery.detectors.statements import (
    Filled,
    Formed,
    KnownValues,
    NeverNegative,
    OnlyKeys,
    Statement,
    Typed,
    Within,
    type_of,
)
from sealegs.recovery.detectors.text_forms import learn_text_forms

NUMBERS = 18  # names that relations between numbers are looked for among
WIDE = 20.0  # a positive number whose greatest is so many times its least is looked at by magnitude
TRIMMED = 100  # from so many values on, a hundredth at each end is not part of the range
BEYOND_CHANCE = 2.0  # powers of ten by which a relation must be less likely than one chance hit among all
UNITS = frozenset({"currency", "unit", "units", "scale"})
TABLE = 2000  # keys
FEW = 12  # values that can be an enumeration


def mine_statements(views: Sequence[FlatCall]) -> list[Statement]:
    """Everything that is true of these answers of one tool."""
    if not views:
        return []
    found: list[Statement] = []
    for path in _paths(views):
        found += _of_field(path, views)
    found.append(OnlyKeys(len(views), frozenset(_paths(views))))
    echoes = list(_echoes(views))
    found += echoes
    found += _before(views)
    found += _determined(views, echoes)
    found += _equations(views, echoes)
    return found


def mine_name_statements(views: Sequence[FlatCall]) -> list[Statement]:
    """Statements that are true of all fields of one name, whatever the tool. The views' paths are bare names."""
    found: list[Statement] = []
    for path in _paths(views):
        found += [
            one
            for one in _of_field(path, views)
            if isinstance(one, (NeverNegative, Within, Typed, Formed, KnownValues))
        ]
    return [*found, *_determined(views, ())]


def _paths(views: Iterable[FlatCall]) -> list[str]:
    """The paths of the answers, in the order in which they come."""
    return list(dict.fromkeys(path for view in views for path in view.values if not path.startswith(ARGUMENT)))


def _of_field(path: str, views: Sequence[FlatCall]) -> Iterator[Statement]:
    """Statements that are true of one field."""
    having = [view for view in views if path in view.values]
    listed = any(path in view.listed for view in having)
    values = [value for view in having for value in view.values[path]]
    given = [value for value in values if value not in (None, "")]
    # A field that was ever missing may be missing again; entries of a list may be none at all.
    if len(given) == len(values) and (listed or len(having) == len(views)):
        yield Filled(len(views), path, listed)
    types = {type_of(value) for value in given}
    if len(types) != 1:
        return
    yield Typed(len(having), path, next(iter(types)))
    if types == {"number"}:
        yield from _of_numbers(path, given, having)
        return
    distinct = list(dict.fromkeys(given))
    # A closed set of values shows in that they return; a few values that never did may be a beginning.
    if len(distinct) <= FEW and len(given) >= 2 * len(distinct):
        yield KnownValues(len(having) // len(distinct), path, tuple(distinct))
    shape = learn_text_forms(distinct) if types == {"text"} else None
    if shape is not None:
        yield Formed(len(distinct), path, shape)


def _of_numbers(path: str, values: list[float], having: Sequence[FlatCall]) -> Iterator[Statement]:
    if min(values) >= 0:
        yield NeverNegative(len(having), path, float(max(values)))
    yield _range(path, values, len(having))
    # An amount without its unit has a range too wide to catch anything: 20 °C and 68 °F are both normal.
    units = [name for name in having[0].values if name.rpartition(".")[2] in UNITS]
    for unit in units:
        kinds = {view.single(unit) for view in having}
        for kind in sorted(kind for kind in kinds if isinstance(kind, str)) if len(kinds) > 1 else ():
            own = [view for view in having if view.single(unit) == kind]
            inside = [value for view in own for value in view.values[path] if number(value)]
            if len(own) >= 3 and len(set(inside)) >= 2:
                yield _range(path, inside, len(own), (unit, kind))


def _range(path: str, values: list[float], support: int, where: tuple[str, str] | None = None) -> Within:
    ordered = sorted(values)
    # Many values hold outliers, and a range that reaches to them finds no fault.
    cut = len(ordered) // 100 if len(ordered) >= TRIMMED else 0
    low, high = float(ordered[cut]), float(ordered[-1 - cut])
    # Skewed amounts vary by factors rather than by differences, so their margins do as well.
    log = (low > 0 and high / low >= WIDE) or (low > 0 and median(ordered) < (low + high) / 4)
    return Within(support, path, low, high, log, where)


def _echoes(views: Sequence[FlatCall]) -> Iterator[Echoes]:
    """Fields that repeat arguments, or fields before them."""
    names = list(dict.fromkeys(name for view in views for name in view.values if name not in view.listed))
    arguments = [name for name in names if name.startswith(ARGUMENT)]
    fields = [name for name in names if not name.startswith(ARGUMENT)]
    pairs = [(name, path) for name in arguments for path in fields]
    pairs += list(permutations(fields, 2))
    same: set[tuple[str, str]] = set()
    for name, path in pairs:
        both = [(view.single(name), view.single(path)) for view in views]
        both = [(one, other) for one, other in both if one is not None and other is not None]
        if not both:
            continue
        # The strictest first: values that are equal also share their day and their tail.
        for mode in ("same", "opens", "tail", "day"):
            # The mirror image says nothing new, and two flags agree by chance.
            if mode == "same" and ((path, name) in same or isinstance(both[0][0], bool)):
                break
            if all(repeats_value(mode, one, other) for one, other in both):
                # One value that is the same each time may be a coincidence, unless it is the argument itself.
                distinct = len({str(one) for one, _ in both})
                if distinct >= 2 or (mode == "same" and name.startswith(ARGUMENT)):
                    yield Echoes(distinct, name, path, mode)
                same.add((name, path))
                break


def _before(views: Sequence[FlatCall]) -> Iterator[Before]:
    """Times and numbers in an order, where the two differ at all."""
    names = list(dict.fromkeys(name for view in views for name in view.values if name not in view.listed))
    times = [name for name in names if all(map(_time, (v for view in views for v in view.values.get(name, ()))))]
    amounts = [name for name in names if all(map(number, (v for view in views for v in view.values.get(name, ()))))]
    for group, is_times in ((times, True), (amounts[:NUMBERS], False)):
        for one, other in permutations(group, 2):
            # The caller orders its arguments; that says nothing of the tool's answers.
            if one.startswith(ARGUMENT) and other.startswith(ARGUMENT):
                continue
            both = {(view.single(one), view.single(other)) for view in views}
            both = {pair for pair in both if None not in pair}
            # Two numbers are in order by chance in half of the cases, so they need more witnesses than times do.
            if len(both) < (2 if is_times else 6):
                continue
            found = Before(len(both), one, other, is_times)
            differing = any(start != end for start, end in both)
            if differing and not any(found.breach(view) for view in views):
                yield found


def _time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if len(value) >= 10 and value[4] == "-" == value[7]:
        return value[:4].isdigit() and value[5:7].isdigit() and value[8:10].isdigit()
    return len(value) == 5 and value[2] == ":" and value[:2].isdigit() and value[3:].isdigit()


def _determined(views: Sequence[FlatCall], echoes: Iterable[Echoes]) -> Iterator[Determined]:
    """Fields that came with the same value whenever another field, or an argument, had the same."""
    plain = {(echo.name, echo.path) for echo in echoes if echo.mode == "same"}
    tables: dict[tuple[str, str], dict[str, Any]] = {}
    repeats: dict[tuple[str, str], int] = {}
    broken: set[tuple[str, str]] = set()
    for view in views:
        single = {name: found[0] for name, found in view.values.items() if len(found) == 1 and name not in view.listed}
        texts = [(name, value) for name, value in single.items() if isinstance(value, str) and 0 < len(value) <= 80]
        # Nothing is determined by a moment: what is true at noon need not be true at one.
        keys = [(name, value) for name, value in texts if not _time(value)]
        fields = [(name, value) for name, value in single.items() if not name.startswith(ARGUMENT)]
        for key, argument in keys:
            for path, answered in fields:
                pair = (key, path)
                if key == path or pair in broken or pair in plain or answered is None or answered == argument:
                    continue
                table = tables.setdefault(pair, {})
                if argument not in table:
                    table[argument] = answered
                elif table[argument] == answered:
                    repeats[pair] = repeats.get(pair, 0) + 1
                else:
                    # One contradiction ends it for good; without the mark the next answer would begin a new table.
                    broken.add(pair)
                    del tables[pair]
    for (key, path), table in tables.items():
        again = repeats.get((key, path), 0)
        # A field that is always the same is determined by everything, which finds nothing.
        several = len({str(value) for value in table.values()}) >= 2
        if again >= 2 and len(table) >= 2 and several and len(table) <= TABLE:
            yield Determined(again, key, path, table)


def _equations(views: Sequence[FlatCall], echoes: Iterable[Echoes]) -> Iterator[Equation]:
    """Numbers that follow from others."""
    repeated = {(echo.name, echo.path) for echo in echoes if echo.mode == "same"}
    shadows = {path for name, path in repeated} if repeated else set()  # what repeats another is looked at once
    rows, names = _table(views, shadows)
    if len(rows) < 2:
        return
    targets = [name for name in names if not name.startswith(ARGUMENT)]
    candidates = list(_candidates(names, targets))
    # The more relations are tried, the more hold by chance: each needs as many more digits of evidence (Bonferroni).
    needed = math.log10(max(1, len(candidates))) + BEYOND_CHANCE
    explained: set[tuple[str, ...]] = set()
    for target, op, inputs in candidates:
        terms = tuple(sorted((target, *inputs)))
        # a = b + c was found, so that b = a - c would break with it and say nothing new.
        if terms in explained and op == "sum":
            continue
        found = _held(target, op, inputs, rows, needed)
        if found is not None:
            explained.add(terms)
            yield found


def _table(views: Sequence[FlatCall], shadows: set[str]) -> tuple[list[dict[str, float]], list[str]]:
    """The numbers of each answer, and the names that all of them have."""
    rows = [{name: value for name in view.numbers() if (value := view.number(name)) is not None} for view in views]
    usual = max(map(len, rows), default=0)
    rows = [row for row in rows if len(row) >= usual / 2]
    # A relation that only some answers can show would be mined from too few.
    names = [name for name in rows[0] if all(name in row for row in rows)] if rows else []
    names = [name for name in names if name not in shadows]
    # Fields before aggregates, which are then the first to be left out where there are too many.
    plain = [name for name in names if " of " not in name]
    return rows, [*plain, *(name for name in names if " of " in name)][:NUMBERS]


def _candidates(names: Sequence[str], targets: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for target in targets:
        # Two figures of one list are related by being of one list.
        others = [name for name in names if name != target and not (" of " in target and " of " in name)]
        # Lines come first: `explained` then spares sums that say the same.
        for name in others:
            yield target, "line", (name,)
        # A count of items is not a sum, product or percentage of amounts.
        if target.startswith(NUMBER_OF):
            continue
        for pair in combinations(others, 2):
            yield target, "sum", pair
            yield target, "product", pair
        for pair in permutations(others, 2):
            yield target, "percent", pair
            yield target, "after", pair
        for triple in combinations([name for name in others if " of " not in name], 3):
            yield target, "sum", triple


def _held(
    target: str, op: str, inputs: tuple[str, ...], rows: Sequence[dict[str, float]], needed: float
) -> Equation | None:
    """The equation, where it holds of every row and hardly by chance."""
    first = rows[0]
    constants = (1.0, 0.0)
    if op == "line":
        line = _line(target, inputs[0], rows)
        if line is None:
            return None
        constants = line
    elif not equals_rounded(first[target], equation_result(op, [first[name] for name in inputs])):
        return None  # most fall here
    points: dict[tuple[float, ...], tuple[float, float]] = {}
    for row in rows:
        values = [row[name] for name in inputs]
        right = equation_result(op, values, constants)
        if not equals_rounded(row[target], right):
            return None
        if not _trivial(op, values):
            points[(row[target], *values)] = (row[target], right)
    results = [pair[0] for pair in points.values()]
    # Constants fitted to the data explain as many points by themselves.
    free = 2 if op == "line" and constants[1] else 1 if op == "line" and constants[0] != 1 else 0
    if len(set(results)) < 2 + free:
        return None
    against = (len(points) - free) * -math.log10(_chance(list(points.values())))
    return Equation(len(points) - free, target, op, inputs, constants) if against >= needed else None


def _trivial(op: str, values: Sequence[float]) -> bool:
    """Return whether the result is one of the terms, so that it says nothing of the relation."""
    if op == "sum":
        return sum(value != 0 for value in values) < len(values)
    if op in ("product", "percent", "after"):
        return 0 in values or (op == "product" and 1 in values) or (op == "percent" and 100 in values)
    return False


def _line(target: str, name: str, rows: Sequence[dict[str, float]]) -> tuple[float, float] | None:
    """Factor and constant of the line through the outermost points; None where there is none, or it is flat."""
    points = sorted({(row[name], row[target]) for row in rows})
    (x0, y0), (x1, y1) = points[0], points[-1]
    if len(points) < 3 or x0 == x1 or y0 == y1:
        return None
    # Rounded, since rates have few digits and the tool's rounding hides the rest.
    factor = float(f"{(y1 - y0) / (x1 - x0):.5g}")
    if all(equals_rounded(y, factor * x) for x, y in points):
        return factor, 0.0
    constant = float(f"{y1 - factor * x1:.6g}")
    return (factor, constant) if all(equals_rounded(y, factor * x + constant) for x, y in points) else None


def _chance(points: Sequence[tuple[float, float]]) -> float:
    """The chance that one answer fits by accident: the share of fits across answers, at least the tolerance's."""
    results = [pair[0] for pair in points]
    spread = max(results) - min(results)
    tolerance = 2 * max(0.011, 5e-4 * median(map(abs, results)))
    floor = min(1.0, tolerance / spread) if spread else 1.0
    # Pairs grow with the square; 20 points make 380.
    sample = points[:20]
    crossed = [equals_rounded(one[0], other[1]) for one, other in permutations(sample, 2)]
    share = sum(crossed) / len(crossed) if crossed else 1.0
    return min(0.99, max(share, floor, 1e-6))
