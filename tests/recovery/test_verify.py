"""A look before anything is done about a doubtful action, and what follows from what it shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sealegs.adapters.python import wrap
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import Alternative, AlternativeStep, CallArgument, Fixed, StepField
from sealegs.recovery.policies.completion_check import (
    All,
    Check,
    Count,
    Equals,
    Exists,
    InAnswer,
    InEntry,
    ListedEntry,
    Unclear,
)
from sealegs.traces import Recorder

LOST = Failure("no answer in time", "Timeout", 504)
GONE = Failure("discontinued", "Gone", 410)
LOOK = ToolSpec("list_payments", effects=False)
PAY = ToolSpec("pay", effects=True)
LISTED = ListedEntry("payments", {"amount": CallArgument("amount"), "status": Fixed("booked")})
CHECK = Check("list_payments", {"account": CallArgument("account")}, LISTED, answer={"id": InEntry("ref")}, settles=0)


@dataclass
class Bank:
    """Payments that are really made, however `pay` answers.

    `script` says of each call of `pay` how much is done ("" or a status) and what is answered; None: the truth.
    """

    script: list[tuple[str, Outcome | None]]
    checks: dict[str, Check] = field(default_factory=lambda: {"pay": CHECK})
    specs: tuple[ToolSpec, ...] = (PAY, LOOK)
    look: Callable[[Any], Outcome] = Value
    alternatives: tuple[Alternative, ...] = ()
    resumes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.payments: list[dict[str, Any]] = []
        self.made: list[str] = []
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("bank", {})
        policy = active_policy(self.alternatives, checks=self.checks, resumes=self.resumes)
        layer = RecoveryLayer(policy)
        self.session = Session(layers=[layer], specs=self.specs, others=None, clock=clock, watcher=self.recorder)

    def pay(self, **arguments: Any) -> Outcome:
        return self.session.call("pay", {"account": "a1", **arguments}, self.run)

    def run(self, call: Call) -> Outcome:
        self.made.append(call.tool)
        if call.tool == "list_payments":
            return self.look({"payments": list(self.payments), "count": len(self.payments)})
        if call.tool == "wire":
            self.payments.append({**call.arguments, "ref": "wired", "status": "booked"})
            return Value({"reference": "wired"})
        status, answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if status:
            self.payments.append({**call.arguments, "ref": f"p{len(self.payments)}", "status": status})
        return Value({"id": self.payments[-1]["ref"]}) if answer is None else answer

    @property
    def actions(self) -> list[tuple[str, str]]:
        return [(event.policy, event.action) for event in self.recorder.events if event.type == "acted"]


def test_what_was_done_is_answered_with_and_not_done_again() -> None:
    bank = Bank([("booked", LOST)])
    assert bank.pay(amount=5) == Value({"id": "p0"})
    assert bank.made == ["pay", "list_payments"]
    assert bank.actions == [("", "tried"), ("verify", "looked"), ("verify", "verified")]


def test_what_was_not_done_is_made_again_each_time_after_a_look() -> None:
    bank = Bank([("", LOST), ("", LOST), ("booked", None)])
    assert bank.pay(amount=5) == Value({"id": "p0"})
    assert bank.made == ["pay", "list_payments", "pay", "list_payments", "pay"]
    bank = Bank([("", LOST), ("booked", LOST)])
    assert bank.pay(amount=5) == Value({"id": "p0"})
    assert bank.made == ["pay", "list_payments", "pay", "list_payments"]


def test_a_look_that_fails_leaves_the_failure_and_says_so() -> None:
    for answer in (lambda _: LOST, lambda _: Value({"payments": None}), lambda _: Value("sorry")):
        bank = Bank([("", LOST)], look=answer)
        shown = bank.pay(amount=5)
        assert isinstance(shown, Failure)
        assert "could not be seen" in shown.message
        assert bank.made.count("pay") == 1
        assert ("verify", "left") in bank.actions


ONE_OF_SEVERAL = [
    {"next_cursor": "p2"},
    {"nextPageToken": "abc"},
    {"has_more": True},
    {"links": {"next": "/payments?page=2"}},
    {"total": 31},
    {"page": 1, "pages": 4},
    {"meta": {"total_pages": 2}},
    {"IsTruncated": True},
    {"@odata.nextLink": "/payments?skip=2"},
    {"count": 40},
]
FAILED = [{"error": "db down"}, {"error": {"status": 503}}, {"errors": ["timeout"]}, {"isError": True}, {"ok": False}]


@pytest.mark.parametrize("more", [*ONE_OF_SEVERAL, *FAILED], ids=str)
def test_a_page_of_several_or_a_failed_look_does_not_show_that_nothing_was_done(more: dict[str, Any]) -> None:
    bank = Bank([("booked", LOST)], look=lambda _: Value({"payments": [], **more}))
    assert isinstance(bank.pay(amount=5), Failure)
    assert bank.made.count("pay") == 1
    assert ("verify", "left") in bank.actions


WHOLE = [
    {"next_cursor": None},
    {"has_more": False},
    {"total": 0},
    {"page": 1, "pages": 1},
    {"error": None},
    {"next": ""},
]


@pytest.mark.parametrize("more", WHOLE, ids=str)
def test_a_list_that_says_that_it_is_whole_does(more: dict[str, Any]) -> None:
    bank = Bank([("", LOST), ("booked", None)], look=lambda shown: Value({**shown, **more}))
    assert bank.pay(amount=5) == Value({"id": "p0"})
    assert bank.made == ["pay", "list_payments", "pay"]


def test_a_page_that_lists_the_call_is_enough() -> None:
    bank = Bank([("booked", LOST)], look=lambda shown: Value({**shown, "next_cursor": "p2"}))
    assert bank.pay(amount=5) == Value({"id": "p0"})


def test_what_missed_its_deadline_is_not_made_again_while_it_may_be_at_work() -> None:
    payments: list[float] = []
    given_up, ended = threading.Event(), threading.Event()

    def pay(amount: float) -> dict[str, int]:
        given_up.wait(60)
        payments.append(amount)
        ended.set()
        return {"id": len(payments)}

    def list_payments() -> dict[str, Any]:
        return {"payments": [{"amount": amount} for amount in payments]}

    where = ListedEntry("payments", {"amount": CallArgument("amount")})
    check = Check("list_payments", {}, where, settles=0)
    layer = RecoveryLayer(active_policy(checks={"pay": check}), deadline=0.02)
    session = Session(layers=[layer], specs=[PAY, LOOK])
    tools = wrap([pay, list_payments], session)
    with pytest.raises(TimeoutError, match="may still be at work"):
        tools[0](5.0)
    given_up.set()
    assert ended.wait(60)
    assert len(payments) == 1


def test_of_two_equal_calls_side_by_side_neither_gets_the_other_s_entry() -> None:
    payments: list[dict[str, Any]] = []
    both = threading.Barrier(2, timeout=60)
    quick = threading.Event()

    def pay(amount: float) -> dict[str, int]:
        first = both.wait() == 0
        payments.append({"amount": amount, "id": len(payments)})
        own = payments[-1]["id"]
        if first:
            quick.wait(60)
            raise TimeoutError("no answer")
        return {"id": own}

    def list_payments() -> dict[str, Any]:
        return {"payments": payments}

    where = ListedEntry("payments", {"amount": CallArgument("amount")})
    check = Check("list_payments", {}, where, answer={"id": InEntry("id")}, settles=0)
    session = Session(
        layers=[RecoveryLayer(active_policy(checks={"pay": check}))], specs=[PAY, LOOK], clock=VirtualClock()
    )
    made = wrap([pay, list_payments], session)[0]
    shown: list[Any] = []

    def call() -> None:
        try:
            shown.append(made(5.0)["id"])
            quick.set()
        except TimeoutError as error:
            shown.append(str(error))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(payments) == 2
    assert {type(one) for one in shown} == {int, str}


def test_a_broken_tool_gives_way_to_another_only_where_nothing_was_done() -> None:
    way = Alternative(
        "pay", (AlternativeStep("wire", {"amount": CallArgument("amount")}),), {"id": StepField(0, "reference")}
    )
    for status, made in (("", ["pay", "list_payments", "wire"]), ("booked", ["pay", "list_payments"])):
        bank = Bank([(status, GONE)], alternatives=(way,))
        assert isinstance(bank.pay(amount=5), Value)
        assert bank.made == made
        assert len(bank.payments) == 1


def test_an_entry_speaks_for_one_call() -> None:
    late, lost = [("", LOST), ("booked", None)], [("booked", LOST)]
    bank = Bank([("booked", None), *late, *lost, *late, *late, *lost])
    for place in range(6):
        assert bank.pay(amount=5) == Value({"id": f"p{place}"})
    assert len(bank.payments) == 6


def test_a_read_that_lists_a_part_tells_nothing() -> None:
    bank = Bank([("booked", None), ("booked", None), ("booked", LOST)])
    for _ in range(2):
        bank.pay(amount=5)
    bank.look = lambda answer: Value({"payments": answer["payments"][-1:]})
    shown = bank.pay(amount=5)
    assert isinstance(shown, Failure)
    assert "lists 1 of 2 equal calls" in shown.message
    assert len(bank.payments) == 3


def test_while_an_equal_call_is_under_way_nothing_is_concluded() -> None:
    bank = Bank([("", LOST)])
    inner: list[Outcome] = []
    plain = bank.run

    def run(call: Call) -> Outcome:
        if not inner:
            inner.append(Value(None))
            inner.append(bank.session.call("pay", call.arguments, plain))
        return plain(call)

    bank.session.call("pay", {"account": "a1", "amount": 5}, run)
    assert isinstance(inner[1], Failure)
    assert "an equal call is under way" in inner[1].message


def test_a_part_is_completed_only_where_that_is_declared_to_do_no_harm() -> None:
    part = ListedEntry("payments", {"amount": CallArgument("amount"), "status": Fixed("part")})
    script: list[tuple[str, Outcome | None]] = [("part", LOST), ("booked", None)]
    for resumes, made in ((False, 1), (True, 2)):
        check = Check(
            "list_payments", {}, LISTED, partial=part, resumes=resumes, answer={"id": InEntry("ref")}, settles=0
        )
        bank = Bank(list(script), checks={"pay": check})
        shown = bank.pay(amount=5)
        assert bank.made.count("pay") == made
        assert ("only a part" in getattr(shown, "message", "")) is not resumes


def test_wrong_arguments_are_mended_once_it_is_seen_that_nothing_was_done() -> None:
    schema = {"type": "object", "properties": {"account": {}, "amount": {"type": "integer"}}, "required": ["amount"]}
    refused = Failure("amount is not of type integer", "ValidationError", 422)
    bank = Bank([("", refused), ("booked", None)], specs=(ToolSpec("pay", effects=True, parameters=schema), LOOK))
    assert bank.pay(amount="5") == Value({"id": "p0"})
    assert bank.payments[0]["amount"] == 5


def test_an_answer_that_breaks_its_schema_is_put_right_from_what_was_done() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    bank = Bank([("booked", Value({"id": 7}))], specs=(ToolSpec("pay", effects=True, returns=schema), LOOK))
    assert bank.pay(amount=5) == Value({"id": "p0"})
    assert len(bank.payments) == 1


def test_what_cannot_be_translated_is_shown_as_it_was_found() -> None:
    bank = Bank([("booked", LOST)], checks={"pay": Check("list_payments", {}, LISTED)})
    shown = bank.pay(amount=5)
    assert isinstance(shown, Value)
    assert shown.value["found"]["ref"] == "p0"
    assert "was done" in shown.value["recovery_note"]


def test_a_condition_that_counts_no_entries_cannot_tell_equal_calls_apart() -> None:
    state = Check("list_payments", {}, Count("payments", 1), answer={"count": InAnswer("count")}, settles=0)
    bank = Bank([("booked", LOST), ("", LOST)], checks={"pay": state})
    assert bank.pay(amount=5) == Value({"count": 1})
    shown = bank.pay(amount=5)
    assert isinstance(shown, Failure)
    assert "an equal call before" in shown.message


CALL = Call("pay", {"amount": 5})


@pytest.mark.parametrize(
    ("condition", "answer", "expected"),
    [
        (Equals("status", Fixed("paid")), {"status": "paid"}, True),
        (Equals("status", Fixed("paid")), {"status": "PAID "}, None),
        (Equals("amount", CallArgument("amount")), {"amount": "5.0"}, True),
        (Equals("amount", CallArgument("amount")), {}, None),
        (Equals("amount", CallArgument("sum")), {"amount": 5}, None),
        (Exists("receipt"), {"receipt": ""}, False),
        (Exists("receipt", wanted=False), {}, True),
        (Count("items", 2), {"items": [1]}, False),
        (Count("items", 2), {"items": "ab"}, None),
        (ListedEntry("items", {"a": CallArgument("amount")}), {"items": []}, False),
        (ListedEntry("items", {"a": CallArgument("amount")}), {"items": [{"a": 4}, {"a": 5}]}, True),
        (ListedEntry("items", {"b": CallArgument("amount")}), {"items": [{"a": 5}]}, None),
        (ListedEntry("", {"a": CallArgument("amount")}), [{"a": 5}], True),
        (All((Exists("items"), Count("items", 1))), {"items": [1]}, True),
        (All((Exists("none"), Count("items", 1))), {}, None),
    ],
)
def test_conditions(condition: Any, answer: Any, expected: bool | None) -> None:
    check = Check("look", {}, condition)
    if expected is None:
        with pytest.raises(Unclear):
            check.seen(answer, CALL)
    else:
        assert (check.seen(answer, CALL).state == "done") is expected


HISTORY = ToolSpec("payments_made", effects=False, parameters={"properties": {"operation": {}}})
SHOWN = ToolSpec("pay", effects=True, shown_by="payments_made", parameters={"properties": {"note": {"default": "-"}}})


def entry(status: str = "completed", **request: Any) -> dict[str, Any]:
    result = {"id": "h1"} if status == "completed" else None
    return {"operation": "pay", "request": request, "status": status, "done": ["charge"], "result": result}


@pytest.mark.parametrize(
    ("entries", "made", "shown"),
    [
        ([entry(account="a1", amount=5, note="-")], 1, Value({"id": "h1"})),
        ([entry(account="a1", amount=5, note="rent")], 2, Value({"id": "again"})),
        ([entry(account="a1", amount=6, note="-")], 2, Value({"id": "again"})),
        ([], 2, Value({"id": "again"})),
        ([entry("partial", account="a1", amount=5)], 1, "only a part of pay was done: charge"),
        ([{"what": "else"}], 1, "could not be seen"),
    ],
)
def test_the_read_that_a_spec_names_needs_no_plan(entries: list[Any], made: int, shown: Any) -> None:
    for resumes in ((), ("p*",)):
        calls: list[Call] = []

        def run(call: Call, calls: list[Call] = calls) -> Outcome:
            calls.append(call)
            if call.tool == "payments_made":
                return Value({"entries": json.loads(json.dumps(entries)), "count": len(entries)})
            return LOST if len([one for one in calls if one.tool == "pay"]) == 1 else Value({"id": "again"})

        layer = RecoveryLayer(active_policy(resumes=resumes))
        session = Session(layers=[layer], specs=(SHOWN, HISTORY), others=None, clock=VirtualClock())
        found = session.call("pay", {"account": "a1", "amount": 5}, run)
        if resumes and "part" in str(shown):
            assert found == Value({"id": "again"})
            continue
        assert [one.tool for one in calls].count("pay") == made
        assert found == shown if isinstance(shown, Value) else shown in getattr(found, "message", "")
        assert calls[1].arguments == {"operation": "pay"}


def late_bank(settles: float | None, delay: float) -> tuple[list[str], Session]:
    """A bank whose list shows a payment `delay` seconds after it was made; every answer to a payment is lost."""
    clock, paid = VirtualClock(), []
    when: list[float] = []

    def run(call: Call) -> Outcome:
        if call.tool == "list_payments":
            there = [{"amount": 5, "status": "booked"} for at in when if clock.now() >= at + delay]
            return Value({"payments": there})
        paid.append(call.tool)
        when.append(clock.now())
        return LOST

    check = Check("list_payments", {}, LISTED, settles=settles)
    layer = RecoveryLayer(active_policy(checks={"pay": check}))
    session = Session(layers=[layer], specs=[PAY, LOOK], others=None, clock=clock)
    session.call("pay", {"amount": 5}, run)
    return paid, session


@pytest.mark.parametrize(
    ("settles", "delay"), [(None, 0.0), (None, 0.1), (None, 60.0), (2.0, 1.5), (60.0, 59.0), (0, 0)]
)
def test_a_read_that_lists_late_doubles_nothing(settles: float | None, delay: float) -> None:
    paid, _ = late_bank(settles, delay)
    assert paid == ["pay"]


def test_what_an_undeclared_read_does_not_show_is_left_and_the_declaration_asked_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    layer = RecoveryLayer(active_policy(checks={"send": Check("outbox", {}, Exists("sent"))}))
    specs = [ToolSpec("send", effects=True), ToolSpec("outbox", effects=False)]
    session = Session(layers=[layer], specs=specs, others=None, clock=VirtualClock())
    made: list[str] = []

    def run(call: Call) -> Outcome:
        made.append(call.tool)
        return Value({}) if call.tool == "outbox" else LOST

    shown = session.call("send", {}, run)
    assert made == ["send", "outbox"]
    assert isinstance(shown, Failure)
    assert "outbox does not show send, and may do so later. It is not made again." in shown.message
    assert "declare `settles`, 0 if it shows it at once" in caplog.text
