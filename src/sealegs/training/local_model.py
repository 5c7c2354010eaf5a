"""A model in a folder as a model of Inspect: `--model sealegs-local/runs/first`.

It sees the same as in training: the template that was saved with it, tools and calls in TRL's form, positions scaled as
in its run, no second begin mark; and it stops at the end mark that it was taught. Inspect's own `hf/` hands templates
tools and calls in another form, loses calls without arguments, and stops at the end mark of the base model alone.
Requests are answered in batches.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.model._model_output import ChatCompletionChoice, StopReason
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from sealegs.faults.user_error import UserError
from sealegs.training.generating import Batches, Continuation, Sampling, generate_batch
from sealegs.training.preflight import apply_rope_scaling, require_packages
from sealegs.training.replies import Reader, reader_of
from sealegs.training.training_recipe import parse_training_recipe

MOST_TOKENS = 2048  # of an answer, by default
BATCH = 32


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to answer.

    Attributes:
        model: its weights, adapters merged in.
        tokenizer: with the template that it was trained with.
        ends: tokens that end its turns.
        positions: how many it has.
        reader: of the calls that it writes; None where its template writes them in an unknown form.
    """

    model: Any
    tokenizer: Any
    ends: tuple[int, ...]
    positions: int
    reader: Reader | None


class LocalModel(ModelAPI):
    """A model in a folder: a run of `sealegs train`, an adapter, or a whole model.

    Args:
        model_name: the folder.
        base_url, api_key: unused.
        config: Inspect's.
        device: where it runs; a GPU where there is one.
        batch: rows that are answered at once.

    Raises:
        UserError: the folder holds no model, or one that cannot be called.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        device: str = "",
        batch: int = BATCH,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.loaded = load_model(Path(model_name).expanduser(), device)
        self.batch = batch
        self.batches = Batches(self._continued, batch)

    def _continued(self, rows: list[Continuation]) -> list[list[int]]:
        made = self.loaded
        return generate_batch(made.model, rows, made.ends, made.tokenizer.pad_token_id)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The model's next message."""
        made = self.loaded
        # Without a reader every call would pass as plain text, and the model would seem never to use a tool.
        if tools and made.reader is None:
            raise UserError(
                f"the template of {self.model_name} writes calls of tools in a form that is not read here; train with "
                "one that ships (qwen, llama3, gemma, plain), or take an arm that writes its actions as text"
            )
        ids = made.tokenizer(render_prompt(made.tokenizer, input, tools), add_special_tokens=False)["input_ids"]
        room = made.positions - len(ids)
        if room < 1:
            return _output(self.model_name, ChatMessageAssistant(content=""), "model_length", len(ids), 0)
        temperature, top_p = config.temperature, config.top_p
        # Compared with None, not by `or`: a temperature of 0 asks for the likeliest token.
        sampling = Sampling(
            1.0 if temperature is None else temperature, 1.0 if top_p is None else top_p, config.top_k or 0
        )
        wanted = Continuation(ids, min(room, config.max_tokens or MOST_TOKENS), sampling)
        # Answered in another thread, in one batch with other requests; the loop stays free to take these.
        answer = await asyncio.wrap_future(self.batches.ask(wanted))
        ended = bool(answer) and answer[-1] in made.ends
        text = made.tokenizer.decode(answer[:-1] if ended else answer, clean_up_tokenization_spaces=False)
        message = assistant_message(text, made.reader if tools else None, self.model_name, f"call-{len(input)}")
        why: StopReason = "tool_calls" if message.tool_calls else "stop" if ended else "max_tokens"
        return _output(self.model_name, message, why, len(ids), len(answer))

    def max_connections(self) -> int:
        """The number of requests that a batch holds."""
        return self.batch

    def max_tokens(self) -> int | None:
        """The default length of an answer."""
        return MOST_TOKENS

    def close(self) -> None:
        """Answer the requests there are, and no more."""
        self.batches.close()


def render_prompt(tokenizer: Any, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> str:
    """A conversation as the model's template writes it, up to where the model continues."""
    names = {
        call.id: call.function for m in messages if isinstance(m, ChatMessageAssistant) for call in m.tool_calls or ()
    }
    chat = [trl_message(message, names) for message in messages]
    return str(
        tokenizer.apply_chat_template(
            chat, tools=[trl_tool(tool) for tool in tools] or None, tokenize=False, add_generation_prompt=True
        )
    )


def trl_message(message: ChatMessage, names: Mapping[str, str]) -> dict[str, Any]:
    """A message of Inspect's in TRL's form."""
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if isinstance(message, ChatMessageTool):
        call = message.tool_call_id or ""
        return {**found, "tool_call_id": call, "name": message.function or names.get(call, "")}
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        calls = [(call.id, {"name": call.function, "arguments": call.arguments}) for call in message.tool_calls]
        found["tool_calls"] = [{"id": id, "type": "function", "function": function} for id, function in calls]
    return found


def trl_tool(tool: ToolInfo) -> dict[str, Any]:
    """A tool in TRL's form, the keys of its schema in the order in which the data has them."""
    parameters = _sorted(tool.parameters.model_dump(exclude_none=True, mode="json"))
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _sorted(schema: Any, *, names: bool = False) -> Any:
    """The schema with its keywords in order; the names of properties keep theirs."""
    if isinstance(schema, dict):
        # Names of properties are not keywords and keep the tool's order; one of them may itself be called `properties`.
        keys = list(schema) if names else sorted(schema)
        return {key: _sorted(schema[key], names=key == "properties" and not names) for key in keys}
    return [_sorted(item) for item in schema] if isinstance(schema, list) else schema


def assistant_message(text: str, reader: Reader | None, model: str, id: str) -> ChatMessageAssistant:
    """The model's text as a message, with its calls if there is a reader of them."""
    content, calls = reader(text) if reader is not None else (text, ())
    found = [
        ToolCall(
            id=f"{id}-{nth}",
            function=call.tool or "unknown",
            arguments=dict(call.arguments),
            parse_error=call.problem or None,
        )
        for nth, call in enumerate(calls)
    ]
    return ChatMessageAssistant(content=content, tool_calls=found or None, model=model, source="generate")


def _output(model: str, message: ChatMessageAssistant, why: StopReason, read: int, written: int) -> ModelOutput:
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=why)],
        usage=ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written),
    )


def load_model(place: Path, device: str) -> LoadedModel:
    """The model in a folder.

    Raises:
        UserError: there is none, or it cannot be called.
    """
    require_packages()
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    folder, card = find_weights(place)
    adapter = _json(folder / "adapter_config.json")
    # A folder of weights stands for itself, an adapter's for the model that it was trained on.
    base = adapter["base_model_name_or_path"] if adapter is not None else str(folder)
    if adapter is not None and base.startswith((".", "/", "~")) and not Path(base).is_dir():
        raise UserError(f"the adapter in {folder} belongs to the model {base}, which is not there; put it there")
    gpu = torch.accelerator.is_available()
    device = device or (str(torch.accelerator.current_accelerator()) if gpu else "cpu")
    try:
        config = AutoConfig.from_pretrained(base)
        tokenizer = AutoTokenizer.from_pretrained(str(folder))
        if card is not None and adapter is not None:
            # A merged model carries the scaling in its own config; an adapter's base does not know it.
            apply_rope_scaling(parse_training_recipe(card["recipe"]), config)
        dtype = torch.bfloat16 if gpu else torch.float32
        model = AutoModelForCausalLM.from_pretrained(base, config=config, dtype=dtype)
        if adapter is not None:
            from peft import PeftModel

            model = PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
        model = model.to(device).eval()
    except Exception as error:  # a broken folder shows itself in many ways
        raise UserError(f"the model in {folder} cannot be read: {error}") from error
    if not tokenizer.chat_template:
        raise UserError(
            f"the tokenizer in {folder} has no chat template; `sealegs train` saves one with what it trains"
        )
    return _ready(model, tokenizer)


def _ready(model: Any, tokenizer: Any) -> LoadedModel:
    own = model.generation_config.eos_token_id
    ends = [tokenizer.eos_token_id, *(own if isinstance(own, list) else [own])]
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.generation_config.max_length = None  # the limit is each request's own

    def render(messages: list[dict[str, Any]]) -> str:
        return str(tokenizer.apply_chat_template(messages, tokenize=False))

    return LoadedModel(
        model=model,
        tokenizer=tokenizer,
        ends=tuple(dict.fromkeys(id for id in ends if id is not None)),
        positions=getattr(model.config.get_text_config(), "max_position_embeddings", None) or 1 << 20,
        reader=reader_of(render),
    )


def find_weights(place: Path) -> tuple[Path, dict[str, Any] | None]:
    """The folder of the weights, and the card of the run that they come from, if there is one.

    Raises:
        UserError: there are none.
    """
    for folder in (place, place / "merged", place / "model", place / "adapter"):
        if (folder / "adapter_config.json").is_file() or (folder / "config.json").is_file():
            return folder, _json(folder.parent / "card.json")
    why = "the run has not ended; give its command again" if (place / "run.json").is_file() else "name another"
    raise UserError(f"{place} holds no model (no config.json, no adapter); {why}")


def _json(file: Path) -> dict[str, Any] | None:
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else None
