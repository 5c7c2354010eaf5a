"""Faults as data: calls and outcomes, kinds of faults, triggers, plans, invariants, seeds.

Pure: nothing here does I/O but reading a plan's file, waits, or draws from anything but named streams. Carrying a plan
out is the business of `sealegs.inject`.
"""

from typing import TYPE_CHECKING

from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.faults.any_fault import AnyFault
    from sealegs.faults.built_in_kinds import KINDS
    from sealegs.faults.call import Call, Effect, Failure, Outcome, Value, Wait, failure_body, render
    from sealegs.faults.catalogue import explicit_responses, implicit_corruptions
    from sealegs.faults.corruption import applicable_kinds
    from sealegs.faults.fault import Fault, FaultSetting
    from sealegs.faults.plan import Plan, Rule, plan_schema, unmatched
    from sealegs.faults.plan_files import plan_from, read_plan
    from sealegs.faults.problems import PlanError, Problem
    from sealegs.faults.spec import ToolSpec
    from sealegs.faults.triggers import Condition, Matcher

_HOMES = {
    "AnyFault": "sealegs.faults.any_fault",
    "Call": "sealegs.faults.call",
    "Condition": "sealegs.faults.triggers",
    "Effect": "sealegs.faults.call",
    "Failure": "sealegs.faults.call",
    "Fault": "sealegs.faults.fault",
    "FaultSetting": "sealegs.faults.fault",
    "KINDS": "sealegs.faults.built_in_kinds",
    "Matcher": "sealegs.faults.triggers",
    "Outcome": "sealegs.faults.call",
    "Plan": "sealegs.faults.plan",
    "PlanError": "sealegs.faults.problems",
    "Problem": "sealegs.faults.problems",
    "Rule": "sealegs.faults.plan",
    "ToolSpec": "sealegs.faults.spec",
    "Value": "sealegs.faults.call",
    "Wait": "sealegs.faults.call",
    "applicable_kinds": "sealegs.faults.corruption",
    "explicit_responses": "sealegs.faults.catalogue",
    "failure_body": "sealegs.faults.call",
    "implicit_corruptions": "sealegs.faults.catalogue",
    "plan_from": "sealegs.faults.plan_files",
    "plan_schema": "sealegs.faults.plan",
    "read_plan": "sealegs.faults.plan_files",
    "render": "sealegs.faults.call",
    "unmatched": "sealegs.faults.plan",
}
__all__ = [
    "KINDS",
    "AnyFault",
    "Call",
    "Condition",
    "Effect",
    "Failure",
    "Fault",
    "FaultSetting",
    "Matcher",
    "Outcome",
    "Plan",
    "PlanError",
    "Problem",
    "Rule",
    "ToolSpec",
    "Value",
    "Wait",
    "applicable_kinds",
    "explicit_responses",
    "failure_body",
    "implicit_corruptions",
    "plan_from",
    "plan_schema",
    "read_plan",
    "render",
    "unmatched",
]
__getattr__ = lazy_names(__name__, _HOMES)
