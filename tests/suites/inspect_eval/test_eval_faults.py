"""Which fault strikes which sample: drawn by key, among what the sample calls, and told from a right answer."""

from __future__ import annotations

from collections import Counter

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.catalogue import explicit_responses
from sealegs.faults.corruption import can_corrupt
from sealegs.faults.invariants import Bounds
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.suites.inspect_eval.eval_faults import FaultDraw, injected_kinds
from sealegs.traces import EpisodeEnded, Record, Recorder, Turn, build_record

PRICED = ToolSpec("price", effects=False, invariants=(Bounds("price", minimum=0),))
ACTS = ToolSpec("order", effects=True, invariants=(Bounds("amount", minimum=0),))
ANSWERS = {"price": {"price": 3}, "order": {"amount": 2}, "note": "noted"}


def clean(*tools: str, failing: frozenset[str] = frozenset()) -> Record:
    turns = []
    for number, tool in enumerate(tools):
        answer: Outcome = Failure("no") if tool in failing else Value(ANSWERS[tool])
        turns.append(Turn(Call(tool, {"x": number}, f"call-{number}"), answer, answer))
    return Record("e", {}, tuple(turns), "done", EpisodeEnded("answered"))


def draw(**more: object) -> FaultDraw:
    specs = {spec.name: spec for spec in (PRICED, ACTS)}
    implicit = {"price": ("physics_violation",), "order": ("physics_violation",)}
    return FaultDraw(**{"specs": specs, "implicit": implicit, **more})  # type: ignore[arg-type]


def test_the_victim_is_called_and_every_one_is_drawn() -> None:
    record = clean("price", "order", "note", "price")
    victims = Counter(plan.rules[0].id for n in range(300) if (plan := draw().plan("P1", record, ("t", n))))
    assert set(victims) == {"P1:price", "P1:order", "P1:note"}
    assert min(victims.values()) > 60, "each tool alike, however often it is called"


def test_one_key_gives_one_plan_and_another_seed_another() -> None:
    record = clean("price", "order", "note")
    assert draw().plan("P1", record, ("t", 1)) == draw().plan("P1", record, ("t", 1))
    plans = {draw(seed=seed).plan("P1", record, ("t", 1)) for seed in range(30)}
    assert len({None if plan is None else plan.rules[0].id for plan in plans}) == 3


def test_explicit_faults_are_those_of_the_catalogue_and_last_as_the_mode_says() -> None:
    record = clean("price", "order")
    for mode, persistence, at_most in (("P1", "transient", 1), ("P2", "permanent", None)):
        rules = [plan.rules[0] for n in range(200) if (plan := draw().plan(mode, record, ("t", n)))]
        assert {rule.fault for rule in rules} == set(explicit_responses("P1" if mode == "P1" else "P2"))
        assert {(rule.persistence, rule.at_most) for rule in rules} == {(persistence, at_most)}


def test_an_action_is_struck_before_and_after_its_work_and_a_read_at_none() -> None:
    moments: dict[str, set[str | None]] = {"P1:price": set(), "P1:order": set(), "P1:note": set()}
    for n in range(200):
        plan = draw().plan("P1", clean("price", "order", "note"), ("t", n))
        assert plan is not None
        moments[plan.rules[0].id].add(plan.rules[0].moment)
    assert moments == {"P1:price": {None}, "P1:order": {"before", "after"}, "P1:note": {"before", "after"}}
    fixed = [draw(moment="before").plan("P1", clean("order"), ("t", n)) for n in range(20)]
    assert {plan.rules[0].moment for plan in fixed if plan} == {"before"}


def test_implicit_faults_strike_only_what_can_be_told_from_a_right_answer() -> None:
    for n in range(50):
        plan = draw().plan("P3", clean("note", "price", "order"), ("t", n))
        assert plan is not None
        (rule,) = plan.rules
        tool = rule.id.removeprefix("P3:")
        spec = {"price": PRICED, "order": ACTS}[tool]
        assert can_corrupt(rule.fault.kind, spec, {}, ANSWERS[tool])
        assert rule.moment == (None if tool == "price" else "after")
    assert draw().plan("P3", clean("note"), ("t", 0)) is None
    assert draw(implicit={}).plan("P4", clean("price"), ("t", 0)) is None
    assert draw(implicit={"price": ("logic_violation",)}).plan("P3", clean("price"), ("t", 0)) is None


def test_a_tool_whose_first_call_fails_anyway_is_struck_only_where_there_is_no_other() -> None:
    mixed = clean("price", "order", failing=frozenset({"price"}))
    found = {plan.rules[0].id for n in range(50) if (plan := draw().plan("P1", mixed, ("t", n)))}
    assert found == {"P1:order"}
    assert draw().plan("P1", clean("price", failing=frozenset({"price"})), ("t", 0)) is not None
    assert draw().plan("P1", clean(), ("t", 0)) is None


def test_a_drawn_plan_strikes_the_first_touch_of_its_victim_whatever_its_name() -> None:
    name = "get [all]*"
    answer = Value({"ok": True})
    record = Record("e", {}, (Turn(Call(name, {}, "c"), answer, answer),), "done", EpisodeEnded("answered"))
    plan = FaultDraw().plan("P1", record, ("t", 0))
    assert plan is not None
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    session = Session(plan, episode="e", clock=clock, watcher=recorder)
    shown = [session.call(tool, {}, lambda call: answer) for tool in ("get a", name, name)]
    assert [isinstance(one, Failure) for one in shown] == [False, True, False]
    recorder.finish("answered", answer="done")
    (kind,) = injected_kinds(build_record(recorder.events))
    assert kind.startswith("error ")
    assert kind.removeprefix("error ") in {str(one.status) for one in explicit_responses("P1")}
