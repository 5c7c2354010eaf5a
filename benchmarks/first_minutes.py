"""The first five minutes with an agent of one's own: what has to be written, what it costs, and what comes out.

    python -m venv peers && peers/bin/pip install agentic-chaos-security agentcheck-pytest-plugin agentic-chaos pytest
    python benchmarks/first_minutes.py --peers peers/bin/python --json benchmarks/results/first_minutes.json

Each tool gets the same agent, which asks one tool and tries twice, and is asked the same question: how often does it
survive when every fifth call of that tool times out? Counted are the lines that a user writes besides the agent (blank
lines are not), the CPU seconds of one command (the median of so many), and whether there is a baseline, an interval and
a verdict in what it prints. The tools run in turn, so a busy machine is as busy for each.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results_file import write_results

AGENT = """
def agent(rate):
    for _ in range(2):
        try:
            return f"A euro is {rate('EUR', 'USD')} dollars."
        except Exception as error:
            last = error
    raise last
"""


@dataclass(frozen=True)
class Tool:
    """A tool as a new user takes it up: the files to write, the command to run, and what its output names."""

    name: str
    files: dict[str, str]
    command: tuple[str, ...]
    own: bool = False

    @property
    def lines(self) -> int:
        """How many lines a user writes."""
        return sum(bool(line.strip()) for text in self.files.values() for line in text.splitlines())


TOOLS = (
    Tool(
        "sealegs test",
        {
            "mine.py": "from my_agent import agent\nfrom sealegs import tool\n"
            "@tool(effects=False)\ndef rate(base, quote): return 1.08\n"
            "def run(): return agent(rate)\ndef fine(answer): return '1.08' in answer\n",
            "plan.yaml": "name: timeouts\nrules:\n"
            "  - {match: {tool: rate}, when: {probability: 0.2}, fault: {kind: timeout}}\n",
        },
        ("-m", "sealegs", "test", "mine:run", "--check", "mine:fine", "--plan", "plan.yaml", "--runs", "100"),
        own=True,
    ),
    Tool(
        "sealegs test, no plan",
        {
            "mine.py": "from my_agent import agent\nfrom sealegs import tool\n"
            "@tool(effects=False)\ndef rate(base, quote): return 1.08\n"
            "def run(): return agent(rate)\ndef fine(answer): return '1.08' in answer\n"
        },
        ("-m", "sealegs", "test", "mine:run", "--check", "mine:fine"),
        own=True,
    ),
    Tool(
        "agentic-chaos-security",
        {
            "mine.py": "import agentic_chaos_security as chaos\n"
            "from agentic_chaos_security import Experiment, faults, probes\n"
            "from my_agent import agent\n"
            "@chaos.tool\ndef rate(base, quote): return 1.08\n"
            "print(Experiment(name='rates', target=lambda: agent(rate),\n"
            "                 faults=[faults.Timeout('rate', probability=0.2)],\n"
            "                 probes=[probes.no_unhandled_error()], runs=20).run().summary())\n"
        },
        ("mine.py",),
    ),
    Tool(
        "agentcheck-pytest-plugin",
        {
            "test_mine.py": "import pytest\nfrom my_agent import agent\n"
            "@pytest.mark.agentcheck(runs=20, min_pass_rate=0.8)\n"
            "def test_rates(agentcheck_faults):\n"
            "    rate = agentcheck_faults.inject(lambda base, quote: 1.08, 'timeout', probability=0.2)\n"
            "    assert '1.08' in agent(rate)\n"
        },
        ("-m", "pytest", "-q", "-p", "no:cacheprovider"),
    ),
    Tool(
        "agentic-chaos",
        {
            "mine.py": "from agentic_chaos.chaos import chaos_call, chaos_session, TokenTimeoutFault\n"
            "from my_agent import agent\n"
            "with chaos_session([TokenTimeoutFault(hang_seconds=0.0)]):\n"
            "    print(agent(lambda base, quote: chaos_call(lambda b, q: 1.08, base, quote)))\n"
        },
        ("mine.py",),
    ),
)


@dataclass
class Tried:
    """What one command cost and printed."""

    cpu: list[float]
    code: int = 0
    output: str = ""


def attempt(tool: Tool, python: str, folder: Path) -> tuple[float, int, str]:
    """Run a tool's command once in a fresh folder; CPU seconds, exit code, output."""
    for name, text in {**tool.files, "my_agent.py": AGENT}.items():
        (folder / name).write_text(text, "utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [python, *tool.command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, done.returncode, done.stdout or done.stderr


def row(tool: Tool, metric: str, value: float, low: float | None, high: float | None, n: int) -> dict[str, Any]:
    return {
        "suite": "benchmark-first-minutes",
        "agent": tool.name,
        "level": "",
        "mode": "",
        "metric": metric,
        "value": value,
        "low": low,
        "high": high,
        "n": n,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--peers", default="", help="the Python that the peers are installed for; without it, ours alone"
    )
    parser.add_argument("--times", type=int, default=5, help="how often each command is run")
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    tools = [tool for tool in TOOLS if tool.own or arguments.peers]
    peers = str(Path(arguments.peers).absolute())  # a tool is run in a folder of its own
    tried = {tool.name: Tried([]) for tool in tools}
    for _ in range(arguments.times):
        for tool in tools:
            with tempfile.TemporaryDirectory() as place:
                cpu, code, output = attempt(tool, sys.executable if tool.own else peers, Path(place))
            found = tried[tool.name]
            found.cpu.append(cpu)
            found.code, found.output = code, output
    rows: list[dict[str, Any]] = []
    for tool in tools:
        found = tried[tool.name]
        cpu = statistics.median(found.cpu)
        rows.append(row(tool, "lines", tool.lines, None, None, 1))
        rows.append(
            row(tool, "cpu_s", round(cpu, 2), round(min(found.cpu), 2), round(max(found.cpu), 2), len(found.cpu))
        )
        rows.append(row(tool, "exit_code", found.code, None, None, 1))
        print(f"{tool.name}: {tool.lines} lines, {cpu:.2f} s CPU, exit code {found.code}")
        print("".join(f"    {line}\n" for line in found.output.strip().splitlines()[-6:]))
    if arguments.json is not None:
        write_results(arguments.json, rows)


if __name__ == "__main__":
    main()
