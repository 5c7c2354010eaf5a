"""What is declared of a tool reaches the session from wherever it is declared; the session's own word counts more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest
import requests

from sealegs import tool, wrap
from sealegs.adapters import requests as requests_adapter
from sealegs.adapters.httpx import Transport
from sealegs.adapters.marks import spec_from_marks
from sealegs.adapters.wire import http_tool_spec
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import MendArguments, Retry
from tests import needs

CLOSED = "http://127.0.0.1:9"  # the port of `discard`, where nothing listens


def session(*specs: ToolSpec) -> Session:
    return Session(layers=[RecoveryLayer(MendArguments() | Retry())], specs=specs, clock=VirtualClock())


class Failing:
    """A tool that fails twice, and counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self) -> int:
        self.runs += 1
        if self.runs < 3:
            raise TimeoutError("no answer")
        return self.runs


def named(failing: Callable[[], int]) -> Callable[[], int]:
    def price() -> int:
        return failing()

    return price


@pytest.mark.parametrize(("declared", "runs"), [({}, 1), ({"effects": False}, 3), ({"idempotent": True}, 3)])
def test_a_function_is_repeated_as_it_is_declared(declared: Any, runs: int) -> None:
    for way in ("active", "wrap", "both"):
        failing = Failing()
        marked_tool = tool(**declared)(named(failing)) if way != "wrap" else named(failing)
        mine = session()
        price = {"active": marked_tool, "both": None}.get(way) or wrap(
            marked_tool, mine, **(declared if way == "wrap" else {})
        )
        with mine, suppress(TimeoutError):
            price()
        assert failing.runs == runs


def test_what_the_session_says_counts_more() -> None:
    failing = Failing()
    price = wrap(named(failing), session(ToolSpec("price", effects=True)), effects=False)
    with pytest.raises(TimeoutError):
        price()
    assert failing.runs == 1


def test_a_declaration_that_cannot_be_is_a_mistake() -> None:
    with pytest.raises(UserError, match="no parameter 'token'"):
        tool(key="token")(named(Failing()))
    with pytest.raises(UserError, match="effects=False and with a key"):
        tool(effects=False, key="token")(named(Failing()))


def test_arguments_that_python_turns_down_were_never_used() -> None:
    paid = []

    def pay(amount: float) -> str:
        paid.append(amount)
        return float.fromhex(3)  # type: ignore[arg-type, return-value]  # a TypeError too, from inside

    schema = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    run: Any = wrap(pay, session(ToolSpec("pay", parameters={**schema, "additionalProperties": False})))
    with pytest.raises(TypeError):
        run(amonut=5.0)
    assert paid == [5.0]  # mended, for the first call never began; then left, for the second did


def test_the_methods_of_http() -> None:
    assert http_tool_spec("x", {"GET", "HEAD"}).effects is False
    assert (http_tool_spec("x", {"PUT"}).effects, http_tool_spec("x", {"PUT"}).idempotent) == (None, True)
    assert (http_tool_spec("x", {"GET", "POST"}).effects, http_tool_spec("x", {"GET", "POST"}).idempotent) == (
        None,
        False,
    )


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_that_never_left_is_made_again_by_whatever_method(method: str) -> None:
    clock = VirtualClock()
    mine = Session(layers=[RecoveryLayer(Retry())], clock=clock)
    with httpx.Client(transport=Transport(mine)) as client, pytest.raises(httpx.ConnectError):
        client.request(method, CLOSED)
    waited = clock.now()
    assert waited > 0
    with requests.Session() as other:
        other.mount("http://", requests_adapter.Adapter(mine))
        with pytest.raises(requests.ConnectionError):
            other.request(method, CLOSED)
    assert clock.now() > waited


def test_a_transport_of_others_proves_nothing() -> None:
    methods = []

    def answer(request: httpx.Request) -> httpx.Response:
        methods.append(request.method)
        raise httpx.ConnectError("All connection attempts failed")

    with httpx.Client(transport=Transport(session(), httpx.MockTransport(answer))) as client:
        for method in ("POST", "GET"):
            with pytest.raises(httpx.ConnectError):
                client.request(method, CLOSED)
    assert methods == ["POST", "GET", "GET", "GET", "GET"]


def test_a_tool_called_by_several_methods_is_as_bad_as_any() -> None:
    methods = []

    def answer(request: httpx.Request) -> httpx.Response:
        methods.append(request.method)
        return httpx.Response(503)

    transport = Transport(session(), httpx.MockTransport(answer), {"orders": "* */"})
    with httpx.Client(transport=transport) as client:
        for method in ("PUT", "POST", "PUT"):
            client.request(method, CLOSED)
    assert methods == ["PUT"] * 4 + ["POST", "PUT"]


def test_marks_of_frameworks() -> None:
    def found(*places: Any) -> tuple[bool | None, bool] | None:
        spec = spec_from_marks("x", *places)
        return None if spec is None else (spec.effects, spec.idempotent)

    assert found(None, {}, {"title": None, "readOnlyHint": None}) is None
    assert found({"readOnlyHint": True}) == (False, False)
    assert found({"annotations": {"destructiveHint": False, "idempotentHint": True}}) == (True, True)
    assert found({"sealegs": {"effects": False}}) == (False, False)
    assert found({"effects": True, "key": "token"}) == (True, False)


@pytest.mark.parametrize("hint", [{"effects": False}, {"readOnlyHint": True}])
def test_langchains_tools_are_declared_by_their_metadata(hint: dict[str, Any]) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain_core.tools import StructuredTool

    from sealegs.adapters import langchain

    failing = Failing()
    given = StructuredTool.from_function(named(failing), description="A price.", metadata=hint)
    assert langchain.wrap(given, session()).invoke({}) == 3
    assert asyncio.run(langchain.wrap(given, session()).ainvoke({})) == 4
