"""A model's turn goes wrong, and its answer is well formed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import Call, Failure, Value
from sealegs.faults.fault import Fault, FaultSetting, Steps
from sealegs.faults.kinds.model_error import model_request
from sealegs.faults.model_apis import MODEL_APIS, ModelApi, Reply, ReplyCall
from sealegs.faults.model_apis.model_api import parsed_events

Form = Literal[
    "refusal",
    "length",
    "content_filter",
    "empty",
    "no_choices",
    "broken_arguments",
    "invented_tool",
    "repeated_call",
]
Request = Mapping[str, Any]
REFUSAL = "I'm sorry, but I can't help with that."


class AlteredReply(Fault):
    """The model answers, and its turn is changed in one way; where it cannot be, it passes unchanged."""

    implicit: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("model_api",)
    kind: Literal["altered_reply"] = "altered_reply"
    form: Form = Field(default="refusal", description="What becomes of the turn.")

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the model answer, and show the turn changed: a whole answer or the events of a stream."""
        truth = yield call
        api = MODEL_APIS.get(setting.spec.model_api) if setting.spec is not None else None
        if api is None or isinstance(truth, Failure):
            return truth
        request, value = model_request(call), truth.value
        streamed = isinstance(value, list)
        answer = api.gather(parsed_events(value)) if streamed else value
        if not isinstance(answer, Mapping):
            return truth
        changed = self._changed(api, answer, request, streamed, setting)
        if changed is None or changed == answer:
            return truth
        if not streamed:
            return Value(changed)
        # A stream of the chat API ends with its usage only for who asked for that.
        usage = bool((request.get("stream_options") or {}).get("include_usage"))
        return Value(list(api.stream(changed, usage)))

    def _changed(
        self, api: ModelApi, answer: Mapping[str, Any], request: Request, streamed: bool, setting: FaultSetting
    ) -> dict[str, Any] | None:
        if self.form == "no_choices":
            return api.without_reply(answer)
        if self.form == "broken_arguments" and api.streams_broken and not streamed:
            return None
        mark = f"{setting.draw.getrandbits(48):012x}"
        reply = CHANGES[self.form](api.read(answer), request, api, mark)
        return None if reply is None else api.write(answer, reply)


def _refused(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply:
    return Reply(REFUSAL, (), "refused")


def _cut(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply | None:
    """The first half of its words, or of the arguments of its last call."""
    if reply.calls:
        *before, last = reply.calls
        kept = () if api.streams_broken else (replace(last, arguments=_half(last.arguments)),)
        return replace(reply, calls=(*before, *kept), stop="length")
    return replace(reply, say=_half(reply.say), stop="length") if reply.say else None


def _filtered(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply:
    return Reply(_half(reply.say) if reply.say else "", (), "filtered")


def _emptied(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply:
    return Reply("")


def _broken(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply | None:
    """The arguments of its first call without their end."""
    if not reply.calls:
        return None
    first, *rest = reply.calls
    return replace(reply, calls=(replace(first, arguments=first.arguments[:-1].rstrip('"} ') + '"'), *rest))


def _invented(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply | None:
    """Its first call goes to a tool that it was not offered; a turn without calls gets such a call."""
    offered = api.offered(request)
    first, *rest = reply.calls or (ReplyCall(api.call_id(mark), "lookup", "{}"),)
    name = first.tool
    while name in offered or name == first.tool:
        name += "_v2"
    return replace(reply, calls=(replace(first, tool=name), *rest))


def _repeated(reply: Reply, request: Request, api: ModelApi, mark: str) -> Reply | None:
    """A turn with the calls of the last one once more, in place of what the model would do now."""
    last = api.last_calls(request)
    calls = [ReplyCall(api.call_id(f"{mark}{at}"), tool, text) for at, (tool, text) in enumerate(last)]
    return Reply(None, tuple(calls)) if calls else None


def _half(text: str) -> str:
    return text[: (len(text) + 1) // 2]


CHANGES: Mapping[str, Callable[[Reply, Request, ModelApi, str], Reply | None]] = MappingProxyType(
    {
        "refusal": _refused,
        "length": _cut,
        "content_filter": _filtered,
        "empty": _emptied,
        "broken_arguments": _broken,
        "invented_tool": _invented,
        "repeated_call": _repeated,
    }
)
