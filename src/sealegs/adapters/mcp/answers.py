"""An MCP server's answers as outcomes, and outcomes as its answers.

A tool's answer is data where it holds data: `structuredContent`, else text that is JSON, else the text. A fault that
changes it changes both forms alike, and leaves pictures and whatever else stands beside them. An answer that is made
without the tool's own has the form that the tool announces. A failure is shown as a tool error (`isError`), as most
servers show a tool that raised; with a JSON-RPC `code` in its body as a protocol error; and where a connection was
cut (`connection` in mode reset, `hang` with seconds, `lost_ack` in mode connection), the connection to the client is
cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, Literal

from sealegs.adapters.mcp.framing import Message, RequestId
from sealegs.faults.call import Failure, Outcome, Value, raised_text, render

INTERNAL_ERROR = -32603
BLOCKS = frozenset(("text", "image", "audio", "resource", "resource_link"))
CUT = (ConnectionResetError, ConnectionAbortedError)
UNKNOWN: Final = "unknown"  # the schema of the answers of a tool that was not listed
OutputSchema = Mapping[str, Any] | Literal["unknown"] | None  # None: the tool announces none


def call_outcome(answer: Message) -> Outcome:
    """The outcome in a server's answer to tools/call."""
    if "error" in answer:
        return _protocol_error(answer["error"])
    result = _final(answer.get("result"), "content")
    if result is None:
        return Failure("The tool asks for more before it answers.", type="Unfinished")
    if result.get("isError") is True:
        return _tool_error("\n".join(_texts(result["content"])))
    return Value(_data(result))


def http_failure(answer: Message | None, status: int, retry_after: float | None) -> Failure:
    """The failure in an answer with an HTTP status other than success, be it a message or not."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = f"HTTP {status}"
    if answer is None or "error" not in answer:
        return Failure(phrase, "".join(filter(str.isalnum, phrase.title())), status, retry_after)
    return replace(_protocol_error(answer["error"]), status=status, retry_after=retry_after)


def list_outcome(answer: Message) -> Outcome:
    """The outcome in a server's answer to tools/list: its tools by name."""
    if "error" in answer:
        return _protocol_error(answer["error"])
    result = _final(answer.get("result"), "tools")
    if result is None:
        return Failure("The server lists no tools.", type="Unfinished")
    return Value({str(tool.get("name")): tool for tool in result["tools"] if isinstance(tool, dict)})


def cuts_connection(outcome: Outcome) -> bool:
    """Return whether the outcome is shown by cutting the connection."""
    return isinstance(outcome, Failure) and isinstance(outcome.exception, CUT)


def call_answer(
    outcome: Outcome, id: RequestId, truth: Message | None, modern: bool, schema: OutputSchema = UNKNOWN
) -> Message:
    """The answer to tools/call that shows this.

    Args:
        outcome: what the client is to see; none that is `cut`.
        id: of the request.
        truth: the server's own answer, whose form is kept; None where it was not called.
        modern: whether the request is of the stateless era.
        schema: of the tool's answers, for one that is made without the server's own.
    """
    if isinstance(outcome, Failure):
        error = _error(outcome)
        if error is not None:
            return {"jsonrpc": "2.0", "id": id, "error": error}
        result: dict[str, Any] = {"content": [_text(raised_text(outcome))], "isError": True}
    else:
        true_result = truth.get("result") if truth is not None else None
        before = true_result if isinstance(true_result, dict) and isinstance(true_result.get("content"), list) else None
        result = _made(outcome.value, schema) if before is None else _with_data(before, outcome.value)
    if modern:
        result.setdefault("resultType", "complete")
    return {"jsonrpc": "2.0", "id": id, "result": result}


def list_answer(outcome: Outcome, id: RequestId, truth: Message | None, modern: bool) -> Message:
    """The answer to tools/list that shows this; for the arguments see `call_answer`."""
    if isinstance(outcome, Failure):
        error = _error(outcome) or {"code": INTERNAL_ERROR, "message": raised_text(outcome)}
        return {"jsonrpc": "2.0", "id": id, "error": error}
    value = outcome.value
    # Rules see the list as an object by the tools' names; the protocol has a list.
    if isinstance(value, Mapping):
        value = [{**tool, "name": name} if isinstance(tool, Mapping) else tool for name, tool in value.items()]
    true_result = truth.get("result") if truth is not None else None
    result = {**(true_result if isinstance(true_result, dict) else {}), "tools": value}
    if modern:
        result.setdefault("resultType", "complete")
    return {"jsonrpc": "2.0", "id": id, "result": result}


def _final(result: Any, key: str) -> dict[str, Any] | None:
    """A result that holds its list under this key; None where it is another, such as a question to the client."""
    if not isinstance(result, dict) or result.get("resultType", "complete") != "complete":
        return None
    return result if isinstance(result.get(key), list) else None


def _tool_error(text: str) -> Failure:
    """A tool's error; one that its tool tells as JSON of an error (`render` writes such) with all that this says."""
    data = _parsed(text)
    error = data.get("error") if isinstance(data, dict) and data.keys() == {"error"} else None
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return Failure(text, type="ToolError")
    status, after = error.get("status"), error.get("retry_after")
    known = ("message", "type", "status", "retry_after")
    return Failure(
        error["message"],
        type=str(error.get("type", "ToolError")),
        # JSON's true is an int in Python.
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        retry_after=after if isinstance(after, (int, float)) and not isinstance(after, bool) else None,
        body={key: value for key, value in error.items() if key not in known} or None,
    )


def _protocol_error(error: Any) -> Failure:
    fields = error if isinstance(error, dict) else {}
    body = {key: fields[key] for key in ("code", "data") if key in fields}
    return Failure(str(fields.get("message", "")), type="JSONRPCError", body=body)


def _error(failure: Failure) -> dict[str, Any] | None:
    """The protocol error that a failure asks for with a `code` in its body; None where it asks for none."""
    body = failure.body or {}
    code = body.get("code")
    if not isinstance(code, int) or isinstance(code, bool):
        return None
    error: dict[str, Any] = {"code": code, "message": failure.message}
    return {**error, "data": body["data"]} if "data" in body else error


def _texts(content: list[Any]) -> list[str]:
    return [str(block.get("text", "")) for block in content if _is_text(block)]


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _parsed(text: str) -> Any:
    """The data that a text is; a text that is not an object, a list or a number is itself."""
    # `true`, `null` and quoted text stay text, as they may be words.
    if not text or text[0] not in "{[-0123456789":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _data_of_texts(content: list[Any]) -> Any:
    """The data in the texts of an answer: that of the only one, or a list; without texts, the blocks themselves."""
    data = [_parsed(text) for text in _texts(content)]
    if not data:
        return content
    return data[0] if len(data) == 1 else data


def _data(result: Mapping[str, Any]) -> Any:
    structured = result.get("structuredContent")
    if structured is None:
        return _data_of_texts(result["content"])
    return structured["result"] if _wrapped(result) else structured


def _wrapped(result: Mapping[str, Any]) -> bool:
    """Return whether an answer is `{"result": ...}` around a value that is no object, as servers have to send one."""
    structured = result.get("structuredContent")
    # A tool may answer with a field `result` of its own; then the text holds the whole object.
    return (
        isinstance(structured, dict)
        and structured.keys() == {"result"}
        and _data_of_texts(result["content"]) != structured
    )


def _made(value: Any, schema: OutputSchema) -> dict[str, Any]:
    """The result of this value where the tool's own answer shows no form.

    Clients refuse an answer without `structuredContent` if the tool announces a schema, and one that breaks it, but not
    an error. So what cannot be put in the schema's form is an error, whose text says the value.
    """
    result: dict[str, Any] = {"content": [_text(render(Value(value)))]}
    if schema == UNKNOWN:
        # Allowed of any tool, and needed of one that announces a schema.
        return {**result, "structuredContent": value} if isinstance(value, Mapping) else result
    if schema is None:
        return result
    fitting = next((form for form in _forms(value, schema) if _fits(form, schema)), None)
    return {**result, "isError": True} if fitting is None else {**result, "structuredContent": fitting}


def _forms(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """The forms in which servers send a value, the nearest first."""
    yield value
    fields = schema.get("properties")
    if isinstance(value, Mapping) and isinstance(fields, Mapping) and not fields.keys().isdisjoint(value):
        yield {name: item for name, item in value.items() if name in fields}  # a note stays in the text
    yield {"result": value}
    yield {"result": render(Value(value))}


def _fits(form: Any, schema: Mapping[str, Any]) -> bool:
    from sealegs.faults.invariants import Present  # loaded only for answers that are made

    try:
        return bool(Present(schema).validator.is_valid(form))
    except ValueError:  # a schema that is none, or data that is not JSON
        return True


def _with_data(before: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The result of this value, in the form of the result before."""
    result = {**before, "content": _content(before["content"], value)}
    if before.get("structuredContent") is not None:
        # Set again below only if the new value still has its form; both forms must never disagree.
        del result["structuredContent"]
        if _wrapped(before):
            if not _broken(before["structuredContent"]["result"], value):
                result["structuredContent"] = {"result": value}
        elif isinstance(value, Mapping):
            result["structuredContent"] = value
    return result


def _broken(before: Any, value: Any) -> bool:
    """Return whether the value is the text of what was data before."""
    return isinstance(value, str) and not isinstance(before, str)


def _content(before: list[Any], value: Any) -> list[Any]:
    """The blocks that say the value: text by text where there were several, and what is not text where it was."""
    texts = _texts(before)
    if not texts:
        return [item if _is_block(item) else _text(_say(item, None)) for item in _listed(value)]
    # Written as the server wrote it, so that the form does not give the change away.
    indent = 2 if any("\n " in text for text in texts) else None
    blocks = [_text(_say(item, indent)) for item in (_listed(value) if len(texts) > 1 else [value])]
    # Pictures before the first text stay before it.
    place = next(index for index, block in enumerate(before) if _is_text(block))
    return [*before[:place], *blocks, *(block for block in before[place:] if not _is_text(block))]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_block(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("type"), str) and item["type"] in BLOCKS


def _say(value: Any, indent: int | None) -> str:
    if isinstance(value, str) or indent is None:
        return render(Value(value))
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
