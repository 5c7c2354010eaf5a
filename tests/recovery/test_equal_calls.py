"""Equal calls of one session: whose entry it is that a look shows, and what the end of a call leaves in doubt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.inject.deadline import deadline_failure
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import CallArgument, Fixed
from sealegs.recovery.policies.completion_check import Check, InEntry, ListedEntry
from sealegs.traces import Recorder

LOST = Failure("no answer in time", "Timeout", 504)
PAY = ToolSpec("pay", effects=True, parameters={"properties": {"reference": {}, "amount": {}}})
LOOK = ToolSpec("list_payments", effects=False, parameters={"properties": {"operation": {}}})
WHERE = {"reference": CallArgument("reference"), "amount": CallArgument("amount")}
BOOKED = ListedEntry("payments", {**WHERE, "status": Fixed("booked")})
PART = ListedEntry("payments", {"reference": CallArgument("reference"), "status": Fixed("reserved")})
Work = Callable[["Ledger", dict[str, Any]], Outcome]


class Ledger:
    """Payments, each as one work of `works` makes it, and a read that lists them."""

    def __init__(self, *works: Work, check: Check | None = None, watched: bool = False) -> None:
        self.rows: list[dict[str, Any]] = []
        self.works = list(works)
        self.runs = 0
        check = check or Check("list_payments", {}, BOOKED, PART, settles=0)
        clock = VirtualClock()
        layer = RecoveryLayer(active_policy(checks={"pay": check}))
        watcher = Recorder(clock) if watched else None
        if watcher is not None:
            watcher.start("ledger", {})
        self.session = Session(layers=[layer], specs=[PAY, LOOK], others=None, clock=clock, watcher=watcher)

    def pay(self, **arguments: Any) -> Outcome:
        return self.session.call("pay", {"reference": "r", "amount": 5, **arguments}, self.run)

    def run(self, call: Call) -> Outcome:
        if call.tool == "list_payments":
            return Value({"payments": [row for row in self.rows if row["status"] != "gone"]})
        self.runs += 1
        return self.works[min(self.runs, len(self.works)) - 1](self, dict(call.arguments))

    def book(self, arguments: dict[str, Any], status: str = "booked") -> dict[str, Any]:
        self.rows.append({"id": len(self.rows) + 1, **arguments, "status": status})
        return self.rows[-1]


def booked(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
    return Value({"id": ledger.book(arguments)["id"]})


def unnamed(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
    ledger.book(arguments)
    return Value({"ok": True})


def lost(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
    ledger.book(arguments)
    return LOST


def reserved(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
    ledger.book(arguments, "reserved")
    return LOST


def nothing(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
    return LOST


def moved_on(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
    for row in ledger.rows:
        row["status"] = "settled"
    return lost(ledger, arguments)


def unclear(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and "could not be seen" in outcome.message


@pytest.mark.parametrize("first", [booked, unnamed, lost])
def test_an_earlier_entry_that_left_the_list_does_not_hide_a_new_one(first: Work) -> None:
    ledger = Ledger(first, moved_on)
    ledger.pay()
    assert unclear(ledger.pay())
    assert ledger.runs == 2
    ledger = Ledger(first, lost)
    ledger.pay()
    ledger.rows[0]["status"] = "gone"
    assert unclear(ledger.pay())
    assert ledger.runs == 2


def test_an_earlier_entry_that_was_looked_at_and_changed_is_unclear() -> None:
    ledger = Ledger(lost, nothing)
    ledger.pay()
    ledger.rows[0]["note"] = "checked by hand"
    assert unclear(ledger.pay())
    assert ledger.runs == 2


def test_what_is_as_it_was_shows_that_nothing_was_done() -> None:
    ledger = Ledger(booked, nothing, booked, nothing, booked)
    assert [ledger.pay() for _ in range(3)] == [Value({"id": 1}), Value({"id": 2}), Value({"id": 3})]
    assert ledger.runs == 5


def test_an_id_that_the_call_gives_is_that_of_no_entry() -> None:
    answer = {"id": InEntry("reference")}
    ledger = Ledger(unnamed, moved_on, check=Check("list_payments", {}, BOOKED, answer=answer, settles=0))
    ledger.pay()
    assert unclear(ledger.pay())
    assert ledger.runs == 2


def test_an_entry_without_an_id_is_nobody_s() -> None:
    ledger = Ledger(unnamed, nothing)
    ledger.pay()
    assert unclear(ledger.pay())
    ledger = Ledger(unnamed, lost)
    ledger.pay()
    assert isinstance(ledger.pay(), Value)  # two entries, and one of them is this call's
    assert ledger.runs == 2


def test_calls_that_look_the_same_to_the_check_share_their_entries() -> None:
    check = Check("list_payments", {}, ListedEntry("payments", {"amount": CallArgument("amount")}), settles=0)
    ledger = Ledger(booked, nothing, booked, check=check)
    ledger.pay(reference="ann")
    assert ledger.pay(reference="bob") == Value({"id": 2})
    assert [row["reference"] for row in ledger.rows] == ["ann", "bob"]


def test_a_part_beside_a_whole_entry_of_an_earlier_call_is_a_part() -> None:
    ledger = Ledger(booked, reserved, booked)
    ledger.pay()
    shown = ledger.pay()
    assert isinstance(shown, Failure)
    assert "only a part" in shown.message
    assert ledger.runs == 2


@pytest.mark.parametrize("reference", ["R", "r ", None])
def test_an_entry_written_otherwise_is_neither_this_call_s_nor_another_s(reference: str | None) -> None:
    def rewritten(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
        row = ledger.book(arguments)
        ledger.book({"reference": "else", "amount": 7})  # an entry that has the field
        row["reference"] = reference
        if reference is None:
            del row["reference"]
        return LOST

    ledger = Ledger(rewritten)
    assert unclear(ledger.pay())
    assert ledger.runs == 1


@pytest.mark.parametrize(("first", "second"), [("0012", "12"), ("aB", "Ab"), ("12e5", "120e4")])
def test_a_payment_is_not_dropped_for_one_of_a_similar_reference(first: str, second: str) -> None:
    ledger = Ledger(booked, nothing, booked)
    ledger.pay(reference=first)
    assert unclear(ledger.pay(reference=second))


def test_a_payment_is_made_beside_one_with_the_next_number() -> None:
    ledger = Ledger(booked, nothing, booked)
    ledger.pay(reference="1234567890123456781")
    assert ledger.pay(reference="1234567890123456782") == Value({"id": 2})


def history(*requests: Any) -> tuple[list[str], Outcome]:
    """The calls of a tool and of its history, which begins empty and then shows the requests, and the last answer."""
    entries: Iterator[Any] = iter(requests)
    shown: list[Any] = []
    made: list[str] = []

    def run(call: Call) -> Outcome:
        made.append(call.tool)
        if call.tool == "history":
            return Value({"entries": shown})
        entry = next(entries, None)
        if isinstance(entry, dict):
            entry = {"operation": "pay", "status": "completed", "result": {"id": len(shown) + 1}, **entry}
            shown.append(entry)
            return Value(entry["result"]) if entry.get("answers") else LOST
        return LOST if len(made) == 1 or entry == "lost" else Value({"id": "again"})

    fields = {"properties": {"to": {}, "card": {}, "note": {"default": "-"}, "tag": {}}}
    specs = [
        ToolSpec("pay", effects=True, shown_by="history", parameters=fields),
        ToolSpec("history", effects=False, parameters={"properties": {"operation": {}}}),
    ]
    session = Session(layers=[RecoveryLayer()], specs=specs, others=None, clock=VirtualClock())
    calls = 1 + sum(isinstance(one, dict) and bool(one.get("answers")) for one in requests)
    found = [session.call("pay", {"to": "bob", "card": "4242424242424242"}, run) for _ in range(calls)]
    return made, found[-1]


WHOLE = {"to": "bob", "card": "4242424242424242"}


@pytest.mark.parametrize(
    "request_shown",
    [
        {"to": "bob"},
        {"card": "4242424242424242"},
        {**WHOLE, "card": "************4242"},
        {**WHOLE, "to": "Bob"},
        {**WHOLE, "tag": "filled in"},
    ],
)
def test_a_request_that_is_not_shown_as_it_was_made_is_unclear(request_shown: dict[str, Any]) -> None:
    made, shown = history({"request": request_shown})
    assert unclear(shown)
    assert made.count("pay") == 1


def test_a_field_that_the_server_adds_hides_no_entry() -> None:
    made, shown = history({"request": {**WHOLE, "request_id": "abc-1", "note": "-"}})
    assert shown == Value({"id": 1})
    assert made == ["pay", "history"]


def test_a_part_beside_a_whole_entry_of_a_history_is_a_part() -> None:
    whole = {"request": WHOLE, "answers": True}
    part = {"request": WHOLE, "status": "partial", "done": ["charge"], "result": None}
    made, shown = history(whole, part)
    assert isinstance(shown, Failure)
    assert "only a part of pay was done: charge" in shown.message
    assert made == ["pay", "pay", "history"]


def test_a_history_that_lost_an_earlier_entry_is_unclear() -> None:
    first = {"request": WHOLE, "answers": True}
    made, shown = history(first, {"request": {"to": "eve"}, "result": {"id": 9}})
    assert made[:3] == ["pay", "pay", "history"]
    assert shown == Value({"id": "again"})  # the entry of another call changes nothing
    made, shown = history({**first, "request": {**WHOLE, "to": "eve"}}, {"request": WHOLE, "result": {"id": 9}})
    assert unclear(shown)
    assert made.count("pay") == 2


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("done", [True, False])
def test_after_a_cancelled_call_an_equal_one_is_checked(watched: bool, done: bool) -> None:
    def cancelled(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
        if done:
            ledger.book(arguments)
        raise asyncio.CancelledError

    check = Check("list_payments", {}, BOOKED, settles=3)
    ledger = Ledger(cancelled, nothing, booked, nothing, booked, check=check, watched=watched)
    with pytest.raises(asyncio.CancelledError):
        ledger.pay()
    assert isinstance(ledger.pay(), Value)
    assert ledger.runs == (2 if done else 3)
    assert len(ledger.rows) == 1  # one wish, however often it was asked for
    assert isinstance(ledger.pay(), Value)
    assert len(ledger.rows) == 2


def test_a_cancelled_call_may_still_be_at_work() -> None:
    def cancelled(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
        raise asyncio.CancelledError

    ledger = Ledger(cancelled, nothing, booked)
    with pytest.raises(asyncio.CancelledError):
        ledger.pay()
    shown = ledger.pay()
    assert isinstance(shown, Failure)
    assert "may still be at work" in shown.message
    assert ledger.runs == 2
    assert ledger.pay() == Value({"id": 1})  # the agent's own call is made


def test_an_entry_of_a_cancelled_call_does_not_stand_for_a_later_wish() -> None:
    def cancelled(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
        ledger.book(arguments)
        raise asyncio.CancelledError

    ledger = Ledger(cancelled, booked, nothing)
    with pytest.raises(asyncio.CancelledError):
        ledger.pay()
    ledger.pay()
    assert unclear(ledger.pay())


def test_after_a_call_that_was_left_behind_an_equal_one_is_not_repeated() -> None:
    def left_behind(ledger: Ledger, arguments: dict[str, Any]) -> Outcome:
        return deadline_failure(Call("pay", arguments), 1.0, "It may still be at work")

    ledger = Ledger(left_behind, nothing, booked)
    for _ in range(2):
        shown = ledger.pay()
        assert isinstance(shown, Failure)
        assert "may still be at work" in shown.message
    assert ledger.runs == 2
