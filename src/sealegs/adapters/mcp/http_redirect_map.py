"""Paths at which a server only redirects, as a mounted app does at its own path without a slash.

A client that is redirected sends the same request again, to the place that it was shown. That is one request, so what
is only redirected must not count, nor be struck or recorded. The relay cannot know this of the first request at a path,
and follows the redirect of a call itself there; every later one reaches the client.
"""

from __future__ import annotations

import aiohttp
from aiohttp import web
from yarl import URL

REDIRECTS = (301, 302, 303, 307, 308)
REPEATING = (307, 308)  # redirects after which the same method and body are sent again
KEPT = 256


class RedirectMap:
    """The methods and paths at which the server redirected when it was last asked."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], None] = {}

    def at(self, request: web.BaseRequest) -> bool:
        """Return whether a request is expected to be redirected."""
        return (request.method, request.path) in self._known

    def note(self, request: web.BaseRequest, response: web.StreamResponse, expected: bool) -> None:
        """Learn from what a client is shown. `expected`: whether the request was passed on as one to be redirected."""
        if response.status in REDIRECTS and "Location" in response.headers:
            self._add(request)
        elif expected:
            self._known.pop((request.method, request.path), None)

    def target(self, request: web.BaseRequest, answer: aiohttp.ClientResponse) -> str | None:
        """The path and query at which the server, redirecting a request, wants the same request again; else None."""
        place = answer.headers.get("Location")
        if answer.status not in REPEATING or place is None:
            return None
        try:
            url = answer.url.join(URL(place, encoded=True))
            near = url.origin() == answer.url.origin()
        except ValueError:  # no address, or none of HTTP's
            return None
        if not near:
            return None
        self._add(request)
        return url.raw_path_qs

    def _add(self, request: web.BaseRequest) -> None:
        self._known[request.method, request.path] = None
        if len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
