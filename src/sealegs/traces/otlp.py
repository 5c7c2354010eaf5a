"""Tool calls in OpenTelemetry's spans, read from OTLP JSON.

Read are `execute_tool` spans as the GenAI semantic conventions describe them (version 1.41), and what came before and
beside them: spans of MCP's `tools/call`, spans with a tool's name and no operation (Pydantic AI's first formats), and
OpenInference's `TOOL` spans. Where several of these lie inside one another for one call, the outermost counts; where
our recovery tried several runs for one call, each of them, and not what the agent was shown in the end. OTLP in
protobuf, Jaeger's and Zipkin's JSON, and calls that appear only in the messages of a model are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.retry_after import seconds_invited
from sealegs.traces.observed import NOT_KEPT, Observation, Trace

OTHER = "_OTHER"  # the conventions' word for an error without a name
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "input.value")
RESULT = ("gen_ai.tool.call.result", "tool_response", "output.value")
METHOD, CALL = "mcp.method.name", "tools/call"
EPISODE = "sealegs.episode"
FAULTED = "sealegs.struck"
BY = "sealegs.recovery.by"
AGENT = "agent"
STATUS = "http.response.status_code"
RETRY_AFTER = "http.response.header.retry-after"


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", alias_generator=to_camel)


class _Attribute(_Part):
    key: str
    value: dict[str, Any] = {}


class _Event(_Part):
    name: str = ""
    attributes: list[_Attribute] = []


class _Status(_Part):
    code: int | str = 0
    message: str = ""


class _Span(_Part):
    trace_id: str = ""
    span_id: str = ""
    parent_span_id: str = ""
    name: str = ""
    # OTLP's JSON writes 64-bit integers as strings; pydantic reads both.
    start_time_unix_nano: int = 0
    end_time_unix_nano: int = 0
    attributes: list[_Attribute] = []
    events: list[_Event] = []
    status: _Status = _Status()


class _Scope(_Part):
    spans: list[_Span] = []


class _Resource(_Part):
    scope_spans: list[_Scope] = []


class _Export(_Part):
    resource_spans: list[_Resource]


@dataclass(frozen=True, slots=True)
class ToolSpan:
    """A span of a tool call, and where it hangs.

    Attributes:
        trace, span, parent: ids as the file writes them; only whether they are equal counts.
        episode: the episode that it belongs to; the trace's id where none is named.
        call: what it says; None for a span of another kind, which is kept for its place alone.
        wire: whether it is of MCP's protocol, and so inside another tool's span a part of that call.
        tried: whether it is of one run among those that recovery tried for the call around it.
    """

    trace: str
    span: str
    parent: str
    episode: str
    call: Observation | None
    wire: bool = False
    tried: bool = False


def spans(data: Any) -> Iterator[ToolSpan]:
    """Every span of one export (`{"resourceSpans": ...}`).

    Raises:
        ValueError: it is not such an export (pydantic's error, or a value of a type that OTLP does not know).
    """
    for resource in _Export.model_validate(data).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield _tool_span(span)


def traces_from_spans(found: Iterable[ToolSpan]) -> list[Trace]:
    """The tool calls of these spans by episode, in the order in which they began."""
    by_id = {(span.trace, span.span or str(number)): span for number, span in enumerate(found)}  # exported twice: once
    tried = {(span.trace, span.parent) for span in by_id.values() if span.tried}
    episodes: dict[str, list[Observation]] = {}
    for id, span in by_id.items():
        if span.call is None or id in tried:
            continue
        # Two instrumentations may each write a span of one call, one inside the other: the outer one counts. Where our
        # recovery tried several runs, each of them counts in place of the span around them.
        if span.tried or not _inside_another(span, span.call.tool, by_id):
            episodes.setdefault(span.episode, []).append(span.call)
    return [
        Trace(name, tuple(sorted(calls, key=lambda call: call.at)), kept=any(c.arguments is not None for c in calls))
        for name, calls in episodes.items()
    ]


def _inside_another(span: ToolSpan, tool: str, by_id: Mapping[tuple[str, str], ToolSpan]) -> bool:
    """Return whether a span around it already describes this call."""
    # A damaged export may contain a circle of parents.
    seen = {span.span}
    above = by_id.get((span.trace, span.parent))
    while above is not None and above.span not in seen:
        if above.call is not None:
            # A tool that calls another tool makes two calls; an inner span of the same name is the same call.
            return span.wire or above.call.tool == tool
        seen.add(above.span)
        above = by_id.get((above.trace, above.parent))
    return False


def _tool_span(span: _Span) -> ToolSpan:
    given = {one.key: _value(one.value) for one in span.attributes}
    episode = given.get(EPISODE) or span.trace_id
    tool = _tool(span, given)
    call = _observation(span, tool, given) if tool else None
    wire = given.get(METHOD) == CALL
    return ToolSpan(span.trace_id, span.span_id, span.parent_span_id, str(episode), call, wire, BY in given)


def _tool(span: _Span, given: Mapping[str, Any]) -> str:
    """The name of the tool that the span is a call of; empty for other spans."""
    operation = given.get("gen_ai.operation.name")
    name = str(given.get("gen_ai.tool.name") or "")
    if operation == "execute_tool":
        return name or span.name.removeprefix("execute_tool").strip()
    # Other operations, such as chat, may name a tool that they do not call.
    if operation is None and (name or given.get(METHOD) == CALL):
        return name or span.name.rpartition(CALL)[2].strip()
    if given.get("openinference.span.kind") == "TOOL":
        return str(given.get("tool.name") or span.name)
    return ""


def _observation(span: _Span, tool: str, given: Mapping[str, Any]) -> Observation:
    shown = _outcome(span, given)
    faulted = given.get(FAULTED) is True
    arguments = _parsed(_first(given, ARGUMENTS))
    seconds = (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9
    return Observation(
        tool,
        span.start_time_unix_nano / 1e9,
        # A faulted call's time is the fault's, and clocks of two machines can disagree.
        None if faulted or seconds < 0 else seconds,
        arguments if isinstance(arguments, Mapping) else None,
        None if faulted else shown,
        shown,
        faulted,
        by="" if given.get(BY) in (None, AGENT) else str(given[BY]),
    )


def _outcome(span: _Span, given: Mapping[str, Any]) -> Outcome:
    thrown = next((event for event in span.events if event.name == "exception"), None)
    raised = {one.key: _value(one.value) for one in thrown.attributes} if thrown is not None else {}
    named = given.get("error.type") or raised.get("exception.type")
    # Exporters write the code as a number, as a text or by its name.
    if named is None and span.status.code not in (2, "2", "STATUS_CODE_ERROR"):
        return _answer(_parsed(_first(given, RESULT))) if given.keys() & set(RESULT) else NOT_KEPT
    name = str(named or OTHER)
    status = given.get(STATUS, given.get("http.status_code"))
    # OpenTelemetry's conventions for HTTP put the status into `error.type` as text.
    if status is None and name.isdigit():
        status = int(name)
    message = span.status.message or str(raised.get("exception.message") or "")
    return Failure(message, type=name, status=_status(status), retry_after=_retry_after(given.get(RETRY_AFTER)))


def _answer(result: Any) -> Outcome:
    """The tool's answer; of a whole message of LangChain's, which OpenInference writes down, what is in it."""
    message = result.get("data") if isinstance(result, Mapping) and result.get("type") == "tool" else None
    if not isinstance(message, Mapping) or "content" not in message:
        return Value(result)
    if message.get("status") == "error":
        return Failure(str(message["content"]))
    return Value(_parsed(message["content"]))


def _status(value: Any) -> int | None:
    # A success status beside an error says nothing about the failure.
    return int(value) if isinstance(value, (int, float)) and 400 <= value <= 599 else None


def _retry_after(value: Any) -> float | None:
    """Seconds; a date, which the header may hold too, says nothing without the answer's own."""
    first = value[0] if isinstance(value, list) and value else value
    return seconds_invited(first) if isinstance(first, str) else None


def _first(given: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((given[name] for name in names if name in given), None)


def _parsed(value: Any) -> Any:
    """Structured content, which most instrumentations write as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _value(data: Mapping[str, Any]) -> Any:
    """An attribute's value from its typed form; None for an empty one."""
    for kind, item in data.items():
        match kind:
            case "intValue":
                # OTLP's JSON writes whole numbers as text, since they have 64 bits.
                return int(item)
            case "doubleValue":
                return float(item)
            case "arrayValue":
                return [_value(each) for each in item.get("values", ())]
            case "kvlistValue":
                return {each["key"]: _value(each.get("value", {})) for each in item.get("values", ())}
            case "stringValue" | "boolValue" | "bytesValue":
                return item
    return None
