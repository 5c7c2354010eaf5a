"""The tables of `docs/recovery.md`, from the rows that `recovery.py` and `never_twice.py` write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MODES = ("NP", "P1", "P2", "P3", "P4")
FAULTY = MODES[1:]
HEAD = (
    "agent, recovery",
    *MODES,
    f"ceiling {' / '.join(FAULTY)}",
    "PRR",
    "RC",
    f"calls {' / '.join(MODES)}",
    "doubled",
    "wrong",
    "equal",
)
WHO_HEAD = (
    "agent, recovery",
    "PRR",
    "reached the agent",
    "recovered of these",
    "by the layer alone",
    f"its calls {' / '.join(FAULTY)}",
)
DECLARED = {  # by the level of `never_twice.py`
    "undeclared": "nothing",
    "acts": "acts",
    "verified": "a read, after",
    "verified_before": "a read, before",
    "idempotent": "idempotent",
    "keyed": "a key",
    "reads": "no effects",
}
WAYS_HEAD = ("way", *DECLARED.values(), "effects doubled")
FAMILIES_HEAD = ("exceptions of", "failures", "calls played", "effects doubled")
COST_HEAD = ("declared of the tool", "sync, us added", "async, us added", "times the bare call (sync)")
Rows = Sequence[Mapping[str, Any]]
Found = Mapping[tuple[str, str, str, str], Mapping[str, Any]]


def of_engine(rows: Rows, engine: str) -> Iterator[Sequence[str]]:
    """The lines of one engine: rates and calls of each agent without the layer and with each form of it."""
    known = _known(rows)
    for agent in dict.fromkeys(one["agent"] for one in rows if one["level"] == engine):
        rates = [_cell(known[engine, agent, mode, "tsr"]) for mode in MODES]
        allowed = [known.get((engine, agent, mode, "ceiling")) for mode in FAULTY]
        ceilings = " / ".join(f"{one['value']:.3g}" for one in allowed if one is not None)
        over_all = [_cell(known[engine, agent, "all", metric]) for metric in ("prr", "rc")]
        calls = " / ".join(f"{known[engine, agent, mode, 'calls']['value']:.1f}" for mode in MODES)
        sums = [str(sum(known[engine, agent, mode, name]["value"] for mode in MODES)) for name in ("doubled", "wrong")]
        same = known.get((engine, agent, "all", "verdicts_equal"))
        yield agent, *rates, ceilings, *over_all, calls, *sums, "" if same is None else f"{same['value']:g} %"


def who_recovered(rows: Rows) -> Iterator[Sequence[str]]:
    """The lines of who recovered over the direct engine, the agent or the layer."""
    known = _known(rows)
    for agent in dict.fromkeys(one["agent"] for one in rows if one["metric"] == "prr_layer"):
        cells = [_cell(known["direct", agent, "all", name]) for name in ("prr", "reached", "prr_agent", "prr_layer")]
        own = " / ".join(f"{known['direct', agent, mode, 'calls_by_layer']['value']:.2f}" for mode in FAULTY)
        yield agent, *cells, own


def added_time(rows: Rows) -> Iterator[Sequence[str]]:
    """The lines of what the layer adds to a call that goes well."""
    known = _known(rows)
    for mode in [one["mode"] for one in rows if one["metric"] == "added_us" and one["level"] == "sync"]:
        of = (("sync", "added_us"), ("async", "added_us"), ("sync", "ratio"))
        yield mode, *(_cell(known[level, "", mode, metric]) for level, metric in of)


def over_ways(rows: Rows) -> Iterator[Sequence[str]]:
    """The lines of each way into the layer: calls made again, of those played, under each declaration."""
    whole = [one for one in rows if one["mode"] == "all"]
    found = {(one["agent"], one["level"], one["metric"]): one["value"] for one in whole}
    for way in dict.fromkeys(one["agent"] for one in whole):
        cells = (
            f"{found[way, level, 'repeated']:,} of {found[way, level, 'failures']:,}"
            if (way, level, "repeated") in found
            else "–"
            for level in DECLARED
        )
        yield way, *cells, str(sum(found.get((way, level, "doubled"), 0) for level in DECLARED))


def by_family(rows: Rows) -> Iterator[Sequence[str]]:
    """The lines of each family of exceptions: its failures, and over all ways and declarations its calls."""
    for family in dict.fromkeys(one["mode"] for one in rows):
        own = [one for one in rows if one["mode"] == family]
        calls, doubled = (sum(one["value"] for one in own if one["metric"] == name) for name in ("failures", "doubled"))
        yield family, f"{own[0]['n']:,}", f"{calls:,}", str(doubled)


def _known(rows: Rows) -> Found:
    return {(one["level"], one["agent"], one["mode"], one["metric"]): one for one in rows}


def _cell(one: Mapping[str, Any]) -> str:
    if one["value"] is None:
        return "-"
    exact = one["low"] is None or one["value"] in (0, 100)
    return f"{one['value']:.3g}" + ("" if exact else f" [{one['low']:.3g}, {one['high']:.3g}]")
