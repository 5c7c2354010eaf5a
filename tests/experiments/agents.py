"""Agents of every sort for experiments: each refunds an order with two tools, well or badly."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import sealegs

PAID: list[tuple[int, float]] = []


@sealegs.tool(effects=False)
def find_order(number: int) -> dict[str, Any]:
    """Find an order."""
    return {"number": number, "total": 42.5}


@sealegs.tool(effects=True)
def refund(order: int, amount: float) -> dict[str, Any]:
    """Refund an amount."""
    PAID.append((order, amount))
    return {"refunded": amount, "paid": len(PAID)}


@sealegs.tool(effects=False)
def refunds(order: int) -> list[float]:
    """The refunds of an order so far."""
    return [amount for number, amount in PAID if number == order]


def retried(call: Any, tries: int = 3) -> Any:
    for left in reversed(range(tries)):
        try:
            return call()
        except Exception:
            if not left:
                raise
    raise AssertionError


def careful(input: str) -> str:
    """Retry reads, check what was read, and look before paying again."""
    PAID.clear()
    total = agreed(lambda: retried(lambda: find_order(17)["total"]))
    for _ in range(4):
        with suppress(Exception):
            refund(17, total)
        if agreed(lambda: retried(lambda: refunds(17))):
            return f"{input}: refunded {total}"
    return "could not refund"


def agreed(read: Any) -> Any:
    """What two readings of three agree on."""
    first, second = read(), read()
    return first if first == second else read()


def hasty(input: str) -> str:
    """Retry everything, payments too."""
    PAID.clear()
    order = retried(lambda: find_order(17))
    done = retried(lambda: refund(order["number"], order["total"]))
    return f"refunded {done['refunded']}"


async def careful_async(input: str) -> str:
    await asyncio.sleep(0)
    return careful(input)


def naive(input: str) -> str:
    PAID.clear()
    return f"refunded {refund(17, find_order(17)['total'])['refunded']}"


def wrong(input: str) -> str:
    """Fail with and without faults."""
    find_order(17)
    return "no"


def toolless(input: str) -> str:
    return "refunded 42.5"


def endless(input: str) -> str:
    while True:
        with suppress(Exception):
            find_order(17)


def leaving(input: str) -> str:
    try:
        find_order(17)
    except Exception:
        raise SystemExit(0) from None
    return "refunded 42.5"


def fine(answer: str) -> bool:
    assert PAID == [(17, 42.5)], f"paid {PAID}"
    return "42.5" in answer


def correct(answer: str) -> bool:
    return "42.5" in answer
