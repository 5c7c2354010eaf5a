"""The tools: deterministic and honest; the workloads: sound, and solvable by their own steps."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from sealegs.suites.micro.langchain_tools import local_tools
from sealegs.suites.micro.scripted_chat import right_values, right_words
from sealegs.suites.micro.tools import NAMES, TODAY, Toolbox
from sealegs.suites.micro.workloads import Assignment, ScriptedStep, Workload, load_workloads
from sealegs.suites.micro.workloads.workload import RESEARCH, filled

WORKLOADS = list(load_workloads().values())
BOX = Toolbox()


def test_which_workloads_there_are() -> None:
    groups = {
        group: [one.name for one in WORKLOADS if one.group == group] for group in ("paper", "harder", "two agents")
    }
    assert groups["paper"] == ["bmi", "currency", "tip", "travel", "trivia"]
    assert len(groups["harder"]) == 5
    assert all(2 <= len(load_workloads()[name].task.steps) <= 5 for name in groups["harder"])
    assert {tool for name in groups["harder"] for tool in load_workloads()[name].tools} == set(NAMES)
    assert groups["two agents"] == [one.name for one in WORKLOADS if one.paired]


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one.name)
def test_a_solution_uses_what_it_has_and_says_what_is_right(workload: Workload) -> None:
    values = right_values(workload.name)
    assert workload.judge(filled(workload.task.answer, values))
    assert not workload.judge(workload.prompt)
    inner = [step for task in workload.research for step in task.steps]
    for step in inner or workload.task.steps:
        assert {way.tool for way in (step, *step.otherwise)} <= set(workload.tools)
    if workload.paired:
        assert {step.tool for step in workload.task.steps} == {RESEARCH}


@pytest.mark.parametrize("workload", [one for one in WORKLOADS if not one.paired], ids=lambda one: one.name)
def test_other_ways_give_the_same_value_and_none_is_a_lucky_guess(workload: Workload) -> None:
    values = right_values(workload.name)
    for step in workload.task.steps:
        for way in step.otherwise:
            assert way.read(output_of(way, values)) == values[step.id]
    if len(workload.task.steps) > 1:
        last = workload.task.steps[-1]
        used = [
            one for one in workload.task.steps[:-1] if f"{{{one.id}" in str([s.arguments for s in workload.task.steps])
        ]
        assert used, f"{last.id} hangs on no step before"


@pytest.mark.parametrize("workload", [one for one in WORKLOADS if one.paired], ids=lambda one: one.name)
def test_the_research_agent_knows_each_question(workload: Workload) -> None:
    values = right_values(workload.name)
    for step in workload.task.steps:
        question = filled(step.arguments["question"], values)
        task = _assigned(workload, question)
        assert task.judge(right_words(workload.name, question))


def _assigned(workload: Workload, question: str) -> Assignment:
    from sealegs.suites.micro.scripted_chat import assignment_for

    assigned = assignment_for(workload, question)
    assert assigned is not None
    return assigned[0]


def output_of(step: ScriptedStep, values: Any) -> str:
    arguments = {name: filled(text, values) for name, text in step.arguments.items()}
    return str(BOX.functions()[step.tool](**arguments))


def test_newtons_years_are_counted_to_the_clock() -> None:
    died = date(1727, 3, 31)
    full = sum(1 for year in range(died.year + 1, TODAY.year + 1) if date(year, 3, 31) <= TODAY)
    assert load_workloads()["trivia"].judge(f"Isaac Newton, {full} years")
    assert not load_workloads()["trivia"].judge(f"Isaac Newton, {full + 1} years")


def test_accepted_values_from_first_principles() -> None:
    assert load_workloads()["currency"].judge(str(150 * 110 / 100))
    assert load_workloads()["tip"].judge(str(230 * 15 / 100))
    assert load_workloads()["bmi"].judge(f"{70 / 1.75**2:.2f}")
    assert load_workloads()["travel"].judge(f"{48 / 24:g} hours")
    assert load_workloads()["fares"].judge(f"{3 * 42 * 0.85 * 1.1:.2f}")
    assert load_workloads()["stack"].judge(f"{8848.86 / 330:.1f}")
    assert load_workloads()["sunlight"].judge(f"{227.9e6 / 299792.458 / 60:.2f} minutes")
    assert load_workloads()["anniversary"].judge(f"Charles Darwin, {1809 + 250 - TODAY.year} years")
    assert load_workloads()["voyage"].judge(date.fromordinal(TODAY.toordinal() + 3024 // (14 * 24)).isoformat())


def test_what_the_tools_say() -> None:
    assert BOX.calculate("150 * 1.1") == 165
    assert BOX.calculate("1 / 0") == "Error: it divides by zero"
    assert BOX.tell_date() == "20 May 2026 (Wednesday)"
    assert BOX.tell_date(9) == "29 May 2026 (Friday)"
    assert BOX.tell_date(10**9).startswith("Error: ")
    assert BOX.wikipedia(" newton ").startswith("Page: Isaac Newton\nSummary: Isaac Newton (4 January 1643")
    assert BOX.wikipedia("Everest height").startswith("Error: there is no article 'Everest height'; there is: Mount Ev")
    assert BOX.search("zzz").startswith("Error: ")
    assert BOX.search("lighthouse of Cape Linden").startswith("- Lighthouse of Cape Linden: ")
    assert BOX.search("the freighter Marigold's crew") == Toolbox().search("the freighter Marigold's crew")


def test_langchain_sees_the_same_tools() -> None:
    tools = local_tools(NAMES, BOX)
    assert [tool.name for tool in tools] == list(NAMES)
    assert all(tool.description for tool in tools)
    assert tools[0].invoke({"expression": "2 + 2"}) == 4
    assert tools[3].invoke({}) == BOX.tell_date()
