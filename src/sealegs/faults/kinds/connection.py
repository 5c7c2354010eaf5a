"""The tool cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import Field

from sealegs.faults.call import Failure
from sealegs.faults.fault import Substitute

Mode = Literal["refused", "reset", "dns", "tls"]


def unreachable(mode: Mode) -> Failure:
    """The failure that a Python program meets in each case, with the exception that it would catch."""
    exception = _EXCEPTIONS[mode]()
    return Failure(str(exception), type=type(exception).__name__, exception=exception)


class Connection(Substitute):
    """The connection to the tool fails, before its work or with the answer on its way."""

    kind: Literal["connection"] = "connection"
    mode: Mode = Field(
        default="refused",
        description="refused: nothing listens; reset: cut off; dns: the name is unknown; tls: the certificate expired.",
    )

    def answer(self) -> Failure:
        """The failure, with the exception that a Python program meets."""
        return unreachable(self.mode)


def _dns() -> OSError:
    import socket

    return socket.gaierror(-2, "Name or service not known")


def _tls() -> OSError:
    import ssl

    reason = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired"
    return ssl.SSLCertVerificationError(1, reason)


# Error numbers as on Linux, written out so that every system shows the same text.
_EXCEPTIONS: dict[Mode, Callable[[], OSError]] = {
    "refused": lambda: ConnectionRefusedError(111, "Connection refused"),
    "reset": lambda: ConnectionResetError(104, "Connection reset by peer"),
    "dns": _dns,
    "tls": _tls,
}
