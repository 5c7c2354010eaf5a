"""The order of the calls of one message in LangGraph: which is the n-th is the model's to say, not the scheduler's.

Every call waits for the one that is to arrive before it, so that calls arrive in whatever order is drawn.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Send

from sealegs.adapters.conformance import ModelScript
from sealegs.adapters.conformance.case_runner import scripted_calls
from sealegs.adapters.langchain import Seam, wrap
from sealegs.faults import Plan
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import Nth
from sealegs.inject import Session
from tests.adapters.frameworks.langchain import START_WITH, model
from tests.inject.staging import rule

TOOLS = ("search", "price")
GENEROUS = 30.0


@tool
def search(place: int) -> str:
    """Search."""
    return f"found {place}"


@tool
def price(place: int) -> str:
    """A price."""
    return f"costs {place}"


@dataclass
class Arrivals:
    """Calls that arrive in a given order: each waits until the one before it has gone."""

    order: Sequence[int]

    def __post_init__(self) -> None:
        self.gone = [threading.Event() for _ in self.order]

    def before(self, place: int) -> threading.Event | None:
        """What a call waits for."""
        at = self.order.index(place)
        return self.gone[self.order[at - 1]] if at else None

    def sync(self, request: Any, handler: Callable[..., Any]) -> Any:
        """The hook of a `ToolNode`."""
        place = request.tool_call["args"]["place"] % len(self.order)
        event = self.before(place)
        assert event is None or event.wait(GENEROUS)
        try:
            return handler(request)
        finally:
            self.gone[place].set()

    async def in_task(self, request: Any, handler: Callable[..., Any]) -> Any:
        """The same in its async way."""
        place = request.tool_call["args"]["place"] % len(self.order)
        event = self.before(place)
        while event is not None and not event.is_set():
            await asyncio.sleep(0)
        try:
            return await handler(request)
        finally:
            self.gone[place].set()


def message(tools: Sequence[str]) -> AIMessage:
    calls: Any = [{"name": name, "args": {"place": at}, "id": f"call_{at}"} for at, name in enumerate(tools)]
    return AIMessage("", tool_calls=calls)


def graph_of(tools: Sequence[Any], arrivals: Arrivals, fan_out: bool) -> Any:
    """A graph of one node with the tools; `fan_out`: each call is a task of its own."""
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools, wrap_tool_call=arrivals.sync, awrap_tool_call=arrivals.in_task))
    if fan_out:
        graph.add_node("model", lambda state: {})
        graph.add_edge(START, "model")
        each: Any = lambda state: [Send("tools", [call]) for call in state["messages"][-1].tool_calls]  # noqa: E731
        graph.add_conditional_edges("model", each, ["tools"])
    else:
        graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    return graph.compile()


def failed(state: Any) -> list[str]:
    return sorted(
        one.tool_call_id for one in state["messages"] if isinstance(one, ToolMessage) and one.status == "error"
    )


@settings(max_examples=25)
@given(st.data(), st.lists(st.sampled_from(TOOLS), min_size=1, max_size=5), st.booleans(), st.booleans(), st.booleans())
def test_the_nth_call_of_a_message_is_struck_in_whatever_order_they_arrive(
    data: st.DataObject, tools: list[str], fan_out: bool, in_task: bool, one_list: bool
) -> None:
    order = data.draw(st.permutations(range(len(tools))))
    nth = data.draw(st.integers(1, len(tools)))
    session = Session(Plan(name="nth", rules=(rule(Error(status=503), tool="*", when=Nth(nth)),)))
    wrapped = wrap([search, price], session, "shown")
    if not one_list:
        wrapped = [wrap(search, session, "shown"), wrap(price, session, "shown")]
    graph = graph_of(wrapped, Arrivals(order), fan_out)
    given_state = {"messages": [message(tools)]}
    state = asyncio.run(graph.ainvoke(given_state)) if in_task else graph.invoke(given_state)
    of_each = [[at for at, name in enumerate(tools) if name == own] for own in TOOLS]
    assert failed(state) == sorted(f"call_{places[nth - 1]}" for places in of_each if len(places) >= nth)


class InOrder(AgentMiddleware[Any, Any, Any]):
    """The same for an agent, whose turns each have arrivals of their own."""

    def __init__(self, turns: Sequence[Arrivals]) -> None:
        super().__init__()
        self.turns = turns

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        answered = sum(isinstance(one, ToolMessage) for one in request.state["messages"])
        return self.turns[answered // len(self.turns[0].order)].sync(request, handler)


@pytest.mark.parametrize("by_middleware", [False, True])
@pytest.mark.parametrize("nth", [2, 3])
def test_ids_that_come_again_are_those_of_another_turn(nth: int, by_middleware: bool) -> None:
    """Models that number the calls of each message anew: the second message goes on where the first one ended."""
    session = Session(Plan(name="nth", rules=(rule(Error(status=503), tool="search", when=Nth(nth)),)))
    tools: list[Any] = [search] if by_middleware else wrap([search], session, "shown")
    seam = [Seam(session, errors="shown")] if by_middleware else []
    turns = [scripted_calls("search 0", "search 1"), scripted_calls("search 0", "search 1")]
    asks = [[type(one)(f"call_{at}", one.tool, {"place": at}) for at, one in enumerate(turn)] for turn in turns]
    late = InOrder([Arrivals([1, 0]), Arrivals([1, 0])])
    agent = create_agent(model(ModelScript(asks)), tools, middleware=[late, *seam])
    messages = [one for one in agent.invoke(START_WITH)["messages"] if isinstance(one, ToolMessage)]
    assert [number for number, one in enumerate(messages, 1) if one.status == "error"] == [nth]


def test_calls_outside_of_a_graph_are_counted_as_they_come() -> None:
    session = Session(Plan(name="nth", rules=(rule(Error(status=503), tool="search", when=Nth(2)),)))
    one = wrap(search, session, "shown")
    call: Any = {"name": "search", "args": {"place": 0}, "id": "call_0", "type": "tool_call"}
    assert [one.invoke(call).status for _ in range(3)] == ["success", "error", "success"]
    assert one.invoke({"place": 1}) == "found 1", "a plain call has no id"
