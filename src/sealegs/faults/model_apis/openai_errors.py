"""The errors of OpenAI's interfaces.

Source: https://platform.openai.com/docs/guides/error-codes and .../rate-limits, and the texts that the service sends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sealegs.faults.call import Failure
from sealegs.faults.model_apis.model_api import ApiError, Headers, ModelApi, Problem, duration

LIMITS = "https://platform.openai.com/account/rate-limits"
ERRORS = "https://platform.openai.com/docs/guides/error-codes/api-errors"
OPENAI_PROBLEMS: Mapping[Problem, ApiError] = {
    "request_limit": ApiError(
        429,
        "requests",
        "Rate limit reached for {model} in organization org-sealegs on requests per min (RPM): Limit 500, Used 500, "
        f"Requested 1. Please try again in {{wait}}. Visit {LIMITS} to learn more.",
        code="rate_limit_exceeded",
        limit="requests",
    ),
    "token_limit": ApiError(
        429,
        "tokens",
        "Rate limit reached for {model} in organization org-sealegs on tokens per min (TPM): Limit 30000, Used 29400, "
        f"Requested 1600. Please try again in {{wait}}. Visit {LIMITS} to learn more.",
        code="rate_limit_exceeded",
        limit="tokens",
    ),
    "quota": ApiError(
        429,
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        f"error, read the docs: {ERRORS}.",
        code="insufficient_quota",
    ),
    "overloaded": ApiError(503, "server_error", "The engine is currently overloaded, please try again later"),
    "server_error": ApiError(
        500, "server_error", "The server had an error while processing your request. Sorry about that!"
    ),
    "unavailable": ApiError(503, "server_error", "Service temporarily unavailable. Please try again later."),
    "context_length": ApiError(
        400,
        "invalid_request_error",
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 131417 tokens. "
        "Please reduce the length of the messages.",
        code="context_length_exceeded",
        param="messages",
    ),
    "content_filter": ApiError(
        400,
        "invalid_request_error",
        "The response was filtered due to the prompt triggering the content management policy. Please modify your "
        "prompt and retry.",
        code="content_filter",
        param="prompt",
    ),
}
# Limit and what is left of it, as in the messages above.
QUOTAS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "requests": {"requests": (500, 0), "tokens": (30000, 28400)},
    "tokens": {"requests": (500, 499), "tokens": (30000, 600)},
}


class OpenAIErrors(ModelApi):
    """The errors that OpenAI's interfaces share."""

    problems = OPENAI_PROBLEMS
    types = {
        400: "invalid_request_error",
        401: "invalid_request_error",
        404: "invalid_request_error",
        429: "requests",
        500: "server_error",
    }
    own_type = re.compile("requests|tokens|insufficient_quota|[a-z]+_error")

    def detail(self, failure: Failure) -> dict[str, Any]:
        """An error's own object."""
        given = failure.body or {}
        code = given.get("code")
        if code is None and failure.status == 429:
            code = "rate_limit_exceeded"
        if code is None and failure.status == 401:
            code = "invalid_api_key"
        return {
            "message": failure.message,
            "type": self.error_type(failure),
            "param": given.get("param"),
            "code": code,
        }

    def error(self, failure: Failure) -> dict[str, Any]:
        """The body of an error."""
        return {"error": self.detail(failure)}

    def headers(self, failure: Failure, now: datetime) -> Headers:
        """Its request's id, and for a limit what is left of it and how long to wait."""
        found = [("x-request-id", self.request_id(failure))]
        wait = failure.retry_after
        if wait is not None:
            found += [("retry-after", str(math.ceil(wait))), ("retry-after-ms", str(round(wait * 1000)))]
        if self.detail(failure)["code"] == "rate_limit_exceeded":
            limit = "tokens" if self.error_type(failure) == "tokens" else "requests"
            for name, (most, left) in QUOTAS[limit].items():
                reset = duration(wait or 1.0) if name == limit else "0s"
                found += [
                    (f"x-ratelimit-limit-{name}", str(most)),
                    (f"x-ratelimit-remaining-{name}", str(left)),
                    (f"x-ratelimit-reset-{name}", reset),
                ]
        return found
