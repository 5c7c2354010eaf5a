"""Recovery through the adapters: plain functions, LangChain's agent, OpenAI's hand-written loop."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from sealegs import Session, VirtualClock, wrap
from sealegs.adapters.openai import tool_messages, tool_messages_async
from sealegs.adapters.python import ToolFault
from sealegs.adapters.python.annotated_exceptions import exception_with_text
from sealegs.faults.call import Call, Failure, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import Advice, Advise, Alternative, AlternativeStep, CallArgument, StepField
from sealegs.recovery.signature import Signature
from tests import needs

SPECS = [ToolSpec(name, effects=False) for name in ("price", "quote", "parts", "aquote")]
WAYS = [
    Alternative(
        "closed", (AlternativeStep("quote", {"article": CallArgument("item")}),), {"price": StepField(0, "net")}
    ),
    Alternative(
        "closed_async", (AlternativeStep("aquote", {"article": CallArgument("item")}),), {"price": StepField(0, "net")}
    ),
    Alternative(
        "closed_parts", (AlternativeStep("quote", {"article": CallArgument("item")}),), {"price": StepField(0, "net")}
    ),
]
GONE = [ToolSpec(way.tool, effects=False) for way in WAYS]


class Shut(Exception):
    """The tool's own error."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(code, why)
        self.code = code

    def __str__(self) -> str:
        return f"{self.args[1]} ({self.code})"


class Shop:
    """Tools that fail: the first call of `price`, and the closed ones always."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def tools(self) -> dict[str, Any]:
        runs = self.runs

        def price(item: str) -> dict[str, Any]:
            """The price."""
            runs.append("price")
            if runs.count("price") == 1:
                raise ConnectionError("connection reset by peer")
            return {"price": 2.5}

        def closed(item: str) -> dict[str, Any]:
            """The price, once."""
            runs.append("closed")
            raise Shut(410, "discontinued")

        def quote(article: str) -> dict[str, Any]:
            """A price elsewhere."""
            runs.append("quote")
            return {"net": 2.25, "article": article}

        async def closed_async(item: str) -> dict[str, Any]:
            """The price, once."""
            runs.append("closed_async")
            raise Shut(410, "discontinued")

        async def aquote(article: str) -> dict[str, Any]:
            """A price elsewhere."""
            await asyncio.sleep(0)
            runs.append("aquote")
            return {"net": 2.2, "article": article}

        def closed_parts(item: str) -> Iterator[str]:
            """Chunk by chunk."""
            runs.append("closed_parts")
            yield "a"
            raise Shut(410, "discontinued")

        def pay(amount: float) -> str:
            """Pays."""
            runs.append("pay")
            raise ConnectionError("connection reset by peer")

        found = (price, closed, quote, closed_async, aquote, closed_parts, pay)
        return {tool.__name__: tool for tool in found}


def session(policy: Any = None) -> Session:
    layer = RecoveryLayer(policy or active_policy(WAYS))
    return Session(layers=[layer], specs=[*SPECS, *GONE, ToolSpec("pay", effects=True)], clock=VirtualClock())


def test_functions_recover_and_reach_one_another() -> None:
    shop = Shop()
    tools = wrap(shop.tools(), session())
    assert tools["price"]("pen") == {"price": 2.5}
    assert tools["closed"](item="pen") == {"price": 2.25}
    assert list(tools["closed_parts"]("pen")) == [{"price": 2.25}]
    with pytest.raises(ConnectionError, match="reset by peer"):
        tools["pay"](amount=1.0)
    assert shop.runs == ["price", "price", "closed", "quote", "closed_parts", "quote", "pay"]


def test_async_functions_recover() -> None:
    shop = Shop()
    tools = wrap(shop.tools(), session())
    assert asyncio.run(tools["closed_async"]("pen")) == {"price": 2.2}
    assert shop.runs == ["closed_async", "aquote"]


def test_an_async_stream_is_replaced_by_the_whole_answer_of_another() -> None:
    shop = Shop()
    tools = shop.tools()

    async def closed_parts(item: str) -> AsyncIterator[str]:
        yield "a"
        raise Shut(410, "discontinued")

    async def play() -> list[Any]:
        kept = wrap({**tools, "closed_parts": closed_parts}, session())
        return [chunk async for chunk in kept["closed_parts"]("pen")]

    assert asyncio.run(play()) == [{"price": 2.25}]


def test_a_sync_call_does_not_wait_for_an_async_tool() -> None:
    way = Alternative(
        "closed", (AlternativeStep("aquote", {"article": CallArgument("item")}),), {"price": StepField(0, "net")}
    )
    shop = Shop()
    tools = wrap(shop.tools(), session(active_policy([way])))
    with pytest.raises(Shut):
        tools["closed"]("pen")
    assert shop.runs == ["closed"]


def test_others_may_be_named_by_hand() -> None:
    shop = Shop()
    tools = shop.tools()
    layer = RecoveryLayer(active_policy(WAYS))
    others = {"quote": lambda call: Value(tools["quote"](**call.arguments))}
    alone = Session(layers=[layer], specs=GONE, others=others, clock=VirtualClock())
    assert wrap(tools["closed"], alone)("pen") == {"price": 2.25}


@pytest.mark.parametrize("kind", ["closed", "closed_async"])
def test_what_was_tried_is_reported_in_an_exception_of_the_tools_own_class(kind: str) -> None:
    tools = wrap(Shop().tools(), session(Advise(Sage())))

    def call() -> Any:
        return asyncio.run(tools[kind]("pen")) if kind.endswith("async") else tools[kind]("pen")

    with pytest.raises(Shut) as raised:
        call()
    error = raised.value
    assert str(error) == "discontinued (410)\n\nRecovery: go elsewhere."
    assert (type(error).__name__, type(error).__module__, error.code) == ("Shut", __name__, 410)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert "sealegs/recovery" not in "".join(str(frame) for frame in (error.__traceback__,))


class Sage:
    """Advises the same for everything."""

    def advice(self, call: Call, signature: Signature) -> Advice | None:
        return Advice("Recovery: go elsewhere.")


class Sealed(Exception):
    """Allows no subclass."""

    def __init_subclass__(cls) -> None:
        raise TypeError("no subclasses")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        KeyError("city"),
        FileNotFoundError(2, "No such file", "x"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
        json.JSONDecodeError("bad", "doc", 0),
        TimeoutError(),
        ExceptionGroup("several", [ValueError("a")]),
        ToolFault(Failure("busy", "Busy", 503)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_exception_can_say_more(error: Exception) -> None:
    longer = exception_with_text(error, "longer text", "text")
    assert isinstance(longer, type(error))
    assert str(longer) == "longer text"
    for name in ("errno", "filename", "doc", "reason", "exceptions"):
        assert getattr(longer, name, None) == getattr(error, name, None)


def test_one_that_allows_no_subclass_gets_a_note() -> None:
    error = Sealed("no")
    for _ in range(2):
        assert exception_with_text(error, "no\n\nadvice", "advice") is error
    assert error.__notes__ == ["advice"]


def test_the_exception_is_the_tools_own_where_nothing_was_done() -> None:
    tools = wrap(Shop().tools(), session())
    with pytest.raises(ConnectionError) as raised:
        tools["pay"](1.0)
    assert type(raised.value) is ConnectionError


def test_the_openai_loop_recovers() -> None:
    shop = Shop()
    tools = wrap(shop.tools(), session())
    calls = [
        {"id": str(n), "function": {"name": name, "arguments": json.dumps({"item": "pen"})}}
        for n, name in enumerate(("price", "closed"))
    ]
    assert [json.loads(message["content"]) for message in tool_messages(calls, tools)] == [
        {"price": 2.5},
        {"price": 2.25},
    ]
    shop.runs.clear()
    layer = RecoveryLayer(active_policy(WAYS))
    real = wrap(shop.tools(), Session(layers=[layer], specs=[*SPECS, *GONE], clock=RealClock()))
    messages = asyncio.run(tool_messages_async(calls, real))
    assert [json.loads(message["content"]) for message in messages] == [{"price": 2.5}, {"price": 2.25}]


@pytest.mark.parametrize("way", ["middleware", "wrap", "async"])
def test_langchains_agent_recovers(way: str) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain.agents import create_agent
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage

    from sealegs.adapters import langchain

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    def asks(name: str, **arguments: Any) -> AIMessage:
        return AIMessage(content="", tool_calls=[{"name": name, "args": arguments, "id": name}])

    shop = Shop()
    tools = [shop.tools()[name] for name in ("price", "closed", "quote", "pay")]
    mine = session()
    model = Model(messages=iter([asks("price", item="pen"), asks("closed", item="pen"), AIMessage(content="done")]))
    if way == "wrap":
        agent: Any = create_agent(model, langchain.wrap(tools, mine))
    else:
        agent = create_agent(model, tools, middleware=[langchain.Seam(mine, others=tools)])
    request = {"messages": [("user", "go")]}
    found = asyncio.run(agent.ainvoke(request)) if way == "async" else agent.invoke(request)
    contents = [message.content for message in found["messages"] if isinstance(message, ToolMessage)]
    assert [json.loads(text) for text in contents] == [{"price": 2.5}, {"price": 2.25}]
    assert shop.runs == ["price", "price", "closed", "quote"]


def test_langchains_users_catch_their_own_exceptions() -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from sealegs.adapters import langchain

    tool: Any = langchain.wrap(Shop().tools()["closed"], session(Advise(Sage())))
    with pytest.raises(Shut, match="go elsewhere"):
        tool.invoke({"item": "pen"})
