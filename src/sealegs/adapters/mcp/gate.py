"""Which requests of an MCP client go through the session, and how one does.

The same for pipes and HTTP, which only carry bytes: a gate says what a request must go through, and an exchange takes
it through, asking the server by a function that it is given. The plan names tools/list like a tool, by `tools/list`;
its answer is an object of the tools by name, so that a fault's path can lead into one of them. A rule that would strike
any tool (`{tool: "*"}`) leaves the list alone.

A call that the server makes a task of is one call still: what strikes it waits until its result is fetched, and changes
that. Where a fault changes the list that the client knows, the client is told that it changed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.mcp.answers import (
    call_answer,
    call_outcome,
    cuts_connection,
    is_failed_answer,
    list_answer,
    list_outcome,
)
from sealegs.adapters.mcp.framing import Message, RequestId, encode_message, id_of
from sealegs.faults.call import Call, Failure, Layer, Outcome, Value, Wait
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Tool
from sealegs.inject import NO_DRY_RUN, Clock, Session, Watcher, safely_equal
from sealegs.inject.session import UNARMED

LIST = "tools/list"
CALL = "tools/call"
LISTEN = "subscriptions/listen"
FETCHES = ("tasks/result", "tasks/get")
TASKS = 256  # tasks whose results may still be fetched
RELATED = "io.modelcontextprotocol/related-task"  # in the `_meta` of a task's result
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
STRANGER = "\0"  # the name of no tool: what matches it was not written for the list
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"  # in the `_meta` of every request of the stateless era
DRY = "sealegs/dry"  # in the `_meta` of a tool and of a call
HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


@dataclass(frozen=True, slots=True)
class ServerReply:
    """What a server answered.

    Attributes:
        message: the message; None where it answered with something else (an HTTP error).
        raw: the bytes that it came in.
        form: what else its transport must know to pass it on.
    """

    message: Message | None
    raw: bytes
    form: Any = None


@dataclass(frozen=True, slots=True)
class ClientReply:
    """What the client is to see: this message, in the form of what was heard; without one, `heard` as it came.

    Without either, the connection is to be cut.
    """

    heard: ServerReply | None
    message: Message | None

    @property
    def cut(self) -> bool:
        """Whether the connection is to be cut."""
        return self.heard is None and self.message is None


Ask = Callable[[bytes, RequestId], Awaitable[ServerReply]]
Hand = Callable[[ServerReply], None]


class Gate:
    """The session of an MCP connection.

    Args:
        plan: the faults.
        episode: part of the key of every random decision.
        layers: layers between the client and the faults (recovery). They may have any tool of the server called.
        clock: real by default.
        timeout: seconds of waiting on faults after which a call is given up; None waits for ever.
        watcher: told everything (a recorder).

    Attributes:
        specs: the tools that the server has listed.
        dry: those of them that can be run without their effect: they say so in their `_meta`, under `sealegs/dry`, and
            heed it in that of a call.
    """

    def __init__(
        self,
        plan: Plan = UNARMED,
        *,
        episode: str = "",
        layers: Sequence[Layer] = (),
        clock: Clock | None = None,
        timeout: float | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.session = Session(
            _guarded(plan),
            episode=episode,
            specs=[ToolSpec(LIST)] if layers else (),
            layers=layers,
            others=None,
            clock=clock,
            timeout=timeout,
            watcher=watcher,
        )
        self.shut = not plan.rules and watcher is None and not layers  # then nothing is ever to be done
        self._lists = any(_names_list(rule) for rule in plan.rules)
        self.specs: dict[str, ToolSpec] = {}
        self.dry: set[str] = set()
        self.tasks: dict[str, McpExchange] = {}  # by the task's id: calls whose result is fetched later
        self._batched = False
        self._pages: dict[Any, set[str]] = {}  # by the cursor of the next page: the tools on those before it
        self._listed: dict[str, Any] = {}  # by the place in the list (its cursor): the tools that the client was shown

    @property
    def lists(self) -> bool:
        """Whether the plan has rules on the list of the tools."""
        return self._lists

    def exchange(self, raw: bytes, message: Message) -> McpExchange | None:
        """What a message must go through; None where it passes as it is. Asking counts the call: ask once."""
        method, id, params = message.get("method"), id_of(message), message.get("params")
        if id is None or self.shut:
            return None
        if method == LIST:
            params = params if isinstance(params, dict) else {}
            arguments = {key: value for key, value in params.items() if key != "_meta"}
            layer = self.session.through(LIST, arguments) if self._lists else None
            return McpExchange(self, McpRequest(raw, message, id, LIST, arguments), layer)
        if not isinstance(params, dict):
            return None
        if method in FETCHES and params.get("taskId") in self.tasks:
            return Fetch(self, McpRequest(raw, message, id, method, params), self.tasks[params["taskId"]])
        if method != CALL:
            return None
        tool, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(tool, str) or not isinstance(arguments, dict) or self.session.idle(tool):
            return None
        layer = self.session.through(tool, arguments)
        return None if layer is None else McpExchange(self, McpRequest(raw, message, id, tool, arguments), layer)

    def batch(self, raw: bytes) -> None:
        """What is no message passes. If it is a batch with a call in it, which is not struck, that is said, once."""
        if not self._batched and raw.lstrip().startswith(b"[") and b"tools/call" in raw:
            self._batched = True
            sys.stderr.write(
                "sealegs proxy: the client sends calls in a batch, which MCP has not known since 2025-06-18; "
                "batches pass as they are, without faults\n"
            )

    def learn(self, message: Message, cursor: Any = None) -> None:
        """Learn of the tools that a server lists. `cursor`: where in the list this page begins, if not at its head."""
        result = message.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        specs = [_spec(tool) for tool in tools or () if isinstance(tool, dict)]
        self.specs.update((spec.name, spec) for spec in specs)
        self.dry.update(str(tool.get("name")) for tool in tools or () if _runs_dry(tool))
        self.session.know(specs)
        if isinstance(tools, list) and isinstance(result, dict):
            self._paged({spec.name for spec in specs}, cursor, result.get("nextCursor"))

    def _paged(self, tools: set[str], here: Any, next: Any) -> None:
        """Put the pages of the list together; the last one tells which tools there are."""
        before = self._pages.pop(here, None) if here else set[str]()
        if before is None:
            return
        if next:
            self._pages[next] = before | tools
        else:
            self._pages.clear()
            self.session.complete(before | tools)

    def put_off(self, task: str, exchange: McpExchange) -> None:
        """The result of this call is fetched later."""
        self.tasks[task] = exchange
        if len(self.tasks) > TASKS:
            del self.tasks[next(iter(self.tasks))]

    def shows(self, request: McpRequest, tools: Any, changed: bool) -> bool:
        """A list is shown. Whether it is not what the client knew any more, because a fault changed it."""
        place = encode_message(dict(request.arguments)).decode()
        before = self._listed.get(place)
        self._listed[place] = tools
        return changed and before is not None and before != tools

    def structured(self, tool: str) -> bool:
        """Whether the tool announced the schema of its answers."""
        return tool in self.specs and bool(self.specs[tool].returns)


@dataclass(frozen=True, slots=True)
class McpRequest:
    """A request as it came, and what it asks for."""

    raw: bytes
    message: Message
    id: RequestId
    tool: str
    arguments: Mapping[str, Any]

    @property
    def modern(self) -> bool:
        """Whether it is of the stateless era."""
        meta = self.message.get("params", {}).get("_meta")
        return isinstance(meta, dict) and VERSION_KEY in meta

    def again(self, call: Call, turn: int) -> tuple[bytes, RequestId]:
        """The request once more, for this call: under an id of its own and without asking for word of its progress."""
        id = f"{json.dumps(self.id)}+{turn}"
        params = dict(self.message["params"])
        if self.tool == LIST:
            params |= call.arguments
        else:
            params |= {"name": call.tool, "arguments": call.arguments}
        params.pop("task", None)  # nobody would fetch its result
        if isinstance(params.get("_meta"), dict):
            params["_meta"] = {key: value for key, value in params["_meta"].items() if key != "progressToken"}
        if call.dry:
            params["_meta"] = {**params.get("_meta", {}), DRY: True}
        return encode_message({**self.message, "id": id, "params": params}), id


class McpExchange:
    """One request on its way through the session; without a layer it only listens.

    Attributes:
        request: the request.
        task: in which it goes; for whoever starts it to set.
        asked: whether the server has been asked.
        later: what came of it, where that is fetched later.
        changes_list: whether the client must be told that the list of the tools has changed.
    """

    def __init__(self, gate: Gate, request: McpRequest, layer: Layer | None) -> None:
        self.request = request
        self.task: asyncio.Task[Any] | None = None
        self.asked = False
        self.later: asyncio.Future[ClientReply] | None = None
        self.changes_list = False
        self._result: asyncio.Future[ServerReply] | None = None
        self._gate = gate
        self._layer = layer
        self._wait: Wait | None = None
        self._answers: list[tuple[Outcome, ServerReply]] = []
        self._truth: Message | None = None  # the tool's own last answer: its form is that of what is shown

    async def through(self, ask: Ask, hand: Hand) -> ClientReply | None:
        """What the client is to see; None where it sees it later.

        Args:
            ask: sends a request to the server under this id, and waits for the answer. It is given bytes that are
                the client's own where the request is.
            hand: shows the client the handle by which it will fetch the result.
        """
        try:
            reply = await self._replied(ask, hand)
        except BaseException:
            if self.later is not None:
                self.later.cancel()
            raise
        if self.later is None:
            return reply
        self.later.set_result(reply)
        return None

    async def _replied(self, ask: Ask, hand: Hand) -> ClientReply:
        request = self.request
        if self._layer is None:
            self.asked = True
            answer = await ask(request.raw, request.id)
            self._learn(answer)
            if self._gate.lists and answer.message is not None:
                self._shows(list_outcome(answer.message), False)
            return ClientReply(answer, None)

        async def run(call: Call) -> Outcome:
            if call.dry and call.tool not in self._gate.dry:
                return NO_DRY_RUN
            turn = len(self._answers)
            own = turn == 0 and not call.dry and call.tool == request.tool and call.arguments is request.arguments
            self.asked = True
            raw, id = (request.raw, request.id) if own else request.again(call, turn)
            answer = await ask(raw, id)
            task = _task_of(answer.message) if own and request.tool != LIST else None
            if task is not None:
                answer = await self._put_off(task, answer, hand)
            outcome = self._outcome(answer)
            self._answers.append((outcome, answer))
            if call.tool == request.tool and not is_failed_answer(answer.message):
                self._truth = answer.message
            return outcome

        layer = self._attended(self._layer)
        return self._reply(await self._gate.session.call_async(request.tool, request.arguments, run, layer))

    async def concluded(self, result: ServerReply) -> ClientReply:
        """What the client is to see of a result that it fetches."""
        assert self.later is not None
        assert self._result is not None
        if not self._result.done():
            self._result.set_result(result)
        return await asyncio.shield(self.later)

    async def _put_off(self, task: str, handle: ServerReply, hand: Hand) -> ServerReply:
        loop = asyncio.get_running_loop()
        self.later, self._result = loop.create_future(), loop.create_future()
        self._gate.put_off(task, self)
        hand(handle)
        return await self._result

    def cancel(self) -> None:
        """The client has cancelled it."""
        if self.task is not None and not self.ignores_cancel:
            self.task.cancel()

    @property
    def waits(self) -> bool:
        """Whether it waits on the seam just now, not on the server."""
        return self._wait is not None

    @property
    def ignores_cancel(self) -> bool:
        """Whether it is in a wait that no cancel ends."""
        return self._wait is not None and self._wait.ignores_cancel

    def _reply(self, outcome: Outcome) -> ClientReply:
        request = self.request
        for said, answer in self._answers:
            if outcome is said or safely_equal(outcome, said):
                self._shows(outcome, False)
                if answer.message is None or id_of(answer.message) == request.id:
                    return ClientReply(answer, None)
                return ClientReply(answer, {**answer.message, "id": request.id})
        if cuts_connection(outcome):
            return ClientReply(None, None)
        last = self._answers[-1][1] if self._answers else None
        truth = self._truth
        if request.tool == LIST:
            self._shows(outcome, True)
            return ClientReply(last, list_answer(outcome, request.id, truth, request.modern))
        structured = self._gate.structured(request.tool)
        return ClientReply(last, call_answer(outcome, request.id, truth, request.modern, structured))

    def _shows(self, outcome: Outcome, changed: bool) -> None:
        if self.request.tool == LIST and isinstance(outcome, Value):
            self.changes_list = self._gate.shows(self.request, outcome.value, changed)

    def _outcome(self, answer: ServerReply) -> Outcome:
        if answer.message is None:
            return Failure("The server answered with no message.", type="TransportError")
        if self.request.tool != LIST:
            return call_outcome(answer.message)
        self._learn(answer)
        return list_outcome(answer.message)

    def _learn(self, answer: ServerReply) -> None:
        if answer.message is not None:
            self._gate.learn(answer.message, self.request.arguments.get("cursor"))

    def _attended(self, layer: Layer) -> Layer:
        """The layer, with an eye on what it waits for."""

        def attended(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
            generator = layer(call)
            try:
                request = next(generator)
                while True:
                    self._wait = request if isinstance(request, Wait) else None
                    answer = yield request
                    self._wait = None
                    request = generator.send(answer)
            except StopIteration as stop:
                outcome: Outcome = stop.value
                return outcome
            finally:
                self._wait = None
                generator.close()

        return attended


class Fetch(McpExchange):
    """A request for the result of a call that is a task. Where there is none yet, it passes as it is."""

    def __init__(self, gate: Gate, request: McpRequest, call: McpExchange) -> None:
        super().__init__(gate, request, None)
        self._call = call

    async def _replied(self, ask: Ask, hand: Hand) -> ClientReply:
        self.asked = True
        answer = await ask(self.request.raw, self.request.id)
        result = self._result_in(answer.message)
        if result is None:
            return ClientReply(answer, None)
        reply = await self._call.concluded(ServerReply(result, answer.raw, answer.form))
        if reply.message is None:
            return ClientReply(answer, None) if reply.heard is not None else reply
        assert answer.message is not None
        return ClientReply(answer, self._with(answer.message, reply.message))

    @property
    def waits(self) -> bool:
        """Whether the call waits on the seam just now."""
        return self._call.waits

    @property
    def ignores_cancel(self) -> bool:
        """Whether the call is in a wait that no cancel ends."""
        return self._call.ignores_cancel

    def _result_in(self, message: Message | None) -> Message | None:
        """The call's own answer that is in this one; None where it is not there yet."""
        if message is None or self.request.tool == "tasks/result":
            return message
        task = message.get("result")
        if not isinstance(task, dict):
            return None
        found = {key: task[key] for key in ("result", "error") if isinstance(task.get(key), dict)}
        return {"jsonrpc": "2.0", "id": self.request.id, **found} if found else None

    def _with(self, answer: Message, shown: Message) -> Message:
        """The answer, with what is shown of the call in the place of the call's own."""
        if self.request.tool == "tasks/result":
            told = answer.get("result")
            meta = told.get("_meta") if isinstance(told, dict) else None
            if "result" in shown and isinstance(meta, dict) and RELATED in meta:
                shown = {**shown, "result": {"_meta": {RELATED: meta[RELATED]}, **shown["result"]}}
            return {**shown, "id": self.request.id}
        task = {key: value for key, value in answer["result"].items() if key not in ("result", "error")}
        status = "failed" if "error" in shown else "completed"
        own = {key: shown[key] for key in ("result", "error") if key in shown}
        return {**answer, "result": {**task, "status": status, **own}}


def list_changed(subscription: RequestId | None = None) -> bytes:
    """The notification that the list of the tools has changed; in the stateless era, for one subscription."""
    message: Message = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    if subscription is not None:
        message["params"] = {"_meta": {SUBSCRIPTION: subscription}}
    return encode_message(message)


def subscribed(message: Message) -> RequestId | None:
    """The id of a request to hear of changes of the list of the tools; None where it is no such request."""
    params = message.get("params")
    wanted = params.get("notifications") if isinstance(params, dict) and message.get("method") == LISTEN else None
    return id_of(message) if isinstance(wanted, dict) and wanted.get("toolsListChanged") is True else None


def _task_of(message: Message | None) -> str | None:
    """The id of the task that an answer to tools/call hands out; None where it is an answer."""
    result = message.get("result") if message is not None else None
    if not isinstance(result, dict) or "content" in result:
        return None
    task = result if result.get("resultType") == "task" else result.get("task")
    id = task.get("taskId") if isinstance(task, dict) else None
    return id if isinstance(id, str) else None


def _names_list(rule: Rule) -> bool:
    none: frozenset[str] = frozenset()
    return rule.match.may_match(LIST, none) and not rule.match.may_match(STRANGER, none)


def _guarded(plan: Plan) -> Plan:
    """The plan, with rules that were written for any tool kept from the list of the tools."""
    rules = [
        rule if _names_list(rule) else rule.model_copy(update={"match": ~Tool(LIST) & rule.match})
        for rule in plan.rules
    ]
    return plan.model_copy(update={"rules": tuple(rules)})


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    """A tool as its server announces it; its hints are its tags too, and so are FastMCP's tags."""
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    returns = tool.get("outputSchema")
    parameters = tool.get("inputSchema")
    return ToolSpec(
        name=str(tool.get("name")),
        description=str(tool.get("description") or ""),
        parameters=parameters if isinstance(parameters, dict) else {},
        returns=_unwrapped(returns) if isinstance(returns, dict) else {},
        tags=frozenset(tag for hint, tag in HINTS.items() if hints.get(hint) is True) | _tags(tool.get("_meta")),
        effects=_effects(hints),
        idempotent=hints.get("idempotentHint") is True,
    )


def _effects(hints: Mapping[str, Any]) -> bool | None:
    """Whether a server says that its tool changes the world; None where it says nothing of it."""
    if hints.get("readOnlyHint") is True:
        return False
    said = hints.get("readOnlyHint") is False or "destructiveHint" in hints or "idempotentHint" in hints
    return True if said else None


def _runs_dry(tool: Any) -> bool:
    meta = tool.get("_meta") if isinstance(tool, dict) else None
    return isinstance(meta, dict) and meta.get(DRY) is True


def _unwrapped(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer as `heard` reads it: what is no object may stand as `{"result": ...}`."""
    fields = schema.get("properties")
    if not isinstance(fields, dict) or fields.keys() != {"result"}:
        return schema
    shared: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    whole = {key: value for key, value in schema.items() if key not in shared}
    return {**shared, "anyOf": [fields["result"], whole]}


def _tags(meta: Any) -> frozenset[str]:
    told = meta.get("fastmcp") or meta.get("_fastmcp") if isinstance(meta, dict) else None
    tags = told.get("tags") if isinstance(told, dict) else None
    return frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()
