"""Every tool call of an Inspect eval through the session of its sample, with the eval as it is.

All of Inspect's agents (the generate loop, `react`, `basic_agent`, `execute_tools`, nested agents) run tools by one
function, which is replaced for the duration of a run. It finds the sample by a context variable, so that samples side
by side, and scorers and setup outside a sample's solver, are kept apart. Tools that a sandboxed agent calls on the host
(`sandbox_agent_bridge`) are caught where the bridge takes them.

Two sorts of calls pass as they are, and are not recorded, unless the plan names the tool: those that a simulated user
asks for, which are known by name, or by the role of the model (Inspect keeps no role where the eval's own model plays
the user too); and those of an agent's own machinery: `submit`, an agent that is used as a tool, a handoff to another
agent. What such an agent calls itself is struck as any call, at the very place where the environment fails; a fault on
the agent too would strike the same work twice, and lose everything that it did. Out of reach are tools that a provider
runs, tools inside a sandbox that the host never sees, and tools of another framework in an in-process bridge, which
that framework's adapter wraps.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from importlib.metadata import version
from types import CodeType
from typing import Any

from inspect_ai.agent._bridge.sandbox.types import SandboxAgentBridge
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageAssistant, _call_tools
from inspect_ai.tool import ToolCall, ToolDef
from pydantic_core import to_jsonable_python

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge
from sealegs.adapters.inspect import JSON_TEXT, PASSING, AnswerText, complain, read_result, wrap_def
from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.faults.call import Call, Outcome
from sealegs.faults.plan import Plan
from sealegs.faults.triggers import AllOf, AnyOf, Matcher, Tool
from sealegs.faults.user_error import UserError
from sealegs.inject import NO_DRY_RUN, ModelTurn, Session, ToolHandle
from sealegs.inject.session import ACTIVE

OLDEST, NEWEST = "0.3.280", "0.3.285"  # of Inspect, between which this was tried
MACHINERY = ("inspect_ai.agent.", "inspect_ai.solver.")  # modules whose tools are an agent's own
Handoff = tuple[Any, list[ChatMessage], Any, Any]  # what Inspect shows, the other agent's messages, output and name
ALONE = nullcontext()  # of a call that is alone in its message
NO_HANDOFF: Handoff = "", [], None, None
LOOKED_BACK = 200  # events of a transcript among which the model that asked for a call is looked for


class SampleSeam:
    """The seam that the calls of one sample go through.

    Args:
        session: of the sample.
        user_tools: tools of a simulated user, by name.
        plan: the faults: a tool that it names is struck whoever calls it.
        layered: whether layers of the session may call other tools of the agent's.
        texts: how answers hold data.
    """

    def __init__(
        self,
        session: Session,
        user_tools: Iterable[str],
        plan: Plan,
        *,
        layered: bool = False,
        texts: AnswerText = JSON_TEXT,
    ) -> None:
        self.session = session
        self._texts = texts
        self.offered: dict[str, ToolDef] = {}
        self._user_tools = frozenset(user_tools)
        self._plan = plan
        self._layered = layered
        self._made: dict[str, tuple[Any, Any]] = {}  # of each tool its function, and that with the session around it
        self._named: dict[str, bool] = {}
        self._turns: dict[str | int, ModelTurn] = {}

    def passes(self, tool: ToolDef, call: ToolCall) -> bool:
        """Return whether a call is none of the agent's, or of its own machinery."""
        # A plan that names a tool applies to it, no matter who calls it.
        if self.named(tool.name):
            return False
        own = tool.name == "submit" or str(getattr(tool.tool, "__module__", "")).startswith(MACHINERY)
        return own or tool.name in self._user_tools or is_user_role(_asking_role(call))

    def named(self, tool: str) -> bool:
        """Return whether the plan names the tool."""
        if tool not in self._named:
            self._named[tool] = plan_names(self._plan, tool)
        return self._named[tool]

    def in_session(self, tools: Sequence[ToolDef], call: ToolCall) -> list[ToolDef]:
        """The tools, the called one with the session around it."""
        made = list(tools)
        place = next((place for place, tool in enumerate(made) if tool.name == call.function), None)
        if place is None or self.passes(made[place], call):
            return made
        for tool in made:
            self.offered[tool.name] = tool
        if self._layered:
            self.session.reach({tool.name: _handle(tool, self._texts) for tool in made if tool.name != call.function})
        made[place] = self._in_session(made[place])
        return made

    def _in_session(self, tool: ToolDef) -> ToolDef:
        """The tool with the session around it, made once for each."""
        known = self._made.get(tool.name)
        # Inspect makes its list of tools anew, so another function may come under the same name.
        if known is None or known[0] is not tool.tool:
            known = self._made[tool.name] = tool.tool, self._wrapped(tool).tool
        # The eval's own definition stays as it is.
        found = copy.copy(tool)
        found.tool = known[1]
        return found

    async def handed_over(self, call: ToolCall, hand_over: Callable[[], Awaitable[Handoff]]) -> Handoff:
        """The result of a handoff that the plan names: the other agent's work, or the text of a fault in its place."""
        answers = ResultCodec(
            lambda done: read_result(done[0], self._texts),
            lambda value, done: (self._texts.write(value, ""), *(done or NO_HANDOFF)[1:]),
            complain,
            PASSING,
        )

        async def running(arguments: Mapping[str, Any]) -> Handoff:
            return await hand_over()

        bridge = ToolCallBridge(self.session, answers)
        arguments = to_jsonable_python(call.arguments, fallback=str)
        done: Handoff = await bridge.call_async(call.function, arguments, running)
        return done

    def place(self, call: ToolCall, conversation: Sequence[Any]) -> AbstractContextManager[None]:
        """The block in which a call is made: its place among those that the model asked for at once."""
        last = conversation[-1] if conversation else None
        calls = last.tool_calls or [] if isinstance(last, ChatMessageAssistant) else []
        if len(calls) < 2:
            return ALONE
        index = next((index for index, one in enumerate(calls) if one is call or one.id == call.id), None)
        if index is None:
            return ALONE
        # Some messages have no id; then the object itself is the key.
        key = getattr(last, "id", None) or id(last)
        turn = self._turns.setdefault(key, ModelTurn(one.function for one in calls))
        return turn.call(index)

    def hosted(self, tools: Mapping[str, Any]) -> dict[str, Any]:
        """Tools of the host that a sandboxed agent calls, each with the session around it."""
        return {name: self._wrapped(ToolDef(tool)).as_tool() for name, tool in tools.items()}

    def _wrapped(self, tool: ToolDef) -> ToolDef:
        """The tool with the session around it; what it does inside is nobody's, since it is in_session once, here."""
        return wrap_def(tool, self.session, self._texts, ACTIVE.apart)


_SAMPLE: ContextVar[SampleSeam | None] = ContextVar("sealegs_sample", default=None)


@contextmanager
def in_sample(seam: SampleSeam) -> Iterator[None]:
    """Send the calls of tools that are made in this block, and in tasks that begin there, through the seam."""
    token = _SAMPLE.set(seam)
    try:
        with seam.session:
            yield
    finally:
        _SAMPLE.reset(token)


@contextmanager
def sample_calls_intercepted() -> Iterator[None]:
    """Have Inspect's calls of tools look for the sample's seam while the block is open.

    Raises:
        UserError: Inspect is not one in which this is known to work.
    """
    check_inspect()
    register = SandboxAgentBridge.register_bridged_tools

    @functools.wraps(register)
    def register_bridged_tools(self: Any, server: str, tools: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        seam = _SAMPLE.get()
        register(self, server, tools if seam is None else seam.hosted(tools), *args, **kwargs)

    replaced = _call_tools.call_tool, _call_tools.agent_handoff
    inner: Any = _call_tools
    inner.call_tool, inner.agent_handoff = _through_seam(replaced[0]), _handed_over(replaced[1])
    SandboxAgentBridge.register_bridged_tools = register_bridged_tools  # type: ignore[method-assign]
    try:
        yield
    finally:
        inner.call_tool, inner.agent_handoff = replaced
        SandboxAgentBridge.register_bridged_tools = register  # type: ignore[method-assign]


def _through_seam(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Inspect's call of a tool, through the seam of the sample."""
    # Arguments may come by position or by name.
    places = {name: place for place, name in enumerate(inspect.signature(original).parameters)}

    @functools.wraps(original)
    async def call_tool(*args: Any, **kwargs: Any) -> Any:
        seam = _SAMPLE.get()
        if seam is None:
            return await original(*args, **kwargs)
        tools = kwargs["tools"] if "tools" in kwargs else args[places["tools"]]
        call = kwargs["call"] if "call" in kwargs else args[places["call"]]
        conversation = kwargs["conversation"] if "conversation" in kwargs else args[places["conversation"]]
        in_session = seam.in_session(tools, call)
        if "tools" in kwargs:
            kwargs["tools"] = in_session
        else:
            args = (*args[: places["tools"]], in_session, *args[places["tools"] + 1 :])
        with seam.place(call, conversation):
            return await original(*args, **kwargs)

    return call_tool


def _handed_over(original: Callable[..., Awaitable[Handoff]]) -> Callable[..., Awaitable[Handoff]]:
    """Inspect's handoff to another agent, through the seam where the plan names it."""

    @functools.wraps(original)
    async def agent_handoff(tool_def: ToolDef, call: ToolCall, conversation: list[ChatMessage]) -> Handoff:
        seam = _SAMPLE.get()
        if seam is None or not seam.named(call.function):
            return await original(tool_def, call, conversation)
        return await seam.handed_over(call, lambda: original(tool_def, call, conversation))

    return agent_handoff


def check_inspect() -> None:
    """Check that Inspect's internals are as expected.

    Raises:
        UserError: they are not; the message names the versions that do.
    """
    missing = next(_moved(), "")
    if missing:
        raise UserError(
            f"Inspect AI {version('inspect-ai')} has moved {missing}, through which Sealegs reaches an eval's tools; "
            f'pip install "inspect-ai>={OLDEST},<={NEWEST}"'
        )


def _moved() -> Iterator[str]:
    """The names of Inspect's internals that are not where they were."""
    # All internals are checked before any is replaced.
    called = getattr(_call_tools, "call_tool", None)
    if not inspect.iscoroutinefunction(called) or not {"tools", "call", "conversation"} <= _parameters(called).keys():
        yield "call_tool"
    handoff = getattr(_call_tools, "agent_handoff", None)
    if not inspect.iscoroutinefunction(handoff) or list(_parameters(handoff)) != ["tool_def", "call", "conversation"]:
        yield "agent_handoff"
    runner = getattr(_call_tools, "_execute_tools_impl", None) or getattr(_call_tools, "execute_tools", None)
    # Replacing the function has an effect only if its caller looks it up as a global.
    if runner is None or "call_tool" not in _global_names(runner.__code__):
        yield "the caller of call_tool"
    register = getattr(SandboxAgentBridge, "register_bridged_tools", None)
    if register is None or not {"server", "tools"} <= _parameters(register).keys():
        yield "register_bridged_tools"


def _parameters(function: Callable[..., Any]) -> Mapping[str, Any]:
    return inspect.signature(function).parameters


def _global_names(code: CodeType) -> set[str]:
    """The names that a function and those inside it look up."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_global_names, inner))


def plan_names(plan: Plan, tool: str) -> bool:
    """Return whether a rule of the plan names the tool: by itself, or by a pattern that is more than wildcards."""
    return any(tool in rule.when.group or _names(rule.match, tool) for rule in plan.rules)


def _names(matcher: Matcher, tool: str) -> bool:
    if isinstance(matcher, Tool):
        # A pattern that fits any tool names none.
        return bool(matcher.tool.strip("*?")) and matcher.may_match(tool, frozenset())
    if isinstance(matcher, AllOf):
        return any(_names(part, tool) for part in matcher.all)
    return isinstance(matcher, AnyOf) and any(_names(part, tool) for part in matcher.any)


def is_user_role(role: str | None) -> bool:
    """Return whether a model of this role plays the user."""
    return role is not None and "user" in role.lower().replace("-", "_").split("_")


def _asking_role(call: ToolCall) -> str | None:
    """The role of the model that asked for a call, by the transcript; None where it has none, or none is found."""
    events = transcript().events
    # From the end, where the call was asked for; an id may have come before in a long transcript.
    for place in range(len(events) - 1, max(-1, len(events) - 1 - LOOKED_BACK), -1):
        event = events[place]
        # Not by `isinstance`, which pydantic's classes answer slowly: most events are none of a model.
        if event.event == "model" and event.output.choices:
            calls = event.output.message.tool_calls or []
            if any(one.id == call.id for one in calls):
                return event.role
    return None


def _handle(tool: ToolDef, texts: AnswerText) -> ToolHandle:
    """The handle by which a layer calls a tool in place of another."""

    async def run(call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        try:
            arguments = _call_tools.tool_params(dict(call.arguments), tool.tool)
            # A layer's call is not the agent's: a tool that is itself marked would go through the session once more.
            with ACTIVE.apart():
                return read_result(await tool.tool(**arguments), texts)
        except PASSING:
            raise
        except Exception as error:
            return failure_from_exception(error)

    return ToolHandle(None, run)
