"""The faults of an experiment without a plan: one a run, on the tools that the agent was seen to call.

They are faults that a good agent survives: each strikes the first call of a tool, once, so that a retry, a look, or
waiting as the tool asks brings the run to its end. Tools take turns, and so do the kinds and moments on each, in an
order that the seed decides; a fault is drawn only where it makes a difference to what the tool was seen to answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from sealegs.faults import seeds
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import First
from sealegs.hunt.fault_sites import FaultSite, plan_of_rules, rules_on, seen_tools
from sealegs.traces import Record

KINDS = frozenset({"error", "rate_limit", "connection", "timeout", "lost_ack", "malformed", "empty"})
PASSING = (None, 500, 502, 503)  # statuses that a later try may not meet; the others stay what they are


def drawn_faults(records: Iterable[Record], specs: Mapping[str, ToolSpec], seed: int) -> list[FaultSite]:
    """The faults, in the order of the runs.

    Args:
        records: of runs without faults.
        specs: what is known of the tools; it counts before what the records note.
        seed: of the order.
    """
    tools = seen_tools(records)
    sites = [on for on in rules_on(tools.values(), specs, KINDS) if getattr(on.fault, "status", None) in PASSING]
    by_tool: dict[str, list[FaultSite]] = {}
    for on in sorted(sites, key=lambda on: seeds.digest(seed, on.id)):
        by_tool.setdefault(on.tool, []).append(on)
    turns = chain.from_iterable(zip_longest(*(_kinds_in_turn(own) for own in by_tool.values())))
    return [on for on in turns if on is not None]


def _kinds_in_turn(sites: Sequence[FaultSite]) -> list[FaultSite]:
    """The faults on one tool, so that no kind comes again before each has come."""
    kinds: dict[str, list[FaultSite]] = {}
    for on in sites:
        kinds.setdefault(on.fault.kind, []).append(on)
    return [on for on in chain.from_iterable(zip_longest(*kinds.values())) if on is not None]


def plan_of(on: FaultSite, seed: int) -> Plan:
    """The plan of one drawn fault."""
    return plan_of_rules([(on, First(1))], seed, "drawn")
