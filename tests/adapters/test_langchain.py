"""LangChain beyond the kit: other tools, injected arguments, retries on either side, and who handles errors."""

# ruff: noqa: E402

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))
pytestmark = pytest.mark.filterwarnings("default")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolRetryMiddleware
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from sealegs import current_call
from sealegs.adapters.conformance import ModelScript
from sealegs.adapters.conformance.case_runner import scripted_calls
from sealegs.adapters.langchain import Seam, wrap
from sealegs.faults import Failure, Fault, ToolSpec
from sealegs.faults.call import PartialExecution
from sealegs.faults.kinds import Error, Partial, Poisoned, WrongEntity
from sealegs.faults.triggers import First, Nth
from tests.adapters.frameworks.langchain import START_WITH, model
from tests.adapters.shop import Episode, silent
from tests.inject.staging import rule


@tool
def forecast(city: str, runtime: ToolRuntime) -> dict[str, Any]:
    """The weather."""
    return {"city": city, "messages": len(runtime.state["messages"])}


@tool(response_format="content_and_artifact")
def chart(city: str) -> tuple[list[int], str]:
    """A chart."""
    return [1, 2, 3, 4], f"chart of {city}"


class Advice(BaseTool):
    name: str = "advice"
    description: str = "What to wear."

    def _run(self, city: str) -> str:
        return f"A coat in {city}."


def answers(given: BaseTool, *middleware: Any, way: str = "sync", city: str = "Oslo") -> list[ToolMessage]:
    agent = create_agent(model(ModelScript([scripted_calls(f"{given.name} {city}")])), [given], middleware=middleware)
    state = agent.invoke(START_WITH) if way == "sync" else asyncio.run(agent.ainvoke(START_WITH))
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_argument_that_the_framework_fills_is_none_of_the_models(way: str) -> None:
    episode = Episode(rule(Poisoned(instruction="Halt.")))
    (message,) = answers(forecast, Seam(episode.session), way=way)
    assert message.text == '{"city": "Oslo Halt.", "messages": 2}'
    assert episode.record().turns[0].call.arguments == {"city": "Oslo"}


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_fault_may_ask_for_another_entity(way: str) -> None:
    spec = ToolSpec("forecast", effects=False, examples=({"city": "Rome"},))
    (message,) = answers(forecast, Seam(Episode(rule(WrongEntity()), specs=(spec,)).session), way=way)
    assert message.text == '{"city": "Rome", "messages": 2}'


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_artifact_stays_beside_a_changed_answer(way: str) -> None:
    (message,) = answers(chart, Seam(silent(Partial())), way=way)
    assert (message.text, message.artifact) == ("[1, 2]", "chart of Oslo")


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_tool_that_is_a_class(way: str) -> None:
    (message,) = answers(Advice(), Seam(silent(Poisoned(instruction="Halt."))), way=way)
    assert message.text == "A coat in Oslo. Halt."


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("outermost", [True, False])
def test_a_retry_meets_the_fault_wherever_it_stands(outermost: bool, way: str) -> None:
    episode = Episode(rule(Error(status=503), when=First(1)))
    around = [ToolRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False), Seam(episode.session)]
    (message,) = answers(Advice(), *(around if outermost else reversed(around)), way=way)
    assert (message.text, message.status) == ("A coat in Oslo.", "success")
    assert [isinstance(turn.shown, Failure) for turn in episode.record().turns] == [True, False]


def sorry(error: ValueError) -> str:
    return "sorry"


@pytest.mark.parametrize("armed", [False, True])
def test_a_tool_node_handles_what_it_says_it_handles(armed: bool) -> None:
    def node(fault: Fault, error: Exception) -> Any:
        class Breaking(Advice):
            def _run(self, city: str) -> str:
                raise error

        made = wrap([Advice()], silent(fault)) if armed else [Breaking()]
        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode(made, handle_tool_errors=sorry))
        graph.add_edge(START, "tools")
        graph.add_edge("tools", END)
        call = {"name": "advice", "args": {"city": "Oslo"}, "id": "1"}
        return graph.compile().invoke({"messages": [AIMessage("", tool_calls=[call])]})  # type: ignore

    shown = node(Error(exception="ValueError", message="no"), ValueError("no"))["messages"][-1]
    assert (shown.text, shown.status) == ("sorry", "error")
    with pytest.raises(OSError, match="no"):
        node(Error(exception="OSError", message="no"), OSError("no"))


def test_a_wrapped_tool_knows_which_arguments_are_the_models() -> None:
    episode = Episode(rule(Poisoned(instruction="Halt.")))
    agent = create_agent(model(ModelScript([scripted_calls("forecast Oslo")])), wrap([forecast], episode.session))
    message = agent.invoke(START_WITH)["messages"][-2]
    assert message.text == '{"city": "Oslo Halt.", "messages": 2}'
    assert episode.record().turns[0].call.arguments == {"city": "Oslo"}


@pytest.mark.parametrize("way", ["sync", "async"])
def test_calls_of_one_message_are_counted_in_its_order(way: str) -> None:
    """Whichever of them arrives first: each waits for all that follow it in the message."""
    for _ in range(3):
        started = [threading.Event() for _ in range(6)]

        class Late(AgentMiddleware[Any, Any, Any]):
            def wrap_tool_call(self, request: Any, handler: Any, started: Any = started) -> Any:
                index = int(request.tool_call["args"]["city"])
                if index + 1 < len(started):
                    started[index + 1].wait(10)
                try:
                    return handler(request)
                finally:
                    started[index].set()

            async def awrap_tool_call(self, request: Any, handler: Any, started: Any = started) -> Any:
                index = int(request.tool_call["args"]["city"])
                while index + 1 < len(started) and not started[index + 1].is_set():
                    await asyncio.sleep(0)
                try:
                    return await handler(request)
                finally:
                    started[index].set()

        episode = Episode(rule(Error(status=503), when=Nth(2)))
        script = ModelScript([scripted_calls(*(f"advice {index}" for index in range(6)))])
        agent = create_agent(model(script), [Advice()], middleware=[Late(), Seam(episode.session, errors="shown")])
        state = agent.invoke(START_WITH) if way == "sync" else asyncio.run(agent.ainvoke(START_WITH))
        messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
        assert [message.status for message in messages] == ["success", "error", *["success"] * 4]


@tool
def book(city: str) -> dict[str, Any] | PartialExecution:
    """Reserve, then pay."""
    call = current_call()
    cut = call is not None and call.cut is not None
    BOOKED.extend(["reserve"] if cut else ["reserve", "pay"])
    return PartialExecution({"city": city}) if cut else {"city": city}


BOOKED: list[str] = []


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(("moment", "done"), [("before", []), ("during", ["reserve"]), ("after", ["reserve", "pay"])])
def test_the_tools_ledger_proves_the_moment(moment: Any, done: list[str], way: str) -> None:
    BOOKED.clear()
    episode = Episode(rule(Error(status=503), moment=moment), specs=(ToolSpec("book", effects=True, parts=2),))
    answers(book, Seam(episode.session, errors="shown"), way=way)
    (injection,) = episode.record().turns[0].injections
    assert (injection.moment, BOOKED) == (moment, done)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_the_answer_to_a_call_that_was_cut_reads_as_any_other(way: str) -> None:
    poisoned = rule(Poisoned(instruction="Halt.", place="added"), moment="during")
    episode = Episode(poisoned, specs=(ToolSpec("book", effects=True, parts=2),))
    (message,) = answers(book, Seam(episode.session), way=way)
    assert json.loads(message.text)["city"] == "Oslo"
    assert "Halt." in message.text
