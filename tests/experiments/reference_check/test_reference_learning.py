"""What is learned from clean runs, against chains of tools whose bindings are known because they were made."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sealegs.experiments.reference_check.checked_tools import CheckedTool
from sealegs.experiments.reference_check.learned_reference import LearnedReference
from sealegs.experiments.reference_check.reference_assembly import learn_reference
from sealegs.experiments.reference_check.reference_file import read_reference, write_reference
from sealegs.experiments.reference_check.reference_graph import graph_task
from sealegs.faults.call import Call, Value
from sealegs.faults.seeds import digest
from sealegs.faults.spec import ToolSpec
from sealegs.tasks import State, recovery_cost
from sealegs.traces import AnswerGiven, EpisodeEnded, EpisodeStarted, OutcomeShown, Record, ToolCalled, build_record

TASK = "the request"


@dataclass
class Chain:
    """A made task: where each tool's arguments come from, which tools act or give deliverables, which have a twin."""

    bindings: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)  # ("", value) or (tool, field)
    acting: set[str] = field(default_factory=set)
    deliverables: list[tuple[str, str]] = field(default_factory=list)
    twin: str = ""
    other: dict[str, tuple[str, str]] = field(default_factory=dict)  # the twin's own bindings

    @property
    def request(self) -> str:
        given = [v for own in [*self.bindings.values(), self.other] for source, v in own.values() if not source]
        return f"Please do it for {', '.join(given)}."

    def answer(self, tool: str, arguments: Mapping[str, Any], salt: str = "") -> dict[str, Any]:
        """Values of the tool's own; a twin gives the same under other names."""
        own = self.twin if tool == "other" else tool
        made = {f"f{n}": f"V-{digest(own, n, salt):x}"[:14] for n in range(2)}
        if tool == "other":
            return {"found": {"x": made["f1"], "y": made["f0"]}, "noise": "same"}
        return {**made, "echo": next(iter(arguments.values()), ""), "noise": "same"}

    def needed(self) -> set[str]:
        """The tools that act, that give deliverables, and those that they take something from."""
        found: set[str] = set()
        edge = [*self.acting, *(tool for tool, _ in self.deliverables)]
        while edge:
            tool = edge.pop()
            if tool not in found:
                found.add(tool)
                edge += [source for source, _ in self.bindings[tool].values() if source]
        return found


def made_chain(draw: random.Random) -> Chain:
    chain = Chain()
    for number in range(draw.randint(2, 6)):
        own: dict[str, tuple[str, str]] = {}
        for name in range(draw.randint(1, 3)):
            earlier = [t for t in chain.bindings if t not in chain.acting]
            if earlier and draw.random() < 0.7:
                own[f"p{name}"] = (draw.choice(earlier), f"f{draw.randrange(2)}")
            else:
                own[f"p{name}"] = ("", f"W-{draw.randrange(10**6, 10**7)}")
        chain.bindings[f"t{number}"] = own
        if draw.random() < 0.3:
            chain.acting.add(f"t{number}")
    tools = list(chain.bindings)
    chain.deliverables = [
        (tool, f"f{draw.randrange(2)}") for tool in draw.sample(tools, draw.randint(1, min(2, len(tools))))
    ]
    reads = [tool for tool in tools if tool in chain.needed() - chain.acting]
    if reads and draw.random() < 0.6:
        chain.twin = draw.choice(reads)
        before = [t for t in list(chain.bindings)[: list(chain.bindings).index(chain.twin)] if t not in chain.acting]
        source = draw.choice([*before, ""])
        chain.other = {"q": (source, f"f{draw.randrange(2)}" if source else f"W-{draw.randrange(10**6, 10**7)}")}
    return chain


def played(chain: Chain, run: int, twins: Sequence[str], salt: str = "") -> Record:
    """A clean run; `twins`: which of a tool and its twin are called."""
    answers: dict[str, dict[str, Any]] = {}
    events: list[Any] = [EpisodeStarted(f"clean/{run}", {})]
    number = 0
    for tool, own in chain.bindings.items():
        answers[tool] = chain.answer(tool, _given(own, answers), salt)
        for name in twins if tool == chain.twin else [tool]:
            number += 1
            given = _given(chain.other if name == "other" else own, answers)
            shown = chain.answer(name, given, salt)
            events.append(ToolCalled(f"call-{number}", name, given))
            events.append(OutcomeShown(f"call-{number}", {"value": shown}))
    text = " and ".join(answers[tool][name] for tool, name in chain.deliverables)
    return build_record([*events, AnswerGiven(f"It is done: {text}."), EpisodeEnded("answered")])


def _given(own: Mapping[str, tuple[str, str]], answers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: answers[source][value] if source else value for name, (source, value) in own.items()}


def tools_for(chain: Chain) -> list[CheckedTool]:
    names = [*chain.bindings, *(["other"] if chain.twin else [])]
    return [CheckedTool(ToolSpec(name, effects=name in chain.acting)) for name in names]


def learned(chain: Chain, salts: Sequence[str] = ("", "")) -> LearnedReference:
    """Two runs; where values are made anew in each, both of the twins are called, or nothing would link them."""
    orders = [[chain.twin], ["other"]] if len(set(salts)) == 1 else [[chain.twin, "other"], ["other", chain.twin]]
    records = [played(chain, run, twins, salt) for run, (twins, salt) in enumerate(zip(orders, salts, strict=True))]
    return learn_reference(records, chain.request, tools_for(chain))


CHAINS = [made_chain(random.Random(seed)) for seed in range(150)]


@pytest.mark.parametrize("salts", [("", ""), ("a", "b")], ids=["same values", "made anew"])
def test_the_learned_bindings_are_those_that_the_chain_was_made_with(salts: tuple[str, str]) -> None:
    twins = 0
    for chain in CHAINS:
        found = learned(chain, salts)
        needed = chain.needed()
        through_other = {source for source, _ in chain.other.values() if source} if _twin_is_read(chain) else set()
        assert {id for id in found.steps if id != "other"} == needed | _with_sources(through_other, chain)
        for tool in needed:
            for name, (source, value) in chain.bindings[tool].items():
                argument = found.steps[tool].arguments[name]
                if not source:
                    assert (argument.how, argument.sources) == ("task", ())
                else:
                    # In the chain's first run the twin was not called, so the source is named by the tool itself.
                    assert argument.how == "copied", (chain, tool, name, argument)
                    assert [str(one) for one in argument.sources] in ([f"{source}.{value}"], [_at_twin(value)])
        deliverables = {str(one.sources[0]) for one in found.deliverables}
        assert all({f"{tool}.{name}", _at_twin(name)} & deliverables for tool, name in chain.deliverables)
        assert len(deliverables) == len(set(chain.deliverables))
        groups = [set(way) for one in found.alternatives for way in one.ways]
        if _twin_is_read(chain):
            assert {"other"} in groups
            assert any(chain.twin in way for way in groups)
            twins += 1
        else:
            assert not groups
    assert twins > 30


def _with_sources(tools: AbstractSet[str], chain: Chain) -> set[str]:
    found = set(tools)
    for tool in tools:
        found |= _with_sources({source for source, _ in chain.bindings[tool].values() if source}, chain)
    return found


def _at_twin(name: str) -> str:
    return {"f1": "other.found.x", "f0": "other.found.y"}[name]


def _twin_is_read(chain: Chain) -> bool:
    return chain.twin in chain.needed()


def test_recovery_cost_is_that_of_trying_every_course() -> None:
    compared = 0
    for number, chain in enumerate(CHAINS):
        graph, draw = graph_task(learned(chain)).graph, random.Random(number)
        steps = list(graph.steps)
        for _ in range(6):
            done = frozenset(_closed(draw.sample(steps, draw.randrange(len(steps))), chain))
            broken = frozenset(draw.sample(steps, draw.randrange(min(3, len(steps) + 1))))
            cost = recovery_cost(graph, State(done=done, broken=broken))
            assert cost == fewest_calls(chain, done, broken), (chain, done, broken)
            compared += cost is not None
    assert compared > 200


def _closed(done: Sequence[str], chain: Chain) -> Iterator[str]:
    """The steps of these whose inputs were there."""
    have: set[str] = set()
    for tool in [*chain.bindings, "other"]:
        if tool in done and _ready(tool, have, chain):
            have.add(tool)
            yield tool


def _ready(tool: str, have: AbstractSet[str], chain: Chain) -> bool:
    own = chain.other if tool == "other" else chain.bindings[tool]
    return all(_has(source, have, chain) for source, _ in own.values() if source)


def _has(tool: str, have: AbstractSet[str], chain: Chain) -> bool:
    return tool in have or (tool == chain.twin and "other" in have)


def fewest_calls(chain: Chain, done: frozenset[str], broken: frozenset[str]) -> int | None:
    """Breadth first over all courses that do every action and find every deliverable, by how the chain was made."""
    tools = [*chain.bindings, *(["other"] if chain.twin else [])]
    edge, seen, calls = {done}, {done}, 0
    while edge:
        if any(
            chain.acting <= have and all(_has(tool, have, chain) for tool, _ in chain.deliverables) for have in edge
        ):
            return calls
        after = {
            have | {tool}
            for have, tool in product(edge, tools)
            if tool not in have and tool not in broken and _ready(tool, have, chain)
        }
        edge, calls = after - seen, calls + 1
        seen |= edge
    return None


def test_a_file_reads_back_as_the_same_reference(tmp_path: Path) -> None:
    for number, chain in enumerate(CHAINS[:40]):
        found = learned(chain)
        write_reference(tmp_path / f"{number}.yaml", found)
        assert read_reference(tmp_path / f"{number}.yaml", found.tools) == found


def one_run(calls: Sequence[tuple[str, Mapping[str, Any], Any]], answer: str) -> Record:
    events: list[Any] = [EpisodeStarted("clean/1", {})]
    for number, (tool, given, answer_of_tool) in enumerate(calls, 1):
        events.append(ToolCalled(f"call-{number}", tool, given))
        events.append(OutcomeShown(f"call-{number}", {"value": answer_of_tool}))
    return build_record([*events, AnswerGiven(answer), EpisodeEnded("answered")])


def reads(*names: str) -> list[CheckedTool]:
    return [CheckedTool(ToolSpec(name, effects=False)) for name in names]


def test_a_worked_out_argument_needs_both_of_its_values() -> None:
    calls: list[tuple[str, Mapping[str, Any], Any]] = [
        ("price", {"item": "lamp"}, {"each": 19.5}),
        ("count", {"item": "lamp"}, {"left": 30}),
        ("worth", {"amount": 585.0}, {"in_words": "five hundred and eighty-five"}),
    ]
    found = learn_reference(
        [one_run(calls, "Five hundred and eighty-five euros.")] * 2,
        "What are all lamps worth?",
        reads("price", "count", "worth"),
    )
    amount = found.steps["worth"].arguments["amount"]
    assert amount.how == "worked out"
    assert {str(one) for one in amount.sources} == {"price.each", "count.left"}
    assert recovery_cost(graph_task(found).graph, State(broken=frozenset({"count"}))) is None


def test_a_tool_that_is_called_for_several_things_is_as_many_steps() -> None:
    calls = [
        ("price", {"item": "lamp"}, {"each": 19.5}),
        ("price", {"item": "desk"}, {"each": 249.0}),
        ("price", {"item": "lamp"}, {"each": 19.5}),
    ]
    found = learn_reference(
        [one_run(calls, "The lamp is 19.5 and the desk 249.")], "What do a lamp and a desk cost?", reads("price")
    )
    assert {id: step.arguments["item"].value for id, step in found.steps.items()} == {
        "price": "lamp",
        "price#2": "desk",
    }
    assert [str(one.sources[0]) for one in found.deliverables] == ["price.each", "price#2.each"]


def test_values_in_a_text_are_found() -> None:
    calls: list[tuple[str, Mapping[str, Any], Any]] = [
        ("look_up", {"name": "Ann"}, "Customer C-4711, since 2019."),
        ("balance", {"id": "C-4711"}, '{"euros": 88.25}'),
    ]
    found = learn_reference(
        [one_run(calls, "Ann has 88.25 euros.")], "What does Ann have?", reads("look_up", "balance")
    )
    assert found.steps["balance"].arguments["id"].how == "contained"
    assert [str(s) for s in found.steps["balance"].arguments["id"].sources] == ["look_up"]
    assert [str(one.sources[0]) for one in found.deliverables] == ["balance.euros"]


def test_what_varies_without_a_source_is_free() -> None:
    records = [
        one_run([("note", {"text": words, "id": 4711}, {"saved": f"N-{n}4711"})], f"Saved as N-{n}4711.")
        for n, words in enumerate(("a lamp came back", "the lamp was returned"))
    ]
    found = learn_reference(
        records, "Note for 4711 that the lamp came back.", [CheckedTool(ToolSpec("note", effects=True))]
    )
    assert found.steps["note"].arguments["text"].how == "free"
    assert found.steps["note"].arguments["id"].how == "task"


def test_a_call_is_read_as_its_record_shows_it() -> None:
    record = one_run([("a", {"x": 1}, {"y": 2})], "done")
    assert record.turns[0].call == Call("a", {"x": 1}, "call-1")
    assert record.turns[0].shown == Value({"y": 2})


def test_a_value_that_many_things_have_makes_no_alternative() -> None:
    calls: list[tuple[str, Mapping[str, Any], Any]] = [
        ("order", {"number": 17}, {"currency": "EUR"}),
        ("profile", {"of": "us"}, {"currency": "EUR"}),
        ("price", {"currency": "EUR"}, {"euros": 88.25}),
    ]
    found = learn_reference(
        [one_run(calls, "It is 88.25.")], "What is order 17 of us?", reads("order", "profile", "price")
    )
    assert set(found.steps) == {"order", "price"}
    assert not found.alternatives
