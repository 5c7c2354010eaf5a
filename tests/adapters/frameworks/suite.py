"""What the kit and a clock say of a framework.

    python -m tests.adapters.frameworks.suite langchain --json langchain.json

is what `nox` runs in an environment that has this one framework. Cost: what a whole run of the agent takes, from the
making of its tools to its last words, divided by its calls; bare, and with the adapter under a plan that matches the
calls and strikes none.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import inspect
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sealegs.adapters.conformance import (
    CHECKS,
    ConformanceCase,
    ConformanceReport,
    Harness,
    ModelScript,
    ScriptedToolCall,
    conform,
)
from sealegs.adapters.conformance.fixtures import WeatherTools
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import Nth, Tool
from sealegs.inject import Session
from tests.adapters.frameworks.agent_runs import AGENT_CHECKS, agent_report, agent_row, agent_verdicts

CALLS = 8  # a run; some frameworks allow no more than ten turns
ROUNDS = 15
NEVER = Plan(name="never", rules=(Rule(match=Tool("*"), when=Nth(10**9), fault=Error()),))


def harnesses(name: str) -> list[Harness]:
    """The harnesses of a framework's page."""
    page = importlib.import_module(f"tests.adapters.frameworks.{name}")
    found = [thing for thing in vars(page).values() if isinstance(thing, type) and issubclass(thing, Harness)]
    return [kind() for kind in found if kind.__module__ == page.__name__ and not inspect.isabstract(kind)]


def seconds_a_call(harness: Harness) -> tuple[float, float]:
    """Bare, and what the adapter adds: the medians over rounds that take turns."""
    _round(harness, armed=True)
    rounds = [(_round(harness, armed=False), _round(harness, armed=True)) for _ in range(ROUNDS)]
    return statistics.median(bare for bare, _ in rounds), statistics.median(armed - bare for bare, armed in rounds)


def _round(harness: Harness, *, armed: bool) -> float:
    mode = harness.modes[0]
    script = ModelScript(
        [[ScriptedToolCall(f"call_{number}", "advice", {"city": f"City {number}"})] for number in range(CALLS)]
    )
    session = Session(NEVER) if armed else None
    case = ConformanceCase(mode, WeatherTools(mode).tools(), script, armed, session)
    began = time.perf_counter()
    if mode == "sync":
        harness.play(case)
    else:
        asyncio.run(harness.play_async(case))
    assert script.finished
    return (time.perf_counter() - began) / CALLS


def measured(harness: Harness, report: ConformanceReport) -> dict[str, Any]:
    """A row of the table as data."""
    verdicts = {f"{verdict.check} ({verdict.mode})": verdict for verdict in report.verdicts}
    bare, added = seconds_a_call(harness)
    return {
        "framework": report.framework,
        "package": report.package,
        "version": report.version,
        "modes": list(harness.modes),
        "surface": report.surface.replace(sys.prefix, "/venv"),  # tracebacks name the machine's folders
        "counts": report.counts(),
        "failed": {name: verdict.detail for name, verdict in verdicts.items() if verdict.result == "failed"},
        "absent": {name: verdict.detail for name, verdict in verdicts.items() if verdict.result == "absent"},
        "ms_a_call": {"bare": round(bare * 1e3, 3), "added": round(added * 1e3, 3)},
    }


def main(arguments: list[str]) -> int:
    """Run the kit on one framework; 1 where a check failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("framework", help="a file of harnesses, as it stands beside this one")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-cost", action="store_true", help="measure no times")
    parser.add_argument(
        "--check", choices=sorted([*CHECKS, *AGENT_CHECKS]), action="append", help="make this one; may be repeated"
    )
    given = parser.parse_args(arguments)
    wanted: Callable[[str, str], bool] = lambda check, mode: given.check is None or check in given.check  # noqa: E731
    rows, agents, failed = [], [], 0
    for harness in harnesses(given.framework):
        report = conform(harness, wanted)
        objects = agent_report(report, agent_verdicts(harness, given.check))
        print(f"{report}\n{objects}")
        failed += len(report.failed) + len(objects.failed)
        agents += [agent_row(objects)] if objects.verdicts else []
        if given.check is None and not given.no_cost:
            rows.append(measured(harness, report))
    if given.json is not None:
        found = {"python": platform.python_version(), "frameworks": rows, "agents": agents}
        given.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
