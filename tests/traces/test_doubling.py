"""What was done twice because nobody knew that it was done, found from the record alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from sealegs.adapters.python import wrap
from sealegs.faults import Rule, ToolSpec, Value
from sealegs.faults.call import Call
from sealegs.faults.fault import Fault
from sealegs.faults.kinds import Connection, Delay, Duplicate, Error, Hang, LostAck, Malformed, Timeout
from sealegs.faults.triggers import First
from sealegs.hunt.callables import _twice
from sealegs.inject import EndlessWait, Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.traces import Record, Recorder, build_record, decode_event, doubled_effects, encode_event, repetitions
from sealegs.traces.reported_effects import report_effect
from sealegs.traces.specs import noted_specs
from tests.inject.staging import plan, rule

PAY = ToolSpec("pay", effects=True)
LOST = [Error(status=503), Timeout(seconds=0.01), Connection(), Hang(), LostAck(seconds=0.01), Malformed()]


class Bank:
    """A tool with a ledger, and an agent that pays until it hears that it has."""

    def __init__(self, *rules: Rule, specs: Iterable[ToolSpec] = (PAY,), layers: Iterable[Any] = ()) -> None:
        self.paid: list[str] = []
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("episode", {})
        self.session = Session(
            plan(*rules), specs=specs, layers=tuple(layers), clock=clock, timeout=60.0, watcher=self.recorder
        )
        self.tool = wrap(self.pay, self.session)

    def pay(self, to: str, amount: float, key: str = "") -> dict[str, Any]:
        self.paid.append(to)
        return {"paid": amount, "number": len(self.paid)}

    def insist(self, *to: str, tries: int = 3, keys: Iterable[str] = ()) -> Bank:
        """Pay each of them, and again where that fails."""
        given = iter(keys)
        for one in to:
            for _ in range(tries):
                try:
                    if isinstance(self.tool(one, 10.0, **({"key": next(given)} if keys else {})), dict):
                        break
                except (Exception, EndlessWait):
                    continue
        return self

    def record(self) -> Record:
        """The record, as it is read from a file."""
        self.recorder.finish("answered")
        return build_record(
            [decode_event(json.loads(json.dumps(encode_event(event)))) for event in self.recorder.events]
        )


def once(fault: Fault, moment: str) -> Rule:
    return rule(fault, when=First(1), moment=moment)


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: fault.kind)
def test_a_retry_after_a_lost_answer_does_it_twice(fault: Fault) -> None:
    bank = Bank(once(fault, "after")).insist("Bob")
    (found,) = doubled_effects(bank.record())
    assert bank.paid == ["Bob", "Bob"]
    assert (found.first.call.id, found.second.call.id) == ("call-1", "call-2")
    assert found.says().startswith('pay(to="Bob", amount=10.0) took effect twice: call-1, whose answer was lost (')


@pytest.mark.parametrize("fault", [Error(status=503), Timeout(), Connection(), Hang()], ids=lambda fault: fault.kind)
def test_a_retry_of_what_was_not_done_is_right(fault: Fault) -> None:
    bank = Bank(once(fault, "before")).insist("Bob")
    assert (bank.paid, doubled_effects(bank.record())) == (["Bob"], ())


def test_every_further_time_counts() -> None:
    found = doubled_effects(Bank(rule(Error(status=503), when=First(2), moment="after")).insist("Bob").record())
    assert [(one.first.call.id, one.second.call.id) for one in found] == [("call-1", "call-2"), ("call-2", "call-3")]


def test_who_knows_that_it_is_done_may_do_it_again() -> None:
    assert not doubled_effects(Bank().insist("Bob", "Bob").record())
    found = doubled_effects(Bank(once(Error(status=503), "after")).insist("Bob", "Bob").record())
    assert [one.second.call.id for one in found] == ["call-2"]


@pytest.mark.parametrize("fault", [Delay(seconds=1.0), Duplicate()], ids=lambda fault: fault.kind)
def test_an_answer_that_comes_is_not_lost(fault: Fault) -> None:
    assert not doubled_effects(Bank(once(fault, "after")).insist("Bob", "Bob").record())


def test_other_arguments_are_another_matter() -> None:
    assert not doubled_effects(Bank(once(Error(status=503), "after")).insist("Bob", "Eve", tries=1).record())


@pytest.mark.parametrize("again", [{"amount": 10}, {"amount": "10"}, {"amount": 10.0, "memo": ""}])
@pytest.mark.parametrize("read", [False, True])
def test_equal_arguments_in_another_form_are_equal(again: dict[str, Any], read: bool) -> None:
    """A default that is spelled out too: the record notes the schema's."""
    schema = {"type": "object", "properties": {"amount": {}, "memo": {"default": ""}, "key": {}}}
    spec = ToolSpec("pay", effects=True, key="key", parameters=schema)
    bank = Bank(once(Error(status=503), "after"), specs=[spec])
    for arguments in ({"amount": 10.0}, again):
        bank.session.call("pay", arguments, lambda call: Value({"paid": call.arguments["amount"]}))
    found = bank.record()
    assert len(doubled_effects(found, [spec] if read else [])) == 1
    (tool,) = noted_specs(found.about)
    assert list(tool.parameters["properties"]) == ["key", "memo"]


def test_what_is_idempotent_is_done_once() -> None:
    specs = (ToolSpec("pay", effects=True, idempotent=True),)
    assert not repetitions(Bank(once(Error(status=503), "after"), specs=specs).insist("Bob").record())


@pytest.mark.parametrize(("keys", "times"), [(("a", "a"), 0), (("a", "b"), 1)])
def test_calls_that_share_a_key_are_one(keys: tuple[str, ...], times: int) -> None:
    specs = (ToolSpec("pay", effects=True, key="key"),)
    found = doubled_effects(Bank(once(Error(status=503), "after"), specs=specs).insist("Bob", keys=keys).record())
    assert len(found) == times


def test_calls_without_the_key_are_two() -> None:
    specs = (ToolSpec("pay", effects=True, key="key"),)
    assert doubled_effects(Bank(once(Error(status=503), "after"), specs=specs).insist("Bob").record())


def test_an_undeclared_tool_may_have_effects() -> None:
    found = Bank(once(Error(status=503), "after"), specs=()).insist("Bob").record()
    assert not doubled_effects(found)
    (one,) = repetitions(found)
    assert not one.declared
    assert "ran twice, and may have effects (nobody declared it)" in one.says()
    assert doubled_effects(found, [PAY])


def test_a_tool_without_effects_does_nothing_twice() -> None:
    specs = (ToolSpec("pay", effects=False),)
    assert not repetitions(Bank(once(LostAck(seconds=0.01), "after"), specs=specs).insist("Bob").record())


def test_two_calls_at_one_time_are_none_after_the_other() -> None:
    bank = Bank(once(Error(status=503), "after")).insist("Bob", tries=2)
    bank.record()
    events = list(bank.recorder.events)
    second = next(place for place, event in enumerate(events) if getattr(event, "call", "") == "call-2")
    events.insert(1, events.pop(second))
    assert not doubled_effects(build_record(events))


def test_what_recovery_did_twice_names_its_policy() -> None:
    wrongly = ToolSpec("pay", effects=True, idempotent=True)
    bank = Bank(once(Error(status=503), "after"), specs=[wrongly], layers=[RecoveryLayer()]).insist("Bob")
    (found,) = doubled_effects(bank.record(), [PAY])
    assert (bank.paid, found.first.by, found.second.by) == (["Bob", "Bob"], "", "retry")
    assert found.says().endswith("and call-1.1, which recovery made (retry)")


def test_the_record_alone_tells() -> None:
    found = Bank(once(Error(status=503), "after")).insist("Bob").record()
    schema = {"type": "object", "properties": {"key": {"default": ""}}}  # of parameters, those that may be left out
    assert found.about["tools"] == [{"name": "pay", "effects": True, "parameters": schema}]


# The ledger


class Ledger:
    """A tool that reports each payment, called with another note every time."""

    def __init__(self, *rules: Rule, spec: ToolSpec = PAY) -> None:
        self.recorder = Recorder(VirtualClock())
        self.recorder.start("episode", {})
        self.session = Session(plan(*rules), specs=[spec], clock=VirtualClock(), watcher=self.recorder)

    def pay(self, note: str, to: str = "Bob", tool: str = "pay") -> Ledger:
        self.session.call(tool, {"to": to, "note": note}, self._run)
        return self

    def _run(self, call: Call) -> Value:
        report_effect("paid", str(call.arguments["to"]), amount=10.0)
        return Value({"paid": 10.0})

    @property
    def record(self) -> Record:
        self.recorder.finish("answered")
        return build_record(self.recorder.events)


LOST_FIRST = rule(LostAck(seconds=0.01), when=First(1))


def test_an_equal_deed_after_a_lost_answer_is_doubled_whatever_the_other_arguments() -> None:
    record = Ledger(LOST_FIRST).pay("try 1").pay("try 2").record
    (found,) = doubled_effects(record)
    assert found.deed == record.effects[1]
    assert found.says() == (
        'paid Bob (amount=10.0) happened twice: by call-1: pay(to="Bob", note="try 1"), whose answer was lost (it was '
        'shown The request timed out after 0.01 s.), and by call-2: pay(to="Bob", note="try 2")'
    )
    symptom = _twice(record, None)
    assert symptom is not None
    assert symptom.kind == "doubled"  # the hunt's


def test_an_equal_deed_by_another_tool_is_doubled() -> None:
    assert doubled_effects(Ledger(LOST_FIRST).pay("a").pay("b", tool="pay_other").record)


def test_every_further_deed_counts_from_the_one_before() -> None:
    lost = rule(LostAck(seconds=0.01), when=First(2))
    found = doubled_effects(Ledger(lost).pay("a").pay("b").pay("c").pay("d").record)
    assert [(one.first.call.id, one.second.call.id) for one in found] == [("call-1", "call-2"), ("call-2", "call-3")]


@pytest.mark.parametrize(
    "ledger",
    [
        Ledger().pay("rent").pay("food"),
        Ledger(LOST_FIRST).pay("rent").pay("rent", to="Eve"),
        Ledger(once(Error(status=503), "before")).pay("a").pay("b"),
        Ledger(rule(Duplicate(), when=First(1))).pay("rent"),
        Ledger(rule(Duplicate(), when=First(1))).pay("rent").pay("food"),
        Ledger(LOST_FIRST, spec=ToolSpec("pay", effects=True, idempotent=True)).pay("a").pay("b"),
        Ledger(LOST_FIRST, spec=ToolSpec("pay", effects=True, key="to")).pay("a").pay("b"),
    ],
    ids=["wanted twice", "another deed", "not done before", "duplicate", "duplicate and more", "idempotent", "one key"],
)
def test_other_equal_entries_are_not_doubled(ledger: Ledger) -> None:
    assert not repetitions(ledger.record)


def test_equal_deeds_side_by_side_are_not_doubled() -> None:
    ledger = Ledger(LOST_FIRST).pay("a").pay("b")
    events = list(ledger.record.turns and ledger.recorder.events)
    second = next(place for place, event in enumerate(events) if getattr(event, "call", "") == "call-2")
    events.insert(1, events.pop(second))
    assert not doubled_effects(build_record(events))
