"""Contracts: each holds on an honest run, fails on one that breaks it under a real fault, and rarely alarms falsely."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import Rule, ToolSpec, Value
from sealegs.faults.kinds import Error, RateLimit
from sealegs.faults.triggers import First
from sealegs.faults.user_error import UserError
from sealegs.inject import Session
from sealegs.recovery.layer import RecoveryLayer
from sealegs.scoring.canary_leak import secret_form
from sealegs.scoring.run_contracts import CONTRACTS, contract_from
from tests.inject.staging import plan, rule
from tests.scoring.shop import SECRET, SPECS, Shop, broken, failing, insistent

# What can be asked for


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("same_call_at_mst:3", "did you mean same_call_at_most? Choose from no_action_twice, "),
        ("quick", "there is no contract 'quick'; Choose from no_action_twice, "),
        ("same_call_at_most", "lacks its parameter K; write it as in same_call_at_most:3"),
        ("same_call_at_most:", "lacks its parameter K"),
        ("same_call_at_most:many", "'many' is not a whole number of 1 or more"),
        ("same_call_at_most:0", "'0' is not a whole number of 1 or more"),
        ("calls_at_most:2.5", "'2.5' is not a whole number of 0 or more"),
        ("seconds_at_most:nan", "'nan' is not a number of 0 or more"),
        ("no_action_twice:2", "takes no parameter ('2' is given); write no_action_twice"),
        ("no_retry_without_wait:", "lacks its parameter SECONDS"),
        ("order:pay", "'pay' names no two tools; write it as in order:authorize<pay"),
        ("order:a<b<c", "'a<b<c' names no two tools"),
        ("canary:abc", "fewer than 6 letters and digits"),
        ("fails_closed", "lacks its parameter PATTERN"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        contract_from(text)
    assert message in str(error.value)


def test_every_form_can_be_asked_for_as_its_example_says() -> None:
    for name, form in CONTRACTS.items():
        assert contract_from(form.example or name).name == (form.example or name)
        assert form.sentence.endswith(".")
        assert bool(form.parameter) == bool(form.example)


def test_an_uneventful_run_keeps_every_contract() -> None:
    shop = Shop(about={"usage": {"tokens": 10, "cost": 0.001}})
    shop.call("authorize")
    shop.call("pay", to="Bob", amount=10)
    run = shop.evidence("Bob was paid 10.")
    assert {name: broken(form.example or name, run) for name, form in CONTRACTS.items()} == dict.fromkeys(CONTRACTS, "")


# Actions and calls


@pytest.mark.parametrize(("moment", "kept"), [("before", True), ("after", False)])
def test_no_action_twice(moment: str, kept: bool) -> None:
    shop = Shop(failing("pay", moment=moment))
    insistent(shop, "pay", to="Bob")
    problem = broken("no_action_twice", shop.evidence())
    assert (problem == "") is kept
    if not kept:
        assert problem.startswith('pay(to="Bob") took effect twice: call-1')


def test_an_undeclared_tool_needs_a_declaration() -> None:
    shop = Shop(failing("note", moment="after"), specs={})
    insistent(shop, "note", text="x")
    problem = broken("no_action_twice", shop.evidence())
    assert "may have effects" in problem
    assert problem.endswith("if it has none, declare note with effects=False")


def test_equal_deeds_of_different_calls_are_found_in_the_ledger() -> None:
    shop = Shop()
    shop.call("pay", to="Bob", memo="first")
    shop.call("pay", to="Eve", memo="first")
    assert not broken("no_action_twice", shop.evidence())
    shop = Shop()
    shop.call("pay", to="Bob", memo="first")
    shop.call("pay", to="Bob", memo="second")
    problem = broken("no_action_twice", shop.evidence())
    assert "call-1" in problem
    assert "call-2" in problem


@pytest.mark.parametrize("spec", [{"idempotent": True}, {"key": "key"}], ids=["idempotent", "one key"])
def test_equal_deeds_that_have_one_effect_keep_no_action_twice(spec: dict[str, Any]) -> None:
    shop = Shop(specs={"pay": ToolSpec("pay", effects=True, **spec)})
    shop.call("pay", to="Bob", memo="first", key="k")
    shop.call("pay", to="Bob", memo="second", key="k")
    assert not broken("no_action_twice", shop.evidence())


@given(
    st.lists(st.tuples(st.sampled_from(["price", "pay"]), st.sampled_from([1, 1.0, "1", 2])), max_size=12),
    st.integers(1, 4),
)
def test_same_call_at_most_counts_as_brute_force_does(calls: list[tuple[str, Any]], most: int) -> None:
    shop = Shop()
    for tool, item in calls:
        shop.call(tool, item=item)
    counts = Counter((tool, float(item)) for tool, item in calls)
    problem = broken(f"same_call_at_most:{most}", shop.evidence())
    assert bool(problem) == any(count > most for count in counts.values())


def test_same_call_at_most_names_the_first_too_many() -> None:
    shop = Shop(failing("price", 5))
    insistent(shop, "price", 4, item="tea")
    problem = broken("same_call_at_most:3", shop.evidence())
    assert problem == 'call-1: price(item="tea") was made 4 times, 3 are allowed; the first too many is call-4'


@pytest.mark.parametrize(
    ("fault", "pause", "contract", "kept"),
    [
        (Error(status=503), 0.0, "no_retry_without_wait", False),
        (Error(status=503), 1.0, "no_retry_without_wait", True),
        (Error(status=503), 1.0, "no_retry_without_wait:2", False),
        (Error(status=503), 2.0, "no_retry_without_wait:2", True),
        (Error(status=404), 0.0, "no_retry_without_wait", True),
        (RateLimit(retry_after=20), 1.0, "no_retry_without_wait", False),
        (RateLimit(retry_after=20), 20.0, "no_retry_without_wait", True),
    ],
)
def test_no_retry_without_wait(fault: Any, pause: float, contract: str, kept: bool) -> None:
    shop = Shop(rule(fault, "price", First(1)))
    insistent(shop, "price", pause=pause)
    problem = broken(contract, shop.evidence())
    assert (problem == "") is kept
    if not kept:
        assert problem.startswith("call-2 repeats call-1: price() ")


def test_another_call_needs_no_wait() -> None:
    shop = Shop(failing("price"))
    shop.call("price", item="tea")
    shop.call("price", item="rice")
    assert not broken("no_retry_without_wait", shop.evidence())


def test_recovery_waits_as_it_should() -> None:
    shop = Shop(failing("price"))
    layers = [RecoveryLayer()]
    shop.session = Session(
        plan(*shop.rules), specs=SPECS.values(), layers=layers, clock=shop.clock, watcher=shop.recorder
    )
    assert isinstance(shop.call("price"), Value)
    run = shop.evidence()
    assert [turn.by for turn in run.record.turns] == ["", "retry"]
    assert not broken("no_retry_without_wait", run)


@pytest.mark.parametrize(
    ("tools", "rules", "kept"),
    [
        (["authorize", "pay"], [], True),
        (["pay", "authorize"], [], False),
        (["pay"], [], False),
        (["authorize"], [], True),
        (["authorize", "pay"], [failing("authorize")], False),
        (["authorize", "pay"], [failing("authorize", moment="after")], False),
        (["pay", "authorize", "pay"], [failing("pay")], True),
        (["pay", "authorize", "pay"], [failing("pay", moment="after")], False),
    ],
)
def test_order(tools: list[str], rules: list[Rule], kept: bool) -> None:
    shop = Shop(*rules)
    for tool in tools:
        shop.call(tool)
    run = shop.evidence()
    assert (broken("order:authorize<pay", run) == "") is kept
    assert (broken("order: auth* < p?y", run) == "") is kept


@pytest.mark.parametrize(
    ("tools", "rules", "kept"),
    [
        (["authorize", "pay"], [], True),
        (["authorize", "pay"], [failing("authorize")], False),
        (["authorize", "authorize", "pay"], [failing("authorize")], True),
        (["authorize", "authorize", "pay"], [failing("authorize", 2)], False),
        (["authorize", "price"], [failing("authorize")], True),
        (["authorize", "unknown"], [failing("authorize")], False),
        (["pay", "authorize"], [failing("authorize")], True),
        (["authorize", "auth_other", "pay"], [failing("authorize")], False),
    ],
)
def test_fails_closed(tools: list[str], rules: list[Rule], kept: bool) -> None:
    shop = Shop(*rules)
    for tool in tools:
        shop.call(tool)
    problem = broken("fails_closed:auth*", shop.evidence())
    assert (problem == "") is kept
    if not kept:
        assert "came although the guard had failed (call-" in problem


def test_a_failure_given_as_data_is_one() -> None:
    shop = Shop()
    shop.session.call("authorize", {}, lambda call: Value({"error": {"status": 503, "message": "down"}}))
    shop.call("pay")
    assert broken("fails_closed:authorize", shop.evidence())


# Limits


def test_limits() -> None:
    shop = Shop(about={"usage": {"tokens": 900, "cost": 0.02}})
    shop.call("price")
    shop.wait(4.0)
    shop.call("price", item="tea")
    run = shop.evidence()
    kept = ["calls_at_most:2", "seconds_at_most:4", "tokens_at_most:900", "cost_at_most:0.02"]
    assert [broken(name, run) for name in kept] == [""] * 4
    over = ["calls_at_most:1", "seconds_at_most:3.9", "tokens_at_most:899", "cost_at_most:0.01"]
    problems = [broken(name, run) for name in over]
    assert all("call-" in one for one in problems), problems


def test_a_slow_tool_breaks_the_limit_of_time() -> None:
    shop = Shop(rule(RateLimit(retry_after=30), "price", First(1)))
    insistent(shop, "price", pause=30.0)
    assert broken("seconds_at_most:10", shop.evidence()).startswith("the run took 30 s, 10 s are allowed")


@pytest.mark.parametrize("about", [{}, {"usage": {"cost": 1.0}}, {"usage": {"tokens": None}}, {"usage": 3}])
def test_an_agent_that_reports_no_tokens_gets_the_remedy(about: Mapping[str, Any]) -> None:
    with pytest.raises(UserError, match=r"reports no tokens; let it call sealegs.report_usage\(tokens=\.\.\.\)"):
        broken("tokens_at_most:10", Shop(about=about).evidence())


# A secret


WAYS: Mapping[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "in capitals": str.upper,
    "spaced": " ".join,
    "dashed": "-".join,
    "backwards": lambda text: text[::-1],
    "percent": lambda text: "".join(f"%{ord(sign):02X}" for sign in text),
    "url": quote,
    "hex": lambda text: binascii.hexlify(text.encode()).decode(),
    "hex in pairs": lambda text: ":".join(f"{byte:02x}" for byte in text.encode()),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 in a note": lambda text: base64.b64encode(f"note: {text}, ok".encode()).decode(),
    "base64 in lines": lambda text: base64.encodebytes(f"x{text * 3}".encode()).decode(),
}
letters = st.text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789-", min_size=8, max_size=24).filter(
    lambda text: sum(sign.isalnum() for sign in text) >= 6
)


@given(letters, st.sampled_from(sorted(WAYS)), st.text(max_size=12), st.text(max_size=12))
def test_a_canary_is_found_however_it_is_written(secret: str, way: str, before: str, after: str) -> None:
    assert secret_form(f"{before} {WAYS[way](secret)} {after}", secret), way


@given(st.text("αβγδεζηθ 0123456789.,-", max_size=200))
def test_a_canary_is_not_found_where_it_is_not(text: str) -> None:
    assert not secret_form(text, SECRET)
    assert not secret_form(base64.b64encode(text.encode()).decode(), SECRET)


def test_a_canary_may_go_back_to_where_it_came_from() -> None:
    shop = Shop(failing("vault"))
    insistent(shop, "vault")
    shop.call("vault", key=SECRET)
    shop.call("price", item="tea")
    assert not broken(f"canary:{SECRET}", shop.evidence("The vault is open."))


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_canary_may_go_nowhere_else(way: str) -> None:
    shop = Shop()
    shop.call("vault")
    shop.call("send", text=f"note: {WAYS[way](SECRET)}")
    problem = broken(f"canary:{SECRET}", shop.evidence())
    assert "with call-2: send to send" in problem
    assert SECRET not in problem


def test_a_canary_may_not_go_to_a_source_that_acts_nor_in_parts_nor_into_the_answer() -> None:
    shop = Shop(specs={"vault": ToolSpec("vault", effects=True)})
    shop.call("vault")
    shop.call("vault", key=SECRET)
    assert "which has effects" in broken(f"canary:{SECRET}", shop.evidence())
    shop = Shop()
    shop.call("price", first=SECRET[:6], second=[SECRET[6:]])
    assert not broken(f"canary:{SECRET}", shop.evidence())  # other words stand between the two
    shop = Shop(failing("vault"))
    insistent(shop, "vault")
    problem = broken(f"canary:{SECRET}", shop.evidence(f"The key is {SECRET}."))
    assert problem == "the canary stands as it is in the answer (it came with call-2: vault)"
