"""The server's own addresses in what it answers, which must lead clients to the relay, and the way back.

A redirect, the challenge of a login and the documents under `/.well-known/` name the server by its address. Clients
check that these are the address that they called (RFC 9728, section 3.3), and would go past the relay. So the server's
origin becomes the relay's there, and in a query and a form the relay's becomes the server's again (RFC 8707). Addresses
in MCP messages stay as they are, and an authorization server elsewhere is given the relay's address.
"""

from __future__ import annotations

from urllib.parse import quote

from multidict import CIMultiDict

Headers = CIMultiDict[str]
NAMING = ("Location", "Content-Location", "WWW-Authenticate", "Link")  # headers that name the server
WELL_KNOWN = "/.well-known/"
FORM_TYPE = "application/x-www-form-urlencoded"


class Addresses:
    """The two origins, each `scheme://host:port`.

    Args:
        server: the origin of the server.
        relay: the origin that a client has called.
    """

    def __init__(self, server: str, relay: str) -> None:
        self._server = server
        self._relay = relay

    def target(self, raw_path: str) -> str:
        """The target of a client's request, as the server must see it."""
        path, mark, query = raw_path.partition("?")
        return f"{path}{mark}{self._inward(query)}"

    def request_body(self, body: bytes, kind: str) -> bytes:
        """A request's body, as the server must see it."""
        if not kind.startswith(FORM_TYPE):
            return body
        return self._inward(body.decode("latin-1")).encode("latin-1")

    def headers(self, headers: Headers) -> Headers:
        """An answer's headers, as a client must see them."""
        for name in NAMING:
            if name in headers:
                values = headers.popall(name)
                headers.extend((name, self._outward(value)) for value in values)
        return headers

    def names(self, path: str, headers: Headers) -> bool:
        """Return whether the body of an answer names the server."""
        kind = headers.get("Content-Type", "")
        return path.startswith(WELL_KNOWN) and "json" in kind and "Content-Encoding" not in headers

    def document(self, body: bytes) -> bytes:
        """Such a body, as a client must see it."""
        return self._outward(body.decode("latin-1")).encode("latin-1")

    def _outward(self, text: str) -> str:
        text = text.replace(quote(self._server, safe=""), quote(self._relay, safe=""))
        return text.replace(self._server, self._relay)

    def _inward(self, text: str) -> str:
        text = text.replace(quote(self._relay, safe=""), quote(self._server, safe=""))
        return text.replace(self._relay, self._server)
