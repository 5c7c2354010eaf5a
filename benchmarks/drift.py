"""What drift tells when a tool goes wrong midway: kernel faults that begin at a known answer and stay.

    python benchmarks/drift.py --json benchmarks/results/drift.json

Four tools of `maze` are called with drawn arguments. Profiles are learned from right answers; then streams of 200
answers come, and from the 101st on each is struck. `drift` looks at levels; `statement` is whatever else a detector
finds in one answer. Rates in % over streams (drift) or answers (statements), 95 % intervals (mid-P).
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.faults.call import Call, Outcome, Value
from sealegs.faults.plan import Plan
from sealegs.inject import Session, VirtualClock
from sealegs.intervals.exact_shares import share_interval
from sealegs.recovery.detectors import Profiles, learn
from sealegs.traces.observed import Observation, Trace
from sealegs.world.corpus import load_corpus
from sealegs.world.state import World

BEGINS, LASTS = 100, 100
COUNTRIES = ("DE", "FR", "PT", "IT", "ES")
CURRENCIES = ("EUR", "USD", "GBP", "SEK", "JPY")
DRAWN: Mapping[str, Callable[[random.Random], dict[str, Any]]] = {
    "convert_currency": lambda d: {
        "amount": round(d.uniform(50, 500), 2),
        **dict(zip(("from_currency", "to_currency"), d.sample(CURRENCIES, 2), strict=True)),
    },
    "payroll_slip": lambda d: {"gross_salary": round(d.uniform(2000, 6000), 2), "country_code": d.choice(COUNTRIES)},
    "vat_breakdown": lambda d: {
        "net_amount": round(d.uniform(100, 900), 2),
        "currency": "EUR",
        "country_code": d.choice(COUNTRIES),
    },
    "stay_cost": lambda d: {
        "weeknight_rate": float(d.randrange(80, 300)),
        "weekend_rate": float(d.randrange(80, 300)),
        "check_in": f"2026-04-{d.randrange(1, 15):02}",
        "check_out": f"2026-04-{d.randrange(16, 30):02}",
        "tax_percent": 9.0,
        "currency": "EUR",
    },
}
FAULTS: Mapping[str, dict[str, Any] | None] = {
    "none": None,
    "stale": {"kind": "stale"},
    "delta 0.1": {"kind": "delta", "offset": 0.1},
    "delta 0.5": {"kind": "delta", "offset": 0.5},
    "delta 1.0": {"kind": "delta", "offset": 1.0},
    "unit_swap": {"kind": "unit_swap"},
}


def answer(call: Call) -> Outcome:
    return load_corpus().run(call, World())


def record(tool: str, episodes: int, draw: random.Random) -> list[Trace]:
    found = []
    for number in range(episodes):
        calls = []
        for place in range(3):
            given = DRAWN[tool](draw)
            returned = answer(Call(tool, given))
            calls.append(Observation(tool, float(place), 0.1, given, returned, returned))
        found.append(Trace(f"{tool}-{number}", tuple(calls)))
    return found


def plan(tool: str, fault: dict[str, Any] | None) -> Plan:
    rule = {"match": {"tool": tool}, "when": {"window": [BEGINS + 1, BEGINS + LASTS]}, "fault": fault}
    return Plan.model_validate({"name": "midway", "seed": 3, "rules": [rule] if fault else []})


def stream(tool: str, fault: dict[str, Any] | None, profiles: Profiles, seed: int) -> dict[str, Any]:
    """One stream: when drift was found, and how many answers broke a statement, before and after."""
    draw = random.Random(f"{tool} {seed}")
    detector = profiles.detector(0.01, drift=True)
    session = Session(
        plan(tool, fault), episode=str(seed), clock=VirtualClock(), specs=[load_corpus().tools[tool].spec]
    )
    drifts: list[int] = []
    broken = {"before": 0, "after": 0}
    faulted = 0
    for number in range(BEGINS + LASTS):
        given = DRAWN[tool](draw)
        returned = answer(Call(tool, given))
        shown = session.call(tool, given, answer)
        if not isinstance(shown, Value):
            continue
        faulted += shown != returned
        found = detector.findings(Call(tool, given), shown.value)
        drifts += [number] if any(one.family == "drift" for one in found) else []
        broken["before" if number < BEGINS else "after"] += any(one.family != "drift" for one in found)
    after = [number - BEGINS + 1 for number in drifts if number >= BEGINS]
    early = sum(number < BEGINS for number in drifts)
    return {"found": bool(after), "first": after[0] if after else None, "early": early, "struck": faulted, **broken}


def row(mode: str, metric: str, hits: float, n: int) -> dict[str, Any]:
    low, high = share_interval(hits, n) if n else (0.0, 1.0)
    figures = [round(100 * share, 2) for share in (hits / max(1, n), low, high)]
    return _row(mode, metric, figures[0], figures[1], figures[2], n)


def _row(mode: str, metric: str, value: float | None, low: float | None, high: float | None, n: int) -> dict[str, Any]:
    start = {"suite": "benchmark-drift", "agent": "", "level": "all", "mode": mode, "metric": metric}
    return {**start, "value": value, "low": low, "high": high, "n": n}


def measured(streams: int) -> list[dict[str, Any]]:
    """The long table."""
    learned = {tool: learn(record(tool, 60, random.Random(tool))) for tool in DRAWN}
    rows: list[dict[str, Any]] = []
    for name, fault in FAULTS.items():
        found = [stream(tool, fault, learned[tool], seed) for tool in DRAWN for seed in range(streams)]
        if fault is not None and not any(one["struck"] for one in found):
            continue  # the kind fits none of these answers
        first = [one["first"] for one in found if one["first"] is not None]
        rows.append(row(name, "drift found", sum(one["found"] for one in found), len(found)))
        rows.append(row(name, "drift found too early, of answers", sum(o["early"] for o in found), BEGINS * len(found)))
        rows.append(row(name, "statement broken, of answers", sum(o["after"] for o in found), LASTS * len(found)))
        rows.append(row(name, "answers changed", sum(o["struck"] for o in found), LASTS * len(found)))
        ends = (statistics.median(first), min(first), max(first)) if first else (None, None, None)
        rows.append(_row(name, "answers until drift is found", *ends, len(first)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=25, help="of each tool")
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    table = measured(arguments.streams)
    for one in table:
        print(f"{one['mode']:10} {one['metric']:34} {one['value']} [{one['low']}, {one['high']}]  n {one['n']}")
    if arguments.json is not None:
        write_results(arguments.json, table)


if __name__ == "__main__":
    main()
