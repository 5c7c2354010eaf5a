"""Hand-written loops with the real clients of OpenAI and Anthropic, on a model that plays a script."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from sealegs.adapters import anthropic as anthropic_loop
from sealegs.adapters import openai as openai_loop
from sealegs.adapters.dispatch import RequestedToolCall, call_tools_async, error_as_json, error_as_sentence
from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.adapters.python import wrap
from sealegs.faults.kinds import Connection, Delta, Error, Interrupted, RateLimit
from sealegs.faults.triggers import Nth
from sealegs.inject import Session
from tests import needs
from tests.adapters.shop import Episode
from tests.inject.staging import rule

openai = pytest.importorskip("openai", reason=needs.module("openai"))
anthropic = pytest.importorskip("anthropic", reason=needs.module("anthropic"))


def price(item: str) -> dict[str, Any]:
    """The price of an item."""
    if item == "sword":
        raise LookupError("no such item")
    return {"item": item, "price": 12}


def story(about: str) -> Iterator[str]:
    """A story, bit by bit."""
    yield "Once "
    yield "upon a time."


async def price_async(item: str) -> dict[str, Any]:
    await asyncio.sleep(0)
    return price(item)


async def story_async(about: str) -> AsyncIterator[str]:
    for chunk in story(about):
        yield chunk


CALLS = [
    {"tool": "price", "arguments": {"item": "pen"}},
    {"tool": "price", "arguments": {"item": "sword"}},
    {"tool": "story", "arguments": {"about": "pens"}},
    {"tool": "weather", "arguments": {}},
]
SCRIPT = script_from({"turns": [{"calls": CALLS}, {"say": "{{heard}}"}]})
BROKEN = script_from({"turns": [{"call": {"tool": "price", "arguments": "{item: pen"}}, {"say": "{{heard}}"}]})
SYNC = {"price": price, "story": story}
ASYNC = {"price": price_async, "story": story_async}
Loop = Callable[[ScriptServer, Any, bool], Any]


async def chat(server: ScriptServer, tools: Any, is_async: bool) -> list[tuple[str, bool | None]]:
    """A loop on chat completions: the texts that answered the calls."""
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as client:
        while True:
            message = (await client.chat.completions.create(model="m", messages=messages)).choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                break
            if is_async:
                messages += await openai_loop.tool_messages_async(message.tool_calls, tools)
            else:
                messages += openai_loop.tool_messages(message.tool_calls, tools)
    return [(message["content"], None) for message in messages if message["role"] == "tool"]


async def respond(server: ScriptServer, tools: Any, is_async: bool) -> list[tuple[str, bool | None]]:
    """A loop on responses."""
    given: list[Any] = [{"role": "user", "content": "Go."}]
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as client:
        while True:
            response = await client.responses.create(model="m", input=given)
            given += [item.model_dump(exclude_none=True) for item in response.output]
            if is_async:
                outputs = await openai_loop.call_outputs_async(response.output, tools)
            else:
                outputs = openai_loop.call_outputs(response.output, tools)
            if not outputs:
                break
            given += outputs
    return [(item["output"], None) for item in given if item.get("type") == "function_call_output"]


async def message(server: ScriptServer, tools: Any, is_async: bool) -> list[tuple[str, bool | None]]:
    """A loop on Anthropic's messages."""
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    async with anthropic.AsyncAnthropic(base_url=server.root, api_key="none") as client:
        while True:
            answer = await client.messages.create(model="m", max_tokens=99, messages=messages)
            messages.append({"role": "assistant", "content": answer.content})
            if answer.stop_reason != "tool_use":
                break
            if is_async:
                messages.append(await anthropic_loop.tool_results_async(answer.content, tools))
            else:
                messages.append(anthropic_loop.tool_results(answer.content, tools))
    return [(block["content"], block.get("is_error", False)) for block in messages[2]["content"]]


LOOPS = pytest.mark.parametrize("loop", [chat, respond, message])
FORMS = pytest.mark.parametrize("is_async", [False, True])
MISSING = "There is no tool named weather; there are price, story."


def errors(loop: Loop, *pairs: tuple[str, str]) -> list[str]:
    """Errors, each as its name and words, in the form of the loop."""
    if loop is message:
        return [f"{name}: {words}" for name, words in pairs]
    return [json.dumps({"error": {"type": name, "message": words}}) for name, words in pairs]


async def run(loop: Loop, session: Session, is_async: bool, script: Any = SCRIPT) -> list[tuple[str, bool | None]]:
    with ScriptServer(script) as server:
        return await loop(server, wrap(ASYNC if is_async else SYNC, session), is_async)  # type: ignore[no-any-return]


@LOOPS
@FORMS
async def test_a_loop_runs_as_it_would(loop: Loop, is_async: bool) -> None:
    found = await run(loop, Episode().session, is_async)
    wrong, missing = errors(loop, ("LookupError", "no such item"), ("Refused", MISSING))
    assert [text for text, _ in found] == ['{"item": "pen", "price": 12}', wrong, "Once upon a time.", missing]
    if loop is message:
        assert [failed for _, failed in found] == [False, True, False, True]


@LOOPS
@FORMS
async def test_faults_are_shown_as_errors_of_the_tool(loop: Loop, is_async: bool) -> None:
    episode = Episode(rule(Connection(), tool="price"), rule(Interrupted(), tool="story"))
    found = await run(loop, episode.session, is_async)
    refused, cut = errors(
        loop,
        ("ConnectionRefusedError", "[Errno 111] Connection refused"),
        ("ConnectionResetError", "[Errno 104] Connection reset by peer"),
    )
    assert [text for text, _ in found[:3]] == [refused, refused, cut]
    assert not any(word in text for text, _ in found for word in ("sealegs", "ToolFault", "Traceback"))
    assert sum(turn.faulted for turn in episode.record().turns) == 3


@LOOPS
@FORMS
async def test_more_than_words_is_shown_as_json(loop: Loop, is_async: bool) -> None:
    text, _ = (await run(loop, Episode(rule(RateLimit())).session, is_async))[0]
    assert json.loads(text)["error"]["retry_after"] == 1.0


@LOOPS
async def test_wrong_values_reach_the_model(loop: Loop) -> None:
    text, _ = (await run(loop, Episode(rule(Delta(fields=("price",)))).session, True))[0]
    assert json.loads(text)["price"] != 12


def test_a_wrapped_function_is_a_tool_of_anthropics_runner() -> None:
    def cost(item: str) -> str:
        """The price of an item.

        Args:
            item: Its name.
        """
        return json.dumps(price(item))

    episode = Episode(rule(Connection(), tool="cost", when=Nth(2)))
    bare, wrapped = (anthropic.beta_tool(one) for one in (cost, wrap(cost, episode.session)))
    assert wrapped.to_dict() == bare.to_dict()
    calls = [{"tool": "cost", "arguments": {"item": "pen"}}] * 2
    script = script_from({"turns": [{"calls": calls}, {"say": "{{heard}}"}]})
    request: Any = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "Go."}]}
    with ScriptServer(script) as server, anthropic.Anthropic(base_url=server.root, api_key="none") as client:
        client.beta.messages.tool_runner(tools=[wrapped], **request).until_done()
    right, wrong = server.requests[-1].body["messages"][-1]["content"]
    assert json.loads(right["content"]) == {"item": "pen", "price": 12}
    assert wrong["is_error"]
    assert "Connection refused" in str(wrong["content"])
    assert sum(turn.faulted for turn in episode.record().turns) == 1


@pytest.mark.parametrize("loop", [chat, respond])
async def test_arguments_that_are_no_json(loop: Loop) -> None:
    episode = Episode()
    ((text, _),) = await run(loop, episode.session, False, BROKEN)
    assert "The arguments are not valid JSON" in text
    assert not episode.record().turns


def test_an_error_in_the_agents_own_words() -> None:
    call = {"id": "1", "function": {"name": "price", "arguments": '{"item": "sword"}'}}
    (reply,) = openai_loop.tool_messages([call], [price], error_text=lambda error: f"Oh dear: {error}")
    assert reply == {"role": "tool", "tool_call_id": "1", "content": "Oh dear: no such item"}
    assert openai_loop.tool_messages(None, [price]) == []
    use = {"type": "tool_use", "id": "1", "name": "price", "input": {"item": "pen"}}
    assert (
        anthropic_loop.tool_results([use, {"type": "text", "text": "x"}], [price])["content"][0]["tool_use_id"] == "1"
    )


def test_two_ways_of_telling() -> None:
    error = TypeError("price() got an unexpected keyword argument 'colour'")
    assert error_as_sentence(error) == f"TypeError: {error}"
    assert json.loads(error_as_json(error))["error"]["type"] == "TypeError"
    faulted = Episode(rule(Error(message="Closed.", type="Closed"))).session
    call = {"id": "1", "function": {"name": "price", "arguments": '{"item": "pen"}'}}
    (reply,) = openai_loop.tool_messages([call], wrap([price], faulted))
    assert json.loads(reply["content"]) == {"error": {"type": "Closed", "message": "Closed."}}


async def test_calls_side_by_side_are_counted_in_the_order_of_the_model() -> None:
    """Whichever arrives first; what cannot be called at all is not counted."""

    async def look(index: int) -> str:
        for _ in range(draw.randrange(9)):
            await asyncio.sleep(0)
        return await inner(index)

    async def answer_to(index: int) -> str:
        return f"answer {index}"

    draw = random.Random(7)
    wishes = [RequestedToolCall(f"c{index}", "look", {"index": index}) for index in range(8)]
    wishes.insert(2, RequestedToolCall("bad", "look", "{no json"))
    wishes.insert(4, RequestedToolCall("gone", "nowhere", {}))
    for _ in range(30):
        session = Episode(rule(Error(status=503), tool="look", when=Nth(4))).session
        inner = wrap(answer_to, session, name="look")
        replies = await call_tools_async(wishes, {"look": look}, error_as_json)
        assert [reply.id for reply in replies if reply.failed] == ["bad", "gone", "c3"]
