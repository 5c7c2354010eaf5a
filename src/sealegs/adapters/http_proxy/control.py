"""The switch as an endpoint on this machine: `GET /`, `POST /on`, `POST /off`, `PUT /plan`.

It listens on a port of its own, so that it can never stand in the way of the server's paths, and on the loopback
interface alone. Pages are refused by their `Origin`, other names by the `Host`; a token keeps other users out.
"""

from __future__ import annotations

import hmac

from aiohttp import web

from sealegs.adapters.http_proxy.plan_switch import PlanSwitch
from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.request_rules import LOOPBACK
from sealegs.faults.plan_files import plan_from_text
from sealegs.faults.problems import PlanError
from sealegs.faults.user_error import UserError
from sealegs.inject.remote_episode import TOKEN

HERE = "127.0.0.1"
WAYS = "GET /, POST /on, POST /off, PUT /plan"


class Control:
    """Answers who switches.

    Args:
        switch: what is switched.
        token: what a request must carry; empty for nothing.
        episode: the name of episodes that are not named.
    """

    def __init__(self, switch: PlanSwitch, token: str, episode: str) -> None:
        self._switch = switch
        self._token = token
        self._episode = episode
        self._guard = RequestGuard(min(LOOPBACK))

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        refusal = self._guard.refusal(request)
        if refusal is not None:
            return refusal
        # Compared in constant time, and as bytes: texts with other signs than ASCII's would raise here.
        if self._token and not hmac.compare_digest(_bytes(request.headers.get(TOKEN, "")), _bytes(self._token)):
            return web.Response(status=403, text=f"give the token of SEALEGS_TOKEN in the header {TOKEN}\n")
        route = (request.method, request.path)
        try:
            if route in (("POST", "/on"), ("POST", "/off")):
                self._switch.turn(on=route[1] == "/on")
            elif route == ("PUT", "/plan"):
                refusal = await self._loaded(request)
                if refusal is not None:
                    return refusal
            elif route != ("GET", "/"):
                return web.Response(status=404, text=f"there is no {' '.join(route)}; there are {WAYS}\n")
        except UserError as error:
            return web.Response(status=409, text=f"{error}\n")
        return web.json_response(self._switch.state())

    async def _loaded(self, request: web.BaseRequest) -> web.Response | None:
        """Load the plan in the request's body, or refuse a body that is not a plan."""
        body = await self._guard.body(request)
        try:
            plan = plan_from_text(body.decode(), imports=False)
        except UnicodeDecodeError as error:
            return web.Response(status=400, text=f"the plan is not UTF-8 text (byte {error.start})\n")
        except PlanError as error:
            return web.Response(status=400, text=f"{error}\n")
        await self._switch.load(plan, request.query.get("episode", self._episode))
        return None


def _bytes(text: str) -> bytes:
    """A header's text or a variable's, as the bytes that it came in."""
    return text.encode(errors="surrogateescape")
