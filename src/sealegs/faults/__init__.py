"""Faults as data: calls and outcomes, kinds of faults, triggers, plans, invariants, seeds.

Pure: nothing here does I/O but reading a plan's file, waits, or draws from anything but named streams. What it does
not cover: carrying a plan out, which is the business of `sealegs.inject`.
"""

from sealegs.faults.call import Call, Effect, Failure, Outcome, Value, Wait, failure_body, render
from sealegs.faults.catalogue import explicit_responses, implicit_corruptions
from sealegs.faults.kinds import KINDS, AnyFault, Fault, FaultSetting, applicable_kinds
from sealegs.faults.plan import Plan, Rule, plan_schema, unmatched
from sealegs.faults.plan_files import plan_from, read_plan
from sealegs.faults.problems import PlanError, Problem
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Condition, Matcher, Occurrence

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
    "Occurrence",
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
