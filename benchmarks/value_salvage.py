"""How often the right value can be had although an answer is corrupt: what the judge of `maze` counts then.

    python benchmarks/value_salvage.py --json benchmarks/results/value_salvage.json

An agent that knows every right value walks the shortest way through the 400 tasks under P3 and P4, whatever it is
shown. Its outcome is always right; the strict verdict is where the value can be had from what was shown. Counted are
the episodes in which nothing but reads was struck, for either setting of `--implicit`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.agents import SCRIPTED, Naive, Say, UseTool
from sealegs.engines import direct
from sealegs.scenarios.perturbation import IMPLICIT_SETTINGS
from sealegs.scenarios.scenario import list_scenarios
from sealegs.scenarios.task_sets import task_set
from sealegs.scoring import judge
from sealegs.traces import build_record

MODES = ("P3", "P4")


class Knower(Naive):
    """Walks the shortest way with the right values, and tells the right ones."""

    def act(self) -> UseTool | Say:
        """The next call as it should be, then the answer."""
        steps = task_set().right_run(self.task.id).steps
        if len(self.answers) < len(self.path):
            step = self.path[len(self.answers)]
            return UseTool(step.tool, {name: steps[step.id].arguments[name] for name in step.arguments})
        self.answers = {step.id: steps[step.id].output for step in self.path}
        return self.finished()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    vars(direct)["SCRIPTED"] = {**SCRIPTED, "knower": Knower}  # it is of no use outside this measurement
    rows = [row for setting in IMPLICIT_SETTINGS for row in rows_of(setting)]
    for row in rows:
        print(f"{row['mode']:10} {row['metric']:8} {row['value']} % of {row['n']}")
    if arguments.json:
        write_results(arguments.json, rows)


def rows_of(setting: str) -> list[dict[str, Any]]:
    verdicts = []
    for episode in list_scenarios(modes=MODES, implicit=setting):
        record, right = build_record(direct.play_scenario(episode, "knower")), task_set().right_run(episode.task)
        faulted = [turn for turn in record.turns if any(injection.delivered for injection in turn.injections)]
        if not any(right.steps[episode.base.graph.step_of[turn.call.tool].id].effects for turn in faulted):
            verdicts.append(judge(record, episode.case(record)))
    about = {"suite": "maze/salvage", "agent": "knower", "level": "all", "mode": setting}
    counted = {"strict": sum(one.success for one in verdicts), "outcome": sum(one.outcome for one in verdicts)}
    return [
        {**about, "metric": name, "value": round(100 * found / len(verdicts), 2), "low": None, "high": None}
        | {"n": len(verdicts), "count": found}
        for name, found in counted.items()
    ]


if __name__ == "__main__":
    main()
