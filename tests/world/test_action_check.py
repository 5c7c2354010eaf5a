"""The kit finds each way in which an action can lie about repetition, or a history about what was done."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sealegs.world import acting
from sealegs.world.corpus import Corpus, load_corpus
from sealegs.world.corpus_check import tool_problems
from sealegs.world.state import JournalEntry, World
from sealegs.world.tool import SimulatedTool

CORPUS = load_corpus()


def with_tools(*changed: SimulatedTool) -> Corpus:
    """The corpus with these tools in the place of those of their names."""
    tools = {**CORPUS.tools, **{tool.name: tool for tool in changed if tool.category != "history"}}
    histories = {**CORPUS.histories, **{tool.name: tool for tool in changed if tool.category == "history"}}
    return Corpus(tools, CORPUS.groups, CORPUS.overlaps, histories)


def problems_of(name: str, *changed: SimulatedTool) -> str:
    corpus = with_tools(*changed)
    return "\n".join(tool_problems(corpus.tools.get(name) or corpus.histories[name], corpus))


@pytest.mark.parametrize(
    ("name", "says", "problem"),
    [
        ("send_email", "refused", "says refused of a second identical call, which is: again"),
        ("send_email", "no_effect", "says no_effect of a second identical call, which is: again"),
        ("book_flight", "again", "says that a second identical call takes effect again, and on no example it does"),
        ("book_flight", "no_effect", "says no_effect of a second identical call, which is: refused"),
        ("draft_invoice", "again", "says again of a second identical call, which is: no_effect"),
        ("hold_meeting_room", "refused", "says refused of a second identical call, which is: again"),
        ("book_flight", None, "does not say what a second identical call does"),
    ],
)
def test_a_lying_repeat_rule(name: str, says: Any, problem: str) -> None:
    assert problem in problems_of(name, replace(CORPUS.tools[name], repeat=says))


def test_another_answer_is_not_the_same_answer() -> None:
    draft = CORPUS.tools["draft_invoice"]

    def counting(world: World, **arguments: Any) -> dict[str, Any]:
        return {**draft.run(world, **arguments), "currency": f"C{len(world.journal)}"}

    assert "which is: another answer" in problems_of("draft_invoice", replace(draft, run=counting))


TICKETS = CORPUS.histories["travel_ticket_history"]


def entries_of(change: Callable[[World, JournalEntry], list[dict[str, Any]]]) -> SimulatedTool:
    """The history of tickets with entries changed."""

    def run(world: World, operation: str) -> dict[str, Any]:
        own = [entry for entry in world.journal if entry.operation == operation]
        entries = [shown for entry in own for shown in change(world, entry)]
        return {"entries": entries, "count": len(entries)}

    return replace(TICKETS, run=run)


@pytest.mark.parametrize(
    ("history", "problem"),
    [
        (entries_of(lambda world, entry: []), "does not show exactly the call"),
        (entries_of(lambda world, entry: [entry.shown()] * 2), "does not show exactly the call"),
        (entries_of(lambda world, entry: [{**entry.shown(), "result": {}}]), "does not show exactly the call"),
        (entries_of(lambda world, entry: [{**entry.shown(), "request": {}}]), "does not show exactly the call"),
        (
            entries_of(lambda world, entry: [entry.shown()] if entry.status == "completed" else []),
            "does not show a call that was cut after 1 as partial",
        ),
        (
            entries_of(lambda world, entry: [{**entry.shown(), "operation": "hold_seat"}]),
            "operation repeats the argument operation",
        ),
    ],
)
def test_a_history_that_forgets(history: SimulatedTool, problem: str) -> None:
    assert problem in problems_of("book_flight", history)


def test_a_history_that_dreams() -> None:
    dreamed = replace(TICKETS, run=lambda world, operation: {"entries": [{}], "count": 1})
    assert "shows a request before there was one" in problems_of("book_flight", dreamed)


def test_a_history_of_others() -> None:
    elsewhere = replace(CORPUS.tools["book_flight"], shown_by="stay_history")
    assert "is not among the operations of stay_history" in problems_of("book_flight", elsewhere)
    assert "lists book_flight, which is not an action that names it" in problems_of("travel_ticket_history", elsewhere)
    nowhere = replace(CORPUS.tools["book_flight"], shown_by="diary")
    assert "names no history tool that shows what it did (shown_by is 'diary')" in problems_of("book_flight", nowhere)


def test_parts_that_are_not_declared() -> None:
    assert "declares parts=1, and has up to 2" in problems_of(
        "book_flight", replace(CORPUS.tools["book_flight"], parts=1)
    )
    assert "declares parts=2, and has up to 1" in problems_of("hold_seat", replace(CORPUS.tools["hold_seat"], parts=2))


def test_a_part_that_doubles() -> None:
    book = CORPUS.tools["apply_for_visa"]

    def numbered(world: World, **arguments: Any) -> dict[str, Any]:
        place = World()
        answer = book.run(place, **arguments)
        for effect in place.effects:
            world.effect(effect.action, effect.subject, number=len(world.effects))
        return answer

    assert "cut after 1 and repeated, it is not what one call is" in problems_of(book.name, replace(book, run=numbered))


def test_a_part_that_is_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "_part", lambda *given: None)
    assert "cut after 1, it leaves 2 effects" in problems_of("apply_for_visa")


def test_a_key_that_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "_known", lambda *given: None)
    found = problems_of("send_email")
    assert "a second call with the same idempotency_key takes effect again" in found
    assert "another request with the same idempotency_key is not refused with 422" in found


def test_a_key_that_is_no_parameter() -> None:
    assert "its key serial is not an optional parameter" in problems_of(
        "create_ticket", replace(CORPUS.tools["create_ticket"], key="serial")
    )
