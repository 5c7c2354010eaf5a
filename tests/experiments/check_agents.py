"""A shop with five tools, and agents of every sort that refund an order in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

TASK = "Refund order 17 in USD."
EFFECTS = ["refund"]
PAID: list[tuple[int, float]] = []


def reset() -> None:
    PAID.clear()


def find_order(number: int) -> dict[str, Any]:
    """Find an order."""
    return {"number": number, "total": 142.5, "currency": "EUR", "customer": "Ann Lee"}


def exchange_rate(base: str, quote: str) -> dict[str, Any]:
    """The rate between two currencies."""
    return {"base": base, "quote": quote, "rate": 1.0842}


def fx_quote(base: str, quote: str) -> dict[str, Any]:
    """The same rate from another desk."""
    return {"pair": base + quote, "mid": 1.0842}


def refund(order: int, amount: float) -> dict[str, Any]:
    """Pay an amount back."""
    PAID.append((order, amount))
    return {"refund_id": f"R-{order}-{len(PAID)}", "refunded": amount}


def search_policy(query: str) -> str:
    """Look something up in the policy."""
    return "Refunds are paid within 14 days."


TOOLS = [find_order, exchange_rate, fx_quote, refund, search_policy]
Tools = Sequence[Callable[..., Any]]
STOPPED = "{} could not be had, so the refund was not made.\nStatus: incomplete"


def named(tools: Tools) -> dict[str, Callable[..., Any]]:
    return {tool.__name__: tool for tool in tools}


def sane(call: Callable[[], Any], *fields: str, tries: int = 2) -> Any:
    """A call's answer once these fields hold what they should; None where it never does."""
    for _ in range(tries):
        try:
            found = call()
        except Exception:
            continue
        if isinstance(found, dict) and all(_right(found.get(field)) for field in fields):
            return found
    return None


def _right(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and 0 < len(value) < 20)


def careful(request: str, tools: Tools) -> str:
    """Checks what it reads, goes to the other desk, and stops where nothing is left."""
    have = named(tools)
    order = sane(lambda: have["find_order"](number=17), "total", "currency", "customer")
    if order is None:
        return STOPPED.format("The order")
    found = sane(lambda: have["exchange_rate"](base=order["currency"], quote="USD"), "rate")
    if found:
        return pay(have, order, found["rate"])
    other = sane(lambda: have["fx_quote"](base=order["currency"], quote="USD"), "mid")
    return pay(have, order, other["mid"]) if other else STOPPED.format("A rate")


def pay(have: dict[str, Callable[..., Any]], order: dict[str, Any], rate: float) -> str:
    amount = round(order["total"] * rate, 2)
    done = sane(lambda: have["refund"](order=17, amount=amount), "refund_id")
    if done is None:
        return STOPPED.format("The payment")
    return f"Refunded {amount} USD to {order['customer']}: {done['refund_id']}."


def naive(request: str, tools: Tools) -> str:
    """Tries nothing twice."""
    have = named(tools)
    order = have["find_order"](number=17)
    return pay_once(have, order, have["exchange_rate"](base=order["currency"], quote="USD")["rate"])


def pay_once(have: dict[str, Callable[..., Any]], order: dict[str, Any], rate: float) -> str:
    amount = round(order["total"] * rate, 2)
    done = have["refund"](order=17, amount=amount)
    return f"Refunded {amount} USD to {order['customer']}: {done['refund_id']}."


def inventive(request: str, tools: Tools) -> str:
    """Invents a rate where it finds none."""
    have = named(tools)
    order = sane(lambda: have["find_order"](number=17), "total", "currency", "customer")
    if order is None:
        return STOPPED.format("The order")
    found = sane(lambda: have["exchange_rate"](base=order["currency"], quote="USD"), "rate")
    return pay(have, order, found["rate"] if found else 1.1)


def without_other_desk(request: str, tools: Tools) -> str:
    """Is careful, and stops although the other desk is open."""
    return careful(request, [tool for tool in tools if tool.__name__ != "fx_quote"] + [closed])


def closed(base: str, quote: str) -> Any:
    raise RuntimeError("closed")


closed.__name__ = "fx_quote"


def doubling(request: str, tools: Tools) -> str:
    """Pays again after any trouble before, to be sure."""
    have = named(tools)
    troubled: list[str] = []

    def noted(name: str) -> Callable[..., Any]:
        def call(**given: Any) -> Any:
            try:
                return have[name](**given)
            except Exception:
                troubled.append(name)
                raise

        call.__name__ = name
        return call

    answer = careful(request, [noted(name) for name in have])
    if troubled and "Refunded" in answer:
        have["refund"](order=17, amount=154.5)
    return answer


def two_rates(request: str, tools: Tools) -> str:
    """Is careful, and compares both desks while they are open."""
    have = named(tools)
    order = sane(lambda: have["find_order"](number=17), "total", "currency", "customer")
    if order is None:
        return STOPPED.format("The order")
    rates = [
        sane(lambda: have["exchange_rate"](base=order["currency"], quote="USD"), "rate"),
        sane(lambda: have["fx_quote"](base=order["currency"], quote="USD"), "mid"),
    ]
    values = [next(v for v in rate.values() if isinstance(v, float)) for rate in rates if rate]
    return pay(have, order, values[0]) if values else STOPPED.format("A rate")
