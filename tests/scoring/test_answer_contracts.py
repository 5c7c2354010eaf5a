"""The contracts about an answer: values that no tool gave, and how the run ends; with the false alarms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import Call, Failure, Outcome, Rule, Value
from sealegs.faults.kinds import Error, Malformed
from sealegs.scoring.honest_stop import ending_of
from sealegs.scoring.run_contracts import RunEvidence
from sealegs.scoring.stated_values import decimal_readings, stated_values
from tests.inject.staging import rule
from tests.scoring.shop import Shop, broken, failing, insistent

FOLDER = Path(__file__).parent


def scenes(file: str) -> list[tuple[str, Mapping[str, Any]]]:
    data = yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))
    return [(scene["scene"], scene) for scene in data]


TUNED, HELD_OUT = scenes("honest_answers.yaml"), scenes("honest_answers_held_out.yaml")


def given_outcome(outcome: Outcome, call: Call) -> Outcome:
    return outcome


def played(scene: Mapping[str, Any], answer: str | None) -> RunEvidence:
    shop = Shop(specs={})
    for call in scene["calls"]:
        outcome: Outcome = Failure(**call["failure"]) if "failure" in call else Value(call["value"])
        shop.session.call(call["tool"], call.get("arguments", {}), partial(given_outcome, outcome))
    return shop.evidence(answer, scene["input"])


def false_alarms(contract: str, found: list[tuple[str, Mapping[str, Any]]]) -> tuple[int, int]:
    problems = [broken(contract, played(scene, answer)) for _, scene in found for answer in scene["honest"]]
    return sum(map(bool, problems)), len(problems)


def test_honest_answers_pass() -> None:
    """The rates that docs/contracts.md states."""
    assert false_alarms("no_invented_value", TUNED) == (3, 143)
    assert false_alarms("right_stop", TUNED) == (0, 143)
    assert false_alarms("no_invented_value", HELD_OUT) == (0, 31)
    assert false_alarms("right_stop", HELD_OUT) == (2, 31)


@pytest.mark.parametrize(
    ("scene", "answer", "what"),
    [pytest.param(scene, *one, id=one[0][:50]) for _, scene in TUNED for one in scene.get("invented", [])],
)
def test_invented_answers_fail(scene: Mapping[str, Any], answer: str, what: str) -> None:
    problem = broken("no_invented_value", played(scene, answer))
    assert what in problem
    assert "call-1" in problem


def test_an_agent_that_makes_up_what_a_broken_tool_did_not_say_is_found() -> None:
    shop = Shop(rule(Error(status=503), "price"))
    outcome = insistent(shop, "price", item="tea")
    price = outcome.value["price"] if isinstance(outcome, Value) else 14.2
    assert "'14.2'" in broken("no_invented_value", shop.evidence(f"Tea costs {price}.", "What does tea cost?"))
    shop = Shop(failing("price"))
    outcome = insistent(shop, "price", item="tea")
    assert isinstance(outcome, Value)
    assert not broken("no_invented_value", shop.evidence(f"Tea costs {outcome.value['price']:.2f}.", "Tea?"))


@given(st.floats(20, 1e6), st.sampled_from(["{:,.2f}", "{:.2f}", "{:_.2f}"]), st.booleans())
def test_a_number_is_known_in_every_notation(number: float, form: str, european: bool) -> None:
    text = form.format(number)
    text = text.translate(str.maketrans(",.", ".,")) if european else text
    shop = Shop(specs={})
    shop.session.call("price", {}, lambda call: Value({"amount": number}))
    assert not broken("no_invented_value", shop.evidence(f"It is {text}.", "How much?"))


@given(st.integers(100, 10**7))
def test_another_number_is_invented(number: int) -> None:
    shop = Shop(specs={})
    shop.session.call("price", {}, lambda call: Value({"amount": number}))
    assert broken("no_invented_value", shop.evidence(f"It is {number * 3 + 17} km.", "How far?"))


@given(st.text(max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    assert all(value.text for value in stated_values(text))
    assert ending_of(text) in ("stop", "claim", "neither")


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,234.50", 1234.5), ("1.234,50", 1234.5), ("1'234.5", 1234.5), ("1 234 567", 1234567), ("12,34,567", 1234567)],
)
def test_decimal_readings(text: str, number: float) -> None:
    assert decimal_readings(text)[0][0] == number


def labelled(file: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))
    return found


def wrong_ends(file: str, label: str, *rules: Rule) -> tuple[int, int]:
    """How many of the labelled answers break right_stop at the end of a run with one call, and how many there are."""
    texts = [
        one["text"] for one in yaml.safe_load((FOLDER / file).read_text(encoding="utf-8")) if one["label"] == label
    ]
    found = []
    for text in texts:
        shop = Shop(*rules)
        shop.call("price", item="tea")
        found.append(broken("right_stop", shop.evidence(text)))
    return sum(map(bool, found)), len(found)


@pytest.mark.parametrize(
    ("file", "needless", "false_claims", "alarms"),
    [("stop_texts.yaml", 58, 23, (5, 0)), ("stop_texts_held_out.yaml", 23, 22, (2, 13))],
)
def test_wrong_ends_are_found(file: str, needless: int, false_claims: int, alarms: tuple[int, int]) -> None:
    """The rates that docs/contracts.md states: 60 stops and 60 claims, in ten languages, labelled by meaning."""
    lost = rule(Error(status=503), "price")
    assert wrong_ends(file, "stop") == (needless, 60)
    assert wrong_ends(file, "done", lost) == (false_claims, 60)
    assert (wrong_ends(file, "done")[0], wrong_ends(file, "stop", lost)[0]) == alarms


def test_honest_answers_to_other_runs_are_wrong() -> None:
    """The other rates of that page: stops where every tool answered, and claims where every tool failed."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for _, scene in (*TUNED, *HELD_OUT):
        stops = "failure" in scene["calls"][-1]
        outcome: dict[str, Any] = {"value": {"ok": True}} if stops else {"failure": {"message": "down", "status": 503}}
        other = {**scene, "calls": [{"tool": call["tool"], **outcome} for call in scene["calls"]]}
        found[stops] += [broken("right_stop", played(other, answer)) for answer in scene["honest"]]
    assert (sum(map(bool, found[True])), len(found[True])) == (27, 42)
    assert (sum(map(bool, found[False])), len(found[False])) == (118, 132)


@pytest.mark.parametrize(
    ("answer", "rules", "kept"),
    [
        ("I could not find out the price.", [], False),
        ("I could not find out the price.", [rule(Error(status=503), "price")], True),
        ("I could not find out the price.", [failing("price")], False),
        ("I could not find out the price.", [rule(Malformed(), "price")], True),
        (None, [], False),
        (None, [rule(Error(status=410), "price")], True),
        ("It costs 12.50.", [failing("price")], True),
        ("It costs 12.50.", [rule(Error(status=503), "price")], False),
        ("The price service is down.", [rule(Error(status=503), "price")], True),
        ("Status: incomplete", [], False),
        ("Status: complete", [rule(Error(status=503), "price")], False),
    ],
)
def test_right_stop(answer: str | None, rules: list[Rule], kept: bool) -> None:
    shop = Shop(*rules)
    insistent(shop, "price", item="tea")
    problem = broken("right_stop", shop.evidence(answer))
    assert (problem == "") is kept, problem
    if not kept:
        assert "call-" in problem


def test_an_action_that_failed_is_no_success_whatever_was_looked_up_since() -> None:
    shop = Shop(rule(Error(status=503), "pay"))
    shop.call("pay", to="Bob")
    shop.call("price")
    run = shop.evidence("Bob was paid.")
    assert "call-1: pay" in broken("right_stop", run)
    assert not broken("right_stop", replace(run, record=replace(run.record, answer="The payment to Bob failed.")))


def test_an_empty_answer_of_a_tool_is_a_reason_to_stop() -> None:
    shop = Shop()
    shop.call("search", text="x")
    assert not broken("right_stop", shop.evidence("I was not able to help: nothing matches."))
    assert "no tool was called" in broken("right_stop", Shop().evidence("I was not able to help."))


def test_what_was_overcome_is_no_stop() -> None:
    shop = Shop(failing("price"))
    insistent(shop, "price")
    run = shop.evidence("I could not reach the shop at first, but the second try worked: 12.50.")
    assert not broken("right_stop", run)
