"""Rules of a plan that can never be delivered on given tools, as far as the tools' specs tell.

What only an answer shows (a text has no fields to drop) is not foreseen, nor are predicates on arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as far as it is known before it is called.

    Attributes:
        spec: what is declared of it.
        dry: whether it can be run without its effect; None where that is not known.
    """

    spec: ToolSpec
    dry: bool | None = None


@dataclass(frozen=True, slots=True)
class Misfire:
    """A rule that can never be delivered on a tool, or on none: `tool` is then empty.

    Attributes:
        rule: the rule's id.
        tool: the tool's name.
        why: in a clause.
    """

    rule: str
    tool: str
    why: str

    def __str__(self) -> str:
        on = f"on tool {self.tool!r}" if self.tool else "on any of these tools"
        return f"rule {self.rule!r} can never be delivered {on}: {self.why}"


def misfires(plan: Plan, tools: Iterable[ListedTool]) -> list[Misfire]:
    """The rules that cannot be delivered on single tools that they match, and those that can be on none.

    Returns:
        In the order of the plan and the tools, first the misfires of single tools; a rule that can be delivered on no
        tool has one with an empty `tool`, after the others.
    """
    known = tuple(tools)
    found: list[Misfire] = []
    nowhere: dict[str, str] = {}
    for rule in plan.rules:
        matched = [tool for tool in known if _matches(rule, tool.spec)]
        own = [
            Misfire(rule.id, tool.spec.name, why) for tool in matched if (why := rule.why_never(tool.spec, tool.dry))
        ]
        found += own
        if len(own) == len(matched):
            nowhere[rule.id] = f"see above for {_names(own)}" if own else f"it matches none of the {len(known)}"
    return [*found, *(Misfire(id, "", why) for id, why in _with_followers(plan, nowhere).items())]


def _matches(rule: Rule, spec: ToolSpec) -> bool:
    return rule.match.may_match(spec.name, spec.tags) and (not rule.when.group or spec.name in rule.when.group)


def _names(found: list[Misfire]) -> str:
    return ", ".join(one.tool for one in found)


def _with_followers(plan: Plan, nowhere: Mapping[str, str]) -> dict[str, str]:
    """These rules, and those that wait for one of them."""
    whole = dict(nowhere)
    for _ in plan.rules:  # a chain has as many links at most
        for rule in plan.rules:
            if rule.after in whole and rule.id not in whole:
                whole[rule.id] = f"it waits for rule {rule.after!r}"
    return whole
