"""Evals that nobody here wrote, under faults: tau2 and AgentDojo with their own solutions as agents.

    python benchmarks/foreign_evals.py --json benchmarks/results/foreign_evals.json
    python benchmarks/foreign_evals.py --evals "agentdojo banking" tau2_airline --work /tmp/evals
    python benchmarks/foreign_evals.py --picture docs/images/foreign-evals.svg

Needs `pip install "sealegs[evals]"`. Each eval is played by the two reference agents, and by `gold` behind the recovery
layer, clean and in four modes, by `sealegs run inspect` in folders under `--work`: a stopped benchmark resumes where it
was. The eval's own scorers say what is solved. `agent` is `gold+recovery` where the layer stands before it.

`doubled_by_state` is judged by the eval's own environment: a faulted sample counts where it ended in a state that the
calls of its solution, each made at most once, do not leave (`end_states`). `doubled` is read from the records.

tau2's telecom and banking are played clean and by `gold` alone. `ceiling`, of `gold+recovery`, is the share of the
samples solved cleanly and struck that the declarations allow to be kept: what `gold` keeps alone, a transient failure
of a call that may be made again or can be looked for, and an action that a look shows to have been done. tau2's
databases hold a hundred thousand objects, which the eval makes twice for a sample: Python looks for garbage once in so
many samples here, because that took most of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.engines.folders import Progress
from sealegs.scenarios.perturbation import PERSISTENCE
from sealegs.scoring.eval_metrics import CLEAN, EvalResult, eval_table
from sealegs.scoring.metric import ALL, Metric, Row
from sealegs.suites.inspect_eval.end_states import (
    StateDigests,
    end_states_in_logs,
    ended_elsewhere,
    solution_states,
)
from sealegs.suites.inspect_eval.eval_judging import judged_episodes
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode, EvalLogs, read_eval_logs
from sealegs.suites.inspect_eval.foreign_environments import foreign_eval
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, ToolKnowledge, load_knowledge
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.suite import SUITE

DOJO = ("with_injections=false", "with_sandbox_tasks=no")
AGENTS = {
    "gold": {"agent": "gold"},
    "gold-retrier": {"agent": "gold-retrier"},
    "gold+recovery": {"agent": "gold", "recovery": "active"},
}
OF_KINDS = (
    "faulted",
    "kept",
    "faulted_difference",
    "doubled",
    "right_stop",
)  # metrics whose rows of each kind are kept
FAULTED = tuple(PERSISTENCE)
COLLECTED = 8  # samples after which Python looks for garbage


@dataclass(frozen=True)
class ForeignRun:
    """An eval as it is played here; `knowledge` is the name of the shipped file about it."""

    name: str
    task: str
    arguments: tuple[str, ...]
    knowledge: str
    clean_only: bool = False

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that play it."""
        return ("gold",) if self.clean_only else tuple(AGENTS)

    def known(self) -> EvalKnowledge:
        """What the shipped file says of its tools."""
        found = load_knowledge(self.knowledge)
        assert found is not None, self.knowledge
        return found


RUNS = (
    *(
        ForeignRun(f"agentdojo {suite}", "inspect_evals/agentdojo", (f"workspace={suite}", *DOJO), f"agentdojo_{suite}")
        for suite in ("banking", "slack", "travel", "workspace")
    ),
    *(
        ForeignRun(f"tau2_{domain}", f"inspect_evals/tau2_{domain}", ("shuffle=false",), f"tau2_{domain}", clean_only)
        for domain, clean_only in (("airline", False), ("retail", False), ("telecom", True), ("banking", True))
    ),
)


class Quiet:
    """A view that shows one line a run."""

    @contextlib.contextmanager
    def progress(self, label: str) -> Iterator[Progress]:
        yield lambda done, total: gc.collect() if done % COLLECTED == 0 else None

    def note(self, message: str) -> None:
        print(message)


def played(run: ForeignRun, agent: str, work: Path, limit: int | None) -> Path:
    """The folder of one eval by one agent, where what was played before is not played again."""
    options = InspectOptions(
        task=run.task,
        task_args=run.arguments,
        limit=limit,
        connections=4,
        **({"modes": (CLEAN,)} if run.clean_only else {}),
        **AGENTS[agent],
    ).checked()
    folder = work / run.name.replace(" ", "-") / agent
    with end_states_in_logs(run.known()):
        SUITE.play(options, folder, Quiet())
    return folder


def rows_of(run: ForeignRun, agent: str, work: Path, limit: int | None) -> Iterator[Row]:
    """The rows of one eval by one agent: all metrics of each mode, and some of each kind of fault."""
    folder = played(run, agent, work, limit)
    who: Row = {"suite": f"inspect:{run.name}", "agent": agent}
    for row in SUITE.report(folder).rows:
        if row["level"] == ALL or row["metric"] in OF_KINDS:
            yield {**row, **who}
    if run.clean_only:
        return
    logs = read_eval_logs(folder)
    yield from state_rows(run, logs, folder, {**logs.who, **who})
    if agent == "gold+recovery":
        alone = read_eval_logs(played(run, "gold", work, limit))
        yield from ceiling_rows(logs, alone, run.known(), {**logs.who, **who})


def state_rows(run: ForeignRun, logs: EvalLogs, folder: Path, who: Row) -> Iterator[Row]:
    """The share of faulted samples that ended in a state which their solution, made once, does not leave.

    Raises:
        ValueError: a clean sample ended in such a state, so that the comparison would say nothing.
    """
    other = ended_elsewhere(folder, states_of(run).__getitem__)
    if strange := [key.sample for key in other if key.mode == CLEAN]:
        raise ValueError(f"{run.name}: clean samples end where their solution does not lead: {', '.join(strange)}")
    metric = Metric[EvalResult](
        "doubled_by_state",
        lambda one: EvalEpisode(one.mode, one.sample, one.epoch) in other,
        lambda one: one.counts and one.exposed,
    )
    yield from (row for row in eval_table(judged_episodes(logs), who, [metric]) if row["mode"] != CLEAN)


@cache
def states_of(run: ForeignRun) -> Mapping[str, Sequence[StateDigests]]:
    """The states of the solution of each sample; made once for all agents, since tau2's take minutes."""
    foreign = foreign_eval(run.knowledge)
    return {one.id: asyncio.run(solution_states(foreign, run.known(), one)) for one in foreign.samples()}


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
        for agent in run.agents:
            rows += rows_of(run, agent, given.work, given.limit)
            print(run.name, agent, len(rows), flush=True)
            if given.json:
                write_results(given.json, rows)


if __name__ == "__main__":
    main()
