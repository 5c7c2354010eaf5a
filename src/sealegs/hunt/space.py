"""The plans that are searched. The first choices are the simplest, since shrinking goes towards them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from sealegs.faults.plan import Plan
from sealegs.faults.triggers import Always, AnyCondition, First, Nth
from sealegs.hunt.fault_sites import FaultSite, plan_of_rules

WHEN: tuple[AnyCondition, ...] = (Nth(1), Always(), Nth(2), First(3))


def plans(on: Sequence[FaultSite], most: int, seed: int) -> st.SearchStrategy[Plan]:
    """Plans of one to `most` rules, each on a tool of its own: of two on one tool the outer would hide the inner.

    The moment is a choice of its own, so that shrinking turns a fault into the same one at its simplest moment.
    """
    moments: dict[tuple[str, str], list[FaultSite]] = {}
    for one in on:
        moments.setdefault((one.tool, one.at(one.fault.simplest_moment()).id), []).append(one)
    rule = st.tuples(st.sampled_from(list(moments.values())), st.booleans(), st.sampled_from(WHEN))
    rules = st.lists(rule, min_size=1, max_size=min(most, len({one.tool for one in on})), unique_by=_faulted_tool)
    return rules.map(
        lambda chosen: plan_of_rules([(times[-1 if late else 0], when) for times, late, when in chosen], seed)
    )


def _faulted_tool(rule: tuple[list[FaultSite], bool, AnyCondition]) -> str:
    """The rule's tool. No lambda: Hypothesis takes the source of one for a regular expression."""
    return rule[0][0].tool
