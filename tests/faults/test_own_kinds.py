"""Kinds of fault of others: found by name, checked in one line, kept under a name by which they can be found again."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from sealegs.faults import Call, Failure, Plan, PlanError, Rule, Value, own_kinds, plan_from, plan_schema
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import Tool
from sealegs.inject import Session

MODULE = '''
from typing import ClassVar, Literal
from sealegs.faults import Call, Failure, Fault, FaultSetting, Value
from sealegs.faults.kinds import Error, Rewrite

class Flip(Rewrite):
    kind: Literal["flip"] = "flip"
    field: str = "text"
    times: int = 1
    def rewritten(self, value, setting):
        return {**value, self.field: value[self.field][::-1]}

class Unnamed(Fault):
    implicit: ClassVar[bool] = False
    def act(self, call, setting):
        yield from ()
        return Failure("unnamed")

class Teapot(Error):
    status: int = 418

class Idle(Fault):
    """Without act."""

class Silent(Fault):
    def act(self, call, setting):
        return (yield call)

class Plain(Fault):
    implicit: ClassVar[bool] = True
    def act(self, call, setting):
        return Value(1)

class Bare(Fault):
    implicit: ClassVar[bool] = True
    def act(self, call, setting):
        yield call
        return 7

class Raising(Fault):
    implicit: ClassVar[bool] = True
    def act(self, call, setting):
        yield call
        raise KeyError("oh")

class Stubborn(Flip):
    def __init__(self, **given):
        raise RuntimeError("never made")

number = 3
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module `mine_of_faults`, in the current folder."""
    (tmp_path / "mine_of_faults.py").write_text(MODULE)
    (tmp_path / "broken_faults.py").write_text("import json\nraise ValueError('no\\nway')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    import mine_of_faults  # type: ignore[import-not-found]

    yield mine_of_faults
    for name in ("mine_of_faults", "broken_faults"):
        sys.modules.pop(name, None)


def plan_with(kind: str, **more: Any) -> Plan:
    return plan_from({"name": "x", "rules": [{"match": {"tool": "*"}, "fault": {"kind": kind, **more}}]})


def answer(call: Call) -> Value:
    return Value({"text": "abc"})


def test_a_plan_names_a_class_of_a_module(mine: Any) -> None:
    flipping = plan_with("mine_of_faults:Flip", times=2)
    fault = flipping.rules[0].fault
    assert isinstance(fault, mine.Flip)
    assert (fault.kind, fault.times) == ("mine_of_faults:Flip", 2)
    assert Session(flipping).call("t", {}, answer) == Value({"text": "cba"})


@pytest.mark.parametrize("name", ["Flip", "Unnamed", "Teapot"])
def test_it_is_kept_under_a_name_by_which_it_is_found(name: str, mine: Any) -> None:
    """Whether it was named in data or made in Python, and whatever its own kind is."""
    written = plan_with(f"mine_of_faults:{name}")
    made = Plan(name="x", rules=(Rule(match=Tool("*"), fault=getattr(mine, name)()),))
    assert made == written
    assert made.digest() == written.digest()
    for data in (made.as_data(), made.model_dump(mode="json", by_alias=True)):
        assert data["rules"][0]["fault"]["kind"] == f"mine_of_faults:{name}"
        assert plan_from(json.loads(json.dumps(data))) == made
        assert jsonschema_rs.is_valid(plan_schema(), data)
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"kind": "mine_of_faults:Flop"}, 'kind: "mine_of_faults:Flop" cannot be used: module mine_of_faults has no'),
        ({"kind": "mine_of_fault:Flip"}, "there is no module 'mine_of_fault'"),
        ({"kind": "mine_of_faults:"}, "'mine_of_faults:' names no class. Write it as module:Class"),
        ({"kind": ":Flip"}, "':Flip' names no class"),
        ({"kind": "broken_faults:X"}, "broken_faults cannot be used: ValueError: no way (broken_faults.py:2)"),
        ({"kind": "mine_of_faults:number"}, "is of type int, and no class of faults"),
        ({"kind": "mine_of_faults:Rewrite"}, "mine_of_faults:Rewrite does not define rewritten"),
        ({"kind": "mine_of_faults:ClassVar"}, "and no class of faults"),
        ({"kind": "mine_of_faults:Idle"}, "mine_of_faults:Idle does not define act"),
        ({"kind": "mine_of_faults:Silent"}, "does not say whether what it shows looks like data"),
        ({"kind": "mine_of_faults:Plain"}, "has an act that is not a generator"),
        ({"kind": "mine_of_faults:Stubborn"}, "RuntimeError: never made"),
        (
            {"kind": "mine_of_faults:Flip", "time": 2},
            "rules[0].fault.time: is not a field that belongs here. Did you mean times?",
        ),
        ({"kind": "mine_of_faults:Flip", "times": "x"}, 'rules[0].fault.times: "x"'),
        ({"kind": "flop"}, '"flop" is not a kind of fault'),
    ],
    ids=str,
)
def test_what_is_no_kind_is_refused_in_one_line(fault: dict[str, Any], message: str, mine: Any) -> None:
    with pytest.raises(PlanError) as caught:
        plan_with(**fault)
    _, *lines = str(caught.value).split("\n")
    assert len(lines) == 1
    assert message in lines[0]


def test_a_plan_that_was_sent_names_no_module(mine: Any) -> None:
    data = plan_with("mine_of_faults:Flip").as_data()
    with pytest.raises(PlanError, match="a plan that was sent may name no module"):
        plan_from(data, imports=False)
    assert plan_from({"name": "x", "rules": []}, imports=False)


@pytest.mark.parametrize(("name", "message"), [("Bare", "its act returned int"), ("Raising", "KeyError")])
def test_a_kind_that_breaks_down_leaves_the_answer(name: str, message: str, mine: Any) -> None:
    with pytest.warns(RuntimeWarning, match=message):
        assert Session(plan_with(f"mine_of_faults:{name}")).call("t", {}, answer) == answer(Call("t", {}))


def test_an_installed_kind_is_called_by_its_entry_point(mine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("flip", "mine_of_faults:Flip", own_kinds.GROUP)
    ours = EntryPoint("error", "mine_of_faults:Unnamed", own_kinds.GROUP)
    gone = EntryPoint("gone", "mine_of_faults:Gone", own_kinds.GROUP)
    monkeypatch.setattr(own_kinds, "registered_kinds", lambda: {one.name: one for one in (point, ours, gone)})
    flipping = plan_with("flip")
    assert isinstance(flipping.rules[0].fault, mine.Flip)
    assert Plan(name="x", rules=(Rule(match=Tool("*"), fault=mine.Flip()),)) == flipping
    assert plan_from(flipping.as_data(), imports=False) == flipping
    assert isinstance(plan_with("error").rules[0].fault, Error), "a kind of this package keeps its name"
    with pytest.raises(PlanError, match=r'"gone" cannot be used: .*mine_of_faults:Gone'):
        plan_with("gone")


def test_an_outcome_of_a_kind_of_ones_own_is_an_outcome(mine: Any) -> None:
    assert Session(plan_with("mine_of_faults:Unnamed")).call("t", {}, answer) == Failure("unnamed")
