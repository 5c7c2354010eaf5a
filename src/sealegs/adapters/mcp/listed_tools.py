"""The tools that a server has listed, learned as its list passes, and what the client was shown of them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from sealegs.adapters.mcp.announced_tool import announced_spec, announces_dry_run
from sealegs.adapters.mcp.answers import UNKNOWN, OutputSchema, list_outcome
from sealegs.adapters.mcp.framing import Message, encode_message
from sealegs.adapters.mcp.mcp_exchange import Ask, ClientReply, Hand, McpExchange
from sealegs.adapters.mcp.mcp_request import McpRequest
from sealegs.faults.call import Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import Session

LISTING = 5.0  # seconds that the server has to list its tools before an answer is made without the list


class ListedTools:
    """The tools of one server.

    Args:
        session: learns of them too.

    Attributes:
        specs: the tools that the server has listed, by name.
        dry: those of them that can be run without their effect: they say so in their `_meta`, under `sealegs/dry`, and
            heed it in that of a call.
        on_new: called when a tool is listed that was not known, or was known otherwise.
        on_mistake: called if the list shows that what was declared of the tools cannot be true; None while that is only
            to be logged, because calls may be under way, or other clients.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.specs: dict[str, ToolSpec] = {}
        self.dry: set[str] = set()
        self.on_new: Callable[[], None] = lambda: None
        self.on_mistake: Callable[[UserError], None] | None = None
        self._outputs: dict[str, OutputSchema] = {}  # the schemas of answers, by tool
        self._pages: dict[Any, set[str]] = {}  # by the cursor of the next page: the tools on those before it
        self._shown: dict[str, Any] = {}  # by the place in the list (its cursor): the tools that the client was shown

    def learn(self, message: Message, cursor: Any = None) -> None:
        """Learn of the tools in an answer. `cursor`: where in the list this page begins, if not at its head."""
        result = message.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
        specs = [announced_spec(tool) for tool in listed]
        self._note_outputs(listed)
        new = any(self.specs.get(spec.name) != spec for spec in specs)
        self.specs.update((spec.name, spec) for spec in specs)
        # Only what changed: clients list again and again, and every listener would record each time.
        if new:
            self.on_new()
        self.dry.update(str(tool.get("name")) for tool in listed if announces_dry_run(tool))
        try:
            self._session.know(specs, begun=self.on_mistake is None)
            if isinstance(tools, list) and isinstance(result, dict):
                self._paged({spec.name for spec in specs}, cursor, result.get("nextCursor"))
        except UserError as error:
            if self.on_mistake is None:  # not of this kind, which would have been logged
                raise
            self.on_mistake(error)

    def _paged(self, tools: set[str], here: Any, next: Any) -> None:
        """Put the pages of the list together; with the last one, it is known which tools there are."""
        if not all(cursor is None or isinstance(cursor, str) for cursor in (here, next)):  # cursors are strings
            return
        before = self._pages.pop(here, None) if here is not None else set[str]()
        if before is None:
            return
        if next is not None:
            self._pages[next] = before | tools
        else:
            self._pages.clear()
            self._session.complete(before | tools, begun=self.on_mistake is None)

    def shows(self, request: McpRequest, tools: Any, changed: bool) -> bool:
        """A list is shown. Whether it differs from the one that the client knew, because a fault changed it."""
        place = encode_message(dict(request.arguments)).decode()
        before = self._shown.get(place)
        self._shown[place] = tools
        return changed and before is not None and before != tools

    async def output_schema(self, request: McpRequest, ask: Ask) -> OutputSchema:
        """The schema of the answers of the tool that a request calls.

        A client may list the tools only after its first call, so the server is asked for a list if they are not known.
        Nothing else is learned from that: what strikes later calls must not depend on it.

        Args:
            request: the client's call.
            ask: sends the server a request; see `McpExchange.through`.
        """
        if request.tool not in self._outputs:
            with suppress(Exception):  # whatever keeps the list away, the answer is worth more
                async with asyncio.timeout(LISTING):
                    await self._list_outputs(request, ask)
        return self._outputs.get(request.tool, UNKNOWN)

    async def _list_outputs(self, request: McpRequest, ask: Ask) -> None:
        """Note the schemas of answers, page by page until the tool is found."""
        cursor: Any = None
        for page in itertools.count():
            result = ((await ask(*request.listing(cursor, page))).message or {}).get("result")
            if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
                return
            self._note_outputs(tool for tool in result["tools"] if isinstance(tool, dict))
            cursor = result.get("nextCursor")
            if request.tool in self._outputs or not isinstance(cursor, str):
                return

    def _note_outputs(self, tools: Iterable[Mapping[str, Any]]) -> None:
        for tool in tools:
            schema = tool.get("outputSchema")
            self._outputs[str(tool.get("name"))] = schema if isinstance(schema, dict) else None


class LearningExchange(McpExchange):
    """A request for the list of the tools that passes as it is; the tools are learned from the answer.

    Args:
        request: the request.
        tools: learns.
        watched: whether faults may change a later list, so that what the client is shown must be remembered.
    """

    def __init__(self, request: McpRequest, tools: ListedTools, watched: bool) -> None:
        super().__init__(request)
        self._tools = tools
        self._watched = watched

    async def through(self, ask: Ask, hand: Hand) -> ClientReply:
        """The reply that the client is to see: the answer as it came. For the arguments see `McpExchange.through`."""
        self.server_called = True
        answer = await ask(self.request.raw, self.request.id)
        if answer.message is not None:
            self._tools.learn(answer.message, self.request.arguments.get("cursor"))
            outcome = list_outcome(answer.message) if self._watched else None
            if isinstance(outcome, Value):
                self._tools.shows(self.request, outcome.value, changed=False)
        return ClientReply(answer, None)
