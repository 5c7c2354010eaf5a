"""The status and Retry-After of a client's exception, in the forms in which clients keep them."""

from __future__ import annotations

import httpx
import pytest

from sealegs import wrap
from sealegs.faults.call import Call, Failure
from sealegs.faults.retry_after import seconds_invited
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.failure_category import categorize_failure
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.response import retry_after_of, status_of
from sealegs.recovery.signature import signature

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("120", "", 120),
        (" 1.5 ", "", 1.5),
        ("Wed, 21 Oct 2026 07:28:30 GMT", DATE, 30),
        ("Wednesday, 21-Oct-26 07:30:00 GMT", DATE, 120),  # RFC 850, obsolete and still sent
        ("Wed Oct 21 07:28:05 2026", "Wed Oct 21 07:28:00 2026", 5),  # asctime
        ("Wed, 21 Oct 2026 07:27:00 GMT", DATE, 0),  # over
        ("Wed, 21 Oct 2026 09:28:30 +0200", DATE, 30),
        ("Wed, 21 Oct 2026 07:28:30 GMT", "", None),
        ("soon", DATE, None),
        ("²", "", None),
        ("", "", None),
        ("-5", "", None),
    ],
)
def test_the_header_in_all_its_forms(value: str, date: str, seconds: float | None) -> None:
    assert seconds_invited(value, date) == seconds


def answered(status: int, **headers: str) -> httpx.HTTPStatusError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = httpx.Request("GET", "http://127.0.0.1/price")
    response = httpx.Response(status, headers=named, request=request)
    with pytest.raises(httpx.HTTPStatusError) as caught:
        response.raise_for_status()
    return caught.value


class Own(Exception):
    """Of a client that keeps both on itself."""

    status = 429
    headers = {"retry-AFTER": "3"}


class Stubborn(Exception):
    @property
    def response(self) -> None:
        raise RuntimeError("no")

    headers = 5


def test_what_exceptions_know() -> None:
    busy = answered(503, retry_after="7")
    wrapped = ValueError("no price")
    wrapped.__cause__ = busy
    failures = [Failure("x", exception=error) for error in (busy, wrapped, Own(), Stubborn(), OSError(5, "x"))]
    assert [status_of(failure) for failure in failures] == [503, 503, 429, None, None]
    assert [retry_after_of(failure) for failure in failures] == [7, 7, 3, None, None]
    assert status_of(Failure("x", status=404, exception=busy)) == 404
    found = signature(Call("price", {}), failures[0])
    assert found is not None
    assert categorize_failure(found) == "transient"


def test_a_python_tool_is_waited_for_as_its_server_asks() -> None:
    later = "Wed, 21 Oct 2026 07:28:30 GMT"
    left: list[Exception] = [answered(429, retry_after=later, date=DATE), answered(503, retry_after="2")]

    def price() -> float:
        if left:
            raise left.pop(0)
        return 2.5

    clock = VirtualClock()
    session = Session(layers=[RecoveryLayer()], specs=[ToolSpec("price", effects=False)], clock=clock)
    assert wrap(price, session)() == 2.5
    assert clock.now() == 32


def test_the_status_of_a_request_of_the_tools_own_proves_nothing() -> None:
    paid = []

    def pay() -> None:
        paid.append(1)
        raise answered(404)  # of the receipt, after the payment

    session = Session(layers=[RecoveryLayer()], specs=[ToolSpec("pay", effects=True)], clock=VirtualClock())
    with pytest.raises(httpx.HTTPStatusError):
        wrap(pay, session)()
    assert len(paid) == 1
