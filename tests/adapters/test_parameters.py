"""What frameworks say of a tool's arguments reaches the session: a key goes only to a tool that takes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel

from sealegs import Recorder, Session, VirtualClock
from sealegs.adapters.marks import parameters_of, spec_from_tool
from sealegs.adapters.python.tool_listing import known_tool
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Retry
from sealegs.traces import build_record, repetitions
from tests import needs

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "key": {"type": "string"}}, "required": ["to"]}


class Arguments(BaseModel):
    to: str
    key: str = ""


class Typed(TypedDict):
    to: str
    key: str


@pytest.mark.parametrize(
    ("described", "names"),
    [
        (SCHEMA, ["to", "key"]),
        ({"properties": SCHEMA["properties"]}, ["to", "key"]),
        ({"json": SCHEMA}, ["to", "key"]),
        (Arguments, ["to", "key"]),
        (Typed, ["to", "key"]),
        ({"to": str, "key": str}, ["to", "key"]),
        ({"type": str, "properties": str}, ["type", "properties"]),
        ({"type": "object"}, []),
        ({}, []),
        (None, None),
        ("to, key", None),
        (int, None),
    ],
    ids=str,
)
def test_each_form_in_which_arguments_are_described(described: Any, names: list[str] | None) -> None:
    found = parameters_of(described)
    assert (list(found["properties"]) if found else None) == names


def test_a_schema_that_cannot_be_made_is_not_known() -> None:
    def broken() -> Any:
        raise TypeError("no schema for a lambda")

    assert spec_from_tool("pay", broken, {"key": "key"}) == ToolSpec("pay", key="key")


class Desk:
    """Payments that are lost twice, and the keys that came with them."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("episode", {})
        layer = RecoveryLayer(Retry(), specs=[ToolSpec("pay*", effects=True, key="key")])
        self.session = Session(layers=[layer], clock=clock, watcher=self.recorder)

    def paid(self, key: str) -> str:
        self.keys.append(key)
        if len(self.keys) < 3:
            raise TimeoutError("no answer")
        return "paid"


def in_langchain(desk: Desk, *, keyed: bool) -> Callable[[], Any]:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain_core.tools import StructuredTool

    from sealegs.adapters.langchain import wrap

    def pay(to: str, key: str = "") -> str:
        return desk.paid(key)

    def pay_plainly(to: str, **more: Any) -> str:
        return desk.paid(str(more))

    tool = StructuredTool.from_function(pay if keyed else pay_plainly, description="Pay.")
    if not keyed:
        tool.args_schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    return lambda: wrap(tool, desk.session).invoke({"to": "Bob"})


def in_inspect(desk: Desk, *, keyed: bool) -> Callable[[], Any]:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    from inspect_ai.tool import ToolDef

    from sealegs.adapters.inspect import wrap

    async def pay(to: str, key: str = "") -> str:
        return desk.paid(key)

    async def pay_bare(to: str) -> str:
        return desk.paid("{}")

    described = {"to": "Whom.", "key": "A key."} if keyed else {"to": "Whom."}
    tool = ToolDef(pay if keyed else pay_bare, description="Pay.", parameters=described)
    return lambda: asyncio.run(wrap(tool, desk.session).tool(to="Bob"))


@pytest.mark.parametrize("way", [in_langchain, in_inspect], ids=["langchain", "inspect"])
def test_all_tries_carry_one_key_where_the_tool_takes_one(way: Any) -> None:
    desk = Desk()
    assert way(desk, keyed=True)() == "paid"
    assert len(desk.keys) == 3
    assert len({*desk.keys}) == 1
    assert desk.keys[0]


@pytest.mark.parametrize("way", [in_langchain, in_inspect], ids=["langchain", "inspect"])
def test_no_key_goes_to_a_tool_that_does_not_take_it_and_nothing_is_repeated(
    way: Any, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    with pytest.raises(TimeoutError):
        way(desk, keyed=False)()
    assert desk.keys == ["{}"]
    assert "has no parameter 'key' for its idempotency key; it has to; its calls are made without a key" in caplog.text


def test_a_middleware_knows_the_tools_too() -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    from sealegs.adapters.langchain import Seam

    desk = Desk()

    def pay(to: str, key: str = "") -> str:
        """Pay."""
        return desk.paid(key)

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **more: Any) -> Any:
            return self

    ask = AIMessage("", tool_calls=[{"name": "pay", "args": {"to": "Bob"}, "id": "1"}])
    agent = create_agent(Model(messages=iter([ask, AIMessage("Paid.")])), [pay], middleware=[Seam(desk.session)])
    agent.invoke({"messages": [{"role": "user", "content": "Pay Bob."}]})
    assert len({*desk.keys}) == 1
    assert len(desk.keys) == 3


def test_a_default_that_is_spelled_out_asks_for_the_same() -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain_core.tools import StructuredTool

    from sealegs.adapters.langchain import wrap

    recorder = Recorder(VirtualClock())
    recorder.start("episode", {})
    session = Session(clock=VirtualClock(), watcher=recorder)

    def pay(to: str, memo: str = "") -> str:
        raise TimeoutError("no answer")

    tool = wrap(StructuredTool.from_function(pay, description="Pay.", metadata={"effects": True}), session)
    for given in ({"to": "Bob"}, {"to": "Bob", "memo": ""}):
        with pytest.raises(TimeoutError):
            tool.invoke(given)
    recorder.finish("answered")
    assert len(repetitions(build_record(recorder.events))) == 1


def test_the_list_of_tools_says_what_they_take() -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain_core.tools import StructuredTool

    def pay(to: str, key: str = "") -> str:
        return to

    tool = StructuredTool.from_function(pay, description="Pay.")
    assert list(known_tool(tool).spec.parameters["properties"]) == ["to", "key"]
    assert json.dumps(known_tool(tool).spec.parameters)
