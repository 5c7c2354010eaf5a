"""Sealegs: faults between an agent and its tools, the ground truth of a good recovery, and the score of this one.

The names below are loaded when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.adapters.python import tool, wrap
    from sealegs.experiments import experiment
    from sealegs.experiments.reference_check import check
    from sealegs.faults.plan import Plan, Rule
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject import RealClock, Session, VirtualClock, current_call
    from sealegs.traces import Recorder
    from sealegs.traces.process_environment import environment_session
    from sealegs.traces.reported_effects import report_effect
    from sealegs.traces.usage import report_usage

__version__ = "0.1.0.dev0"
_HOMES = {
    "Plan": "sealegs.faults.plan",
    "RealClock": "sealegs.inject",
    "Recorder": "sealegs.traces",
    "Rule": "sealegs.faults.plan",
    "Session": "sealegs.inject",
    "VirtualClock": "sealegs.inject",
    "check": "sealegs.experiments.reference_check",
    "current_call": "sealegs.inject",
    "environment_session": "sealegs.traces.process_environment",
    "experiment": "sealegs.experiments.experiment_start",
    "read_plan": "sealegs.faults.plan_files",
    "report_effect": "sealegs.traces.reported_effects",
    "report_usage": "sealegs.traces.usage",
    "tool": "sealegs.adapters.python",
    "wrap": "sealegs.adapters.python",
}
__all__ = [
    "Plan",
    "RealClock",
    "Recorder",
    "Rule",
    "Session",
    "VirtualClock",
    "__version__",
    "check",
    "current_call",
    "environment_session",
    "experiment",
    "read_plan",
    "report_effect",
    "report_usage",
    "tool",
    "wrap",
]
__getattr__ = lazy_names(__name__, _HOMES)
