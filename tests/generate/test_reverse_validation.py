"""Reverse validation of the shipped tasks: a model that knows, one that doubts, one that is away, and the cache."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.faults.user_error import UserError
from sealegs.generate.staged import reverse_validation, stage_prompts
from sealegs.generate.staged.reverse_validation import (
    ReverseValidation,
    calls_text,
    shipped_tasks,
    validate_shipped,
    value_doubts,
)
from sealegs.scenarios.task_sets import task_set
from sealegs.tasks import Task
from tests.generate.scripted_models import calls

LEVELS = ("C1", "C2", "C3", "C4")
Reply = Callable[[str, Task], str]
PARTS = {stage_prompts.RESTORE: "restore", stage_prompts.SAME: "same", stage_prompts.REVERSE: "reverse"}


@pytest.fixture(autouse=True)
def cache_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", os.environ.get("INSPECT_CACHE_DIR", ""))


def knows(part: str, task: Task) -> str:
    """A model that tells the task's user from the calls, in other words, and finds every solution."""
    given = "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in task.inputs.items())
    return {
        "restore": f"Hello, please use this: {given}. Thanks!",
        "same": '{"same": true, "differences": []}',
        "reverse": json.dumps({"calls": calls(task)}),
    }[part]


def doubts(part: str, task: Task) -> str:
    """A model that leaves out the user's values, sees a difference and misses a call."""
    return {
        "restore": "Please do it with 98765.5 of them.",
        "same": 'Look:\n```json\n{"same": false, "differences": ["B names a nine-seater"]}\n```',
        "reverse": json.dumps({"calls": calls(task)[:-1]}),
    }[part]


def model(reply: Reply, seen: list[tuple[str, str]]) -> Model:
    """A scripted model, which notes its questions."""
    shown = {calls_text(task): task for task in shipped_tasks(LEVELS, 3)}
    by_request = {task.request: task for task in shown.values()}

    def answer(
        input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        part, text = PARTS[input[0].text], input[1].text
        known = by_request if part == "reverse" else shown
        task = next(task for words, task in known.items() if words in text)
        seen.append((task.id, part))
        reply_text = reply(part, task)
        if reply_text == "raise":
            raise TimeoutError("the provider is away")
        output = ModelOutput.from_content("scripted", reply_text)
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)  # else Inspect counts them
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def validated(
    out: Path, reply: Reply, limit: int = 2, tries: int = 1
) -> tuple[ReverseValidation, list[tuple[str, str]]]:
    os.environ["INSPECT_CACHE_DIR"] = tempfile.mkdtemp(dir=out.parent)  # the folder itself is the cache in question
    seen: list[tuple[str, str]] = []
    return validate_shipped(LEVELS, limit, model(reply, seen), tries, out), seen


def values(found: ReverseValidation) -> dict[str, float | None]:
    return {row["metric"]: row["value"] for row in found.rows() if row["level"] == "all"}


def test_a_model_that_knows_confirms_every_task_and_is_not_asked_again(tmp_path: Path) -> None:
    found, seen = validated(tmp_path / "out", knows)
    assert values(found) == {"confirmed": 100, "same": 100, "values": 100, "calls": 100}
    assert found.doubtful() == []
    assert found.missing == 0
    assert sorted(seen) == sorted({*seen})
    assert len(seen) == 8 * 3
    again, questions = validated(tmp_path / "out", doubts)
    assert questions == []
    assert again.rows() == found.rows()
    assert again.questions == 0
    more, questions = validated(tmp_path / "out", knows, limit=3)
    assert {task for task, _ in questions} == {task.id for task in shipped_tasks(LEVELS, 3)} - {
        task for task, _ in seen
    }
    assert len(more.tasks) == 12
    assert {row["level"] for row in more.rows()} == {*LEVELS, "all"}


def test_a_model_that_doubts_is_heard_in_all_three_ways(tmp_path: Path) -> None:
    found, _ = validated(tmp_path / "out", doubts)
    assert values(found) == {"confirmed": 0, "same": 0, "values": 0, "calls": 0}
    text = "; ".join(found.doubtful()[0].doubts)
    assert "B names a nine-seater" in text
    assert "the written request does not say" in text
    assert "only the written request says 98765.5" in text
    assert "are not a solution" in text


def test_each_doubt_counts_for_itself(tmp_path: Path) -> None:
    for part in ("restore", "same", "reverse"):
        found, _ = validated(
            tmp_path / part,
            lambda question, task, own=part: (doubts if question == own else knows)(question, task),
            limit=1,
        )
        wrong = {"restore": {"values", "confirmed"}, "same": {"same", "confirmed"}, "reverse": {"calls"}}[part]
        assert {name for name, value in values(found).items() if value == 0} == wrong, part


def test_what_the_provider_did_not_answer_is_in_no_figure_and_asked_again(tmp_path: Path) -> None:
    first = shipped_tasks(LEVELS, 1)[0].id
    found, _ = validated(
        tmp_path / "out", lambda part, task: "raise" if (task.id, part) == (first, "same") else knows(part, task), 1
    )
    assert found.missing == 1
    assert {row["n"] for row in found.rows() if row["level"] == "all"} == {3}
    assert not any(one.task == first for one in found.doubtful())
    found, seen = validated(tmp_path / "out", knows, 1)
    assert seen == [(first, "same")]
    assert found.missing == 0
    assert values(found)["confirmed"] == 100


def test_a_reply_that_will_not_do_is_the_models_and_counts(tmp_path: Path) -> None:
    found, seen = validated(tmp_path / "out", lambda part, task: "Hm." if part != "restore" else knows(part, task), 1)
    assert values(found) == {"confirmed": 0, "same": 0, "values": 100, "calls": 0}
    assert found.missing == 0
    assert len(seen) == 4 * 5
    _, seen = validated(tmp_path / "out", knows, 1)
    assert seen == []


def test_the_folder_of_another_model_or_a_killed_run(tmp_path: Path) -> None:
    validated(tmp_path / "out", knows, 1)
    file = tmp_path / "out" / "validation.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]) + lines[-1][:20])  # killed while writing the last one
    _, seen = validated(tmp_path / "out", knows, 1)
    lost = json.loads(lines[-1])
    assert seen == [(lost["task"], lost["part"])]
    file.write_text(re.sub(r'"task_set": "[^"]*"', '"task_set": "0"', file.read_text(), count=1))
    with pytest.raises(UserError, match=r"holds another run .task_set was '0'"):
        validated(tmp_path / "out", knows, 1)


def test_every_shipped_request_says_its_values_and_calls_are_shown_without_defaults() -> None:
    tasks = task_set("").tasks
    assert [task.id for task in tasks.values() if value_doubts(task, task.request)] == []
    text = calls_text(tasks["c1-01"])
    assert text.startswith('1. find_payee {"name": "Harbour Print Works"} -> {"payee_id": "PYE-2102"')
    assert tuple(PARTS) == reverse_validation.PROMPTS
