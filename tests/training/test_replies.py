"""Calls that a model wrote, read back: each shipped template there and back, and what breaks off."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

from sealegs.training.replies import READERS, ModelCall, reader_of

SHIPPED = ("gemma", "llama3", "plain", "qwen")
ENDS = {"gemma": "<end_of_turn>", "llama3": "<|eot_id|>", "plain": "<end>", "qwen": "<|im_end|>"}
READS = {"gemma": "fences", "llama3": "parameters", "plain": "lines", "qwen": "tags"}
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.tuples(st.from_regex(r"[a-z][a-z0-9_.-]{0,12}", fullmatch=True), st.dictionaries(TEXTS, VALUES, max_size=3))
CONTENT = st.from_regex(r"[A-Za-z.,:'\[\]{}<> \n]{0,40}", fullmatch=True).map(lambda text: text.strip("\n"))


def environment() -> Environment:
    made = Environment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", _Generation])
    made.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return made


class _Generation(Extension):
    """`{% generation %}` around what the assistant says changes nothing of the text."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


ENVIRONMENT = environment()
TEMPLATES = {
    name: ENVIRONMENT.from_string(
        (resources.files("sealegs.training") / "chat_templates" / f"{name}.jinja").read_text("utf-8")
    )
    for name in SHIPPED
}


def written(name: str, content: str, calls: list[tuple[str, Any]]) -> str:
    """What the assistant says, as the template writes it, without the end mark."""
    functions = [{"type": "function", "function": {"name": tool, "arguments": given}} for tool, given in calls]
    reply = {"role": "assistant", "content": content, "tool_calls": functions}
    question = [{"role": "user", "content": "?"}]
    before = TEMPLATES[name].render(messages=question, add_generation_prompt=True, eos_token="<end>")
    whole = TEMPLATES[name].render(messages=[*question, reply], eos_token="<end>")
    assert whole.startswith(before)
    return whole[len(before) :].rstrip("\n").removesuffix(ENDS[name])


@pytest.mark.parametrize("name", SHIPPED)
@given(content=CONTENT, calls=st.lists(CALLS, max_size=3))
def test_every_call_that_a_template_writes_is_read_back(name: str, content: str, calls: list[tuple[str, Any]]) -> None:
    text = written(name, content, calls)
    read, found = READERS[READS[name]](text)
    assert found == tuple(ModelCall(tool, given) for tool, given in calls)
    assert read == content


@pytest.mark.parametrize("name", SHIPPED)
def test_the_reader_is_found_by_what_the_template_writes(name: str) -> None:
    def render(messages: list[dict[str, Any]]) -> str:
        return TEMPLATES[name].render(messages=messages, eos_token="<end>")

    assert reader_of(render) is READERS[READS[name]]


def test_a_template_without_calls_has_no_reader() -> None:
    assert reader_of(lambda messages: "".join(message["content"] for message in messages)) is None


@pytest.mark.parametrize(
    ("reader", "text", "content", "problem"),
    [
        ("tags", 'So.\n<tool_call>\n{"name": "a", "arguments": {"x": 1', "So.", "not a complete JSON object"),
        ("tags", '<tool_call>\n{"arguments": {}}\n</tool_call>', "", "has no 'name'"),
        ("tags", '<tool_call>\n{"name": "a", "arguments": [1]}\n</tool_call>', "", "'arguments' is not a JSON object"),
        ("tags", '<tool_call>\n{"name": "a", "arguments": "{1"}\n</tool_call>', "", "'arguments' is not a JSON object"),
        ("parameters", '{"name": "a", "parameters": 3}', "", "'parameters' is not a JSON object"),
        ("lines", 'call a {"x": ', "", "not a complete JSON object"),
    ],
)
def test_what_cannot_be_read_says_why(reader: str, text: str, content: str, problem: str) -> None:
    read, (called,) = READERS[reader](text)
    assert read == content
    assert problem in called.problem


def test_arguments_may_stand_as_text_or_be_left_out() -> None:
    calls = ('{"name": "a", "arguments": "{\\"x\\": 1}"}', '{"name": "b"}')
    text = "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls)
    assert READERS["tags"](text) == ("", (ModelCall("a", {"x": 1}), ModelCall("b", {})))
