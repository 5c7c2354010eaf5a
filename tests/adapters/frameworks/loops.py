"""Hand-written loops with the clients of OpenAI and Anthropic, and Anthropic's own tool runner, on the scripted server.

Without the adapter the loop calls the tools and writes the messages by itself, so that ours are measured by it.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import anthropic
import openai

from sealegs.adapters import anthropic as anthropic_loop
from sealegs.adapters import openai as openai_loop
from sealegs.adapters.conformance import FINAL, ConformanceCase, Harness, Mode
from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.adapters.mock_model.script import PlayedTurn, ToolUse
from sealegs.adapters.mock_model.turn_counting import ConversationState
from sealegs.adapters.python import tool, wrap

Tools = Mapping[str, Callable[..., Any]]
Reply = tuple[str, str, bool]  # the id of a call, the text that answers it, whether it tells of an error
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
logging.getLogger("anthropic.lib.tools").setLevel(logging.CRITICAL)  # it logs what tools raise
SETTINGS: Mapping[str, Any] = {"api_key": "none", "max_retries": 0}


class Model(ScriptServer):
    """The scripted server, that asks a case's script."""

    case: ConformanceCase
    ids: dict[str, str]

    def __init__(self) -> None:
        super().__init__(script_from({"turns": [{"say": FINAL}]}))

    def plays(self, case: ConformanceCase) -> Self:
        """The same server, for another case."""
        self.case, self.ids = case, {}
        self.requests.clear()
        return self

    def played(self, heard: ConversationState) -> PlayedTurn:
        body = self.requests[-1].body
        results = {self.ids[_at(id)]: text for id, text in _results(body)}
        asks = self.case.script.turn(json.dumps(body), results)
        self.ids |= {f"{heard.turns}_{at}": ask.id for at, ask in enumerate(asks)}
        uses = tuple(ToolUse(tool=ask.tool, arguments=dict(ask.arguments)) for ask in asks)
        return PlayedTurn(heard.turns, None if uses else FINAL, uses)


@functools.cache
def model() -> Model:
    """The server, which lasts as long as the process."""
    return Model().__enter__()


class Loop(Harness):
    modes: ClassVar[tuple[Mode, ...]] = ("sync", "async")
    absent = {"hang_timed_out (sync)": "a loop that calls functions itself has no timeout for them"}

    def play(self, case: ConformanceCase) -> None:
        self._case = case
        self.converse(model().plays(case), case, armed(case))

    async def play_async(self, case: ConformanceCase) -> None:
        self._case = case
        await self.converse_async(model().plays(case), case, armed(case))

    def progress(self, text: str) -> None:
        self._case.note(text)

    @abstractmethod
    def converse(self, server: Model, case: ConformanceCase, tools: Tools) -> None: ...

    @abstractmethod
    async def converse_async(self, server: Model, case: ConformanceCase, tools: Tools) -> None: ...


class Chat(Loop):
    framework = "OpenAI chat completions"
    package = "openai"

    def converse(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        messages: list[Any] = [{"role": "user", "content": "What is the weather?"}]
        with openai.OpenAI(
            base_url=server.url, http_client=openai.DefaultHttpxClient(verify=False), **SETTINGS
        ) as client:
            while True:
                answer = client.chat.completions.create(model="m", messages=messages, tools=functions(tools))
                messages.append(answer.choices[0].message)
                if not (calls := messages[-1].tool_calls):
                    return
                case.note(f"calls {len(calls)}")
                if case.armed:
                    messages += openai_loop.tool_messages(calls, tools, error_text)
                else:
                    messages += [_tool_message(*one) for one in answered(_chat_calls(calls), tools)]

    async def converse_async(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        messages: list[Any] = [{"role": "user", "content": "What is the weather?"}]
        async with openai.AsyncOpenAI(
            base_url=server.url, http_client=openai.DefaultAsyncHttpxClient(verify=False), **SETTINGS
        ) as client:
            while True:
                answer = await client.chat.completions.create(model="m", messages=messages, tools=functions(tools))
                messages.append(answer.choices[0].message)
                if not (calls := messages[-1].tool_calls):
                    return
                case.note(f"calls {len(calls)}")
                async with asyncio.timeout(case.patience):
                    if case.armed:
                        messages += await openai_loop.tool_messages_async(calls, tools, error_text)
                    else:
                        messages += [_tool_message(*one) for one in await answered_async(_chat_calls(calls), tools)]


class Responses(Loop):
    framework = "OpenAI responses"
    package = "openai"

    def converse(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        given: list[Any] = [{"role": "user", "content": "What is the weather?"}]
        declared: Any = [{"type": "function", **one["function"]} for one in functions(tools)]
        with openai.OpenAI(
            base_url=server.url, http_client=openai.DefaultHttpxClient(verify=False), **SETTINGS
        ) as client:
            while True:
                output = client.responses.create(model="m", input=given, tools=declared).output
                given += output
                if output[0].type != "function_call":
                    return
                case.note(f"calls {len(output)}")
                if case.armed:
                    given += openai_loop.call_outputs(output, tools, error_text)
                else:
                    given += [_call_output(*one) for one in answered(_response_calls(output), tools)]

    async def converse_async(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        given: list[Any] = [{"role": "user", "content": "What is the weather?"}]
        declared: Any = [{"type": "function", **one["function"]} for one in functions(tools)]
        async with openai.AsyncOpenAI(
            base_url=server.url, http_client=openai.DefaultAsyncHttpxClient(verify=False), **SETTINGS
        ) as client:
            while True:
                output = (await client.responses.create(model="m", input=given, tools=declared)).output
                given += output
                if output[0].type != "function_call":
                    return
                case.note(f"calls {len(output)}")
                async with asyncio.timeout(case.patience):
                    if case.armed:
                        given += await openai_loop.call_outputs_async(output, tools, error_text)
                    else:
                        given += [_call_output(*one) for one in await answered_async(_response_calls(output), tools)]


class Messages(Loop):
    framework = "Anthropic messages"
    package = "anthropic"

    def converse(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        messages: list[Any] = [{"role": "user", "content": "What is the weather?"}]
        request: Any = {"model": "m", "max_tokens": 99, "tools": declarations(tools), "messages": messages}
        with anthropic.Anthropic(
            base_url=server.root, http_client=anthropic.DefaultHttpxClient(verify=False), **SETTINGS
        ) as client:
            while (answer := client.messages.create(**request)).stop_reason == "tool_use":
                messages.append({"role": "assistant", "content": answer.content})
                case.note(f"calls {len(answer.content)}")
                if case.armed:
                    messages.append(anthropic_loop.tool_results(answer.content, tools, error_text))
                else:
                    messages.append(_tool_results(answered(_uses(answer.content), tools)))

    async def converse_async(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        messages: list[Any] = [{"role": "user", "content": "What is the weather?"}]
        request: Any = {"model": "m", "max_tokens": 99, "tools": declarations(tools), "messages": messages}
        async with anthropic.AsyncAnthropic(
            base_url=server.root, http_client=anthropic.DefaultAsyncHttpxClient(verify=False), **SETTINGS
        ) as client:
            while (answer := await client.messages.create(**request)).stop_reason == "tool_use":
                messages.append({"role": "assistant", "content": answer.content})
                case.note(f"calls {len(answer.content)}")
                async with asyncio.timeout(case.patience):
                    if case.armed:
                        messages.append(await anthropic_loop.tool_results_async(answer.content, tools, error_text))
                    else:
                        messages.append(_tool_results(await answered_async(_uses(answer.content), tools)))


class ToolRunner(Loop):
    framework = "Anthropic tool runner"
    package = "anthropic"
    absent = {"hang_timed_out": "the runner has no timeout for a tool call"}

    def converse(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        given: Any = [anthropic.beta_tool(texts(function)) for function in tools.values()]
        with anthropic.Anthropic(
            base_url=server.root, http_client=anthropic.DefaultHttpxClient(verify=False), **SETTINGS
        ) as client:
            for message in client.beta.messages.tool_runner(tools=given, **self.request):
                case.note(f"{message.stop_reason} {len(message.content)}")

    async def converse_async(self, server: Model, case: ConformanceCase, tools: Tools) -> None:
        given: Any = [anthropic.beta_async_tool(texts(function)) for function in tools.values()]
        async with anthropic.AsyncAnthropic(
            base_url=server.root, http_client=anthropic.DefaultAsyncHttpxClient(verify=False), **SETTINGS
        ) as client:
            async for message in client.beta.messages.tool_runner(tools=given, **self.request):
                case.note(f"{message.stop_reason} {len(message.content)}")

    @property
    def request(self) -> Any:
        return {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "What is the weather?"}]}


def armed(case: ConformanceCase) -> Tools:
    """The adapter's line for functions."""
    if not case.armed:
        return case.tools
    if case.session is None:
        return {name: tool(function) for name, function in case.tools.items()}
    return wrap(case.tools, case.session)


def functions(tools: Tools) -> Any:
    """Tools as chat completions declare them."""
    return [
        {"type": "function", "function": {"name": name, "description": function.__doc__, "parameters": CITY}}
        for name, function in tools.items()
    ]


def declarations(tools: Tools) -> Any:
    """Tools as messages declare them."""
    return [{"name": name, "description": function.__doc__, "input_schema": CITY} for name, function in tools.items()]


def texts(function: Callable[..., Any]) -> Callable[..., Any]:
    """A tool for the runner, which takes nothing but text."""

    @functools.wraps(function)
    def run(city: str) -> str:
        return _text(function(city))

    @functools.wraps(function)
    async def run_async(city: str) -> str:
        return _text(await function(city))

    return run_async if inspect.iscoroutinefunction(function) else run


def answered(calls: Iterable[tuple[str, str, Any]], tools: Tools) -> list[Reply]:
    """The calls made one after the other, as one writes it by hand."""
    replies = []
    for id, name, arguments in calls:
        try:
            replies.append((id, _text(tools[name](**arguments)), False))
        except Exception as error:
            replies.append((id, error_text(error), True))
    return replies


async def answered_async(calls: Iterable[tuple[str, str, Any]], tools: Tools) -> list[Reply]:
    """The calls made side by side."""

    async def one(id: str, name: str, arguments: Any) -> Reply:
        try:
            return id, _text(await tools[name](**arguments)), False
        except Exception as error:
            return id, error_text(error), True

    return list(await asyncio.gather(*(one(*call) for call in calls)))


def error_text(error: Exception) -> str:
    return f"It failed with {type(error).__name__}: {error}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _chat_calls(calls: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    return ((call.id, call.function.name, json.loads(call.function.arguments)) for call in calls)


def _response_calls(output: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    return ((item.call_id, item.name, json.loads(item.arguments)) for item in output)


def _uses(content: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    return ((block.id, block.name, block.input) for block in content if block.type == "tool_use")


def _tool_message(id: str, text: str, failed: bool) -> Any:
    return {"role": "tool", "tool_call_id": id, "content": text}


def _call_output(id: str, text: str, failed: bool) -> Any:
    return {"type": "function_call_output", "call_id": id, "output": text}


def _tool_results(replies: Iterable[Reply]) -> Any:
    blocks: list[dict[str, Any]] = []
    for id, text, failed in replies:
        error = {"is_error": True} if failed else {}
        blocks.append({"type": "tool_result", "tool_use_id": id, "content": text, **error})
    return {"role": "user", "content": blocks}


def _at(id: str) -> str:
    """Which turn and call an id of the server's speaks of."""
    found = re.search(r"\d+_\d+$", id)
    assert found, id
    return found[0]


def _results(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The results in a request of any of the three interfaces, by the id of the call."""
    for item in [*body.get("messages", ()), *body.get("input", ())]:
        if item.get("role") == "tool":
            yield item["tool_call_id"], item["content"]
        elif item.get("type") == "function_call_output":
            yield item["call_id"], item["output"]
        elif item.get("role") == "user" and isinstance(item["content"], list):
            for block in item["content"]:
                content = block["content"]
                text = content if isinstance(content, str) else "".join(part["text"] for part in content)
                yield block["tool_use_id"], f"error: {text}" if block.get("is_error") else text
