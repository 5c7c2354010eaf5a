"""A trained model as a model of Inspect: it sees what it saw in training, in batches, and the suite runs on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import needs

torch = pytest.importorskip("torch", reason=needs.module("torch"))
pytest.importorskip("trl", reason=needs.module("trl"))
pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai.model import (  # noqa: E402
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.tool import ToolCall, ToolInfo  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from sealegs.adapters.inspect import tool_info  # noqa: E402
from sealegs.agents.arms.toolbench_arm import tool_entry  # noqa: E402
from sealegs.cli import app  # noqa: E402
from sealegs.faults.spec import ToolSpec  # noqa: E402
from sealegs.faults.user_error import UserError  # noqa: E402
from sealegs.training.conversation_rows import parse_row  # noqa: E402
from sealegs.training.encoding import render_conversation  # noqa: E402
from sealegs.training.generating import Continuation, Sampling, generate_batch, truncate_at_end  # noqa: E402
from sealegs.training.local_model import LocalModel, find_weights, load_model, render_prompt, trl_tool  # noqa: E402
from sealegs.training.templates import SHIPPED, shipped_template  # noqa: E402
from sealegs.training.training_recipe import parse_training_recipe  # noqa: E402
from sealegs.training.training_run import run_training  # noqa: E402
from sealegs.world.corpus import load_corpus  # noqa: E402
from tests.training.small import TOOL, model, row, tokenizer, write_model, write_rows  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::FutureWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]
LOST = {"exclusiveMinimum", "multipleOf", "minItems", "maxItems", "$defs", "$ref"}  # of a schema, by Inspect
SCHEMA = {"additionalProperties": False, **TOOL["function"]["parameters"], "required": []}  # as Inspect completes it
WEATHER = {"type": "function", "function": {**TOOL["function"], "parameters": dict(sorted(SCHEMA.items()))}}
GREEDY = GenerateConfig(temperature=0.0, max_tokens=60)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """So small a model is faster so."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of `sealegs train` that leaves an adapter, on a model that knows the rows by heart."""
    folder = tmp_path_factory.mktemp("local")
    write_model(folder / "model", max_position_embeddings=4096, hidden_size=64, intermediate_size=128)
    taught = [{**row(nth, recovering=nth % 3 == 0), "tools": [WEATHER]} for nth in range(6)]
    (folder / "train.jsonl").write_text("".join(json.dumps(one) + "\n" for one in taught), encoding="utf-8")
    settings = {
        "model": str(folder / "model"),
        "data": str(folder / "train.jsonl"),
        "template": "qwen",
        "lora": None,
        "precision": "fp32",
        "learning_rate": 5e-3,
        "context": 1024,
        "accumulation": 1,
        "epochs": 300,
        "save_every": 1000,
        "gradient_checkpointing": False,
    }
    run_training(parse_training_recipe(settings), folder / "taught", lambda done, total: None)
    adapted = {**settings, "model": str(folder / "taught" / "model"), "lora": {}, "learning_rate": 1e-5, "epochs": 1}
    run_training(parse_training_recipe(adapted), folder / "run", lambda done, total: None)
    return folder / "run"


def messages(nth: int, *, recovering: bool) -> list[ChatMessage]:
    """A row of the training data as Inspect holds a conversation."""
    conversation: list[ChatMessage] = []
    for place, message in enumerate(row(nth, recovering=recovering)["messages"]):
        match message["role"]:
            case "system":
                conversation.append(ChatMessageSystem(content=message["content"]))
            case "user":
                conversation.append(ChatMessageUser(content=message["content"]))
            case "tool":
                conversation.append(ChatMessageTool(content=message["content"], tool_call_id=f"c{place - 1}"))
            case _:
                calls = [
                    ToolCall(id=f"c{place}", function=call["function"]["name"], arguments=call["function"]["arguments"])
                    for call in message.get("tool_calls", ())
                ]
                conversation.append(ChatMessageAssistant(content=message["content"], tool_calls=calls or None))
    return conversation


def weather() -> ToolInfo:
    return tool_info(ToolSpec(**TOOL["function"]))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_model_reads_what_it_read_in_training(name: str) -> None:
    marked = tokenizer()
    kept = marked.chat_template
    one = {**row(3, recovering=True), "tools": [WEATHER]}
    text, turns = render_conversation(parse_row(json.dumps(one)), marked, shipped_template(name))
    conversation = messages(3, recovering=True)
    speakers = [place for place, message in enumerate(conversation) if message.role == "assistant"]
    try:
        marked.chat_template = shipped_template(name)
        for place, (begin, _) in zip(speakers, turns, strict=True):
            assert render_prompt(marked, conversation[:place], [weather()]) == text[:begin]
    finally:
        marked.chat_template = kept


def test_tools_look_as_they_do_in_the_data() -> None:
    """But for the few keywords of JSON Schema that Inspect does not know, and for defaults of null."""
    specs = [tool.spec for tool in load_corpus().tools.values()]
    alike = 0
    for spec in specs:
        entry = json.loads(json.dumps(tool_entry(spec)))
        if LOST & set(_keys(entry)) or '"default": null' in json.dumps(entry):
            continue
        alike += 1
        assert json.dumps(trl_tool(tool_info(spec))["function"]) == json.dumps(entry)
    assert alike > 0.75 * len(specs)


def _keys(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [*data, *(key for value in data.values() for key in _keys(value))]
    return [key for item in data for key in _keys(item)] if isinstance(data, list) else []


def test_a_batch_says_what_each_row_says_alone() -> None:
    made, draws = model(hidden_size=64), torch.Generator().manual_seed(1)
    rows = [torch.randint(10, 400, (length,), generator=draws).tolist() for length in (3, 40, 11, 1)]
    limits = (12, 5, 20, 9)
    wanted = [Continuation(ids, most, Sampling(temperature=0)) for ids, most in zip(rows, limits, strict=True)]
    together = generate_batch(made, wanted, [2], 0)
    for one, ids, most in zip(together, rows, limits, strict=True):
        now = list(ids)
        for _ in range(most):  # without a cache, a token at a time
            now.append(int(made(torch.tensor([now])).logits[0, -1].argmax()))
            if now[-1] == 2:
                break
        assert one == now[len(ids) :]


def test_what_is_drawn_keeps_to_the_likeliest() -> None:
    made = model()
    first = int(made(torch.tensor([[5, 6, 7]])).logits[0, -1].argmax())
    drawn = generate_batch(made, [Continuation([5, 6, 7], 1, Sampling(5.0, top_k=1))] * 8, [2], 0)
    free = generate_batch(made, [Continuation([5, 6, 7], 1, Sampling(5.0))] * 64, [2], 0)
    assert drawn == [[first]] * 8
    assert len({one[0] for one in free}) > 32  # of all tokens, not of the 50 that are transformers' default


def test_a_row_ends_at_its_end_mark_or_its_limit() -> None:
    assert truncate_at_end([4, 5, 2, 0, 0], 10, [2]) == [4, 5, 2]
    assert truncate_at_end([4, 5, 6, 7], 3, [2]) == [4, 5, 6]


def test_a_batch_that_the_memory_does_not_hold_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    made, sizes = model(), []
    generate = type(made).generate

    def narrow(self: Any, input_ids: Any, **given: Any) -> Any:
        sizes.append(len(input_ids))
        if len(input_ids) > 2:
            raise torch.OutOfMemoryError
        return generate(self, input_ids=input_ids, **given)

    rows = [Continuation([5, 6, place], 3, Sampling(temperature=0)) for place in range(10, 15)]
    whole = generate_batch(made, rows, [2], 0)
    monkeypatch.setattr(type(made), "generate", narrow)
    assert generate_batch(made, rows, [2], 0) == whole
    assert sizes == [5, 2, 3, 1, 2]


async def test_a_trained_model_calls_its_tool_in_batches(run: Path) -> None:
    local_model = LocalModel(str(run), batch=4)
    sizes: list[int] = []
    answer = local_model.batches._generate

    def counted(rows: list[Continuation]) -> list[list[int]]:
        sizes.append(len(rows))
        return answer(rows)

    local_model.batches._generate = counted
    conversations = [messages(nth, recovering=nth % 3 == 0) for nth in range(6)]
    outputs = await asyncio.gather(
        *(local_model.generate(one[:2], [weather()], "auto", GREEDY) for one in conversations)
    )
    assert sum(sizes) == 6
    assert len(sizes) < 6
    right = 0
    for output, one in zip(outputs, conversations, strict=True):
        (call,) = output.message.tool_calls or ()
        assert (call.function, call.parse_error, output.stop_reason) == ("weather", None, "tool_calls")
        assert output.usage is not None
        assert output.usage.output_tokens < 60
        meant = one[2]
        assert isinstance(meant, ChatMessageAssistant)
        right += meant.tool_calls is not None and call.arguments == meant.tool_calls[0].arguments
    assert right >= 4  # it was taught to know the rows by heart
    closing = await local_model.generate(conversations[1][:-1], [weather()], "auto", GREEDY)
    assert closing.completion.startswith("In ")
    assert closing.stop_reason == "stop"
    local_model.close()


async def test_too_long_a_conversation_is_reported(run: Path) -> None:
    local_model = LocalModel(str(run))
    output = await local_model.generate([ChatMessageUser(content="so " * 9000)], [], "auto", GREEDY)
    assert output.stop_reason == "model_length"
    local_model.close()


def test_a_suite_is_run_by_one_command(run: Path, tmp_path: Path) -> None:
    words = ["run", "paladin", "--model", f"sealegs-local/{run}", "--limit", "1", "--max-steps", "2"]
    result = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "logs"), "--json", str(tmp_path / "rows.json")])
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "rows.json").read_text("utf-8"))["rows"]
    assert {one["model"] for one in rows} == {f"sealegs-local/{run} (paladin)"}
    assert any(one["metric"] == "tsr" for one in rows)


def test_folders_that_hold_no_model_are_reported(run: Path, tmp_path: Path) -> None:
    assert find_weights(run)[0] == run / "adapter"
    with pytest.raises(UserError, match="holds no model"):
        find_weights(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(UserError, match="give its command again"):
        find_weights(tmp_path)
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(tmp_path / "gone")}))
    with pytest.raises(UserError, match="belongs to the model"):
        load_model(adapter, "cpu")


def test_scaled_positions_are_those_of_the_run(tmp_path: Path) -> None:
    write_model(tmp_path / "model", max_position_embeddings=256)
    write_rows(tmp_path / "train.jsonl", 4)
    settings = {
        "model": str(tmp_path / "model"),
        "data": str(tmp_path / "train.jsonl"),
        "template": "plain",
        "precision": "fp32",
        "rope_scaling": {"type": "yarn", "factor": 4},
        "context": 1000,
        "max_steps": 1,
    }
    run_training(parse_training_recipe(settings), tmp_path / "run", lambda done, total: None)
    made = load_model(tmp_path / "run", "cpu")
    assert made.positions == 1024
    assert made.model.config.rope_parameters["rope_type"] == "yarn"
