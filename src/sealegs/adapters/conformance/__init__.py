"""The conformance kit: whether an adapter does what an adapter must, found by running its framework.

Bring a `Harness`: how to make an agent of your framework with given tools and a scripted model, with your adapter or
without it. `conform` runs some hundred cases with it and reports each check as passed, failed or absent (nothing to
check). The framework alone is the measure: under a fault, the model must read what it reads without any adapter of a
tool that does the same by itself. It measures no cost, and cannot run frameworks that live in another process.
"""

from sealegs.adapters.conformance.conformance_checks import CHECKS
from sealegs.adapters.conformance.conformance_report import CheckVerdict, ConformanceReport, conform
from sealegs.adapters.conformance.fixtures import Mode
from sealegs.adapters.conformance.harness import FINAL, ConformanceCase, Harness, ModelScript, ScriptedToolCall

__all__ = [
    "CHECKS",
    "FINAL",
    "CheckVerdict",
    "ConformanceCase",
    "ConformanceReport",
    "Harness",
    "Mode",
    "ModelScript",
    "ScriptedToolCall",
    "conform",
]
