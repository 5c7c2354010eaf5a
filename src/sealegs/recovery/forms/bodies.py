"""Failures in JSON, by their fields: what clouds, model APIs, MCP and web frameworks send when something failed.

Each reader knows one family and returns None for anything else; the first that knows a body is believed. What none of
them knows is taken for a tool's answer, and so is a form that good answers have, too, if its words tell of no failure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.recovery.masking import masked
from sealegs.recovery.signature import Signature

UNNAMED = "ToolError"
NO_CALL = Call("", {})
RPC = {
    -32700: "ParseError",
    -32600: "InvalidRequest",
    -32601: "MethodNotFound",
    -32602: "InvalidParams",
    -32603: "InternalError",
    -32000: "ServerError",
    -32001: "RequestTimeout",
    -32002: "ResourceNotFound",
}
_COMPLAINT = re.compile(r"\bmust\b|required|invalid|\bnot a valid\b|may not be|unknown field", re.IGNORECASE)
# A validator speaks of the value without naming it, or names the field.
_PREDICATE = re.compile(
    r"(?:this|a valid|are|can(?:not|'t)?|ensure|enter|expected|field|has|input|invalid|is|may|missing|must|not|please|"
    r"required|should|unknown|value)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:no such|not|cannot|can't|could|unable|inactive|incorrect|invalid|missing|must|required|unknown|already|"
    r"denied|disabled|exceeded|expired|failed|error)\b",
    re.IGNORECASE,
)
_PLEA = re.compile(r"\bplease (?:consider|subscribe|visit|claim)\b", re.IGNORECASE)
_LIMIT = re.compile(r"\bAPI (?:call frequency|requests|rate limit|key)\b")
# Fields that error bodies have, without capitals, `_` and `-`; other fields that are not empty are data.
OWN = {
    *("code", "cod", "error", "errorcode", "errordescription", "errormessage", "errormessages", "errors", "errortype"),
    *(
        "message",
        "messages",
        "msg",
        "detail",
        "details",
        "title",
        "description",
        "info",
        "reason",
        "hint",
        "name",
        "type",
    ),
    *("status", "statuscode", "httpstatus", "ok", "success", "exception", "stack", "trace", "retryafter", "limit"),
    *("remaining", "reset", "field", "fields", "param", "parameter", "parameters", "path", "method", "instance"),
    *("timestamp", "correlationid", "debugid", "id", "requestid", "traceid", "extensions", "jsonrpc", "links", "meta"),
    *("docurl", "documentationurl", "help", "helpurl", "moreinfo"),
}
DOCUMENTATION = ("documentation_url", "doc_url", "more_info", "help_url", "helpUrl", "debug_id")
NAMELESS = frozenset({"error", "ERROR", "about:blank", "fail", "failed"})
GRPC = {"UNAUTHENTICATED": "Unauthenticated", "CANCELLED": "Cancelled", "CANCELED": "Cancelled"}


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A call's outcome, read from a body of JSON.

    Attributes:
        outcome: what came of the call.
        shape: the family of bodies.
        call: the call, as far as it is given.
        given: what is wrong with the answer, where the body says so.
        inner: the message may itself be an error's text.
        sure: the form is that of a failure; otherwise its words must tell of one.
    """

    outcome: Outcome
    shape: str
    call: Call = NO_CALL
    given: Signature | None = None
    inner: bool = False
    sure: bool = True


def read_json_body(data: Any) -> JsonBody | None:
    """The failure that this data reports; None where it reports none."""
    if isinstance(data, Sequence) and not isinstance(data, str):
        return _issues(data) or _coded(data)
    if not isinstance(data, Mapping):
        return None
    return next((found for reader in READERS if (found := reader(data)) is not None), None)


def rpc_name(code: int) -> str:
    """A JSON-RPC code's name (JSON-RPC 2.0, MCP)."""
    return RPC.get(code, f"JsonRpc{code}")


def grpc_name(code: str) -> str:
    """A gRPC code's name as one word: `DEADLINE_EXCEEDED` and `DeadlineExceeded` alike."""
    if code.isupper():
        return GRPC.get(code, code.title().replace("_", ""))
    return GRPC.get(code.upper(), code)


def _outcome(data: Mapping[str, Any]) -> JsonBody | None:
    """An outcome as records hold it, with or without its call."""
    call = _call(data)
    inside = data.get("outcome", data)
    if not isinstance(inside, Mapping):
        return None
    failure = inside.get("failure")
    # A tool's own answer may have such fields: they are an outcome only alone, or beside what records write.
    if not {"tool", "call", "outcome"} & data.keys() and len(inside) > 1:
        return None
    if isinstance(failure, Mapping) and isinstance(failure.get("message"), str):
        return JsonBody(_failure(failure, failure["message"]), "outcome", call)
    if "value" in inside:
        return JsonBody(Value(inside["value"]), "outcome", call, _given(data))
    return None


def _given(data: Mapping[str, Any]) -> Signature | None:
    families, schema, reasons = (_listed(data.get(name)) for name in ("invariants", "schema", "reasons"))
    if not families and not schema:
        return None
    return Signature(message=masked("; ".join(reasons)), schema=schema, invariants=families)


def _listed(given: Any) -> tuple[str, ...]:
    """The items of a list as texts; none of anything else."""
    return tuple(map(str, given)) if isinstance(given, list | tuple) else ()


def _rpc(data: Mapping[str, Any]) -> JsonBody | None:
    error = data.get("error")
    if not isinstance(error, Mapping) or not isinstance(error.get("code"), int):
        return None
    code = error["code"]
    # JSON-RPC keeps the numbers up to -32000 for itself; any other is some application's own code.
    if "jsonrpc" not in data and code > -32000:
        return None
    return JsonBody(Failure(_text(error.get("message")), rpc_name(code)), "json-rpc", inner=code in (-32000, -32603))


def _mcp(data: Mapping[str, Any]) -> JsonBody | None:
    result = data.get("result", data)
    if not isinstance(result, Mapping) or not result.get("isError", result.get("is_error", False)):
        return None
    return JsonBody(Failure(_content(result.get("content")), UNNAMED), "mcp-result", _call(data), inner=True)


def _message(data: Mapping[str, Any]) -> JsonBody | None:
    """A tool's message in a conversation with a model."""
    is_tool = data.get("role") == "tool" or data.get("type") in ("tool", "tool_result", "function_call_output")
    if not is_tool:
        return None
    mark, state = data.get("is_error", data.get("isError")), data.get("status")
    if mark is False or state == "success":
        return None
    text = _content(data.get("content", data.get("output")))
    call = Call(_text(data.get("name")), {})
    return JsonBody(Failure(text, UNNAMED), "tool-message", call, inner=True, sure=bool(mark) or state == "error")


def _error(data: Mapping[str, Any]) -> JsonBody | None:
    """Read `{"error": ...}`, as most model APIs and clouds send it."""
    error = data.get("error", data.get("Error", data.get("errors")))
    if isinstance(error, str) and error:
        text = _text(data.get("message") or data.get("error_description") or data.get("exception"))
        return JsonBody(_failure(data, text or error, name=error if text else ""), "error-body", inner=not text)
    if isinstance(error, Sequence) and not isinstance(error, str) and error and isinstance(error[0], Mapping):
        if _is_data(data):  # a linter's findings, for one
            return None
        first = error[0]
        extensions = first.get("extensions")
        named = extensions if isinstance(extensions, Mapping) else first
        return JsonBody(_failure({**data, **named}, _text(first.get("message"))), "graphql")
    if isinstance(error, Mapping):
        # The inner object comes last, since it says more; without a name of its own, its message is read once more.
        return JsonBody(_failure({**data, **error}, _error_message(error)), "error-body", inner=not _name(error))
    return None


def _aws(data: Mapping[str, Any]) -> JsonBody | None:
    name = data.get("__type", data.get("errorType"))
    if not isinstance(name, str):
        return None
    # Typed data has `__type` as well; an error has its words alone.
    if "errorType" not in data and not re.search("#|(?:Exception|Error|Fault)$", name) and _foreign(data):
        return None
    text = _text(data.get("message") or data.get("Message") or data.get("errorMessage"))
    return JsonBody(Failure(text, name.rsplit("#", 1)[-1].rsplit(".", 1)[-1]), "aws-body")


def _problem(data: Mapping[str, Any]) -> JsonBody | None:
    """Read RFC 9457 problems, and any body with a failing status and a sentence."""
    status = _status(data)
    text = _text(data.get("detail") or data.get("message") or data.get("title"))
    if not text and not _foreign(data):
        text = _text(data.get("reason"))  # which orders and bookings have, too
    if status is None or status < 400 or not text or (_is_data(data) and "://" not in _text(data.get("type"))):
        return None
    return JsonBody(_failure(data, text), "problem")


def _marked(data: Mapping[str, Any]) -> JsonBody | None:
    """Read bodies that say in a field of its own that the call failed, beside a sentence."""
    code = data.get("error_code", data.get("errorCode"))
    own = _text(data.get("error_message") or data.get("errorMessage"))
    text = own or _error_message(data, "")
    denied = data.get("ok") is False or data.get("success") is False
    if not text or _is_data(data) or not (own or denied or _is_code(code)):
        return None
    return JsonBody(_failure(data, text), "marked")


def _named(data: Mapping[str, Any]) -> JsonBody | None:
    """Read a sentence beside an error's name, or beside a link to what explains it."""
    name, text = data.get("code", data.get("name")), _text(data.get("message"))
    named = isinstance(name, str) and name.isupper() and "_" in name
    if not text or _foreign(data) or not (named or any(field in data for field in DOCUMENTATION)):
        return None
    return JsonBody(_failure(data, text), "marked", sure=False)


def _notice(data: Mapping[str, Any]) -> JsonBody | None:
    """Read a notice that came in place of the answer, as Alpha Vantage sends it with status 200."""
    if len(data) != 1:
        return None
    ((field, text),) = data.items()
    if not isinstance(text, str) or field not in ("Information", "Note", "Error Message"):
        return None
    if field == "Error Message":
        return JsonBody(Failure(text, UNNAMED), "marked") if text else None
    # People keep notes on limits and keys, too: only a refusal asks whoever called to mind them.
    asked = _PLEA.search(text) is not None and _LIMIT.search(text) is not None
    return JsonBody(Failure(text, UNNAMED), "marked", sure=False) if asked else None


def _coded(data: Sequence[Any]) -> JsonBody | None:
    """Read lists of errors with codes, as Salesforce sends them."""
    known = all(isinstance(item, Mapping) and _is_code(item.get("errorCode")) for item in data)
    return _marked(data[0]) if data and known else None


def _user_errors(data: Mapping[str, Any]) -> JsonBody | None:
    """Read the errors inside the data of a GraphQL mutation, as Shopify sends them."""
    results = data.get("data")
    for result in results.values() if isinstance(results, Mapping) else ():
        for name, errors in result.items() if isinstance(result, Mapping) else ():
            if str(name).lower().endswith("usererrors") and isinstance(errors, list) and errors:
                texts = [_error_message(error) if isinstance(error, Mapping) else _text(error) for error in errors]
                return JsonBody(Failure("; ".join(texts), "UserError"), "issues")
    return None


def _detail(data: Mapping[str, Any]) -> JsonBody | None:
    """Read FastAPI's errors."""
    detail = data.get("detail")
    if isinstance(detail, str) and len(data) <= 2:
        sure = _REFUSAL.search(detail) is not None
        return JsonBody(Failure(detail, UNNAMED, _status(data)), "detail", inner=True, sure=sure)
    return _issues(detail) if isinstance(detail, Sequence) else None


def _issues(data: Any) -> JsonBody | None:
    """Read lists of validation errors: pydantic, FastAPI, zod."""
    if isinstance(data, str) or not data or not all(isinstance(item, Mapping) for item in data):
        return None
    issues = []
    for item in data:
        text, place = item.get("msg", item.get("message")), item.get("loc", item.get("path"))
        if not isinstance(text, str) or place is None:
            return None
        # Mails and commits have a text and a path, too; validators name the rule, or complain.
        if "loc" not in item and not {"type", "code"} & item.keys() and not _COMPLAINT.search(text):
            return None
        where = ".".join(map(str, place)) if isinstance(place, (list, tuple)) else str(place)
        issues.append(f"{where}: {text}")
    return JsonBody(Failure("; ".join(issues), "ValidationError"), "issues")


def _by_field(data: Mapping[str, Any]) -> JsonBody | None:
    """Read a list of complaints for each field: marshmallow, Django REST framework, Rails."""
    issues = []
    for field, texts in data.items():
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            return None
        named = str(field).replace("_", " ").lower()
        if not all(_PREDICATE.match(text) or text.lower().startswith(named) for text in texts):
            return None
        issues.append(f"{field}: {' '.join(texts)}")
    # Any object of lists of texts has this form, so the texts must read like complaints of a field.
    if not issues or not all(_COMPLAINT.search(text) for text in issues):
        return None
    return JsonBody(Failure("; ".join(issues), "ValidationError"), "issues")


Reader = Callable[[Mapping[str, Any]], JsonBody | None]
# The first that fits counts: forms that name their protocol come before those known by a field that others have, too.
READERS: tuple[Reader, ...] = (
    *(_outcome, _rpc, _message, _mcp, _error, _user_errors, _aws),
    *(_problem, _marked, _named, _notice, _detail, _by_field),
)


def _foreign(data: Mapping[str, Any]) -> int:
    """The number of fields that error bodies do not have; empty ones do not count."""
    filled = (str(field) for field, value in data.items() if value not in (None, "", [], {}))
    return sum(field.lower().replace("_", "").replace("-", "") not in OWN for field in filled)


def _is_data(data: Mapping[str, Any]) -> bool:
    """Return whether most fields are none of an error body."""
    return 2 * _foreign(data) > len(data)


def _is_code(code: Any) -> bool:
    """Return whether an error's code names an error, rather than that there is none."""
    if isinstance(code, str):
        return code.strip("0").upper() not in ("", "OK", "NONE", "SUCCESS", "NO_ERROR")
    return isinstance(code, int) and bool(code)


def _failure(data: Mapping[str, Any], message: str, name: str = "") -> Failure:
    after = data.get("retry_after", data.get("retryAfter"))
    return Failure(
        message,
        name or _name(data) or UNNAMED,
        _status(data),
        float(after) if isinstance(after, (int, float)) and not isinstance(after, bool) else None,
    )


def _name(data: Mapping[str, Any]) -> str:
    """An error's name: of several fields, the one that says most."""
    for field in ("code", "Code", "errorCode", "error_code", "type", "status", "name", "reason"):
        value = data.get(field)
        if isinstance(value, str) and value and not value.isdigit() and value not in NAMELESS and "://" not in value:
            return grpc_name(value) if value.isupper() and "_" in value else value
    return ""


def _status(data: Mapping[str, Any]) -> int | None:
    for field in ("status", "status_code", "statusCode", "code", "cod", "httpStatus", "error_code", "errorCode"):
        value = data.get(field)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        # `true` is an int in Python, and many bodies have codes that are not HTTP statuses.
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
            return value
    return None


def _error_message(error: Mapping[str, Any], otherwise: str | None = None) -> str:
    """An error's sentence; all of the error, or what is given, where it has none."""
    for field in ("message", "Message", "reason", "detail", "description", "info", "msg"):
        if isinstance(error.get(field), str):
            return str(error[field])
    return _text(error) if otherwise is None else otherwise


def _call(data: Mapping[str, Any]) -> Call:
    inside = data.get("call", data)
    if not isinstance(inside, Mapping) or not isinstance(inside.get("tool"), str):
        return NO_CALL
    arguments = inside.get("arguments")
    return Call(inside["tool"], arguments if isinstance(arguments, Mapping) else {}, _text(inside.get("id")))


def _content(content: Any) -> str:
    """The text of a message's content."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        return "\n".join(_text(part.get("text")) if isinstance(part, Mapping) else _text(part) for part in content)
    return _text(content)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
