"""Running actions: the journal, calls of which only a part is done, and idempotency keys."""

from dataclasses import replace
from typing import Any

from sealegs.faults.call import Call, Effect, Failure, PartialExecution, Value
from sealegs.world.corpus import Corpus, load_corpus
from sealegs.world.state import World

CORPUS = load_corpus()
BOOK = Call("book_flight", CORPUS.tools["book_flight"].examples[0])
MAIL = Call("send_email", CORPUS.tools["send_email"].examples[0])


def run(call: Call, world: World, corpus: Corpus = CORPUS) -> Any:
    outcome = corpus.run(call, world)
    assert isinstance(outcome, Value), outcome
    return outcome.value


def listed(operation: str, world: World) -> list[dict[str, Any]]:
    history = CORPUS.history_of(operation)
    assert history is not None
    entries: list[dict[str, Any]] = run(Call(history.name, {"operation": operation}), world)["entries"]
    return entries


def test_every_action_is_shown_by_a_history_tool_that_is_not_counted() -> None:
    assert not CORPUS.tools.keys() & CORPUS.histories.keys()
    assert {tool.category for tool in CORPUS.histories.values()} == {"history"}
    actions = [tool for tool in CORPUS.tools.values() if tool.category == "action"]
    assert actions
    assert all(CORPUS.history_of(tool.name) for tool in actions)
    assert CORPUS.history_of("price_history") is None
    assert CORPUS.spec("stay_history").effects is False


def test_the_journal_keeps_requests_and_answers() -> None:
    world = World()
    answer = run(BOOK, world)
    (entry,) = listed("book_flight", world)
    assert entry["request"] == {**CORPUS.tools["book_flight"].defaults, **BOOK.arguments}
    assert entry["result"] == answer
    answer.clear()
    entry["result"].clear()
    assert listed("book_flight", world)[0]["result"]


def test_reads_refusals_and_dry_calls_leave_no_entry() -> None:
    world = World()
    run(Call("account_balance", CORPUS.tools["account_balance"].examples[0]), world)
    CORPUS.run(Call("book_flight", CORPUS.tools["book_flight"].refusals[0][0]), world)
    run(replace(BOOK, dry=True), world)
    run(replace(BOOK, dry=True, cut=1), world)
    assert (world.journal, world.effects) == ([], [])


def test_a_dry_look_sees_what_was_done() -> None:
    world = World()
    run(BOOK, world)
    look = Call("travel_ticket_history", {"operation": "book_flight"}, dry=True)
    assert run(look, world)["count"] == 1


def test_a_part_goes_out_and_the_repetition_does_the_rest() -> None:
    observed: list[Effect] = []
    world = World(observed.append)
    part = CORPUS.run(replace(BOOK, id="a", cut=1), world)
    assert isinstance(part, PartialExecution)
    assert [(effect.action, effect.call) for effect in observed] == [("reserve_seat", "a")]
    assert [(e["status"], e["done"], e["result"]) for e in listed("book_flight", world)] == [
        ("partial", ["reserve_seat"], None)
    ]
    assert run(replace(BOOK, id="b"), world) == part.value
    assert [(effect.action, effect.call) for effect in observed] == [("reserve_seat", "a"), ("issue_ticket", "b")]
    assert observed == world.effects
    (entry,) = listed("book_flight", world)
    assert (entry["status"], entry["done"], entry["result"]) == (
        "completed",
        ["reserve_seat", "issue_ticket"],
        part.value,
    )


def test_a_part_twice_is_a_part_once() -> None:
    world = World()
    for _ in range(2):
        assert isinstance(CORPUS.run(replace(BOOK, cut=1), world), PartialExecution)
    assert len(world.effects) == len(listed("book_flight", world)) == 1


def test_a_cut_beyond_the_last_effect_is_an_ordinary_call() -> None:
    world = World()
    assert type(CORPUS.run(replace(BOOK, cut=2), world)) is Value
    assert len(world.effects) == 2
    assert isinstance(CORPUS.run(BOOK, world), Failure)


def test_of_nothing_done_there_is_no_entry() -> None:
    world = World()
    assert isinstance(CORPUS.run(replace(BOOK, cut=0), world), PartialExecution)
    assert (world.journal, world.effects) == ([], [])


def test_a_part_changes_nothing_for_another_call() -> None:
    other = Call("book_flight", CORPUS.tools["book_flight"].examples[1])
    cut, clean = World(), World()
    CORPUS.run(replace(BOOK, cut=1), cut)
    assert run(other, cut) == run(other, clean)
    assert cut.effects[1:] == clean.effects
    assert [entry["status"] for entry in listed("book_flight", cut)] == ["partial", "completed"]


def test_calls_with_one_key_take_effect_once() -> None:
    world = World()
    keyed = replace(MAIL, arguments={**MAIL.arguments, "idempotency_key": "k1"})
    assert run(keyed, world) == run(keyed, world) == run(MAIL, World())
    assert len(world.effects) == len(listed("send_email", world)) == 1
    reused = CORPUS.run(replace(keyed, arguments={**keyed.arguments, "subject": "Another"}), world)
    assert isinstance(reused, Failure)
    assert (reused.status, reused.type) == (422, "IdempotencyKeyReused")
    run(replace(keyed, arguments={**keyed.arguments, "idempotency_key": "k2"}), world)
    run(MAIL, world)
    run(MAIL, world)
    assert len(world.effects) == 4


def test_a_key_says_the_same_of_a_part() -> None:
    create = Call("create_task", {**CORPUS.tools["create_task"].examples[0], "idempotency_key": "k"})
    world = World()
    part = CORPUS.run(replace(create, cut=1), world)
    assert isinstance(part, PartialExecution)
    assert run(create, world) == part.value == run(create, world)
    assert len(world.effects) == 2


def test_the_description_says_what_a_repetition_does() -> None:
    for tool in CORPUS.tools.values():
        assert ("A second identical call" in tool.spec.description) == (tool.category == "action")
        assert ("idempotency_key" in tool.spec.description) == bool(tool.key)
        assert tool.spec.idempotent == (tool.repeat in ("refused", "no_effect"))


def test_a_call_that_finds_all_done_is_shown_too() -> None:
    stage = CORPUS.tools["stage_firmware_package"]
    without = []
    for example in stage.examples:
        world = World()
        answers = [run(Call(stage.name, example), world) for _ in range(2)]
        assert [entry["result"] for entry in listed(stage.name, world)] == answers[:1]
        without.append(not world.effects)
    assert any(without)
