"""An agent behind an HTTP address, whose server runs `sealegs.adapters.asgi.FaultsMiddleware`.

The plan goes ahead of each request to the middleware, and the record is fetched from it afterwards. The request is a
POST of `{"input": ...}`; the answer is the text of the response, or of JSON its field `answer`, `output` or `text`.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sealegs.experiments.foreign_records import enter_foreign_events
from sealegs.experiments.run_harness import RunHarness
from sealegs.faults.user_error import UserError
from sealegs.inject.remote_episode import HEADER, PATH, TOKEN
from sealegs.traces import decode_event

FIELDS = ("answer", "output", "text")


class EndpointFailed(Exception):
    """The endpoint answered with an error, or not at all."""


@dataclass(frozen=True)
class EndpointAgent:
    """An address; `name` is the address."""

    name: str

    def run(self, harness: RunHarness) -> Any:
        """Hand over the plan, make the request, and enter what was recorded there.

        Raises:
            UserError: the server does not run the middleware.
            EndpointFailed: the request failed.
        """
        id = uuid.uuid4().hex
        parts = urlsplit(self.name)
        place = f"{parts.scheme}://{parts.netloc}{PATH}/{id}"
        handed = {"plan": harness.plan.model_dump(mode="json", by_alias=True), "episode": harness.episode}
        status, text = _request("PUT", place, json.dumps(handed).encode(), {}, harness.time_limit)
        if status != 204:
            raise UserError(
                f"{parts.netloc} does not take a fault plan (status {status}: {text[:200]!r}); wrap the agent's app in "
                "sealegs.adapters.asgi.FaultsMiddleware, see docs/your-agent.md"
            )
        try:
            status, text = _request(
                "POST", self.name, json.dumps({"input": harness.input}).encode(), {HEADER: id}, harness.time_limit
            )
        finally:
            _, lines = _request("DELETE", place, None, {}, harness.time_limit)
            enter_foreign_events((decode_event(json.loads(one)) for one in lines.splitlines()), harness.recorder)
        if status >= 400:
            raise EndpointFailed(f"status {status}: {text[:300]}")
        return _answer(text)


def _request(method: str, url: str, body: bytes | None, headers: dict[str, str], limit: float) -> tuple[int, str]:
    token = os.environ.get("SEALEGS_TOKEN")
    sent = {"Content-Type": "application/json", **({TOKEN: token} if token else {}), **headers}
    request = urllib.request.Request(url, body, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=limit) as response:
            return response.status, response.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode("utf-8", "replace")
    except urllib.error.URLError as error:
        # Sent before any run: the server is not there at all, which is the user's mistake and no failure of the agent.
        if method == "PUT":
            raise UserError(f"{url} cannot be reached ({error.reason}); start the agent's server first") from error
        raise EndpointFailed(f"{url}: {error.reason}") from error
    except OSError as error:
        raise EndpointFailed(f"{url}: {error}") from error


def _answer(text: str) -> Any:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return next((data[name] for name in FIELDS if name in data), data) if isinstance(data, dict) else data
