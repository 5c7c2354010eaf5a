"""A script under faults: those of its own turns and those of a plan, on the server's side of the wire.

A request is a call, as it is for an HTTP client's transport (`adapters.wire`); besides path and body its arguments name
the `turn` of the script that is played. A server cannot play faults that keep a connection from coming about; it closes
the connection instead.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from sealegs.adapters.body_cutters import Head, cut_by, cutter
from sealegs.adapters.mock_model.script import FirstMatch, Script
from sealegs.adapters.wire import RETRIES, HttpAnswer, HttpExchange, with_retry_count
from sealegs.faults.call import Call, PartialResult, Value
from sealegs.faults.http_arguments import HttpArguments
from sealegs.faults.model_apis import ModelApi
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import MODEL, ToolSpec
from sealegs.faults.triggers import Argument, First
from sealegs.inject import Session, StreamEnd, as_given


def plan_of_script(script: Script, plan: Plan) -> Plan:
    """The plan with a rule for each turn of the script that fails by itself; those are the innermost."""
    rules = []
    for number, entry in enumerate(script.turns, start=1):
        turns = entry.either if isinstance(entry, FirstMatch) else (entry,)
        for at, turn in enumerate(turns, start=1):
            if turn.fault is not None:
                name = f"{number}.{at}" if isinstance(entry, FirstMatch) else str(number)
                match = Argument(name="turn", equals=name)
                when = First(turn.times)
                # By arguments, which hold the turn: what other conversations ask in between must not use up its faults.
                rules.append(Rule(id=f"turn {name}", match=match, when=when, fault=turn.fault, key="arguments"))
    return plan.model_copy(update={"rules": (*plan.rules, *rules)})


class FaultyAnswer:
    """The answer to one request, as faults let it leave.

    Args:
        session: the episode.
        api: the interface that is called.
        path: of the request.
        body: the request's body.
        turn: the turn that is played, by its name in the script.
        headers: the request's headers.
        answer: head and body of the true answer, the body in the chunks that it is sent in.
    """

    def __init__(
        self,
        session: Session,
        api: ModelApi,
        path: str,
        body: Mapping[str, Any],
        turn: str,
        headers: Iterable[tuple[str, str]],
        answer: tuple[Head, list[bytes]],
    ) -> None:
        name = f"POST {path}"
        spec = ToolSpec(name, tags=frozenset({MODEL}), effects=False, model_api=api.name)
        arguments = HttpArguments({"path": path, "body": body, "turn": turn}, "POST", headers)
        self._answer = answer
        self._exchange = HttpExchange(name, arguments, api)
        intercepted = session.intercept(name, as_given, arguments, spec=spec)
        self._coming: Iterator[Any] | None = None
        if intercepted is not None:
            retries = next(iter(arguments.header_values(RETRIES)), None)
            intercepted.layer = with_retry_count(retries, intercepted.layer)
            self._coming = intercepted.stream(self._run, self._exchange.split)

    def parts(self) -> Iterator[Head | bytes | None]:
        """The head and the chunks of the body, as they are due; None at once where the connection breaks."""
        if self._coming is None:
            yield self._answer[0]
            yield from self._answer[1]
            return
        for part in self._coming:
            if not isinstance(part, StreamEnd):
                yield part
            elif event := self._exchange.closing_event(part.outcome):
                yield event
            elif self._exchange.broken(part.outcome) is not None:
                yield None

    def _run(self, call: Call) -> Generator[Any, None, None]:
        head, chunks = self._answer
        came: list[bytes] = []
        yield head
        for chunk in cut_by(cutter(head, call), chunks):
            if len(came) == call.chunks:
                yield StreamEnd(Value(PartialResult(came)))
                return
            came.append(chunk)
            yield chunk
        raw = b"".join(came)
        yield StreamEnd(self._exchange.answered(HttpAnswer(head, raw, raw)))
