"""What the shipped templates mark, by a tokenizer trained here, against what each message says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("torch", reason=needs.module("torch"))
pytest.importorskip("trl", reason=needs.module("trl"))

from trl.chat_template_utils import (
    is_chat_template_prefix_preserving,
    is_chat_template_stop_token_trained,
)

from sealegs.faults.user_error import UserError
from sealegs.training.conversation_rows import RowConversation, parse_row
from sealegs.training.encoding import encode, render_conversation
from sealegs.training.preflight import end_mark
from sealegs.training.templates import SHIPPED, shipped_template, special_tokens, training_template
from tests.training.small import BOS, EOS, row, tokenizer

ENDS = {"qwen": "<|im_end|>", "llama3": "<|eot_id|>", "gemma": "<end_of_turn>", "plain": EOS}
CALLS = {
    "qwen": '<tool_call>\n{{"name": "weather", "arguments": {{"town": "{}"}}}}\n</tool_call>',
    "llama3": '{{"name": "weather", "parameters": {{"town": "{}"}}}}',
    "gemma": '```tool_call\n{{"name": "weather", "arguments": {{"town": "{}"}}}}\n```',
    "plain": 'call weather {{"town": "{}"}}',
}


def text_of(message: dict[str, Any], name: str) -> str:
    """What the assistant writes for a message: its text, its calls, the end mark."""
    towns = [call["function"]["arguments"]["town"] for call in message.get("tool_calls", ())]
    calls = [CALLS[name].format(town) for town in towns]
    return "\n".join([*filter(None, [message["content"]]), *calls]) + ENDS[name]


def runs(ids: list[int], mask: list[bool]) -> list[str]:
    """The texts of the stretches of tokens under a mask."""
    found: list[list[int]] = []
    for place, (id, on) in enumerate(zip(ids, mask, strict=True)):
        if on and (place == 0 or not mask[place - 1]):
            found.append([])
        if on:
            found[-1].append(id)
    return [tokenizer().decode(one, skip_special_tokens=False) for one in found]


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("nth", [0, 1, 3])
def test_masks_are_exactly_what_the_assistant_says(name: str, nth: int) -> None:
    one = row(nth, recovering=nth != 1)
    made = encode(parse_row(json.dumps(one)), tokenizer(), shipped_template(name))
    spoken = [message for message in one["messages"] if message["role"] == "assistant"]
    assert made.crossing == 0
    assert runs(made.input_ids, [label != -100 for label in made.labels]) == [text_of(each, name) for each in spoken]
    marked = [text_of(each, name) for each in spoken if each.get("recovery")]
    assert len(marked) == (nth != 1)
    assert runs(made.input_ids, [bool(mark) for mark in made.recovery]) == marked
    assert [label for label in made.labels if label != -100] == [
        id for id, label in zip(made.input_ids, made.labels, strict=True) if label != -100
    ]


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("mark", [{"train": False}, {"train": False, "recovery": True}], ids=["plain", "recovering"])
def test_a_slip_gets_no_label_and_changes_no_other(name: str, mark: dict[str, bool]) -> None:
    one = row(0, recovering=True)
    whole = encode(parse_row(json.dumps(one)), tokenizer(), shipped_template(name))
    slip = next(message for message in one["messages"] if message["role"] == "assistant")
    slip.update(mark)
    made = encode(parse_row(json.dumps(one)), tokenizer(), shipped_template(name))
    assert made.input_ids == whole.input_ids
    assert made.recovery == whole.recovery
    gone = [before != after for before, after in zip(whole.labels, made.labels, strict=True)]
    assert runs(made.input_ids, gone) == [text_of(slip, name)]
    assert {label for label, on in zip(made.labels, gone, strict=True) if on} == {-100}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_turn_begins_where_the_prompt_for_it_ends(name: str) -> None:
    one = parse_row(json.dumps(row(3, recovering=True)))
    text, turns = render_conversation(one, tokenizer(), shipped_template(name))
    speakers = [nth for nth, message in enumerate(one.messages) if message["role"] == "assistant"]
    for nth, (begin, _) in zip(speakers, turns, strict=True):
        prompt = tokenizer().apply_chat_template(
            [dict(message) for message in one.messages[:nth]],
            tools=[dict(tool) for tool in one.tools],
            chat_template=shipped_template(name),
            add_generation_prompt=True,
            tokenize=False,
        )
        assert text[:begin] == prompt


@pytest.mark.parametrize("name", SHIPPED)
def test_trl_finds_the_templates_fit_for_training(name: str) -> None:
    made = tokenizer()
    try:
        made.chat_template = shipped_template(name)
        made.eos_token = ENDS[name]
        assert is_chat_template_stop_token_trained(made)
        assert is_chat_template_prefix_preserving(made)
    finally:
        made.chat_template, made.eos_token = None, EOS


@pytest.mark.parametrize("name", SHIPPED)
def test_the_end_mark_is_found(name: str) -> None:
    assert end_mark(name, training_template(name, tokenizer()), tokenizer()) == ENDS[name]


def test_tools_and_system_text_are_there_once() -> None:
    one = parse_row(json.dumps(row(0, recovering=True)))
    for name in SHIPPED:
        text, _ = render_conversation(one, tokenizer(), shipped_template(name))
        assert text.count("Answer in short.") == 1
        assert text.count("The weather of a town") == 1
        assert text.count('{"error": {"status": 503}}') == 1
        assert text.count(BOS) == (name != "qwen")


def test_two_calls_of_one_message_stand_on_lines_of_their_own() -> None:
    calls = [{"type": "function", "function": {"name": "weather", "arguments": {"town": t}}} for t in ("Oslo", "Molde")]
    messages = ({"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": calls})
    for name in SHIPPED:
        text, [(begin, end)] = render_conversation(
            RowConversation(messages, (), frozenset()), tokenizer(), shipped_template(name)
        )
        assert text[begin:end] == "\n".join(CALLS[name].format(t) for t in ("Oslo", "Molde")) + ENDS[name]


def test_a_template_that_cannot_do_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.jinja"

    def refusal(text: str) -> str:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError) as caught:
            end_mark("own", training_template(str(path), tokenizer()), tokenizer())
        return str(caught.value)

    assert "does not mark what the assistant says" in refusal("{{ messages[0].content }}")
    strange = "<|nobody_knows|>{% generation %}a{{ eos_token }}{% endgeneration %}"
    assert "special tokens that the tokenizer does not know: <|nobody_knows|>" in refusal(strange)
    assert "no end mark" in refusal(
        "{% for m in messages[1:] %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}"
    )
    with pytest.raises(UserError, match="there is no template nowhere"):
        training_template("nowhere", tokenizer())
    with pytest.raises(UserError, match="no chat template of its own"):
        training_template("model", tokenizer())


def test_special_tokens_in_comments_do_not_count() -> None:
    assert special_tokens("{# <|a|> #}<|b|>{{ '<|c|><start_of_turn>' }}<|b|>") == ("<|b|>", "<|c|>", "<start_of_turn>")
