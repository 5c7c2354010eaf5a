"""The options of an experiment: equal options give equal runs, so that the same command resumes it.

Each is declared once, here: name, type, default, bounds and the help of `sealegs test` and `sealegs check`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import plan_from
from sealegs.faults.user_error import UserError
from sealegs.suites.choices import MOST_SEED
from sealegs.suites.run_options import option, repeated_option, time_limit_option

if TYPE_CHECKING:
    from sealegs.scoring.experiment_metrics import Arm

MOST_RUNS = 100_000
LEAST_TIME = 0.001  # seconds


def required_rate(value: float) -> float:
    """A required pass rate, of a share or of a percentage.

    Raises:
        UserError: it is neither.
    """
    share = value / 100 if value > 1 else value
    if not (math.isfinite(share) and 0 < share <= 1):
        raise UserError(
            f"the required pass rate must be above 0 and at most 100 %, and {value:g} is not; give a share such as "
            "0.8, or 80 for 80 %"
        )
    return share


class ExperimentOptions(BaseModel):
    """The options of an experiment.

    Attributes:
        agent: `module:function`, a command line, an address, or the name of an object.
        plan: the plan as JSON; empty where faults are drawn from the tools that are seen.
        check: `module:function` of the check, or its name; empty for none.
        contracts: what every run must keep (`scoring.run_contracts`).
        inputs: the agent's inputs, in turn; one empty text where it takes nothing.
        fail_under: a share or a percentage when it is given; kept as a share.
        timeout: in seconds on the experiment's clock.
        settle: whether the runs stop once the verdict is settled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str
    plan: str = ""
    check: str = option("", "Whether an answer is right, as module:function.")
    contracts: tuple[str, ...] = repeated_option(
        "A contract that every run must keep, such as no_action_twice.", "--contract"
    )
    inputs: tuple[str, ...] = ("",)
    runs: int = option(20, "At most this many runs under faults, and as many without.", ge=1, le=MOST_RUNS)
    baseline: bool = option(True, "Whether runs without faults are made too.")
    fail_under: Annotated[float, AfterValidator(required_rate)] = option(
        0.8, "The pass rate under faults that is required, such as 0.8, or 80 for 80 %."
    )
    seed: int = option(0, "Decides every fault that is drawn.", ge=0, le=MOST_SEED)
    max_calls: int = option(50, "Tool calls after which a run is cut off.", ge=1)
    timeout: float = option(30.0, "Seconds until one call is given up.", ge=LEAST_TIME)
    time_limit: float = time_limit_option(300.0, LEAST_TIME)
    clock: Literal["virtual", "real"] = option("virtual", "virtual: injected waits cost no time; real: they do.")
    settle: bool = True

    @property
    def given_plan(self) -> Plan | None:
        """The plan; None where faults are drawn."""
        return plan_from(json.loads(self.plan)) if self.plan else None

    def planned(self, arm: Arm) -> Iterator[ExperimentRun]:
        """The runs of one arm, in order. The same number means the same input, and the same key of what is drawn."""
        for number in range(self.runs):
            yield ExperimentRun(arm, number, self.inputs[number % len(self.inputs)])


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """One run: with faults or without, its number, and the agent's input."""

    arm: Arm
    number: int
    input: str

    @property
    def id(self) -> str:
        """Its name, unique in an experiment."""
        return f"{self.arm}/{self.number + 1}"


def read_inputs(file: Path) -> tuple[str, ...]:
    """The inputs in a file: one a line, or one JSON object a line with a field `input` where it ends in `.jsonl`.

    Raises:
        UserError: the file cannot be read, holds nothing, or a line is not an input.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read ({error}); give a text file with an input on each line") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    found = [_input(file, *one) if file.suffix == ".jsonl" else one[1].strip() for one in numbered]
    if not found:
        raise UserError(f"{file} holds no input; write one on each line")
    return tuple(found)


def _input(file: Path, number: int, line: str) -> str:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f'{file}, line {number}: not JSON ({error}); write {{"input": ...}}') from error
    text = data.get("input") if isinstance(data, dict) else data
    if not isinstance(text, str):
        raise UserError(f'{file}, line {number}: {text!r} is not a text; write {{"input": "some text"}}')
    return text


def distinct(inputs: Sequence[str]) -> tuple[str, ...]:
    """The inputs, each once."""
    return tuple(dict.fromkeys(inputs)) or ("",)
