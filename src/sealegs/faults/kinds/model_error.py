"""A model's interface answers with an error of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import Call, Moment
from sealegs.faults.chunks import run_to_chunk
from sealegs.faults.fault import Count, Fault, FaultSetting, Seconds, Steps
from sealegs.faults.model_apis import MODEL_APIS
from sealegs.faults.model_apis.model_api import Problem


class ModelError(Fault):
    """The model does not answer; its interface says why, in its own words.

    With `after`, a request that asks for a stream gets so many events first and then the error as one of them; a stream
    of no more events passes unchanged.
    """

    implicit: ClassVar[bool] = False
    streamed: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("model_api",)
    moments: ClassVar[tuple[Moment, ...]] = ("before",)
    optional: ClassVar[tuple[str, ...]] = ("retry_after", "after")
    kind: Literal["model_error"] = "model_error"
    error: Problem = Field(default="overloaded", description="What the interface says is wrong.")
    retry_after: Seconds | None = Field(
        default=None, description="Seconds after which it invites another try; none unless given."
    )
    after: Count | None = Field(
        default=None, description="Events of a stream that arrive before it; unless given, it comes first."
    )

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Answer at once, or in the middle of a stream."""
        api = MODEL_APIS.get(setting.spec.model_api) if setting.spec is not None else None
        if api is None:
            return (yield call)
        request = model_request(call)
        failure = api.failure(self.error, str(request.get("model", "")), self.retry_after)
        if self.after is None or not request.get("stream"):
            return failure
        shown = yield from run_to_chunk(call, self.after)
        return failure if shown is None else shown


def model_request(call: Call) -> Mapping[str, Any]:
    """The body of a request to a model."""
    body = call.arguments.get("body")
    return body if isinstance(body, Mapping) else {}
