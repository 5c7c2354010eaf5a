"""What `sealegs run inspect` adds to an eval without a model: seconds a run, bare and under an empty plan, in turns.

    python benchmarks/inspect_eval.py --json benchmarks/results/inspect_eval_cost.json

The eval has 8 calls of tools a sample, which a scripted model asks for at once; nothing waits. `bare` is Inspect alone,
`seam` the same eval with every call through the session of its sample and a record of all of it. Both run in pairs, one
after the other, in one process; `ratio` is the median of the pairs' ratios of processor time, with a 95 % bootstrap
interval. `sample_ms` is the time of a bare sample. Level `chain` is an eval whose solver has two steps, whose changes
of state the seam's step notes once for both; level `single` one whose solver is one step, as an agent is.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolChoice, ToolInfo, tool
from results_file import write_results

from sealegs.adapters.inspect_seam import sample_calls_intercepted
from sealegs.suites.inspect_eval.episode_solver import EvalArm, played_under_faults

CALLS = 8
RESAMPLES = 10_000
FACTS = {"suite": "inspect", "task": "benchmark", "task_args": {}}


@tool
def add() -> Tool:
    async def execute(x: int, y: int) -> str:
        """Add two numbers.

        Args:
            x: the first.
            y: the second.
        """
        return json.dumps({"sum": x + y})

    return execute


@modelapi(name="adder")
class Adder(ModelAPI):
    """Asks for one sum after another, and tells the last one."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        done = sum(message.role == "tool" for message in input)
        if done == CALLS:
            output = ModelOutput.from_content("adder", f"The sum is {json.loads(input[-1].text)['sum']}.")
        else:
            output = ModelOutput.for_tool_call("adder", "add", {"x": done, "y": 1}, f"add-{done}")
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        return 1000


@solver
def adding() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools = [add()]
        return await generate(state)

    return solve


LEVELS: dict[str, Callable[[], Any]] = {"chain": lambda: [use_tools(add()), generate()], "single": adding}


def made(level: str, samples: int) -> Task:
    dataset = MemoryDataset([Sample(input=f"Add, {n}.", target=str(CALLS), id=n) for n in range(1, samples + 1)])
    return Task(dataset=dataset, solver=LEVELS[level](), scorer=includes())


def seconds(level: str, samples: int, mode: str) -> float:
    """Processor time of one run; all samples must be solved."""
    task = made(level, samples)
    if mode == "seam":
        task = task_with(task, solver=played_under_faults(task.solver, EvalArm("NP", 1, FACTS)))
    folder = tempfile.mkdtemp()
    gc.collect()
    try:
        with sample_calls_intercepted() if mode == "seam" else contextlib.nullcontext():
            began = time.process_time()
            (log,) = inspect_eval(task, model="adder/one", log_dir=folder, display="none")
            taken = time.process_time() - began
    finally:
        shutil.rmtree(folder)
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    return taken


def row(level: str, mode: str, metric: str, values: np.ndarray[Any, Any]) -> dict[str, Any]:
    drawn = np.median(np.random.default_rng(0).choice(values, (RESAMPLES, len(values))), axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    known = {"suite": "inspect", "agent": "", "level": level, "mode": mode, "metric": metric}
    return {
        **known,
        "value": round(float(np.median(values)), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "n": len(values),
    }


def rows(level: str, samples: int, count: int) -> list[dict[str, Any]]:
    """The long table of one level."""
    for mode in ("bare", "seam"):
        seconds(level, samples, mode)  # what is loaded once
    pairs = []
    for number in range(count):
        order = ("bare", "seam") if number % 2 else ("seam", "bare")
        pairs.append({mode: seconds(level, samples, mode) for mode in order})
    bare, seam = (np.array([pair[mode] for pair in pairs]) for mode in ("bare", "seam"))
    return [row(level, "bare", "sample_ms", 1000 * bare / samples), row(level, "seam", "ratio", seam / bare)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=15, help="runs of each mode")
    parser.add_argument("--samples", type=int, default=60, help="samples of a run")
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    table = [one for level in LEVELS for one in rows(level, arguments.samples, arguments.pairs)]
    for one in table:
        print(f"{one['level']:7} {one['mode']:6} {one['metric']:10} {one['value']} [{one['low']}, {one['high']}]")
    if arguments.json is not None:
        write_results(arguments.json, table)


if __name__ == "__main__":
    main()
