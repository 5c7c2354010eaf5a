"""Every tool call as an OpenTelemetry span: `execute_tool` by the GenAI semantic conventions, with the faults on it.

A watcher of a session; needs `opentelemetry-api` alone (the extra `otel`), and costs nothing worth naming where no SDK
is set up. While the tool runs, the span is the current one, so that what the tool itself traces lies inside. It makes
no metrics, and no spans of the agent and its model, which their own instrumentations make.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from sealegs.faults.call import Call, Failure, Layer, Outcome, Wait
from sealegs.inject.clock import Clock, RealClock
from sealegs.inject.injection import Injection
from sealegs.inject.layer_context import REFUSED, LayerAction
from sealegs.traces.json_data import to_json_data
from sealegs.traces.observed import ABANDONED
from sealegs.traces.otlp import AGENT, BY, EPISODE, FAULTED, OTHER, RETRY_AFTER, STATUS
from sealegs.traces.redaction import redactor_for

SCOPE = "sealegs"


class Spans:
    """Spans for the tool calls of one episode.

    Besides the conventions' attributes each has `sealegs.struck`, whether a fault was delivered, and where rules fired
    `sealegs.fault.rules`, `.kinds`, `.delivered` and `.cut_off` (before it could show anything), index by index. Where
    recovery acted it has `sealegs.recovery.policies` and `sealegs.recovery.actions`, index by index, and inside it lies
    a span for each run that was tried: the agent's own and each that recovery had made, with what came of it, the
    policy as `sealegs.recovery.by` (`agent` for the agent's own), and no operation name, so that counts of tool
    calls do not count the agent's twice.

    Args:
        tracer: makes them; that of the global provider by default.
        episode: its name, as `sealegs.episode`.
        content: whether arguments and answers are noted, as JSON. Off by default, as the conventions ask: they may hold
            private data. A trace without them can be fitted, not replayed.
        attributes: further attributes for every span (the plan's name, say).
        clock: stamps the spans where the episode's time is not the machine's (a virtual clock).
        began: with `clock`: when the episode began, in nanoseconds since 1970.
    """

    def __init__(
        self,
        tracer: Tracer | None = None,
        *,
        episode: str = "",
        content: bool = False,
        attributes: Mapping[str, str | bool | int | float] | None = None,
        clock: Clock | None = None,
        began: int = 0,
    ) -> None:
        self._tracer = tracer or trace.get_tracer(SCOPE)
        self._given = {**(attributes or {}), **({EPISODE: episode} if episode else {})}
        self._content = content
        self._clock = clock
        self._watch: Clock = clock or RealClock()
        self._began = began
        self._open: dict[str, tuple[Span, int | None, float]] = {}  # when it began: in nanoseconds, and by the watch
        self._injections: dict[str, list[Injection]] = {}
        self._actions: dict[str, list[LayerAction]] = {}

    def injected(self, injection: Injection) -> None:
        """Note a fault, perhaps on a call that recovery had made for the agent's (its id begins with that one's)."""
        self._injections.setdefault(injection.call.id.partition(".")[0], []).append(injection)

    def layer_action(self, action: LayerAction) -> None:
        """Note what a layer did on a call besides passing it on."""
        self._actions.setdefault(action.call.id, []).append(action)
        if action.attempt is not None and action.name != REFUSED and action.call.id in self._open:
            self._tried(action, action.attempt)

    def _tried(self, action: LayerAction, attempt: Call) -> None:
        """Make a span for one run that was tried, which is over."""
        around, began, by_watch = self._open[action.call.id]
        start = end = None
        if began is not None:
            # Counted on from its beginning by the watch: the system's clock may be set while a call is under way.
            end = began + int((self._watch.now() - by_watch) * 1e9)
            start = began if action.seconds is None else max(began, end - int(action.seconds * 1e9))
        attributes: dict[str, Any] = {
            "gen_ai.tool.name": attempt.tool,
            "gen_ai.tool.call.id": attempt.id,
            BY: action.policy or AGENT,
            **self._given,
        }
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = _json(attempt.arguments)
        span = self._tracer.start_span(
            f"{action.name} {attempt.tool}",
            context=trace.set_span_in_context(around),
            kind=SpanKind.INTERNAL,
            attributes=attributes,
            start_time=start,
        )
        injections = [
            injection for injection in self._injections.get(action.call.id, []) if injection.call.id == attempt.id
        ]
        _ended(span, injections, action.outcome, end, content=self._content)

    def around(self, layer: Layer) -> Layer:
        """The layer with a span around each call."""

        def spanned(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
            span = self._start(call)
            self._open[call.id] = (span, getattr(span, "start_time", None), self._watch.now())
            inside = trace.set_span_in_context(span)
            shown: Outcome | None = None
            generator = layer(call)
            try:
                request = next(generator)
                while True:
                    if isinstance(request, Call):
                        # Not around waits: an abandoned one is closed from another thread.
                        token = context.attach(inside)
                        try:
                            answer = yield request
                        finally:
                            context.detach(token)
                    else:
                        answer = yield request
                    request = generator.send(answer)
            except StopIteration as stop:
                shown = stop.value
            finally:
                generator.close()
                self._end(span, call, shown)
            assert shown is not None
            return shown

        return spanned

    def _start(self, call: Call) -> Span:
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id,
            **self._given,
        }
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = _json(call.arguments)
        return self._tracer.start_span(
            f"execute_tool {call.tool}", kind=SpanKind.INTERNAL, attributes=attributes, start_time=self._now()
        )

    def _end(self, span: Span, call: Call, shown: Outcome | None) -> None:
        self._open.pop(call.id, None)
        injections = self._injections.pop(call.id, [])
        actions = [action for action in self._actions.pop(call.id, []) if action.policy]
        if actions:
            span.set_attribute("sealegs.recovery.policies", [action.policy for action in actions])
            span.set_attribute("sealegs.recovery.actions", [action.name for action in actions])
        _ended(span, injections, shown, self._now(), content=self._content)

    def _now(self) -> int | None:
        """Nanoseconds since 1970; None for the machine's own time."""
        return None if self._clock is None else self._began + int(self._clock.now() * 1e9)


def _ended(
    span: Span, injections: Sequence[Injection], shown: Outcome | None, at: int | None, *, content: bool
) -> None:
    """End the span, with what struck the call and what came of it."""
    span.set_attribute(FAULTED, any(injection.delivered for injection in injections))
    if injections:
        span.set_attribute("sealegs.fault.rules", [injection.rule for injection in injections])
        span.set_attribute("sealegs.fault.kinds", [injection.kind for injection in injections])
        span.set_attribute("sealegs.fault.delivered", [injection.delivered for injection in injections])
        span.set_attribute("sealegs.fault.cut_off", [injection.cut_off for injection in injections])
    if shown is None or isinstance(shown, Failure):
        _fail(span, ABANDONED if shown is None else shown, content)
    elif content:
        span.set_attribute("gen_ai.tool.call.result", _json(shown.value))
    span.end(at)


def _fail(span: Span, failure: Failure, content: bool) -> None:
    """Mark the span as failed. The message may quote what the tool was given, so it is content too."""
    span.set_attribute("error.type", failure.type or OTHER)
    if failure.status is not None:
        span.set_attribute(STATUS, failure.status)
    if failure.retry_after is not None:
        span.set_attribute(RETRY_AFTER, [f"{failure.retry_after:g}"])
    span.set_status(Status(StatusCode.ERROR, _text(failure.message) if content else None))


def _json(value: Any) -> str:
    """Content as it leaves: a collector keeps what it is sent, so secrets are taken out as they are of records."""
    redactor, data = redactor_for(None), to_json_data(value)
    return json.dumps(data if redactor is None else redactor.redacted(data), ensure_ascii=False)


def _text(value: str) -> str:
    redactor = redactor_for(None)
    return value if redactor is None else str(redactor.redacted(value))
