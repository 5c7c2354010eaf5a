"""LangChain 1.x agents and LangGraph's `ToolNode`: tool calls through a session.

`Seam` is a middleware for `create_agent`; it hands the framework a copy of the called tool whose body makes the call.
`wrap` makes such copies beforehand, for a `ToolNode`. Either way faults happen inside the tool: its own
`handle_tool_error`, `ToolNode`'s handling of errors, callbacks and other middlewares (a retry) meet them as they meet
the tool's errors, wherever they stand. A tool's `metadata` may declare it (`{"effects": False}`), and holds the hints
of an MCP server's tool. Calls that a model asks for in one message are counted in the order of the message, whichever
runs first: a middleware gets the state of the graph, and a wrapped tool reads the messages of the graph that it runs
in. Tools that the model's provider runs are out of reach; the order of calls is unknown where the graph keeps its
messages elsewhere than in `messages`, or where wrapped tools are called outside of a graph.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, NoReturn, overload

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge, exception_text
from sealegs.adapters.marks import spec_from_tool
from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import NO_DRY_RUN, ModelTurn, Session, ToolHandle

AnyTool = BaseTool | Callable[..., Any]
Errors = Literal["raised", "shown"]
STEERING = (GraphBubbleUp,)
TURNS = 64  # that are remembered; their calls may be under way
TOOLS = 256  # whose specs are kept: an agent may make its tools anew for each call
STATE_READER = "__pregel_read"  # where LangGraph keeps for its own ToolNode, in a run's config, what reads the state


class MessageTurns:
    """The turns of a model, each one message of it, for the calls that it asked for."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str | None, ...], ModelTurn] = {}
        self._lock = threading.Lock()

    def place(self, state: Any, id: str | None) -> AbstractContextManager[None]:
        """The block in which a call has its place among those that the model asked for in the same message.

        Args:
            state: the state of the graph, as a mapping or an object, with its `messages`.
            id: the id of the call.
        """
        message = _asking_message(state, id)
        if message is None:
            return nullcontext()
        ids = [call["id"] for call in message.tool_calls]
        known = (message.id, *ids)  # ids of calls alone may come again in a later message
        with self._lock:
            turn = self._turns.pop(known, None) or ModelTurn(call["name"] for call in message.tool_calls)
            self._turns[known] = turn  # at the end, as the latest
            while len(self._turns) > TURNS:
                del self._turns[next(iter(self._turns))]
        return turn.call(ids.index(id))


class Seam(AgentMiddleware[Any, Any, Any]):
    """All tools of an agent through a session: `create_agent(model, tools, middleware=[Seam(session)])`.

    Args:
        session: the episode; None takes the session that is active when a call is made.
        errors: what becomes of an injected failure. `raised`: the tool raises it, which ends the run unless something
            handles it, as with any tool of LangChain. `shown`: the model reads it in a message of status "error".
        others: the agent's tools, where recovery in the session may call one of them in place of another. A middleware
            sees only the one that is called.
    """

    def __init__(
        self, session: Session | None = None, errors: Errors = "raised", others: Sequence[AnyTool] = ()
    ) -> None:
        super().__init__()
        if session is not None:
            session.reach(dict(map(_other, others)))
        self._session = session
        self._errors: Errors = errors
        self._turns = MessageTurns()
        self._specs: dict[int, tuple[BaseTool, ToolSpec]] = {}  # by the tool's id, which stays its own as it is kept

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Any]) -> Any:
        """A call in LangChain's sync way."""
        with self._turns.place(request.state, request.tool_call["id"]):
            return handler(self._armed(request))

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[..., Awaitable[Any]]) -> Any:
        """A call in its async way."""
        with self._turns.place(request.state, request.tool_call["id"]):
            return await handler(self._armed(request))

    def _armed(self, request: ToolCallRequest) -> ToolCallRequest:
        # A tool that the model made up; the framework answers that by itself.
        if not isinstance(request.tool, BaseTool):
            return request
        spec, arguments = self._spec(request.tool), request.tool_call["args"]
        return request.override(tool=_copied(request.tool, self._session, self._errors, arguments, spec))

    def _spec(self, inner: BaseTool) -> ToolSpec:
        """The spec of a tool. LangChain makes the schema anew each time it is asked for, so it is kept."""
        found = self._specs.get(id(inner))
        if found is None:
            # Old tools would be kept alive for ever otherwise.
            if len(self._specs) >= TOOLS:
                self._specs.clear()
            found = self._specs[id(inner)] = inner, _spec(inner)
        return found[1]


def _asking_message(state: Any, id: str | None) -> AIMessage | None:
    """The message that asked for a call; None where no message is known that did."""
    messages = state.get("messages", ()) if isinstance(state, Mapping) else getattr(state, "messages", ())
    # The newest first: ids of calls may come again.
    for message in reversed(messages if isinstance(messages, list) else list(messages or ())):
        if isinstance(message, AIMessage) and any(call["id"] == id for call in message.tool_calls):
            return message
    return None


@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None, errors: Errors = "raised") -> list[BaseTool]: ...
@overload
def wrap(tools: AnyTool, session: Session | None = None, errors: Errors = "raised") -> BaseTool: ...
def wrap(tools: Any, session: Session | None = None, errors: Errors = "raised") -> Any:
    """A copy of the tool or tools with every call going through the session: `ToolNode(wrap(tools, session))`.

    Recovery in the session may call one of them in place of another.

    Args:
        tools: a tool of LangChain, a function, or a sequence of them.
        session: see `Seam`.
        errors: see `Seam`.
    """
    if isinstance(tools, Sequence):
        return [wrap(one, session, errors) for one in tools]
    one: BaseTool = tools if isinstance(tools, BaseTool) else tool(tools)
    if session is not None:
        session.reach(dict([_other(one)]))
    return _in_turns(_copied(one, session, errors, None, _spec(one)))


def _in_turns(copy: BaseTool) -> BaseTool:
    """The copy, whose calls have their places in the turns of the graph that it runs in."""
    turns, run, run_async = MessageTurns(), copy.run, copy.arun

    @functools.wraps(run)
    def placed(*args: Any, **kwargs: Any) -> Any:
        with turns.place(_graph_state(kwargs.get("config")), kwargs.get("tool_call_id")):
            return run(*args, **kwargs)

    @functools.wraps(run_async)
    async def placed_async(*args: Any, **kwargs: Any) -> Any:
        with turns.place(_graph_state(kwargs.get("config")), kwargs.get("tool_call_id")):
            return await run_async(*args, **kwargs)

    # Pydantic models refuse attributes that are not fields.
    object.__setattr__(copy, "run", placed)
    object.__setattr__(copy, "arun", placed_async)
    return copy


def _graph_state(config: Any) -> dict[str, Any]:
    """The messages of the graph that a tool runs in, by its config; empty where it runs in none that has any."""
    read = ((config or {}).get("configurable") or {}).get(STATE_READER)
    try:
        return {} if read is None else {"messages": read("messages")}
    except KeyError:
        return {}


def _other(given: AnyTool) -> tuple[str, ToolHandle]:
    """A tool's name, and how layers call it: with nothing of the graph's state, so a tool that needs that fails."""
    inner = given if isinstance(given, BaseTool) else tool(given)

    def run(call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        try:
            return Value(inner.invoke(dict(call.arguments)))
        except STEERING:
            raise
        except Exception as error:
            return failure_from_exception(error)

    async def run_async(call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        try:
            return Value(await inner.ainvoke(dict(call.arguments)))
        except STEERING:
            raise
        except Exception as error:
            return failure_from_exception(error)

    return inner.name, ToolHandle(run, run_async)


def _spec(inner: BaseTool) -> ToolSpec:
    return spec_from_tool(inner.name, lambda: inner.tool_call_schema, inner.metadata)


def _copied(
    inner: BaseTool, session: Session | None, errors: Errors, known: Mapping[str, Any] | None, spec: ToolSpec
) -> BaseTool:
    """A copy of the tool that runs it through a session. `known`: the model's arguments, where they are known."""
    pair = inner.response_format == "content_and_artifact"
    complain = _complain if errors == "shown" else None
    form = (
        ResultCodec(_content, _with_artifact, complain, STEERING)
        if pair
        else ResultCodec(failed=complain, passing=STEERING)
    )
    name = inner.name
    bridge = ToolCallBridge(session, form, spec=spec)
    shown = frozenset(spec.parameters.get("properties", ()))
    copy, run, run_async = inner.model_copy(), inner._run, inner._arun  # bound to the original: a call is counted once

    def model_arguments(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: value for key, value in kwargs.items() if key in shown} if known is None else known

    @functools.wraps(run)  # the signature tells LangChain what to inject
    def in_session(*args: Any, **kwargs: Any) -> Any:
        model = model_arguments(kwargs)
        return bridge.call(name, model, lambda given: run(*args, **_given(kwargs, model, given)))

    @functools.wraps(run_async)
    async def in_session_async(*args: Any, **kwargs: Any) -> Any:
        model = model_arguments(kwargs)

        async def running(given: Mapping[str, Any]) -> Any:
            return await run_async(*args, **_given(kwargs, model, given))

        return await bridge.call_async(name, model, running)

    # set past pydantic, which has no such fields
    object.__setattr__(copy, "_run", in_session)
    object.__setattr__(copy, "_arun", in_session_async)
    if getattr(copy, "coroutine", run_async) is None:
        # A function without a coroutine would be run in a thread as a whole, waits included; a thread cannot be
        # cancelled. With one LangChain asks `_arun`, which runs the original in a thread.
        object.__setattr__(copy, "coroutine", in_session_async)
    if complain is not None and not copy.handle_tool_error:
        copy.handle_tool_error = True
    return copy


def _given(kwargs: Mapping[str, Any], model_arguments: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's keyword arguments, with those that a fault has changed."""
    return dict(kwargs) if given is model_arguments else {**kwargs, **given}


def _complain(failure: Failure) -> NoReturn:
    raise ToolException(exception_text(failure))


def _content(result: Any) -> Outcome:
    return Value(result[0] if _is_pair(result) else result)


def _with_artifact(value: Any, result: Any) -> Any:
    return value, result[1] if _is_pair(result) else None


def _is_pair(result: Any) -> bool:
    return isinstance(result, tuple) and len(result) == 2
