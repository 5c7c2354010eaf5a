"""The result of a call that the server made a task of, when the client fetches it."""

from __future__ import annotations

from sealegs.adapters.mcp.framing import Message
from sealegs.adapters.mcp.mcp_exchange import Ask, ClientReply, Hand, McpExchange, ServerReply
from sealegs.adapters.mcp.mcp_request import McpRequest
from sealegs.adapters.mcp.session_exchange import SessionExchange

RESULT = "tasks/result"
FETCHES = (RESULT, "tasks/get")
RELATED = "io.modelcontextprotocol/related-task"  # in the `_meta` of a task's result


class TaskFetch(McpExchange):
    """A request for the result of a call that is a task. Where there is none yet, the answer passes as it is.

    Args:
        request: the request, whose `tool` is its method.
        call: the call, which is on its way through the session.
    """

    def __init__(self, request: McpRequest, call: SessionExchange) -> None:
        super().__init__(request)
        self._call = call

    async def through(self, ask: Ask, hand: Hand) -> ClientReply:
        """The reply that the client is to see. For the arguments see `McpExchange.through`."""
        self.server_called = True
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
        """Whether the call is waiting on the seam just now."""
        return self._call.waits

    @property
    def ignores_cancel(self) -> bool:
        """Whether the call is in a wait that no cancel ends."""
        return self._call.ignores_cancel

    def _result_in(self, message: Message | None) -> Message | None:
        """The call's own answer that is in this one; None where it is not there yet."""
        if message is None or self.request.tool == RESULT:
            return message
        task = message.get("result")
        if not isinstance(task, dict):
            return None
        found = {key: task[key] for key in ("result", "error") if isinstance(task.get(key), dict)}
        return {"jsonrpc": "2.0", "id": self.request.id, **found} if found else None

    def _with(self, answer: Message, shown: Message) -> Message:
        """The answer, with what is shown of the call in the place of the call's own."""
        if self.request.tool == RESULT:
            own = answer.get("result")
            meta = own.get("_meta") if isinstance(own, dict) else None
            # The protocol ties a result to its task by this field; a fault changes the tool's answer and not the
            # protocol.
            if "result" in shown and isinstance(meta, dict) and RELATED in meta:
                shown = {**shown, "result": {"_meta": {RELATED: meta[RELATED]}, **shown["result"]}}
            return {**shown, "id": self.request.id}
        task = {key: value for key, value in answer["result"].items() if key not in ("result", "error")}
        status = "failed" if "error" in shown else "completed"
        ended = {key: shown[key] for key in ("result", "error") if key in shown}
        return {**answer, "result": {**task, "status": status, **ended}}
