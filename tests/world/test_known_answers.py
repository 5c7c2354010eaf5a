"""Answers that are known from earlier calls: each is the one that the tool would give now, and of its own."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.world import known_answers
from sealegs.world.corpus import Corpus, load_corpus, load_corpus_file
from sealegs.world.known_answers import READS, KnownAnswers
from sealegs.world.state import World
from sealegs.world.tool import DOMAINS, Answer, Refusal, simulated_tool

CORPUS = replace(load_corpus(), known=KnownAnswers())
PLAIN = replace(CORPUS, known=None)


class Echoed(Answer):
    """What was given."""

    given: Any
    times: int = 0


def tool_of(function: Callable[..., dict[str, Any]]) -> Corpus:
    made = simulated_tool(domain="test", category="source", answer=Echoed, examples=())(function)
    return Corpus({made.name: made}, {}, known=KnownAnswers())


def echo(world: World, thing: Any) -> dict[str, Any]:
    """Give it back."""
    return {"given": thing}


def value(outcome: Outcome) -> Any:
    assert isinstance(outcome, Value), outcome
    return outcome.value


def used_world(corpus: Corpus, domain: str) -> World:
    """A world in which all actions of a domain were done."""
    world = World()
    for tool in corpus.tools.values():
        for example in tool.examples if tool.domain == domain else ():
            corpus.run(Call(tool.name, example), world)
    return world


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_read_says_from_memory_what_it_says_anew_whatever_happened_before(domain: str) -> None:
    calls = [Call(tool.name, one) for tool in CORPUS.tools.values() if tool.category in READS for one in tool.examples]
    asked = [call for call in calls if CORPUS.tools[call.tool].domain == domain]
    assert asked
    for remembering, plain in ((World(), World()), (used_world(CORPUS, domain), used_world(PLAIN, domain))):
        for call in asked:
            anew = PLAIN.run(call, plain)
            assert [CORPUS.run(call, remembering) for _ in range(2)] == [anew, anew]


def test_a_read_of_what_an_action_changed_is_not_taken_from_before() -> None:
    told, asked = {}, Call("account_balance", CORPUS.tools["account_balance"].examples[0])
    for corpus in (CORPUS, PLAIN):
        world = World()
        before = value(corpus.run(asked, world))
        for example in CORPUS.tools["send_payment"].examples:
            corpus.run(Call("send_payment", {**example, **asked.arguments}), world)
        told[corpus is CORPUS] = [before, value(corpus.run(asked, world))]
    assert told[True] == told[False]
    assert told[True][0] != told[True][1]


def test_whoever_changes_an_answer_changes_no_other() -> None:
    call = Call("validate_iban", CORPUS.tools["validate_iban"].examples[0])
    answers = [value(CORPUS.run(call, World())) for _ in range(3)]
    right = dict(answers[2])
    answers[0].clear()
    answers[1].clear()
    assert value(CORPUS.run(call, World())) == right != {}


def test_equal_arguments_of_other_types_are_other_arguments() -> None:
    corpus = tool_of(echo)
    for thing in (1, 1.0, True, "1", [1], [1.0], [True], {"a": 1, "b": 2}, {"b": 2, "a": 1}, 0.0, -0.0, None, ""):
        given = [value(corpus.run(Call("echo", {"thing": thing}), World()))["given"] for _ in range(2)]
        assert [repr(one) for one in given] == [repr(thing)] * 2


def test_a_read_that_leaves_something_behind_is_made_each_time() -> None:
    def visit(world: World) -> dict[str, Any]:
        """Count visits."""
        seen = world.state("test.visits")
        seen["times"] = seen.get("times", 0) + 1
        return {"given": "", "times": seen["times"]}

    corpus, world = tool_of(visit), World()
    assert [value(corpus.run(Call("visit", {}), world))["times"] for _ in range(3)] == [1, 2, 3]
    assert value(corpus.run(Call("visit", {}), World()))["times"] == 1


def test_what_depends_on_the_world_for_some_arguments_alone_is_told_apart() -> None:
    def look(world: World, thing: str) -> dict[str, Any]:
        """Look at the world if asked to."""
        return {"given": thing, "times": len(world.journal) if thing == "world" else 0}

    corpus, used = tool_of(look), World()
    used.journal.append(None)  # type: ignore[arg-type]  # of which only the number is asked
    for _ in range(2):
        for thing, world, times in (("no", used, 0), ("world", World(), 0), ("world", used, 1), ("no", World(), 0)):
            assert value(corpus.run(Call("look", {"thing": thing}), world))["times"] == times


def test_refusals_and_bad_arguments_are_not_kept() -> None:
    calls = []

    def refuse(world: World, thing: str) -> dict[str, Any]:
        """Refuse."""
        calls.append(thing)
        raise Refusal(404, "NotFound", f"no {thing}")

    corpus = tool_of(refuse)
    first, second = (corpus.run(Call("refuse", {"thing": "a"}), World()) for _ in range(2))
    assert first == second == Failure("no a", type="NotFound", status=404)
    assert calls == ["a", "a"]
    assert isinstance(corpus.run(Call("refuse", {"other": 1}), World()), Failure)


def test_what_is_not_plain_data_is_worked_out_each_time() -> None:
    class Kind(BaseModel):
        pass

    corpus, kind = tool_of(echo), Kind()
    assert all(value(corpus.run(Call("echo", {"thing": kind}), World()))["given"] is kind for _ in range(2))


def test_arguments_that_hold_themselves_take_no_time() -> None:
    """With two ways to itself, a walk that only counts its depth would never end."""
    held: list[Any] = []
    held += [[held], [held]]
    corpus = tool_of(echo)
    assert corpus.known is not None
    assert corpus.known.known(corpus.tools["echo"], {"thing": held}, World()) is None
    assert corpus.known.work_out(corpus.tools["echo"], {"thing": held}, {"thing": held}, World())["given"] is held
    assert len(corpus.known) == 0


def test_another_function_of_the_same_name_is_asked_itself() -> None:
    def echo_twice(world: World, thing: Any) -> dict[str, Any]:
        """Give it back twice."""
        return {"given": [thing, thing]}

    corpus, made = tool_of(echo), tool_of(echo_twice)
    other = replace(corpus, tools={"echo": replace(made.tools["echo_twice"], name="echo")})
    assert other.known is corpus.known
    for asked, given in ((corpus, 1), (other, [1, 1])):
        assert all(value(asked.run(Call("echo", {"thing": 1}), World()))["given"] == given for _ in range(2))


def test_few_answers_are_kept_and_no_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_answers, "MOST", 3)
    corpus = tool_of(echo)
    assert corpus.known is not None
    for number in [*range(10), "x" * known_answers.LONGEST]:
        assert value(corpus.run(Call("echo", {"thing": number}), World()))["given"] == number
        assert len(corpus.known) <= known_answers.MOST
    assert corpus.known.known(corpus.tools["echo"], {"thing": "x" * known_answers.LONGEST}, World()) is None


def test_a_persons_own_tools_are_asked_each_time() -> None:
    garden = Path(__file__).parent.parent.parent / "examples" / "garden.py"
    assert load_corpus_file(garden).known is None
    assert load_corpus().known is not None
