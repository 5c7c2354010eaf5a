"""Two agents: a fault at either boundary, and the error followed across."""

from __future__ import annotations

from typing import Any

import pytest

from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))
pytestmark = pytest.mark.filterwarnings("default")

from sealegs.suites.micro.campaign_faults import Permanent, Schedule, Transient, experiment_plan  # noqa: E402
from sealegs.suites.micro.episode import play_micro_episode  # noqa: E402
from sealegs.suites.micro.error_propagation import PropagationTrace, trace_propagation  # noqa: E402
from sealegs.suites.micro.workloads import load_workloads  # noqa: E402

PAIRED = [one.name for one in load_workloads().values() if one.paired]


def played(
    workload: str, model: str, boundary: str, fault: str, schedule: Schedule
) -> tuple[dict[str, Any], PropagationTrace]:
    plan = experiment_plan(fault, {}, schedule, 3).as_data()
    result = play_micro_episode(
        {"workload": workload, "model": f"scripted/{model}", "boundary": boundary, "plan": plan}
    )
    return result, trace_propagation(workload, result)


@pytest.mark.parametrize("workload", PAIRED)
@pytest.mark.parametrize("model", ["oracle", "naive"])
def test_without_a_fault(workload: str, model: str) -> None:
    result, passage = played(workload, model, "inner", "none", Permanent())
    assert load_workloads()[workload].judge(result["answer"])
    assert (passage.struck, passage.outer, passage.asked_again) == ("", "not touched", 0)
    assert {hop.inner for hop in passage.hops} == {"not touched"}
    outer = [call["id"] for call in result["calls"] if call["agent"] == "outer"]
    inner = [call["id"] for call in result["calls"] if call["agent"] == "inner"]
    assert outer == ["call-1", "call-2"]
    assert {id.split("/")[0] for id in inner} == set(outer)
    assert [id.split("/")[1] for id in inner] == [f"call-{n}" for n in range(1, len(inner) + 1)]


@pytest.mark.parametrize("workload", PAIRED)
def test_faults_strike_at_the_boundary_that_is_named(workload: str) -> None:
    for boundary in ("inner", "outer"):
        for fault in ("unreachable", "incorrect", "delta"):
            result, passage = played(workload, "oracle", boundary, fault, Transient(1))
            faulted = {call["agent"] for call in result["calls"] if call["struck"]}
            assert faulted == {boundary} == {passage.struck}


@pytest.mark.parametrize("workload", PAIRED)
@pytest.mark.parametrize("fault", ["unreachable", "incorrect", "delta"])
def test_the_inner_agent_absorbs_what_passes(workload: str, fault: str) -> None:
    result, passage = played(workload, "oracle", "inner", fault, Transient(1))
    assert load_workloads()[workload].judge(result["answer"])
    assert passage.outer == "right"
    assert passage.asked_again == 0
    assert {hop.inner for hop in passage.hops} <= {"absorbed", "not touched"}
    assert passage.hops[0].struck_inside
    assert passage.hops[0].inner == "absorbed"


@pytest.mark.parametrize("workload", PAIRED)
def test_the_inner_agent_passes_an_error_on(workload: str) -> None:
    result, passage = played(workload, "naive", "inner", "unreachable", Transient(1))
    assert [hop.inner for hop in passage.hops] == ["passed on as an error"]
    assert passage.outer == "said that it could not"
    assert not load_workloads()[workload].judge(result["answer"])
    _, patient = played(workload, "retrier", "inner", "unreachable", Permanent())
    assert {hop.inner for hop in patient.hops} == {"passed on as an error"}
    assert patient.asked_again == 2


def test_a_wrong_value_goes_on_silently_and_is_followed_by_value() -> None:
    result, passage = played("research_fare", "naive", "inner", "delta", Permanent())
    assert [hop.inner for hop in passage.hops] == ["passed on silently", "passed on silently"]
    assert passage.outer == "told a corrupt value"
    (value,) = passage.corrupt
    assert value in result["answer"]
    shown = [call["shown"] for call in result["calls"] if call["agent"] == "inner" and call["struck"]]
    assert value in shown[-1]
    assert all(value not in (call["said"] or "") for call in result["calls"] if call["agent"] == "inner")


def test_a_wrong_answer_between_the_agents() -> None:
    result, passage = played("research_fare", "naive", "outer", "delta", Transient(1))
    first, second = passage.hops
    assert (first.inner, first.struck_between) == ("not touched", ("delta",))
    assert first.corrupt
    assert second.inner == "passed on silently"  # it worked with what it was asked
    assert first.corrupt[0] in second.question
    assert passage.outer == "told a corrupt value"
    assert not load_workloads()["research_fare"].judge(result["answer"])


@pytest.mark.parametrize("boundary", ["inner", "outer"])
@pytest.mark.parametrize("workload", PAIRED)
def test_slowness_costs_time_and_changes_nothing(workload: str, boundary: str) -> None:
    plan = experiment_plan("slow", {"seconds": 0.03}, Permanent(), 3).as_data()
    result = play_micro_episode({"workload": workload, "model": "scripted/naive", "boundary": boundary, "plan": plan})
    faulted = [call for call in result["calls"] if call["agent"] == boundary]
    assert load_workloads()[workload].judge(result["answer"])
    assert result["seconds"] >= 0.03 * len(faulted)
    assert {hop.inner for hop in trace_propagation(workload, result).hops} == {
        "absorbed" if boundary == "inner" else "not touched"
    }


@pytest.mark.parametrize("workload", PAIRED)
def test_the_outer_agent_asks_again(workload: str) -> None:
    for fault in ("unreachable", "incorrect"):
        result, passage = played(workload, "oracle", "outer", fault, Transient(1))
        assert load_workloads()[workload].judge(result["answer"])
        assert (passage.outer, passage.asked_again) == ("right", 1)
        assert passage.hops[0].struck_between
        assert not passage.hops[1].struck_between


def searched_episode(returned: str, shown: str, inner_answer: str, final: str | None) -> dict[str, Any]:
    """An episode of one question by hand: a search inside, the inner agent's words, the outer one's."""
    base = {"failed": False, "struck": []}
    outer = {"id": "call-1", "agent": "outer", "tool": "ResearchAgent", "arguments": {"question": "What is the fare?"}}
    search = {"id": "call-1/call-1", "agent": "inner", "tool": "SearchTool", "arguments": {"query": "fare"}}
    return {
        "answer": final,
        "calls": [
            {**base, **outer, "said": inner_answer, "shown": inner_answer},
            {**base, **search, "said": returned, "shown": shown, "struck": ["delta"]},
        ],
    }


@pytest.mark.parametrize(
    ("inner_answer", "final", "inner", "outer"),
    [
        ("The fare is 45 EUR.", "They pay 45 EUR.", "passed on silently", "told a corrupt value"),
        (
            "I cannot answer: the search said 45, which fails my check.",
            "No.",
            "passed on with a warning",
            "wrong, untraced",
        ),
        ("I was unable to find the fare.", "I could not find it.", "passed on as an error", "said that it could not"),
        ("The fare is 42 EUR.", "They pay 117.81 dollars.", "absorbed", "right"),
        ("The fare is 42 EUR.", None, "absorbed", "no answer"),
    ],
)
def test_words_of_a_model_in_its_own_words(inner_answer: str, final: str | None, inner: str, outer: str) -> None:
    passage = trace_propagation(
        "research_fare", searched_episode("It costs 42 EUR.", "It costs 45 EUR.", inner_answer, final)
    )
    assert (passage.hops[0].inner, passage.outer) == (inner, outer)
    assert passage.struck == "inner"


def test_what_is_derived_from_a_corrupt_value_is_corrupt_and_rounding_hides_nothing() -> None:
    result = searched_episode("It costs 42 EUR.", "It costs 45 EUR.", "It is 165.38 dollars.", "It is 165.4 dollars.")
    derived = {"id": "call-1/call-2", "agent": "inner", "tool": "CalculatorTool", "failed": False, "struck": []}
    result["calls"].append(
        {**derived, "arguments": {"expression": "45 * 3.675"}, "said": "165.375", "shown": "165.375"}
    )
    passage = trace_propagation("research_fare", result)
    assert passage.hops[0].inner == "passed on silently"
    assert (passage.outer, passage.corrupt) == ("told a corrupt value", ("165.375",))


def test_a_hang_inside_is_no_answer() -> None:
    result = searched_episode("It costs 42 EUR.", "It costs 45 EUR.", "", None)
    result["calls"][0] |= {"said": None, "shown": None}
    result["calls"][1] |= {"said": None, "shown": None, "struck": ["hang"]}
    passage = trace_propagation("research_fare", result)
    assert (passage.hops[0].inner, passage.outer) == ("never answered", "no answer")
    assert passage.as_data()["hops"][0]["struck_inside"] == ("call-1/call-1",)
