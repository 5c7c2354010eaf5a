"""The options of an experiment: equal options give equal runs, so that the same command resumes it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import plan_from
from sealegs.faults.user_error import UserError
from sealegs.scoring.experiment_metrics import Arm

MOST_RUNS = 100_000


class ExperimentOptions(BaseModel):
    """The options of an experiment.

    Attributes:
        agent: `module:function`, a command line, an address, or the name of an object.
        plan: the plan as JSON; empty where faults are drawn from the tools that are seen.
        check: `module:function` of the check, or its name; empty for none.
        contracts: what every run must keep (`scoring.run_contracts`).
        inputs: the agent's inputs, in turn; one empty text where it takes nothing.
        runs: how many runs are made under faults, at most.
        baseline: whether as many are made without faults.
        fail_under: the pass rate under faults that is required, above 0 and at most 1.
        seed: decides every fault that is drawn.
        max_calls: tool calls after which a run is cut off.
        timeout: seconds on the experiment's clock after which one call is given up.
        time_limit: seconds of real time after which a run is ended.
        clock: `virtual`: injected waits cost no time; `real`: they do.
        settle: whether the runs stop once the verdict is settled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str
    plan: str = ""
    check: str = ""
    contracts: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ("",)
    runs: int = Field(20, ge=1, le=MOST_RUNS)
    baseline: bool = True
    fail_under: float = Field(0.8, gt=0, le=1)
    seed: int = Field(0, ge=0, lt=2**32)
    max_calls: int = Field(50, ge=1)
    timeout: float = Field(30.0, gt=0)
    time_limit: float = Field(300.0, gt=0)
    clock: Literal["virtual", "real"] = "virtual"
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


def distinct(inputs: Sequence[str]) -> tuple[str, ...]:
    """The inputs, each once."""
    return tuple(dict.fromkeys(inputs)) or ("",)
