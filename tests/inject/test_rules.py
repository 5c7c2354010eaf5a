"""Which calls a plan's rules strike in an episode: permanence, places, cascades, groups, several rules on one call."""

from __future__ import annotations

from typing import Any

import pytest

from sealegs.faults import Call, Failure, Outcome, Plan, ToolSpec, Value
from sealegs.faults.kinds import (
    Delay,
    Delta,
    Duplicate,
    Error,
    LogicViolation,
    LostAck,
    Poisoned,
    Scramble,
    Stale,
    WrongEntity,
)
from sealegs.faults.triggers import Argument, Every, First, FirstTouch, Nth, Tag, Tool, Window
from sealegs.inject import Injector, Session, VirtualClock, as_given
from sealegs.traces import Recorder
from tests.faults.trip import SPEC
from tests.inject.staging import NOWHERE, TRIP, Staged, plan, rule, staged

DOWN = Error(status=503)
BUSY = Error(status=429)
GROUP = FirstTouch(("ferry", "train"))


def is_faulted(episode: Staged, tool: str, **arguments: Any) -> bool:
    return isinstance(episode.session.call(tool, arguments, answer), Failure)


def answer(call: object) -> Outcome:
    return Value({"answer": 42})


def faulted(plan: Plan, tools: str) -> str:
    """Which of these calls are struck: an x each."""
    episode = staged(plan)
    return "".join("x" if is_faulted(episode, tool) else "." for tool in tools)


@pytest.mark.parametrize(
    ("more", "calls", "expected"),
    [
        ({"when": First(2)}, "aaaa", "xx.."),
        ({"when": Nth(2)}, "abab", "..xx"),
        ({"when": Every(3)}, "aaaaaa", "..x..x"),
        ({"when": Window((2, 3))}, "aaaa", ".xx."),
        ({"tool": "a"}, "abab", "x.x."),
        ({"match": ~Tool("a")}, "abab", ".x.x"),
        ({"at_most": 1}, "aaabbb", "x..x.."),
        ({"at_most": 2, "when": Every(2)}, "aaaaaaa", ".x.x..."),
        ({"persistence": "permanent", "when": Nth(2)}, "aaabab", ".xx.xx"),
        ({"persistence": "permanent", "when": Nth(2), "at_most": 2}, "aaaaa", ".xx.."),
    ],
)
def test_which_calls_are_struck(more: dict[str, Any], calls: str, expected: str) -> None:
    assert faulted(plan(rule(DOWN, **more)), calls) == expected


def test_tags_and_arguments() -> None:
    match = Tag("travel") & Argument(name="city", equals="Oslo")
    episode = staged(plan(rule(DOWN, match=match)), specs=(SPEC,))
    assert is_faulted(episode, "book_trip", city="Oslo")
    assert not is_faulted(episode, "book_trip", city="Kyoto")
    assert not is_faulted(episode, "book_flight", city="Oslo")


def test_a_permanent_rule_keeps_to_its_tool_and_not_to_its_arguments() -> None:
    broken = rule(DOWN, match=Argument(name="city", equals="Oslo"), persistence="permanent")
    episode = staged(plan(broken))
    assert [is_faulted(episode, "book", city=city) for city in ("Rome", "Oslo", "Rome")] == [False, True, True]
    assert not is_faulted(episode, "cancel", city="Rome")


@pytest.mark.parametrize(
    "fault", [LogicViolation(), Scramble(), Delta(), Delay(seconds={"uniform": {"low": 1, "high": 9}})]
)
def test_a_permanent_fault_is_the_same_every_time(fault: Any) -> None:
    permanent = staged(plan(rule(fault, persistence="permanent")))
    permanent_injections = [_injection(permanent) for _ in range(6)]
    assert permanent_injections == permanent_injections[:1] * 6
    transient = staged(plan(rule(fault)))
    assert len({str(_injection(transient)) for _ in range(6)}) > 1


def _injection(episode: Staged) -> tuple[Outcome | None, float]:
    before = episode.session.clock.now()
    return episode.call(), round(episode.session.clock.now() - before, 6)


def test_a_permanent_fault_that_came_to_nothing_stays() -> None:
    """The tool is broken from the first call that fires, even if that call failed by itself."""
    episode = staged(plan(rule(Poisoned(), when=Nth(1), persistence="permanent")))
    episode.call(NOWHERE)
    episode.call(TRIP)
    record = episode.record()
    assert [turn.faulted for turn in record.turns] == [False, True]


def test_a_fault_that_came_to_nothing_gives_its_place_back() -> None:
    episode = staged(plan(rule(Poisoned(), at_most=1)))
    for arguments in (NOWHERE, NOWHERE, TRIP, TRIP):
        episode.call(arguments)
    record = episode.record()
    assert [turn.faulted for turn in record.turns] == [False, False, True, False]
    assert [len(turn.injections) for turn in record.turns] == [1, 1, 1, 0]


def test_a_cascade_waits_for_the_delivery_of_its_cause() -> None:
    cause = rule(Poisoned(), tool="book_trip", id="cause")
    effect = rule(DOWN, tool="pay", after="cause")
    episode = staged(plan(cause, effect))
    assert not is_faulted(episode, "pay")
    episode.call(NOWHERE)  # fires and comes to nothing
    assert not is_faulted(episode, "pay")
    episode.call(TRIP)
    assert is_faulted(episode, "pay")


def test_cascades_chain() -> None:
    chain = plan(
        rule(DOWN, tool="c", after="b", id="c"), rule(DOWN, tool="b", after="a", id="b"), rule(DOWN, tool="a", id="a")
    )
    assert faulted(chain, "cbcacbc") == "...x.xx"


@pytest.mark.parametrize(("calls", "victim"), [(("ferry", "train"), "ferry"), (("train", "ferry"), "train")])
def test_the_first_touched_of_a_group_is_the_victim(calls: tuple[str, str], victim: str) -> None:
    episode = staged(plan(rule(DOWN, match=Tool("ferry") | Tool("train"), when=GROUP)))
    found = {tool for _ in range(3) for tool in calls if is_faulted(episode, tool)}
    assert found == {victim}
    assert not is_faulted(episode, "bus")


def test_a_group_whose_members_have_their_own_rules() -> None:
    rules = [rule(DOWN, tool=tool, when=GROUP, at_most=1) for tool in GROUP.first_touch]
    episode = staged(plan(*rules))
    assert [is_faulted(episode, tool) for tool in ("train", "ferry", "train", "ferry")] == [True, False, False, False]


def test_a_touch_counts_where_the_rule_itself_is_about_another_tool() -> None:
    """Only the ferry can be struck; who took the train first has made the ferry safe."""
    episode = staged(plan(rule(DOWN, tool="ferry", when=GROUP)))
    assert not is_faulted(episode, "train")
    assert not is_faulted(episode, "ferry")


def test_a_victim_is_chosen_for_an_episode() -> None:
    chosen = plan(rule(DOWN, when=GROUP))
    assert is_faulted(staged(chosen), "train")
    assert is_faulted(staged(chosen), "ferry")


def test_the_first_rule_is_outermost_and_has_the_last_word() -> None:
    episode = staged(plan(rule(Poisoned(instruction="outer")), rule(Poisoned(instruction="inner"))))
    shown = episode.call()
    assert isinstance(shown, Value)
    assert shown.value["note"].endswith("inner outer")
    assert [injection.rule for injection in episode.record().turns[0].injections] == ["rule-2", "rule-1"]


def test_an_answer_from_outside_leaves_nothing_to_do_inside() -> None:
    """The inner rule fired, came to nothing, learns of it, and has its place back."""
    episode = staged(plan(rule(DOWN, when=First(1)), rule(Poisoned(), at_most=1)))
    episode.call()
    episode.call()
    episode.call()
    first, second, third = episode.record().turns
    assert [(injection.kind, injection.delivered) for injection in first.injections] == [
        ("error", True),
        ("poisoned", False),
    ]
    assert first.injections[1].shown is None
    assert [(injection.kind, injection.delivered) for injection in second.injections] == [("poisoned", True)]
    assert not third.injections


def test_a_fault_run_twice_by_one_outside_takes_one_place() -> None:
    episode = staged(plan(rule(Duplicate()), rule(Poisoned(), at_most=2)))
    for _ in range(3):
        episode.call()
    assert [len(turn.injections) for turn in episode.record().turns] == [3, 3, 1]


def test_a_fault_run_twice_for_nothing_gives_one_place_back() -> None:
    plan_ = plan(rule(WrongEntity(), when=First(1)), rule(Stale(), at_most=1))
    episode = staged(plan_)
    for arguments in (TRIP, {"city": "Kyoto"}, TRIP, {"city": "Lisbon"}):
        episode.call(arguments)
    kinds = [[s.kind for s in turn.injections if s.delivered] for turn in episode.record().turns]
    assert kinds == [["wrong_entity"], ["stale"], [], []]


def test_delays_add_up_and_a_lost_answer_outside_still_runs_the_tool() -> None:
    episode = staged(plan(rule(LostAck()), rule(Delay(seconds=2.0)), rule(Delay(seconds=3.0))))
    assert isinstance(episode.call(), Failure)
    assert episode.session.clock.now() == 35.0
    record = episode.record()
    assert len(record.effects) == 1
    assert [(s.kind, s.waited, s.runs) for s in record.turns[0].injections] == [
        ("delay", 3.0, 1),
        ("delay", 2.0, 1),
        ("lost_ack", 30.0, 1),
    ]


def test_an_old_answer_is_the_latest_that_differs() -> None:
    episode = staged(plan(rule(Stale(), when=Nth(4))))
    shown = [episode.call({"city": city}) for city in ("Oslo", "Kyoto", "Lisbon", "Lisbon")]
    assert shown[3] == shown[1] != shown[2]


def test_an_old_answer_is_as_it_was_whatever_the_agent_did_to_it() -> None:
    episode = staged(plan(rule(Stale(), when=Nth(2))))
    first = episode.call()
    assert isinstance(first, Value)
    city = first.value["city"]
    first.value["city"] = "defaced"
    second = episode.call({"city": "Kyoto"})
    assert isinstance(second, Value)
    assert second.value["city"] == city


def test_rules_of_another_kind_do_not_change_a_decision() -> None:
    """A rule's draws are its own: adding a rule in front leaves what another decides."""
    alone = staged(plan(rule(Scramble(), id="scramble"), seed=5))
    beside = staged(plan(rule(Delay(seconds=1.0), id="delay"), rule(Scramble(), id="scramble"), seed=5))
    assert [alone.call() for _ in range(5)] == [beside.call() for _ in range(5)]


@pytest.mark.parametrize("change", [{"seed": 6}, {"episode": "other"}])
def test_seed_and_episode_are_part_of_every_decision(change: dict[str, Any]) -> None:
    one = staged(plan(rule(Scramble()), seed=5))
    other = staged(plan(rule(Scramble()), seed=change.get("seed", 5)), episode=change.get("episode", "episode"))
    assert one.call() != other.call()


def test_a_call_may_be_closed_while_another_is_weighed() -> None:
    """As where garbage collection finds an abandoned call in the midst of another; here, an argument does it."""
    injector = Injector(plan(rule(Poisoned(), match=Argument(name="day", matches="Mon"), at_most=9)))
    abandoned = injector.layer(Call("book", {"day": "Monday"}))
    assert isinstance(next(abandoned), Call)
    closed = []

    class Collecting(dict[str, str]):
        def _close(self) -> None:
            abandoned.close()
            closed.append(True)

        def __contains__(self, key: object) -> bool:
            self._close()
            return super().__contains__(key)

        def get(self, *args: Any) -> Any:
            self._close()
            return super().get(*args)

    assert injector.aim(injector.state("book"), Collecting(day="Monday")) is not None
    assert closed


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("before", ["intercepted", "called", "nothing"])
def test_a_tool_that_no_rule_concerned_is_known_anew(before: str, recorded: bool) -> None:
    watcher = Recorder(VirtualClock()) if recorded else None
    one = Session(plan(rule(DOWN, match=Tag("payment"), when=Nth(1))), episode="e", watcher=watcher)
    with one:
        if before == "called":
            assert one.call("pay", {}, answer) == answer(None)
        elif before != "nothing":
            assert (one.intercept("pay", as_given, {}) is None) is not recorded
        one.declare(ToolSpec("pay", tags=frozenset({"payment"})))
        assert [isinstance(one.call("pay", {}, answer), Failure) for _ in range(2)] == [True, False]


@pytest.mark.parametrize("waits", [False, True])
async def test_a_declaration_on_the_way_to_the_call_counts(waits: bool) -> None:
    one = Session(plan(rule(DOWN, "look", Nth(1)), rule(DOWN, "look", Nth(2))), episode="e")

    def declared(arguments: dict[str, Any]) -> dict[str, Any]:
        one.declare(ToolSpec("look", effects=False))
        return arguments

    async def read() -> dict[str, Any]:
        return declared({})

    for _ in range(2):
        intercepted = await one.intercept_async("look", read) if waits else one.intercept("look", declared, {})
        assert intercepted is not None
        assert isinstance(intercepted.call(lambda call: pytest.fail("the tool ran")), Failure)
    assert one.intercept("look", declared, {}) is None


async def test_arguments_that_take_waiting_are_read_only_where_something_can_happen() -> None:
    async def read() -> dict[str, Any]:
        read_for.append(tool)
        return {}

    read_for: list[str] = []
    for tool, recorded in (("look", False), ("pay", False), ("look", True)):
        watcher = Recorder(VirtualClock()) if recorded else None
        one = Session(plan(rule(DOWN, "pay")), episode="e", watcher=watcher)
        assert (await one.intercept_async(tool, read) is None) is (tool == "look" and not recorded)
    assert read_for == ["pay", "look"]


def test_a_declaration_between_a_thread_s_look_and_its_call_splits_no_count() -> None:
    injector = Injector(plan(rule(DOWN, "pay", Nth(1))))
    early = injector.state("pay")  # as a thread that is then made to wait
    injector.know([ToolSpec("pay", effects=False)])
    late = injector.state("pay")
    assert [injector.aim(one, {}) is not None for one in (early, late, early)] == [True, False, False]
    injector.know([ToolSpec("pay", effects=True)])
    assert injector.state("pay") is late


def test_a_tool_that_a_rule_concerned_keeps_its_count() -> None:
    one = Session(plan(rule(DOWN, "pay", Nth(2))), episode="e")
    assert one.call("pay", {}, answer) == answer(None)
    one.declare(ToolSpec("pay", tags=frozenset({"payment"})))
    assert isinstance(one.call("pay", {}, answer), Failure)
