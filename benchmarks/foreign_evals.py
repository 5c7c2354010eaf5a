"""Evals that nobody here wrote, under faults: tau2 and AgentDojo with their own solutions as agents.

    python benchmarks/foreign_evals.py --json benchmarks/results/foreign_evals.json
    python benchmarks/foreign_evals.py --evals "agentdojo banking" tau2_airline --work /tmp/evals
    python benchmarks/foreign_evals.py --picture docs/images/foreign-evals.svg

Needs `pip install "sealegs[evals]"`. Each eval is played by the two reference agents, and by `gold` behind the recovery
layer, clean and in four modes, by `sealegs run inspect` in folders under `--work`: a stopped benchmark resumes where it
was. The eval's own scorers say what is solved. `agent` is `gold+recovery` where the layer stands before it.

`ceiling`, of `gold+recovery`, is the share of the samples solved cleanly and struck that the declarations allow to be
kept: what `gold` keeps alone, a transient failure of a call that may be made again or can be looked for, and an action
that a look shows to have been done. tau2's databases hold a hundred thousand objects, which the eval makes twice
for a sample: Python looks for garbage once in so many samples here, because that took most of the time.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.engines.folders import Progress
from sealegs.scenarios.perturbation import PERSISTENCE
from sealegs.scoring.metric import ALL, Row
from sealegs.suites.inspect_eval.eval_judging import judged_episodes
from sealegs.suites.inspect_eval.eval_logs import EvalLogs, read_eval_logs
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, ToolKnowledge
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.suite import SUITE

DOJO = ("with_injections=false", "with_sandbox_tasks=no")
AGENTS = {
    "gold": {"agent": "gold"},
    "gold-retrier": {"agent": "gold-retrier"},
    "gold+recovery": {"agent": "gold", "recovery": "active"},
}
METRICS = (
    "clean",
    "faulted",
    "kept",
    "exposed",
    "invalid",
    "extra_calls",
    "waits",
    "doubled",
    "early_stops",
    "right_stop",
)
FAULTED = tuple(PERSISTENCE)
COLLECTED = 8  # samples after which Python looks for garbage


@dataclass(frozen=True)
class ForeignRun:
    """An eval as it is played here."""

    name: str
    task: str
    arguments: tuple[str, ...] = ()


RUNS = (
    *(
        ForeignRun(f"agentdojo {suite}", "inspect_evals/agentdojo", (f"workspace={suite}", *DOJO))
        for suite in ("banking", "slack", "travel", "workspace")
    ),
    ForeignRun("tau2_airline", "inspect_evals/tau2_airline", ("shuffle=false",)),
    ForeignRun("tau2_retail", "inspect_evals/tau2_retail", ("shuffle=false",)),
)


class Quiet:
    """A view that shows one line a run."""

    @contextlib.contextmanager
    def progress(self, label: str) -> Iterator[Progress]:
        yield lambda done, total: gc.collect() if done % COLLECTED == 0 else None

    def note(self, message: str) -> None:
        print(message)


def played(run: ForeignRun, agent: str, work: Path, limit: int | None) -> EvalLogs:
    """One eval by one agent, from its folder where it was played before."""
    options = InspectOptions(
        task=run.task, task_args=run.arguments, limit=limit, connections=4, **AGENTS[agent]
    ).checked()
    folder = work / run.name.replace(" ", "-") / agent
    SUITE.play(options, folder, Quiet())
    return read_eval_logs(folder)


def rows_of(run: ForeignRun, agent: str, work: Path, limit: int | None) -> Iterator[Row]:
    """The rows of one eval by one agent: all kinds of a mode together."""
    logs = played(run, agent, work, limit)
    who: Row = {"suite": f"inspect:{run.name}", "agent": agent}
    report = SUITE.report(work / run.name.replace(" ", "-") / agent)
    for row in report.rows:
        if row["level"] == ALL and row["metric"] in METRICS:
            yield {**row, **who}
    if agent == "gold+recovery":
        alone = played(run, "gold", work, limit)
        known = InspectOptions(task=run.task).known()
        assert known is not None
        yield from ceiling_rows(logs, alone, known, who)


def ceiling_rows(logs: EvalLogs, alone: EvalLogs, known: EvalKnowledge, who: Row) -> Iterator[Row]:
    """What the declarations allow to keep, by mode."""
    kept_alone = {(one.mode, one.sample) for one in judged_episodes(alone) if one.solved}
    for mode in FAULTED:
        able = [
            (mode, one.sample) in kept_alone or may_be_kept(logs, mode, one.sample, known)
            for one in judged_episodes(logs)
            if one.mode == mode and one.counts and one.exposed and one.clean_solved
        ]
        value = round(100 * sum(able) / len(able), 2) if able else None
        yield {
            **who,
            "level": ALL,
            "mode": mode,
            "metric": "ceiling",
            "value": value,
            "low": None,
            "high": None,
            "n": len(able),
        }


def may_be_kept(logs: EvalLogs, mode: str, sample: str, known: EvalKnowledge) -> bool:
    """Whether what is declared of the faulted tool allows to go on."""
    record = next(one.record for key, one in logs.played.items() if (key.mode, key.sample) == (mode, sample))
    assert record is not None
    faulted = next(turn for turn in record.turns if any(injection.delivered for injection in turn.injections))
    tool = known.everyone.get(faulted.call.tool, ToolKnowledge())
    if PERSISTENCE[mode] == "transient" and (tool.harmless_again or tool.shown_by is not None):
        return True
    done = any(injection.moment == "after" for injection in faulted.injections)
    return tool.shown_by is not None and done


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", type=Path, default=Path("/tmp/sealegs-evals"))
    parser.add_argument("--evals", nargs="+", default=[run.name for run in RUNS], choices=[run.name for run in RUNS])
    parser.add_argument("--limit", type=int, help="samples of each eval; all by default")
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args(arguments)
    if given.picture:
        from foreign_evals_picture import draw_picture

        results = Path(__file__).parent / "results" / "foreign_evals.json"
        given.picture.write_text(draw_picture(json.loads(results.read_text("utf-8"))["rows"]), encoding="utf-8")
        return
    rows: list[Any] = []
    gc.disable()
    for run in (one for one in RUNS if one.name in given.evals):
        for agent in AGENTS:
            rows += rows_of(run, agent, given.work, given.limit)
            print(run.name, agent, len(rows), flush=True)
            if given.json:
                write_results(given.json, rows)


if __name__ == "__main__":
    main()
