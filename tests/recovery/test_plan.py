"""A recovery plan in a file does what the same policies in code do, and its mistakes are reported together."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.plan_policies import POLICIES, PlanParts, make_policy
from sealegs.recovery.recovery_plan import RecoveryPlan, read_recovery_plan
from tests.recovery.stage import BUSY, FINE, GONE, Stage

WHOLE = """
policies: [parse, {retry: {base: 0.5, tries: {transient: 1}}}, {breaker: {failures: 9}}, switch, stop]
budget: {calls: 3, seconds: 10}
tools:
  get_rate: {effects: false}
alternatives:
  - tool: get_rate
    steps:
      - {tool: find, arguments: {what: {given: base}, side: {fixed: mid}}}
      - {tool: quote, arguments: {id: {step: 0, path: found.id}}}
    answer: {rate: {step: 1, path: mid}}
"""

WRONG = """
policies: [parse, {retry: {bse: 1}}]
budget: {calls: -1}
alternatives:
  - tool: a
    steps: [{tool: b, arguments: {x: {given: y, fixed: 1}}}]
    answer: {}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "recovery.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_plan_from_a_file_recovers(tmp_path: Path) -> None:
    plan = read_recovery_plan(written(tmp_path, WHOLE))
    scripts: dict[str, list[Outcome]] = {
        "get_rate": [BUSY, GONE],
        "find": [Value({"found": {"id": 7}})],
        "quote": [Value({"mid": 1.1})],
    }
    scene = Stage(plan.layer(), scripts)
    assert scene.call("get_rate", base="EUR") == Value({"rate": 1.1})
    assert scene.made == [
        ("get_rate", {"base": "EUR"}),
        ("get_rate", {"base": "EUR"}),
        ("find", {"what": "EUR", "side": "mid"}),
        ("quote", {"id": 7}),
    ]


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_stands_in_records_under_the_name_in_plans(name: str) -> None:
    parts = PlanParts(alternatives=(), checks={}, adviser=None, seed=0)
    assert make_policy(name, parts).name == name
    assert make_policy({name: {}}, parts).name == name


def test_an_empty_file_is_the_active_form(tmp_path: Path) -> None:
    plan = read_recovery_plan(written(tmp_path, "tools: {price: {effects: false}}\n"))
    assert Stage(plan.layer(), {"price": [BUSY, FINE]}).call("price") == FINE


def test_all_mistakes_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_recovery_plan(written(tmp_path, WRONG))
    message = str(caught.value)
    assert "budget.calls" in message
    assert "-1" in message
    assert "{given: NAME}" in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("policies: [{retry: {bse: 1}}]", "bse"),
        ("policies: [sleep]", r"policies\.0: \"sleep\": .*unknown policy 'sleep': choose from parse, mend_arguments"),
        ("policies: [{sleep: {}}]", "unknown policy 'sleep'"),
        ("policies: [{parse: {}, stop: {}}]", "one policy"),
        ("alternatives: [{tool: a, steps: [{tool: b}], answer: {x: {step: 1, path: y}}}]", "from step 1"),
        ("polices: []", "polices"),
        ("tools: {pay: {verify: {done: {path: a, exists: true}}}}", r"tools\.pay\.verify\.tool"),
        ("tools: {pay: {verify: {tool: '', done: {path: a, exists: true}}}}", r"verify\.tool: \"\""),
        ("tools: {pay: {verify: {tool: look, done: {path: a, is: b}}}}", r"done\.is"),
        ("tools: {pay: {verify: {tool: look, done: {path: a}}}}", "should be {path: PATH, equals: SOURCE}"),
        ("tools: {pay: {verify: {tool: look, done: {path: a, equals: b}}}}", r"done\.equals"),
        ("tools: {pay: {verify: {tool: pay, done: {path: a, exists: true}}}}", "verifies pay by itself"),
        (
            "tools: {pay: {verify: {tool: look, done: {path: a, exists: true}, answer: {id: {entry: id}}}}}",
            "`done` finds no entry",
        ),
        ("tools: {get: {effects: false, key: token}}", "has no effects"),
        ("tools: {pay: {key: token, parameters: {properties: {amount: {}}}}}", "no parameter 'token'.*it has amount"),
        (
            "tools: {pay: {parameters: {properties: {amount: {}}},"
            " verify: {tool: look, done: {path: a, equals: {given: sum}}}}}",
            "no parameter 'sum'",
        ),
        (
            "policies: [retry]\ntools: {pay: {verify: {tool: look, done: {path: a, exists: true}}}}",
            "has no policy `verify`",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(UserError, match=part):
        read_recovery_plan(written(tmp_path, text))


DECLARED = """
tools:
  "*": {effects: true}
  "get_*": {effects: false}
  get_*_twice: {idempotent: true}
  get_and_pay: {effects: true}
  known: {idempotent: true}
  pay:
    verify:
      tool: get_payments
      arguments: {account: {given: account}}
      done: {all: [{path: count, at_least: 1}, {entries: payments, where: {amount: {given: amount}}}]}
      answer: {id: {entry: ref}, sum.amount: {given: amount}, seen: {path: count}, by: {fixed: us}}
"""


def test_the_most_specific_name_declares_a_tool(tmp_path: Path) -> None:
    for tool, calls in (("get_rate", 2), ("put_rate", 1), ("get_it_twice", 2), ("get_and_pay", 1), ("known", 2)):
        plan = read_recovery_plan(written(tmp_path, DECLARED))
        scene = Stage(plan.layer(), {tool: [BUSY, FINE]}, (ToolSpec("known", effects=True),))
        scene.call(tool)
        assert len(scene.made) == calls, tool


def test_a_plan_verifies(tmp_path: Path) -> None:
    plan = read_recovery_plan(written(tmp_path, DECLARED))
    payments = Value({"count": 2, "payments": [{"amount": 4, "ref": "a"}, {"amount": "5", "ref": "b"}]})
    scene = Stage(plan.layer(), {"pay": [BUSY], "get_payments": [payments]})
    found = scene.call("pay", account="x", amount=5)
    assert found == Value({"id": "b", "sum": {"amount": 5}, "seen": 2, "by": "us"})
    assert scene.made == [("pay", {"account": "x", "amount": 5}), ("get_payments", {"account": "x"})]


def test_advice_comes_from_the_shipped_bank() -> None:
    seen = Stage(RecoveryPlan(policies=("advise",)).layer(), {"price": [BUSY]}).call("price")
    assert isinstance(seen, Failure)
    assert seen.message.startswith("Service Unavailable\n\nRecovery: The service is down for the moment. If the")


OWN = """
shipped: false
exemplars:
  - name: till-busy
    cause: unavailable
    status: [503]
    types: [ServiceUnavailable]
    looks: [Service Unavailable]
    diagnosis: The till is being counted.
    steps: [Ask again after noon.]
    stop: it is evening.
"""


def test_advice_comes_from_the_bank_beside_the_plan(tmp_path: Path) -> None:
    (tmp_path / "banks").mkdir()
    (tmp_path / "banks" / "own.yaml").write_text(OWN, encoding="utf-8")
    plan = read_recovery_plan(written(tmp_path, "policies: [advise]\nbank: banks/own.yaml\n"))
    seen = Stage(plan.layer(), {"price": [BUSY, GONE]})
    first, second = seen.call("price"), seen.call("price")
    assert isinstance(first, Failure)
    assert first.message.endswith("took effect. 1. Ask again after noon. Stop when it is evening.")
    assert second == GONE  # nothing near in this bank
    (tmp_path / "banks" / "own.yaml").unlink()
    plan.layer()  # the bank of a plan is read once


def test_an_invalid_bank_is_reported_when_the_plan_is_read(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("exemplars: [{name: X y}]", encoding="utf-8")
    with pytest.raises(UserError, match=r"own\.yaml is not an exemplar bank") as caught:
        read_recovery_plan(written(tmp_path, "policies: [advise]\nbank: own.yaml\n"))
    assert "exemplars[0].name" in str(caught.value)
    assert "exemplars[0].diagnosis" in str(caught.value)
    with pytest.raises(UserError, match="does not exist"):
        read_recovery_plan(written(tmp_path, "policies: [advise]\nbank: none.yaml\n"))


def test_a_bank_that_nobody_asks_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="advise"):
        read_recovery_plan(written(tmp_path, "bank: own.yaml\n"))
