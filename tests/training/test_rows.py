"""What a row says of itself is true: of its text, of its labels, and when it is played again in the world."""

import json
from collections import Counter

import pytest

from sealegs.agents import Briefing, Say
from sealegs.faults import seeds
from sealegs.faults.call import Call, Failure, Value, render
from sealegs.scenarios.labelled_failures.failures import assignment, unseen_failures
from sealegs.scenarios.toolbench.toolbench_format import ToolBenchConversation, trajectory
from sealegs.tasks import solutions
from sealegs.training.data.attempts import first_fit_row
from sealegs.training.data.expert import Expert
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.failure_catalogue import failure_kinds
from sealegs.training.data.near_duplicates import calls_of
from sealegs.training.data.set_checks import played_again
from sealegs.training.data.slips import ARGUMENTS, mistake_kinds
from sealegs.training.data.task_sources import DataSources, all_base_tasks, task_variant
from sealegs.world.corpus import load_corpus
from sealegs.world.state import World
from tests.training.made import ROWS, making, rows


def failing() -> list[Row]:
    return [row for row in rows() if row["failing"]]


def test_nearly_every_row_is_found() -> None:
    assert len(rows()) > 0.97 * ROWS
    assert {row["mode"] for row in rows()} == {"NP", "P1", "P2", "P3", "P4"}
    assert {row["failure_class"] for row in failing()} == set(assignment().values())


def test_a_row_is_a_function_of_its_numbers() -> None:
    assert first_fit_row(making(), 3) == first_fit_row(making(), 3)
    assert first_fit_row(making(seed=1), 3) != first_fit_row(making(), 3)


@pytest.mark.parametrize("place", range(0, ROWS - 10, 8))
def test_a_row_played_again_is_answered_and_judged_alike(place: int) -> None:
    assert list(played_again(rows()[place], making())) == []


def test_a_changed_row_is_found_out() -> None:
    row = json.loads(json.dumps(failing()[0]))
    row["messages"][-1]["content"] = "All done. Status: complete"
    assert any("no success" in wrong for wrong in played_again(row, making()))
    row = json.loads(json.dumps(failing()[1]))
    row["optimal_cost"] = 99
    place = next(place for place in range(1, row["calls"] + 1) if place != row["step"])
    answers = [message for message in row["messages"] if message["role"] == "tool"]
    answers[place - 1]["content"] = "{}"
    problems = "\n".join(played_again(row, making()))
    assert f"call {place} of" in problems
    if "P" in row["mode"] and row["failure_kind"] not in mistake_kinds():
        assert "says 99" in problems


def test_recovery_begins_right_after_the_failure_and_says_so() -> None:
    for row in failing():
        answers = [place for place, message in enumerate(row["messages"]) if message["role"] == "tool"]
        marked = [place for place, message in enumerate(row["messages"]) if message.get("recovery")]
        assert marked[0] == answers[row["step"] - 1] + 1
        for message in row["messages"]:
            if message["role"] == "assistant":
                assert message["content"].startswith("Recovery:") == message["recovery"]
        assert row["recovery_turns"] == marked  # a turn of one form is a turn of the other


def test_slips_and_nothing_else_are_left_out_of_training() -> None:
    slips = [row for row in failing() if row["failure_kind"] in mistake_kinds()]
    assert slips
    for row in rows():
        spoken = [place for place, message in enumerate(row["messages"]) if message["role"] == "assistant"]
        left_out = [place for place in spoken if not row["messages"][place]["train"]]
        assert left_out == ([spoken[row["step"] - 1]] if row in slips else [])
        assert row["unlearned_turns"] == left_out


def test_nothing_is_recovered_from_in_a_clean_row() -> None:
    clean = [row for row in rows() if not row["failing"]]
    assert clean
    for row in clean:
        assert not any(message.get("recovery") for message in row["messages"])
        assert (row["failure_class"], row["step"], row["strategy"], row["optimal_cost"]) == (None,) * 4


def test_cost_is_the_least_there_is_but_for_what_nobody_could_know() -> None:
    for row in failing():
        steps = row["strategy"].split(" then ")
        assert row["cost"] >= row["optimal_cost"], row["id"]
        if "look" not in steps and row["outcome"] == "success":
            tried = "retry" in steps and row["mode"] in ("P2", "P4")
            assert row["cost"] == row["optimal_cost"] + int(tried), row["id"]
        if failure_kinds()[row["failure_kind"]].lasts == "permanent" and not row["exemplar"]:
            assert "retry" not in steps


def test_the_strategy_is_what_was_done() -> None:
    for row in failing():
        calls = list(calls_of(row))
        after = [tool for tool, _, _ in calls[row["step"] :]]
        if row["strategy"] == "retry":
            assert after[0] == row["step_tool"]
        if row["strategy"] == "correct":
            assert row["failure_kind"] in mistake_kinds()
        if row["strategy"] == "switch":
            assert row["step_tool"] not in after
        if row["strategy"].startswith("look"):
            assert after[0] == load_corpus().spec(row["step_tool"]).shown_by
        assert (row["outcome"] == "right stop") == ("stop" in row["strategy"].split())


def test_arguments_are_refused_only_where_they_are_wrong_and_put_right_at_once() -> None:
    wrong = [row for row in failing() if row["failure_class"] == ARGUMENTS]
    assert wrong
    for row in wrong:
        calls = [(tool, json.loads(arguments)) for tool, arguments, _ in calls_of(row)]
        made, next_made = calls[row["step"] - 1 : row["step"] + 1]
        tool = load_corpus().tools[row["step_tool"]]
        assert isinstance(tool.arguments(made[1]), Failure)
        assert next_made[0] == made[0]
        assert not isinstance(tool.arguments(next_made[1]), Failure)


def test_the_failure_stands_at_its_step() -> None:
    for row in failing():
        tool, _, answer = list(calls_of(row))[row["step"] - 1]
        if not failure_kinds()[row["failure_kind"]].implicit:
            assert "error" in json.loads(answer)
        if not failure_kinds()[row["failure_kind"]].slip:
            assert tool == row["step_tool"]
        elif row["failure_kind"].startswith("tool "):
            assert tool != row["step_tool"]


def test_exemplars_stand_in_some_messages() -> None:
    noted = [row for row in failing() if row["exemplar"]]
    assert 0.1 < len(noted) / len(failing()) < 0.5
    for row in noted:
        assert "Recovery:" in list(calls_of(row))[row["step"] - 1][2]


def test_both_forms_tell_the_same() -> None:
    for row in rows()[:60]:
        conversation = ToolBenchConversation(id=row["id"], conversations=row["conversations"])
        read = trajectory(conversation)
        calls = [(tool, json.loads(arguments)) for tool, arguments, _ in calls_of(row)]
        assert [(step.tool, step.arguments) for step in read.steps] == calls
        assert read.answer == row["messages"][-1]["content"]
        assert read.gave_up == (row["outcome"] == "right stop")
        assert [entry["name"] for entry in read.tools] == row["offered"]


def test_the_failures_of_the_evaluation_are_not_taught() -> None:
    assert not set(failure_kinds()) & set(unseen_failures())
    for row in failing():
        plan = json.loads(row["plan"] or "{}")
        assert plan.get("name") in (None, row["failure_kind"])


def test_failure_only_ends_with_the_failure() -> None:
    cut = making(clean=0.0, continuation="none")
    made = [row for row in (first_fit_row(cut, number)[1] for number in range(12)) if row is not None]
    assert made
    for row in made:
        assert row["messages"][-1]["role"] == "tool"
        assert row["step"] == row["calls"]
        assert (row["outcome"], row["cost"], row["strategy"]) == ("cut", None, None)
        assert not row["recovery_turns"]
        assert list(played_again(row, cut)) == []


@pytest.mark.parametrize("task", ["c1-05", "c2-09", "c3-07"])
def test_the_expert_walks_every_valid_solution_and_no_other(task: str) -> None:
    base = all_base_tasks(DataSources())[task]
    wanted = set(solutions(base.task.graph))
    walked = Counter(_walked(task, draw) for draw in range(60 * len(wanted)))
    assert set(walked) == wanted


def _walked(task: str, draw: int) -> tuple[str, ...]:
    base = all_base_tasks(DataSources())[task]
    expert = Expert(Briefing(base.task, base.specs), seeds.stream("walk", task, draw), None, hopeless=False)
    right, path = base.tasks.right_run(task), []
    while not isinstance(use := expert.act(), Say):
        step = base.task.graph.step_of[use.tool].id
        path.append(step)
        expert.observe(use, render(Value(right.steps[step].output)))
    return tuple(path)


def test_a_variant_asks_the_same_with_other_numbers() -> None:
    base = all_base_tasks(DataSources())["c1-01"]
    found_variants = [variant for number in range(1, 25) if (variant := task_variant(base, number, 0)) is not None]
    assert found_variants
    for variant in found_variants:
        assert variant.task.request != base.task.request
        assert variant.task.graph is base.task.graph
        changed = {name for name, value in variant.task.inputs.items() if value != base.task.inputs[name]}
        assert changed == {"amount"}  # the only single number of this request
        run = load_corpus().run(Call("tally_amounts", variant.right.steps["tally_amounts"].arguments), World())
        assert run == Value(variant.right.steps["tally_amounts"].output)
