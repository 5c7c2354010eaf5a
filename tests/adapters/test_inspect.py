"""Inspect's tools under a session: what kinds of tools and sources there are, their arguments and their results.

The kit plays whole evaluations (`tests/adapters/frameworks/inspect.py`); here Inspect's `execute_tools` makes calls.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from sealegs.faults import Call, Fault, Outcome, Wait
from sealegs.faults.kinds import Delta, Error, Malformed, Partial
from sealegs.inject import Session, VirtualClock
from tests import needs
from tests.adapters.shop import Episode
from tests.inject.staging import rule

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai.agent import agent, as_tool, handoff, react
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ContentText, execute_tools
from inspect_ai.tool import MCPServer, Tool, ToolCall, ToolDef, ToolSource, mcp_connection, tool
from pydantic import BaseModel

from sealegs.adapters.inspect import wrap


class Item(BaseModel):
    """What is sold."""

    name: str
    since: date


@tool(parallel=True, max_output=77)
def price() -> Tool:
    async def execute(item: Item, count: int = 1) -> str:
        """The price of an item.

        Args:
            item: The item.
            count: How many.
        """
        return f'{{"name": "{item.name}", "since": {item.since.year}, "price": {12 * count}}}'

    return execute


@tool
def contents() -> Tool:
    async def execute() -> list[ContentText]:
        """Two lines."""
        return [ContentText(text="It costs 12"), ContentText(text="or 13.")]

    return execute


PEN = {"item": {"name": "pen", "since": "2020-01-02"}, "count": 2}


async def called(tools: Any, name: str, arguments: dict[str, Any]) -> ChatMessageTool:
    """The message that answers one call."""
    message = ChatMessageAssistant(content="", tool_calls=[ToolCall("1", name, arguments)])
    found = await execute_tools([message], tools)
    (answer,) = found.messages
    assert isinstance(answer, ChatMessageTool)
    return answer


def faulted(*faults: Fault) -> Session:
    return Episode(*(rule(fault) for fault in faults)).session


async def test_a_tool_keeps_all_that_inspect_reads_of_it() -> None:
    bare, wrapped = ToolDef(price()), ToolDef(wrap(price(), Episode().session))
    for name in ("name", "description", "parameters", "parallel", "max_output", "viewer", "options"):
        assert getattr(wrapped, name) == getattr(bare, name)
    renamed = wrap(ToolDef(price(), name="cost", parallel=False), Episode().session)
    assert (renamed.name, renamed.parallel, renamed.max_output) == ("cost", False, 77)


async def test_a_definitions_own_name_is_the_tools() -> None:
    episode = Episode()
    await called([wrap(ToolDef(price(), name="cost"), episode.session)], "cost", PEN)
    assert [turn.call.tool for turn in episode.record().turns] == ["cost"]


async def test_arguments_are_objects_to_the_tool_and_data_to_the_session() -> None:
    episode = Episode()
    answer = await called([wrap(price(), episode.session)], "price", PEN)
    assert answer.text == '{"name": "pen", "since": 2020, "price": 24}'
    (turn,) = episode.record().turns
    assert turn.call.arguments == PEN


async def test_an_argument_that_a_layer_changes_reaches_the_tool_and_the_others_stay_objects() -> None:
    @tool
    def echo() -> Tool:
        async def execute(city: str, day: date) -> str:
            """Say it again.

            Args:
                city: A city.
                day: A day.
            """
            return f"{city} {day.year}"

        return execute

    def elsewhere(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        return (yield replace(call, arguments={**call.arguments, "city": "Rome"}))

    session = Session(layers=[elsewhere], clock=VirtualClock())
    answer = await called([wrap(echo(), session)], "echo", {"city": "Oslo", "day": "2020-01-02"})
    assert answer.text == "Rome 2020"


async def test_faults_work_on_what_a_text_says() -> None:
    answer = await called([wrap(price(), faulted(Delta(fields=("price",))))], "price", PEN)
    assert '"name": "pen"' in answer.text
    assert '"price": 24' not in answer.text
    assert '"price"' in answer.text


async def test_contents_are_read_as_their_text() -> None:
    bare = await called([contents()], "contents", {})
    same = await called([wrap(contents(), Episode().session)], "contents", {})
    assert same.content == bare.content
    answer = await called([wrap(contents(), faulted(Malformed(mode="cut")))], "contents", {})
    assert "It costs 12\nor 13.".startswith(answer.text)
    assert answer.text


async def test_failures_end_the_run_or_are_shown() -> None:
    with pytest.raises(Exception, match="Service Unavailable") as raised:
        await called([wrap(price(), faulted(Error(status=503)))], "price", PEN)
    assert type(raised.value).__name__ == "ServiceUnavailable"
    answer = await called([wrap(price(), faulted(Error(status=503)), "shown")], "price", PEN)
    assert answer.error is not None
    assert "Service Unavailable" in answer.error.message


async def test_arguments_that_inspect_refuses_never_reach_the_session() -> None:
    episode = Episode()
    answer = await called([wrap(price(), episode.session)], "price", {"item": "pen"})
    assert answer.error is not None
    assert answer.error.type == "parsing"
    assert not episode.record().turns


class Shelf(ToolSource):
    async def tools(self) -> list[Tool]:
        return [price()]


class Server(MCPServer):
    """A server, which has to be connected to."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def tools(self) -> list[Tool]:
        self.seen.append("tools")
        return [price()]

    async def __aenter__(self) -> MCPServer:
        self.seen.append("in")
        return self

    async def __aexit__(self, *error: object) -> None:
        self.seen.append("out")


async def test_sources_of_tools() -> None:
    for source in (Shelf(), Server()):
        answer = await called(wrap([source], faulted(Error(status=503)), "shown"), "price", PEN)
        assert answer.error is not None
        plain = await called([source], "price", PEN)
        assert plain.error is None


async def test_a_server_is_connected_to_once() -> None:
    server = Server()
    wrapped = wrap(server, Episode().session)
    async with mcp_connection([wrapped]):
        await called([wrapped], "price", PEN)
    assert server.seen == ["in", "tools", "out"]


async def test_a_handoff_is_left_as_it_is_and_an_agent_as_a_tool_is_a_tool() -> None:
    @agent
    def helper() -> Any:
        return react(name="helper", description="Helps.", submit=False)

    gone = handoff(helper())
    assert wrap(gone, Episode().session) is gone
    assert ToolDef(wrap(as_tool(helper()), Episode().session)).name == "helper"


async def test_without_a_session_the_active_one_is_meant() -> None:
    wrapped = wrap(price())
    assert (await called([wrapped], "price", PEN)).error is None
    with faulted(Partial()):
        assert (await called([wrapped], "price", PEN)).text != (await called([price()], "price", PEN)).text
