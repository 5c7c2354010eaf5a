"""The arguments of a call that is an HTTP request, with what only rules look at: its method and its headers.

Headers hold keys and cookies, so no record, no fault and no draw ever sees them: they are not items of the arguments. A
layer that makes arguments of its own leaves them behind, and a rule on a header is then not true of the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class HttpArguments(dict[str, Any]):
    """Arguments of a request.

    Args:
        arguments: by name.
        method: the request's method.
        headers: its headers, each as often as it was sent.
    """

    __slots__ = ("headers", "method")

    def __init__(self, arguments: Mapping[str, Any], method: str, headers: Iterable[tuple[str, str]]) -> None:
        super().__init__(arguments)
        self.method = method
        self.headers = tuple(headers)

    def header_values(self, name: str) -> list[str]:
        """The values of a header, of which upper and lower case are one; none where it was not sent."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]
