"""A model as the expert: what works is kept, what does not is not, and a silent one costs no more than its tries."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.agents import Briefing, Say, UseTool, Verifier
from sealegs.faults.call import Call
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.bank.exemplar import WARNING
from sealegs.training.data.attempts import SetDefinition
from sealegs.training.data.conduct import BLIND, EARLY
from sealegs.training.data.data_command import DataSetRequest, data_set_request, make_data_set
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.files import parts, read_row_files
from sealegs.training.data.set_checks import judged_again, lapses
from sealegs.training.data.task_sources import DataSources, all_base_tasks, task_variant
from sealegs.training.data.teacher import lesson, teacher
from tests.training.made import making

pytestmark = pytest.mark.filterwarnings("ignore")
Answers = Callable[[list[ChatMessage]], ModelOutput]
TAUGHT: dict[str, Any] = {"clean": 0.0, "continuation": "teacher", "tries": 6, "slips": 0.0, "variants": 0}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))


def model(answers: Answers, prompts: list[list[ChatMessage]] | None = None) -> Model:
    def reply(
        input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        if prompts is not None:
            prompts.append(input)
        output = answers(input)
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    return get_model("mockllm/model", custom_outputs=reply, memoize=False)


def good(messages: list[ChatMessage]) -> ModelOutput:
    """A model that plans: everything that it knows of the episode stands in the messages."""
    task = next(
        base for base in all_base_tasks(DataSources()).values() if base.task.request.strip() == messages[1].text
    )
    histories = {history.name: history.spec for history in task.corpus.histories.values()}
    planner = Verifier(Briefing(task.task, {**task.specs, **histories}))
    calls = {
        call.id: UseTool(call.function, call.arguments)
        for message in messages
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or ()
    }
    for message in messages:
        if isinstance(message, ChatMessageTool):
            planner.observe(calls[message.tool_call_id or ""], message.text)
    act = planner.act()
    if isinstance(act, Say):
        return ModelOutput.from_content("mockllm/model", act.text)
    return ModelOutput.for_tool_call("mockllm/model", act.tool, dict(act.arguments), content="I see what is wrong.")


def blind(messages: list[ChatMessage]) -> ModelOutput:
    """A model that gives up at once, whatever an action may have done."""
    return ModelOutput.from_content("mockllm/model", "I could not complete the request.\nStatus: incomplete")


def hasty(messages: list[ChatMessage]) -> ModelOutput:
    return ModelOutput.from_content("mockllm/model", "Everything is done.\nStatus: complete")


def silent(messages: list[ChatMessage]) -> ModelOutput:
    return ModelOutput.from_content("mockllm/model", "")


def raising(messages: list[ChatMessage]) -> ModelOutput:
    raise TimeoutError("the provider is away")


def taught(out: Path, of: Model, n: int = 10) -> tuple[list[Row], SetDefinition]:
    made = making(n, form="trl", teacher="mockllm/model", **{**TAUGHT, "exemplars": 0.0})
    tally, _ = make_data_set(
        DataSetRequest(made, "jsonl", "sealegs data make"), out, lambda done, total: None, 1, teacher(of)
    )
    assert tally.total + tally.lost == n
    return [row for files in parts(out).values() for row in read_row_files(files)], made


def test_what_a_good_teacher_shows_is_kept(tmp_path: Path) -> None:
    prompts: list[list[ChatMessage]] = []
    found, made = taught(tmp_path / "good", model(good, prompts))
    assert len(found) > 6
    for row in found:
        assert row["expert"] == "mockllm/model"
        marked = [message for message in row["messages"] if message.get("recovery")]
        assert marked
        assert marked[0]["content"].startswith("Recovery:")
        assert row["outcome"] in ("success", "right stop")
        assert row["cost"] >= row["optimal_cost"]
    assert judged_again(tmp_path / "good", made, 10) == []
    assert all("What helped in the nearest known cases:\n- " in messages[0].text for messages in prompts)


def test_a_run_that_goes_on_asks_nobody_twice(tmp_path: Path) -> None:
    prompts: list[list[ChatMessage]] = []
    taught(tmp_path / "one", model(good, prompts), 6)
    count = len(prompts)
    taught(tmp_path / "two", model(good, prompts), 6)
    assert len(prompts) == count  # Inspect has every answer
    assert (tmp_path / "one" / "README.md").read_bytes() == (tmp_path / "two" / "README.md").read_bytes()


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (hasty, "judged no success"),
        (silent, "the teacher is silent"),
        (raising, r"the teacher gives no answer \(TimeoutError\)"),
    ],
)
def test_a_teacher_who_shows_nothing_good_gives_nothing(tmp_path: Path, answers: Answers, why: str) -> None:
    prompts: list[list[ChatMessage]] = []
    with pytest.raises(UserError, match=f"not one trajectory could be made: .*{why}"):
        taught(tmp_path / "none", model(answers, prompts), 4)
    assert len(prompts) <= 4 * TAUGHT["tries"]
    assert not (tmp_path / "none" / "README.md").exists()


def test_what_no_row_may_teach_is_not_taken_from_a_teacher(tmp_path: Path) -> None:
    made, out = making(30, form="trl", teacher="mockllm/model", **{**TAUGHT, "tries": 3}), tmp_path / "blind"
    tally, _ = make_data_set(DataSetRequest(made, "jsonl", ""), out, lambda done, total: None, 1, teacher(model(blind)))
    assert tally.total  # where nothing else could be done, to stop at once is right
    assert tally.fell[f"the teacher sets no example ({BLIND})"]
    assert tally.fell[f"the teacher sets no example ({EARLY})"]
    assert not lapses(out, made).problems()


def test_the_lesson_names_what_helps() -> None:
    text = lesson(json.dumps({"error": {"status": 429, "type": "TooManyRequests", "message": "slow down"}}))
    assert text.count("\n- ") == 3
    assert "none is near" in lesson('{"price": 3}')


@pytest.mark.parametrize(("effects", "looks"), [(True, True), (False, False)])
def test_the_lesson_asks_for_a_look_where_there_may_be_an_effect(effects: bool, looks: bool) -> None:
    failed = json.dumps({"error": {"status": 503, "type": "ServiceUnavailable", "message": "overloaded"}})
    text = lesson(failed, Call("pay", {}), ToolSpec("pay", effects=effects))
    assert (WARNING in text) is looks


def test_a_teacher_reads_the_lesson_of_the_tool_that_failed(tmp_path: Path) -> None:
    prompts: list[list[ChatMessage]] = []
    found, _ = taught(tmp_path / "good", model(good, prompts), 12)
    specs = {name: spec for base in all_base_tasks(DataSources()).values() for name, spec in base.specs.items()}
    faulted = {row["step_tool"]: specs[row["step_tool"]] for row in found}
    assert {spec.effects for spec in faulted.values()} == {True, False}
    for messages in prompts:
        answered = [one for one in messages if isinstance(one, ChatMessageTool)]
        reads = all(specs[one.function].effects is False for one in answered if one.function in specs)
        assert not (reads and WARNING in messages[0].text)


def test_a_teacher_and_its_recipe_go_together(tmp_path: Path) -> None:
    def choose(recipe: str, name: str) -> None:
        data_set_request(recipe, 5, 0, "trl", "jsonl", [], [], True, name, tmp_path / "out")

    file = tmp_path / "taught.yaml"
    file.write_text("name: taught\ncontinuation: teacher\n")
    with pytest.raises(UserError, match="name the model with --teacher"):
        choose(str(file), "")
    with pytest.raises(UserError, match="of no use"):
        choose("default", "openai/gpt-5")
    with pytest.raises(UserError, match="cannot be used"):
        teacher("nobody/nothing")


def test_a_base_task_as_it_is() -> None:
    base = all_base_tasks(DataSources())["c1-01"]
    found = task_variant(base, 0, 0)
    assert found is not None
    assert found.task is base.task
