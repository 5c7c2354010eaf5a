"""The workloads: a request, the tools for it, the answer that counts as right, and a scripted solution.

One YAML file each. `load_workloads()` gives all: the five of ChaosLLM, five harder ones, and those with two agents.
"""

from sealegs.suites.micro.workloads.accepted import Accepted
from sealegs.suites.micro.workloads.workload import (
    Assignment,
    ScriptedStep,
    Workload,
    load_workloads,
    workloads_edition,
)

__all__ = ["Accepted", "Assignment", "ScriptedStep", "Workload", "load_workloads", "workloads_edition"]
