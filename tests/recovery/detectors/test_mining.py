"""What is mined is what is true of the tool, and nothing that is so by chance."""

from __future__ import annotations

import random

import pytest

from sealegs.recovery.detectors.flat_call import FlatCall
from sealegs.recovery.detectors.relations import Before, Determined, Echoes, Equation
from sealegs.recovery.detectors.statement_mining import mine_statements
from sealegs.recovery.detectors.statements import Filled, Formed, KnownValues, NeverNegative, Statement, Within
from tests.recovery.detectors.shop import pair


def views(count: int, seed: int = 1) -> list[FlatCall]:
    draw = random.Random(seed)
    return [FlatCall(*pair(draw)) for _ in range(count)]


def shop(count: int = 40) -> list[Statement]:
    return mine_statements(views(count))


def test_every_relation_of_the_tool_is_found() -> None:
    found = shop()
    equations = {(one.target, one.op, one.inputs) for one in found if isinstance(one, Equation)}
    assert ("total", "sum", ("net", "shipping")) in equations
    assert ("net", "product", ("unit_price", "argument:chunks")) in equations
    assert ("extra_total", "line", ("sum of extras.amount",)) in equations
    assert ("extra_count", "line", ("number of extras",)) in equations
    echoes = {(one.name, one.path) for one in found if isinstance(one, Echoes)}
    assert echoes >= {("argument:sku", "sku"), ("argument:chunks", "chunks"), ("argument:city", "city")}
    assert any(isinstance(one, Before) and (one.earlier, one.later) == ("ordered_on", "due_on") for one in found)
    tables = {(one.key, one.path): one.table for one in found if isinstance(one, Determined)}
    assert tables["city", "country"]["Oslo"] == "Norway"
    assert {one.path for one in found if isinstance(one, KnownValues)} >= {"status", "city", "country"}
    assert "mood" not in {one.path for one in found if isinstance(one, NeverNegative)}
    assert {one.path for one in found if isinstance(one, Filled)} >= {"order_id", "extras.amount"}
    assert [one.forms.off("ORD-12AB99Z9") for one in found if isinstance(one, Formed) and one.path == "order_id"] == [0]


@pytest.mark.parametrize("count", [3, 5, 12])
def test_numbers_without_a_relation_give_no_equation(count: int) -> None:
    wrong = 0
    for seed in range(60):
        draw = random.Random(seed)
        names = [f"n{i}" for i in range(9)]
        made = [FlatCall({}, {name: draw.choice([1, 10, 500]) * draw.random() for name in names}) for _ in range(count)]
        wrong += sum(isinstance(one, Equation) for one in mine_statements(made))
    assert wrong <= 1  # a hundredth of a chance hit is allowed in each of the 60


def test_small_whole_numbers_give_hardly_any_equation() -> None:
    wrong = 0
    for seed in range(60):
        draw = random.Random(seed)
        made = [FlatCall({}, {f"n{i}": draw.randrange(1, 6) for i in range(8)}) for _ in range(4)]
        wrong += sum(isinstance(one, Equation) for one in mine_statements(made))
    assert wrong <= 2


def test_all_statements_are_true_of_what_they_were_mined_from() -> None:
    own = views(30)
    assert not [one for one in mine_statements(own) for view in own if one.breach(view)]


def test_one_exception_ends_a_relation() -> None:
    own = views(40)
    arguments, answer = pair(random.Random(99))
    left = mine_statements([*own, FlatCall(arguments, {**answer, "total": answer["total"] * 2, "country": "Nowhere"})])
    assert ("total", "sum", ("net", "shipping")) not in {
        (one.target, one.op, one.inputs) for one in left if isinstance(one, Equation)
    }
    assert ("city", "country") not in {(one.key, one.path) for one in left if isinstance(one, Determined)}


def test_a_unit_has_a_range_of_its_own() -> None:
    made = [FlatCall({}, {"t": 10.0 + i, "unit": "C"}) for i in range(6)]
    made += [FlatCall({}, {"t": 50.0 + i, "unit": "F"}) for i in range(6)]
    ranges = {one.where: (one.low, one.high) for one in mine_statements(made) if isinstance(one, Within)}
    assert ranges[("unit", "C")] == (10.0, 15.0)
    assert ranges[("unit", "F")] == (50.0, 55.0)


def test_a_line_is_found_with_its_constant() -> None:
    made = [FlatCall({"c": c}, {"f": round(c * 1.8 + 32, 2)}) for c in (-7.5, 0.0, 3.2, 21.0, 38.4)]
    found = [one for one in mine_statements(made) if isinstance(one, Equation)]
    assert [(one.target, one.text()) for one in found] == [("f", "1.8 x the argument c + 32")]
