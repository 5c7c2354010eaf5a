"""Which requests of an MCP client go through the session: the gate decides, and an exchange takes each one through.

The same for pipes and HTTP. The plan names tools/list like a tool, by `tools/list`; its answer is an object of the
tools by name, so that a fault's path can lead into one of them. A rule that would strike any tool (`{tool: "*"}`)
leaves the list alone. Where a fault changes the list that the client knows, the client hears that it changed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from sealegs.adapters.mcp.framing import Message, id_of
from sealegs.adapters.mcp.listed_tools import LearningExchange, ListedTools
from sealegs.adapters.mcp.mcp_exchange import McpExchange
from sealegs.adapters.mcp.mcp_request import CALL, LIST, McpRequest
from sealegs.adapters.mcp.session_exchange import SessionExchange
from sealegs.adapters.mcp.task_results import FETCHES, TaskFetch
from sealegs.faults.call import Layer
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Tool
from sealegs.inject import Clock, Session, Watcher, as_given
from sealegs.inject.session import UNARMED

STRANGER = "\0"  # the name of no tool: what matches it was not written for the list


class Gate:
    """The session of an MCP connection.

    Args:
        plan: the faults.
        episode: part of the key of every random decision.
        layers: layers between the client and the faults (recovery). They may have any tool of the server called.
        clock: real by default.
        timeout: seconds of waiting on faults after which a call is given up; None waits for ever.
        watcher: hears of everything (a recorder).

    Attributes:
        session: the session.
        tools: the tools that the server has listed.
        tasks: calls whose result is fetched later, by the id of their task.
        lists: whether the plan has rules on the list of the tools.
        shut: whether every message passes as it is, because nothing is ever to be done.
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
        self.tools = ListedTools(self.session)
        self.tasks: dict[str, SessionExchange] = {}
        self.lists = any(_names_list(rule) for rule in plan.rules)
        self.shut = not plan.rules and watcher is None and not layers
        self._batched = False

    def exchange(self, raw: bytes, message: Message) -> McpExchange | None:
        """What a message must go through; None where it passes as it is. Asking counts the call: ask once."""
        method, id, params = message.get("method"), id_of(message), message.get("params")
        if id is None or self.shut:
            return None
        if method == LIST:
            params = params if isinstance(params, dict) else {}
            arguments = {key: value for key, value in params.items() if key != "_meta"}
            request = McpRequest(raw, message, id, LIST, arguments)
            crossing = self.session.intercept(LIST, as_given, arguments) if self.lists else None
            if crossing is None:
                return LearningExchange(request, self.tools, watched=self.lists)
            return SessionExchange(request, crossing, self.tools, self.tasks)
        if not isinstance(params, dict):
            return None
        if method in FETCHES and params.get("taskId") in self.tasks:
            return TaskFetch(McpRequest(raw, message, id, method, params), self.tasks[params["taskId"]])
        if method != CALL:
            return None
        tool, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(tool, str) or not isinstance(arguments, dict):
            return None
        crossing = self.session.intercept(tool, as_given, arguments)
        if crossing is None:
            return None
        return SessionExchange(McpRequest(raw, message, id, tool, arguments), crossing, self.tools, self.tasks)

    def batch(self, raw: bytes) -> None:
        """Look at what is not a message, which passes. A batch with calls in it passes without faults: warn once."""
        if not self._batched and raw.lstrip().startswith(b"[") and b"tools/call" in raw:
            self._batched = True
            sys.stderr.write(
                "sealegs proxy: the client sends calls in a batch, which MCP has not supported since 2025-06-18; "
                "batches pass as they are, without faults\n"
            )


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
