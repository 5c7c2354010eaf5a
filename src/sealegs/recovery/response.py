"""The HTTP answer behind a client's exception: its status, and the seconds after which another try is invited.

Clients (requests, httpx, aiohttp, the SDKs built on them) keep it on the exception, in one of two forms: a
`response` with `status_code` and `headers`, or `status` and `headers` on the exception itself. Nothing is imported, and
an attribute that does not answer says nothing.
"""

from __future__ import annotations

from typing import Any

from sealegs.faults.call import Failure
from sealegs.faults.retry_after import seconds_invited


def status_of(failure: Failure) -> int | None:
    """The status as the failure has it, or its exception."""
    if failure.status is not None or failure.exception is None:
        return failure.status
    for holder in _holders(failure.exception):
        for name in ("status_code", "status", "code"):
            found = _attribute(holder, name)
            # `code` may be any library's own number, so it counts only where it can be a failure of HTTP.
            if isinstance(found, int) and not isinstance(found, bool) and 400 <= found <= 599:
                return found
    return None


def retry_after_of(failure: Failure) -> float | None:
    """Seconds as the failure has them, or the headers of its exception."""
    if failure.retry_after is not None or failure.exception is None:
        return failure.retry_after
    for holder in _holders(failure.exception):
        headers = _attribute(holder, "headers")
        value = _header(headers, "retry-after")
        if value:
            return seconds_invited(value, _header(headers, "date"))
    return None


def _holders(error: BaseException) -> list[Any]:
    """The exceptions that may hold it; a client's error may be the cause of the tool's own."""
    found: list[Any] = []
    left: BaseException | None = error
    while left is not None and len(found) < 8:
        found += [_attribute(left, "response"), left]
        left = left.__cause__
    return [one for one in found if one is not None]


def _header(headers: Any, name: str) -> str:
    """A header's value, whatever the case of its name."""
    try:
        pairs = [(str(key), value) for key, value in headers.items()]
    except Exception:
        return ""
    return next((str(value) for key, value in pairs if key.casefold() == name), "")


def _attribute(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name, None)
    except Exception:  # of others' making: a property that raises
        return None
