"""What learned detectors cost: a call's check in microseconds beside what is declared, learning and reading in seconds.

    python benchmarks/detectors.py --json benchmarks/results/detector_costs.json

The record is the clean episodes of the suite's base tasks, as `planner` plays them. Each round asks the detector and
the tools' declared statements about the same answers in turns, so that `ratio` compares like with like; medians of the
rounds with their range, in CPU time. What is not in it: the recovery layer's own cost (`seam.py`).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.engines.direct import play_scenario
from sealegs.faults.call import Call, Value
from sealegs.recovery.detectors import learn, read_profiles
from sealegs.scenarios import LEVELS
from sealegs.scenarios.scenario import list_scenarios
from sealegs.traces.observed import Trace, trace_from_events
from sealegs.world.corpus import load_corpus


def row(metric: str, values: Sequence[float], n: int) -> dict[str, Any]:
    figures = {
        "value": round(statistics.median(values), 3),
        "low": round(min(values), 3),
        "high": round(max(values), 3),
    }
    return {
        "suite": "benchmark-detectors",
        "agent": "",
        "level": "all",
        "mode": "all",
        "metric": metric,
        **figures,
        "n": n,
    }


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds, which other work on the machine lengthens less."""
    began = time.process_time()
    work()
    return time.process_time() - began


def answers(traces: Sequence[Trace]) -> list[tuple[Call, Any]]:
    return [
        (Call(call.tool, call.arguments), call.said.value)
        for trace in traces
        for call in trace.calls
        if call.arguments is not None and isinstance(call.said, Value)
    ]


def measured(rounds: int) -> list[dict[str, Any]]:
    """The long table."""
    traces = [trace_from_events(play_scenario(episode, "planner")) for episode in list_scenarios(LEVELS, ("NP",))]
    calls, specs = answers(traces), {name: tool.spec for name, tool in load_corpus().tools.items()}
    began = time.process_time()
    profiles = learn(traces)
    learning = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profiles.json"
        file.write_text(profiles.text(), encoding="utf-8")
        reading, size = seconds(lambda: read_profiles(file)), file.stat().st_size
    detector = profiles.detector(0.01)
    learned, declared = [], []
    for _ in range(rounds):
        learned.append(1e6 * seconds(lambda: [detector.findings(call, value) for call, value in calls]) / len(calls))
        declared.append(
            1e6 * seconds(lambda: [specs[c.tool].violations(c.arguments, v) for c, v in calls]) / len(calls)
        )
    ratios = [one / other for one, other in zip(learned, declared, strict=True)]
    statements = sum(len(profile.statements) for profile in profiles.tools.values())
    return [
        row("learned_us_per_call", learned, len(calls)),
        row("declared_us_per_call", declared, len(calls)),
        row("ratio", ratios, rounds),
        row("learn_seconds", [learning], len(calls)),
        row("learn_us_per_answer", [1e6 * learning / len(calls)], len(calls)),
        row("read_seconds", [reading], statements),
        row("file_kilobytes", [size / 1024], statements),
        row("statements_per_tool", [statements / (len(profiles.tools) - 1)], len(profiles.tools) - 1),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    table = measured(arguments.rounds)
    for one in table:
        print(f"{one['metric']:22} {one['value']:10} [{one['low']}, {one['high']}]  n {one['n']}")
    if arguments.json is not None:
        write_results(arguments.json, table)


if __name__ == "__main__":
    main()
