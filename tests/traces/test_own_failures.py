"""Tools that do their work and then fail by themselves, called again: what is doubt and what is proof."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import sealegs
from sealegs import Plan, Recorder, Rule, Session, VirtualClock, wrap
from sealegs.faults import ToolSpec
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import First, Tool
from sealegs.hunt.callables import _twice
from sealegs.scoring.run_contracts import RunEvidence, contract_from
from sealegs.traces import Record, build_record, decode_event, doubled_effects, encode_event, repetitions

BOOK = ToolSpec("book", effects=True)
LOOK = ToolSpec("list_bookings", effects=False)


class Desk:
    """A desk that books and then cannot say so, `broken` times; and what an agent asked of it."""

    def __init__(self, *specs: ToolSpec, broken: int = 1, reports: bool = False, booking: bool = True) -> None:
        self.booked: list[str] = []
        self.left, self.reports, self.booking = broken, reports, booking
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("episode", {})
        self.session = Session(specs=specs or (BOOK, LOOK), clock=clock, watcher=self.recorder)
        self.tools = wrap({"book": self.book, "list_bookings": self.list_bookings}, self.session)

    def book(self, name: str, key: str = "") -> dict[str, Any]:
        if self.booking or not self.left:
            self.booked.append(name)
            if self.reports:
                sealegs.report_effect("book", name, seats=1)
        if self.left:
            self.left -= 1
            raise RuntimeError("the receipt could not be printed")
        return {"booked": name}

    def list_bookings(self) -> dict[str, Any]:
        return {"bookings": list(self.booked)}

    def ask(self, *calls: Any) -> Record:
        """Make these calls, each a tool's name with arguments, and end the record as a file has it."""
        for tool, *given in calls:
            try:
                self.tools[tool](*given)
            except (RuntimeError, TypeError):
                continue
        self.recorder.finish("answered", answer="Booked.")
        return build_record(decode_event(json.loads(json.dumps(encode_event(one)))) for one in self.recorder.events)


def test_a_repetition_after_a_failure_of_the_tools_own_is_in_doubt() -> None:
    desk = Desk()
    record = desk.ask(("book", "Ada"), ("book", "Ada"))
    (found,) = repetitions(record)
    assert desk.booked == ["Ada", "Ada"]
    assert (found.declared, found.certain, found.proven) == (True, False, False)
    assert not doubled_effects(record)  # nothing that sealegs saw proves it
    assert found.says() == (
        'book(name="Ada") may have taken effect twice: call-1, which failed by itself, done or not (it was shown the '
        "receipt could not be printed), and call-2; nothing was read between"
    )


def test_what_the_tool_reports_is_proof() -> None:
    desk = Desk(reports=True)
    record = desk.ask(("book", "Ada"), ("book", "Ada"))
    (found,) = doubled_effects(record)
    assert found.proven
    assert "took effect twice: call-1, which failed after its work (" in found.says()
    assert [(one.action, one.subject, one.details, one.call) for one in record.effects] == [
        ("book", "Ada", {"seats": 1}, "call-1"),
        ("book", "Ada", {"seats": 1}, "call-2"),
    ]
    symptom = _twice(record, None)
    assert symptom is not None
    assert symptom.kind == "doubled"  # the hunt's


def test_a_tool_that_reports_and_knows_a_repetition_doubles_nothing() -> None:
    """Its first answer is lost by a fault; the second call finds the booking, and does nothing."""
    lost = Rule(match=Tool("book"), when=First(1), fault=Error(status=503), moment="after")
    recorder, booked = Recorder(VirtualClock()), set[str]()
    recorder.start("episode", {})
    session = Session(Plan(name="lost", rules=(lost,)), specs=[BOOK], clock=VirtualClock(), watcher=recorder)

    def run(call: Call) -> Outcome:
        name = str(call.arguments["name"])
        if name not in booked:
            booked.add(name)
            sealegs.report_effect("book", name)
        return Value({"booked": name})

    shown = [session.call("book", {"name": "Ada"}, run) for _ in range(2)]
    assert [isinstance(one, Failure) for one in shown] == [True, False]
    recorder.finish("answered")
    assert not repetitions(build_record(recorder.events))


def test_a_tool_that_reports_needs_no_declaration() -> None:
    assert doubled_effects(Desk(ToolSpec("book"), reports=True).ask(("book", "Ada"), ("book", "Ada")))


def test_a_tool_that_reports_and_did_nothing_leaves_no_doubt() -> None:
    desk = Desk(reports=True, booking=False)
    assert repetitions(desk.ask(("book", "Ada"), ("book", "Ada"))) == ()
    assert desk.booked == ["Ada"]


@pytest.mark.parametrize("broken", [2, 3])
def test_every_further_call_counts(broken: int) -> None:
    found = repetitions(Desk(broken=broken).ask(*[("book", "Ada")] * 3))
    assert [(one.first.call.id, one.second.call.id) for one in found] == [("call-1", "call-2"), ("call-2", "call-3")]
    assert not any(one.certain for one in found)


@pytest.mark.parametrize(
    ("between", "blind"),
    [((), True), ((("list_bookings",),), False), ((("book", "Eve"),), True)],
    ids=["nothing", "a read", "another booking"],
)
def test_who_reads_between_is_not_blind(between: tuple[Any, ...], blind: bool) -> None:
    assert bool(repetitions(Desk().ask(("book", "Ada"), *between, ("book", "Ada")))) is blind


def test_the_read_that_shows_it_is_the_one_that_counts() -> None:
    shown = ToolSpec("book", effects=True, shown_by="audit")
    assert repetitions(Desk(shown, LOOK).ask(("book", "Ada"), ("list_bookings",), ("book", "Ada")))


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        (ToolSpec("book", effects=False), 0),
        (ToolSpec("book", effects=True, idempotent=True), 0),
        (ToolSpec("book", effects=True, key="key"), 1),
        (ToolSpec("book"), 0),
    ],
    ids=["reads", "idempotent", "without its key", "undeclared"],
)
def test_declarations_decide(spec: ToolSpec, found: int) -> None:
    assert len(repetitions(Desk(spec).ask(("book", "Ada"), ("book", "Ada")))) == found


def test_one_key_is_one_wish() -> None:
    spec = ToolSpec("book", effects=True, key="key")
    assert not repetitions(Desk(spec).ask(("book", "Ada", "k1"), ("book", "Ada", "k1")))
    assert repetitions(Desk(spec).ask(("book", "Ada", "k1"), ("book", "Ada", "k2")))


def test_a_call_that_never_began_did_nothing() -> None:
    """Python refuses the arguments; the record keeps that."""
    desk = Desk(broken=0)
    record = desk.ask(("book",), ("book",))
    assert [isinstance(turn.said, Failure) and turn.said.unsent for turn in record.turns] == [True, True]
    assert not repetitions(record)


@pytest.mark.parametrize(("status", "found"), [(409, 0), (422, 0), (500, 1), (503, 1)])
def test_a_status_of_its_own_that_refuses_is_proof(status: int, found: int) -> None:
    spec = ToolSpec("book", effects=True, statuses="own")

    def answers(spec: ToolSpec) -> Record:
        recorder = Recorder(VirtualClock())
        recorder.start("episode", {})
        session = Session(specs=[spec], clock=VirtualClock(), watcher=recorder)
        for _ in range(2):
            session.call("book", {"name": "Ada"}, lambda call: Failure("no", status=status))
        recorder.finish("answered")
        return build_record(recorder.events)

    assert len(repetitions(answers(spec))) == found
    assert len(repetitions(answers(ToolSpec("book", effects=True)))) == 1


def test_the_contract_names_the_doubt_and_what_would_settle_it() -> None:
    def broken(desk: Desk) -> str:
        record = desk.ask(("book", "Ada"), ("book", "Ada"))
        return contract_from("no_action_twice").violation(RunEvidence(record, desk.recorder.events, "Book.", {})) or ""

    assert "may have taken effect twice" in (doubt := broken(Desk()))
    assert doubt.endswith("for a certain verdict let book report what it does (sealegs.report_effect)")
    assert broken(Desk(reports=True)).startswith('book(name="Ada") took effect twice')


def test_an_effect_is_reported_in_its_own_call_alone() -> None:
    sealegs.report_effect("book", "nobody")  # outside of a tool: nothing happens
    recorder = Recorder(VirtualClock())
    recorder.start("episode", {})
    plan = Plan(name="none")
    session = Session(plan, clock=VirtualClock(), watcher=recorder)

    async def tool(name: str) -> str:
        await asyncio.sleep(0.001 * (3 - len(name)))
        sealegs.report_effect("greet", name)
        return name

    async def play() -> None:
        greet = wrap(tool, session, name="greet")
        await asyncio.gather(*(greet("x" * length) for length in (1, 2, 3)))
        sealegs.report_effect("greet", "nobody")

    asyncio.run(play())
    recorder.finish("answered")
    record = build_record(recorder.events)
    assert {turn.call.arguments["name"]: [one.subject for one in turn.effects] for turn in record.turns} == {
        "x": ["x"],
        "xx": ["xx"],
        "xxx": ["xxx"],
    }


def test_a_dry_run_reports_nothing() -> None:
    recorder = Recorder(VirtualClock())
    recorder.start("episode", {})
    session = Session(clock=VirtualClock(), watcher=recorder, layers=[_dry])

    def run(call: Call) -> Outcome:
        sealegs.report_effect("book", "Ada")
        return Value({})

    session.call("book", {}, run)
    recorder.finish("answered")
    assert not build_record(recorder.events).effects


def _dry(call: Call) -> Any:
    return (yield replace(call, dry=True))


def test_two_episodes_side_by_side_keep_their_ledgers_apart() -> None:
    desks = [Desk(broken=0, reports=True) for _ in range(8)]

    def play(desk: Desk, name: str) -> Callable[[], None]:
        return lambda: [desk.tools["book"](name) for _ in range(20)] and None

    threads = [threading.Thread(target=play(desk, f"n{nth}")) for nth, desk in enumerate(desks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for nth, desk in enumerate(desks):
        assert {one.subject for one in desk.ask().effects} == {f"n{nth}"}
