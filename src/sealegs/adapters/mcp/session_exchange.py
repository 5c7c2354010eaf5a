"""A call, or a request for the list of the tools, on its way through the session, where faults strike it.

A call that the server makes a task of is still one call: what strikes it waits until its result is fetched, and changes
that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator

from sealegs.adapters.mcp.answers import (
    call_answer,
    call_outcome,
    cuts_connection,
    http_failure,
    list_answer,
    list_outcome,
)
from sealegs.adapters.mcp.framing import Message, RequestId, id_of
from sealegs.adapters.mcp.listed_tools import ListedTools
from sealegs.adapters.mcp.mcp_exchange import Ask, ClientReply, Hand, McpExchange, ServerReply
from sealegs.adapters.mcp.mcp_request import LIST, McpRequest
from sealegs.faults.call import Call, Failure, Layer, Outcome, Value, Wait
from sealegs.inject import NO_DRY_RUN, InterceptedCall, safely_equal

TASKS = 256  # tasks whose results may still be fetched


class SessionExchange(McpExchange):
    """One request on its way through the session.

    Args:
        request: the request.
        intercepted: the same, in the hands of the session.
        tools: what the server has listed.
        tasks: calls whose result is fetched later, by the id of their task; this one joins them if it becomes one.
    """

    def __init__(
        self,
        request: McpRequest,
        intercepted: InterceptedCall,
        tools: ListedTools,
        tasks: dict[str, SessionExchange],
    ) -> None:
        super().__init__(request)
        intercepted.layer = self._attended(intercepted.layer)
        self._intercepted = intercepted
        self._tools = tools
        self._tasks = tasks
        self._later: asyncio.Future[ClientReply] | None = None  # what came of it, where that is fetched later
        self._result: asyncio.Future[ServerReply] | None = None
        self._wait: Wait | None = None
        # Each with the id of its request, and whether it may pass: the data of another tool has another form.
        self._answers: list[tuple[Outcome, ServerReply, RequestId, bool]] = []
        self._truth: Message | None = None  # the tool's own last answer: what is shown takes its form

    async def through(self, ask: Ask, hand: Hand) -> ClientReply | None:
        """The reply that the client is to see; None where it comes later. Arguments as in `McpExchange.through`."""
        try:
            reply = await self._replied(ask, hand)
        except BaseException:
            if self._later is not None:
                self._later.cancel()
            raise
        if self._later is None:
            return reply
        self._later.set_result(reply)
        return None

    async def _replied(self, ask: Ask, hand: Hand) -> ClientReply:
        request = self.request

        async def run(call: Call) -> Outcome:
            if call.dry and call.tool not in self._tools.dry:
                return NO_DRY_RUN
            turn = len(self._answers)
            # Only the client's own request may use its id and its bytes; the server must not see an id twice.
            own = turn == 0 and not call.dry and call.tool == request.tool and call.arguments is request.arguments
            self.server_called = True
            raw, id = (request.raw, request.id) if own else request.again(call, turn)
            answer = await ask(raw, id)
            task = _task_of(answer.message) if own and request.tool != LIST else None
            if task is not None:
                answer = await self._put_off(task, answer, hand)
            outcome = self._outcome(answer)
            same = call.tool == request.tool
            self._answers.append((outcome, answer, id, same or isinstance(outcome, Failure)))
            # A failed answer has no form that a value could take.
            if same and isinstance(outcome, Value):
                self._truth = answer.message
            return outcome

        outcome = await self._intercepted.call_async(run)
        return self._passed(outcome) or await self._made(outcome, ask)

    async def concluded(self, result: ServerReply) -> ClientReply:
        """The reply that the client is to see to the fetch of its result."""
        assert self._later is not None
        assert self._result is not None
        if not self._result.done():
            self._result.set_result(result)
        # A client that gives up fetching may fetch the result again.
        return await asyncio.shield(self._later)

    async def _put_off(self, task: str, handle: ServerReply, hand: Hand) -> ServerReply:
        """Wait for the result, which the client fetches later."""
        loop = asyncio.get_running_loop()
        self._later, self._result = loop.create_future(), loop.create_future()
        self._tasks[task] = self
        if len(self._tasks) > TASKS:
            del self._tasks[next(iter(self._tasks))]
        hand(handle)
        return await self._result

    @property
    def waits(self) -> bool:
        """Whether it is waiting on the seam just now, not on the server."""
        return self._wait is not None

    @property
    def ignores_cancel(self) -> bool:
        """Whether it is in a wait that no cancel ends."""
        return self._wait is not None and self._wait.ignores_cancel

    def _passed(self, outcome: Outcome) -> ClientReply | None:
        """The reply that shows an answer of the server's own; None where the outcome is another."""
        request = self.request
        # The latest first: an answer shown unchanged passes as the server's own bytes.
        for returned, answer, id, passes in reversed(self._answers):
            if not passes:
                continue
            if outcome is returned or safely_equal(outcome, returned) or _is_refusal(answer, returned, outcome):
                self._shows(outcome, False)
                # Sent under another id, the answer has to get the client's back.
                if answer.message is None or id == request.id or id_of(answer.message) != id:
                    return ClientReply(answer, None)
                return ClientReply(answer, {**answer.message, "id": request.id}, true=True)
        return None

    async def _made(self, outcome: Outcome, ask: Ask) -> ClientReply:
        """The reply that shows an outcome that no answer of the server's shows."""
        request = self.request
        if cuts_connection(outcome):
            return ClientReply(None, None)
        last = self._answers[-1][1] if self._answers else None
        truth = self._truth
        if request.tool == LIST:
            self._shows(outcome, True)
            return ClientReply(last, list_answer(outcome, request.id, truth, request.modern))
        formless = truth is None and isinstance(outcome, Value)
        schema = await self._tools.output_schema(request, ask) if formless else None
        return ClientReply(last, call_answer(outcome, request.id, truth, request.modern, schema))

    def _shows(self, outcome: Outcome, changed: bool) -> None:
        if self.request.tool == LIST and isinstance(outcome, Value):
            self.changes_list = self._tools.shows(self.request, outcome.value, changed)

    def _outcome(self, answer: ServerReply) -> Outcome:
        if answer.status >= 300:
            return http_failure(answer.message, answer.status, answer.retry_after)
        if answer.message is None:
            return Failure("The server answered with no message.", type="TransportError")
        if self.request.tool != LIST:
            return call_outcome(answer.message)
        self._tools.learn(answer.message, self.request.arguments.get("cursor"))
        return list_outcome(answer.message)

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


def _is_refusal(answer: ServerReply, returned: Outcome, shown: Outcome) -> bool:
    """Return whether a failure that is shown is an HTTP error of the server's, to which a layer has added words."""
    if answer.status < 300 or not isinstance(returned, Failure) or not isinstance(shown, Failure):
        return False
    return (returned.status, returned.type) == (shown.status, shown.type) and shown.message.startswith(returned.message)


def _task_of(message: Message | None) -> str | None:
    """The id of the task that an answer to tools/call hands out; None where it is an answer."""
    result = message.get("result") if message is not None else None
    if not isinstance(result, dict) or "content" in result:
        return None
    # In the stateless era the result is the task; before, it had the task under a name.
    task = result if result.get("resultType") == "task" else result.get("task")
    id = task.get("taskId") if isinstance(task, dict) else None
    return id if isinstance(id, str) else None
