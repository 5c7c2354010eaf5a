"""A model as a reviewer, through Inspect: the scripted planner, models of other kinds, and what the provider breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.faults.user_error import UserError
from sealegs.suites.maze.review.review_folder import By, ReviewChoice, open_review, read_replies
from sealegs.suites.maze.review.review_grades import grade_review
from sealegs.suites.maze.review.review_run import run_model_review

CHOICE = ReviewChoice(solve=1, detect=8)


def model(say: Callable[[list[ChatMessage]], str]) -> Model:
    def answer(
        input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        text = say(input)
        if text == "raise":
            raise TimeoutError("the provider is away")
        output = ModelOutput.from_content("scripted", text)
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def figures(folder: Path, name: str) -> dict[str, float | None]:
    """The figures of a model over all tasks and modes."""
    rows = [row for row in grade_review(folder).rows if row.get("model") == name and row["level"] == "all"]
    return {row["metric"]: row["value"] for row in rows if row["mode"] in ("all", "NP")}


def test_the_scripted_planner_solves_and_tells_what_tools_declare(tmp_path: Path) -> None:
    found = run_model_review(tmp_path / "review", CHOICE, "", "sealegs/planner")
    assert (found.done, found.total) == (9, 9)
    values = figures(tmp_path / "review", "sealegs/planner")
    assert (values["solved"], values["specificity"]) == (100, 100)
    assert (values["sensitivity_glance"], values["sensitivity_arithmetic"]) == (100, 100)
    assert (values["sensitivity_across"], values["sensitivity_second_source"]) == (0, 0)
    again = run_model_review(tmp_path / "review", CHOICE, "", "sealegs/planner")
    assert again == found
    assert len(list((tmp_path / "review" / "logs").rglob("*.eval"))) == 1


def test_what_a_model_says_counts_and_what_its_provider_breaks_is_asked_again(tmp_path: Path) -> None:
    folder, away = tmp_path / "review", [True]

    def say(conversation: list[ChatMessage]) -> str:
        text = conversation[1].text
        if "The answer in question" not in text:
            return "It cannot be done.\nStatus: incomplete"
        if len(text) % 2:
            return "raise" if away[0] else 'I see. {"corrupt": true, "why": "odd"}'
        return "Perhaps."

    found = run_model_review(folder, CHOICE, "", "mockllm/model", given=model(say))
    assert 0 < found.done < found.total
    away[0] = False
    assert run_model_review(folder, CHOICE, "", "mockllm/model", given=model(say)).done == 9
    values = figures(folder, "mockllm/model")
    assert (values["solved"], values["given_up"], values["specificity"]) == (0, 100, 0)
    replies: list[tuple[By, dict[str, object]]] = [
        (by, reply) for by, file in read_replies(folder, open_review(folder, CHOICE)) for reply in file.replies.values()
    ]
    assert {by for by, _ in replies} == {"model"}
    assert {reply.get("corrupt", "task") for _, reply in replies} == {True, None, "task"}


def test_a_person_or_a_model_and_a_model_that_is_there(tmp_path: Path) -> None:
    for reviewer, name in (("", ""), ("ana", "sealegs/planner")):
        with pytest.raises(UserError, match="name either a person or a model"):
            run_model_review(tmp_path / "review", CHOICE, reviewer, name)
    with pytest.raises(UserError, match="cannot be used"):
        run_model_review(tmp_path / "review", CHOICE, "", "nobody/knows")
