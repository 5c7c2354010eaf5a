"""Meanings of the names of modes, levels and metrics, in the words of ToolMaze (arXiv 2606.05806).

A name that is not here is shown as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

MODES: Mapping[str, str] = {
    "NP": "no fault",
    "P1": "explicit, transient",
    "P2": "explicit, permanent",
    "P3": "implicit, transient",
    "P4": "implicit, permanent",
}
LEVELS: Mapping[str, str] = {
    "C1": "a line of steps, no alternative",
    "C2": "an alternative of one tool",
    "C3": "alternatives of several tools",
    "C4": "alternatives in parallel",
}
METRICS: Mapping[str, str] = {
    "tsr": "task success rate",
    "prr": "perturbation recovery rate",
    "rc": "redundancy cost",
    "tsr_as_published": "task success rate by the published judge",
    "prr_as_published": "perturbation recovery rate by the published judge",
    "exposed": "episodes that met a fault",
    "doubled": "episodes in which something was done twice",
    "wrong_effects": "episodes in which something was done that no step does",
    "outcome": "episodes that are right by the lenient verdict",
    "process": "nodes of the task that were reached",
    "harmed": "episodes that did harm under a fault",
    "corrupt_input": "episodes in which something was done on corrupt input",
    "false_claims": "episodes that end with a false claim",
    "composite": "composite score",
    "prr_glance": "recovery rate of false answers that are detectable at a glance",
    "prr_arithmetic": "recovery rate of false answers that are detectable by arithmetic",
    "prr_across": "recovery rate of false answers that only another tool's answer contradicts",
    "prr_second_source": "recovery rate of false answers that only a second source contradicts",
}
SHORT: Mapping[str, str] = {
    "tsr": "TSR",
    "tsr_np": "TSR without faults",
    "prr": "PRR",
    "rc": "RC",
    "tsr_as_published": "TSR as published",
    "prr_as_published": "PRR as published",
    "exposed": "Exposed",
    "doubled": "Doubled",
    "wrong_effects": "Wrong effects",
    "outcome": "Outcome",
    "process": "Process",
    "harmed": "Harmed",
    "corrupt_input": "Corrupt input",
    "false_claims": "False claims",
    "composite": "Composite",
    "prr_glance": "PRR at a glance",
    "prr_arithmetic": "PRR by arithmetic",
    "prr_across": "PRR across tools",
    "prr_second_source": "PRR by a second source",
}
