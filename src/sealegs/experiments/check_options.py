"""The options of a check: those of an experiment, and what a reference is learned from.

Apart from the room of the check, so that the help of `sealegs check` is shown without the judges.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from sealegs.experiments.experiment_options import ExperimentOptions, required_rate
from sealegs.suites.run_options import option


class CheckOptions(ExperimentOptions):
    """The options of a check: what it learns from, and how often it tries each fault."""

    check: str = option("", "module:function that says whether the answer of a run without faults is right.")
    clean_runs: int = option(2, "Runs without faults to learn from; they are not judged.", ge=1)
    repeats: int = option(1, "How often each fault is tried at each place.", ge=1)
    fail_under: Annotated[float, AfterValidator(required_rate)] = option(
        1.0, "The share of right runs under faults that is required, such as 0.8, or 80 for 80 %."
    )
