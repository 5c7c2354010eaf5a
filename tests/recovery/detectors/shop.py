"""A shop's order tool as a source of records: every relation in its answers is known, because it is made here."""

from __future__ import annotations

import random
from typing import Any

from sealegs.faults.call import Value
from sealegs.traces.observed import Observation, Trace

CITIES = {"Oslo": "Norway", "Lyon": "France", "Kyoto": "Japan", "Turin": "Italy"}
TOOL = "place_order"


def random_arguments(draw: random.Random) -> dict[str, Any]:
    """Arguments of one call."""
    return {"sku": f"SK-{draw.randrange(10_000):04}", "chunks": draw.randrange(2, 40), "city": draw.choice([*CITIES])}


def answered(arguments: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """The right answer to it."""
    price, shipping = round(draw.uniform(3, 900), 2), round(draw.uniform(2, 30), 2)
    net = round(price * arguments["chunks"], 2)
    lines = [{"amount": round(draw.uniform(1, 99), 2)} for _ in range(draw.randrange(1, 5))]
    day = draw.randrange(1, 20)
    return {
        "order_id": f"ORD-{draw.randrange(16**6):06X}Z9",
        "sku": arguments["sku"],
        "chunks": arguments["chunks"],
        "city": arguments["city"],
        "country": CITIES[arguments["city"]],
        "unit_price": price,
        "net": net,
        "shipping": shipping,
        "total": round(net + shipping, 2),
        "extras": lines,
        "extra_count": len(lines),
        "extra_total": round(sum(line["amount"] for line in lines), 2),
        "ordered_on": f"2026-03-{day:02}",
        "due_on": f"2026-03-{day + draw.randrange(1, 10):02}",
        "status": draw.choice(["open", "paid"]),
        "mood": round(draw.gauss(0, 5), 3),
    }


def pair(draw: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call's arguments and the right answer."""
    arguments = random_arguments(draw)
    return arguments, answered(arguments, draw)


def trace(name: str, pairs: list[tuple[dict[str, Any], Any]], tool: str = TOOL) -> Trace:
    """An episode of these calls."""
    calls = [Observation(tool, float(i), 0.1, a, Value(v), Value(v)) for i, (a, v) in enumerate(pairs)]
    return Trace(name, tuple(calls))


def record(episodes: int, seed: int = 0, each: int = 3) -> list[Trace]:
    """So many episodes of right answers."""
    draw = random.Random(seed)
    return [trace(f"e{number}", [pair(draw) for _ in range(each)]) for number in range(episodes)]
