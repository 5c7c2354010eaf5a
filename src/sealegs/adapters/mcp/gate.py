"""The gate for the requests of an MCP client: it picks those for the session, and an exchange takes each one through.

The same for pipes and HTTP. The plan names tools/list like a tool, by `tools/list`; its answer is an object of the
tools by name, so that a fault's path can lead into one of them. A rule that would strike any tool (`{tool: "*"}`)
leaves the list alone. Where a fault changes the list that the client knows, the client hears that it changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sealegs.adapters.mcp.framing import Message, id_of
from sealegs.adapters.mcp.listed_tools import LearningExchange, ListedTools
from sealegs.adapters.mcp.mcp_exchange import McpExchange
from sealegs.adapters.mcp.mcp_request import CALL, HTTP_REQUEST, LIST, McpRequest
from sealegs.adapters.mcp.session_exchange import SessionExchange
from sealegs.adapters.mcp.task_results import FETCHES, TaskFetch
from sealegs.faults.call import Layer
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Tool
from sealegs.faults.user_error import UserError
from sealegs.inject import Clock, InterceptedCall, Session, Watcher, as_given
from sealegs.inject.session import UNARMED

OF_REQUESTS = ("error", "rate_limit", "connection", "timeout", "delay", "hang", "interrupted")  # kinds of fault
STRANGER = "\0"  # the name of no tool: what matches it was not written for the list


class Gate:
    """The session of an MCP connection.

    Args:
        plan: the faults.
        episode: part of the key of every random decision.
        layers: layers between the client and the faults (recovery). They may have any tool of the server called.
        clock: real by default.
        timeout: seconds of waiting on faults after which a call is given up; None waits forever.
        watcher: hears of everything (a recorder).

    Attributes:
        session: the session.
        tools: the tools that the server has listed.
        tasks: calls whose result is fetched later, by the id of their task.
        lists: whether the plan has rules on the list of the tools.
        requests: whether it has rules on requests over HTTP themselves.
        shut: whether every message passes as it is, because nothing is ever to be done.
        ending: how the connection ended, in words, once a relay knows.
        crashed: whether the server ended by itself and not well.
        mistake: what the server's list of tools showed to be wrong before any call; a relay then ends and raises it.
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
        self.requests = any(_names(rule, HTTP_REQUEST) for rule in plan.rules)
        _check_requests(plan)
        known = [ToolSpec(LIST)] if layers else []
        if self.requests:
            known.append(ToolSpec(HTTP_REQUEST, effects=False))
        self.session = Session(
            _guarded(plan),
            episode=episode,
            specs=known,
            layers=layers,
            others=None,
            clock=clock,
            timeout=timeout,
            watcher=watcher,
        )
        self.tools = ListedTools(self.session)
        self.tasks: dict[str, SessionExchange] = {}
        self.lists = any(_names(rule, LIST) for rule in plan.rules)
        self.shut = not plan.rules and watcher is None and not layers
        self.ending = ""
        self.crashed = False
        self.mistake: UserError | None = None
        self._batched = False

    def end_on_mistake(self, end: Callable[[], None]) -> None:
        """Let a list that comes before any call end the relay if what was declared contradicts it.

        For a relay with one client: the list that one client sees must not end what others do.

        Args:
            end: called then, once `mistake` is set.
        """

        def mistaken(error: UserError) -> None:
            self.mistake = error
            self.ending = "what was declared does not fit the server's tools"
            end()

        self.tools.on_mistake = mistaken

    def exchange(self, raw: bytes, message: Message) -> McpExchange | None:
        """The exchange for a message; None where it passes as it is. Asking counts the call: ask once."""
        method, id, params = message.get("method"), id_of(message), message.get("params")
        if id is None or self.shut:
            return None
        if method == LIST:
            if params is not None and not isinstance(params, dict):
                return None
            params = params or {}
            # `_meta` differs with each request (progress tokens), and draws that depend on the arguments must not.
            arguments = {key: value for key, value in params.items() if key != "_meta"}
            request = McpRequest(raw, message, id, LIST, arguments)
            intercepted = self.session.intercept(LIST, as_given, arguments) if self.lists else None
            if intercepted is None:
                return LearningExchange(request, self.tools, watched=self.lists)
            return SessionExchange(request, intercepted, self.tools, self.tasks)
        if not isinstance(params, dict):
            return None
        # The answer to a call that became a task comes with the fetch of its result: the same faults have to change it
        # there.
        task = params.get("taskId")
        if method in FETCHES and isinstance(task, str) and task in self.tasks:
            return TaskFetch(McpRequest(raw, message, id, method, params), self.tasks[task])
        if method != CALL:
            return None
        tool, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(tool, str) or not isinstance(arguments, dict):
            return None
        self.tools.on_mistake = None
        intercepted = self.session.intercept(tool, as_given, arguments)
        if intercepted is None:
            return None
        return SessionExchange(McpRequest(raw, message, id, tool, arguments), intercepted, self.tools, self.tasks)

    def http_request(self, arguments: Mapping[str, Any]) -> InterceptedCall | None:
        """The interception of a request over HTTP itself; None where nothing strikes it. Asking counts it."""
        return self.session.intercept(HTTP_REQUEST, as_given, arguments)

    def batch(self, raw: bytes) -> None:
        """Look at what is not a message, which passes. A batch with calls in it passes without faults: warn once."""
        if not self._batched and raw.lstrip().startswith(b"[") and b"tools/call" in raw:
            self._batched = True
            self.tools.on_mistake = None
            sys.stderr.write(
                "sealegs proxy: the client sends calls in a batch, which MCP has not supported since 2025-06-18; "
                "batches pass as they are, without faults\n"
            )


def _names(rule: Rule, special: str) -> bool:
    """Return whether a rule was written for this name, and not for any tool."""
    none: frozenset[str] = frozenset()
    return rule.match.may_match(special, none) and not rule.match.may_match(STRANGER, none)


def _check_requests(plan: Plan) -> None:
    """Raise where a rule on requests over HTTP has a fault that cannot strike one."""
    for rule in plan.rules:
        if _names(rule, HTTP_REQUEST) and rule.fault.kind not in OF_REQUESTS:
            raise UserError(
                f"rule {rule.id!r}: {rule.fault.kind!r} cannot strike {HTTP_REQUEST}; give one of "
                f"{', '.join(OF_REQUESTS)}, or name a tool or {LIST}"
            )


def _guarded(plan: Plan) -> Plan:
    """The plan, with rules that were written for any tool kept from the list of the tools and from HTTP's requests."""
    rules = []
    for rule in plan.rules:
        barred = [Tool(name) for name in (LIST, HTTP_REQUEST) if not _names(rule, name)]
        match = rule.match
        for one in barred:
            match = ~one & match
        rules.append(rule.model_copy(update={"match": match}) if barred else rule)
    return plan.model_copy(update={"rules": tuple(rules)})
