"""The recovery layer: what it adds to a call that goes well, and what it is worth on `maze`.

    python benchmarks/recovery.py --json benchmarks/results/recovery.json
    python benchmarks/recovery.py --parts added --processes 3

Added time: the same tool in one loop, against a session that has no layer. In each of several processes the modes take
turns, round by round, and CPU time is counted, so that other work on the machine slows all of them alike and is not
counted itself. A process tells for each mode its quickest round; shown is the median over the processes, with the
smallest and the largest, and what the call costs as a multiple of the same call without the layer. `median_us` is the
same of the median rounds. The answer is an object of two fields; a larger one takes longer to hold against its schema.

The table: scripted agents without the layer, with its modest form and with its active form, over each engine; `direct`
runs all tasks, the others as many of each level as `--tasks` says. The implicit faults are the nine published families;
`direct, ladder` has those of all rungs instead. The runs are those of `sealegs run maze` in folders
under `--work`: a stopped benchmark resumes where it was. `calls` counts all, `calls_by_layer` those that the layer had
made; `ceiling` is the share that the declarations allow (`sealegs.suites.maze.recovery_ceiling`). Of the effects in the
ledger, `doubled` counts what was done once too often, `wrong` what the same agent does not do where nothing fails.
`verdicts_equal` is the share of an engine's episodes whose verdict, each of its fields, is that of the same episode
over `direct`, and whose effects are.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from results_file import OtherRows
from timed_calls import Made, forecast, forecast_async, timed, timed_async

from sealegs.adapters.python import wrap
from sealegs.faults.invariants import Bounds, Echo
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock, Session
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.recovery_plan import RecoveryPlan
from sealegs.scenarios.perturbation import LADDER, PUBLISHED_FAMILIES
from sealegs.scenarios.scenario_setup import RECOVERIES
from sealegs.scoring.maze_metrics import AIDED, CEILING, CLEAN, DESIGN, PRR, RC, TSR, MazeResult, maze_table
from sealegs.scoring.metric import ALL, EpisodeTable, Metric, Row, estimate, figure_row
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import MazeRun, read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.recovery_ceiling import HABITS, OTHERS, with_reach
from sealegs.traces import Record, Recorder

AGENTS = ("naive", "retrier", "planner", "verifier")  # over `direct`; over the others, the first two
ENGINES = ("direct", "langchain", "mcp")
ON_LADDER = "direct, ladder"  # over `direct` with the implicit faults that `sealegs run maze` has by default
RATES = (TSR, PRR, RC)
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
}
INVARIANTS = (Bounds("days", minimum=0, maximum=14), Echo("city", "city"), Echo("days", "days"))
KNOWN = {
    "nothing declared": (),
    "schema": (ToolSpec("forecast", returns=SCHEMA),),
    "schema and three invariants": (ToolSpec("forecast", returns=SCHEMA, invariants=INVARIANTS),),
}
PLAN = RecoveryPlan.model_validate({"tools": {"forecast": {"effects": False, "returns": SCHEMA}}})
BARE, BARE_RECORDED = "bare", "recorded, bare"
CALLS = 2000  # of one round


def session(mode: str) -> Session:
    """The session of a mode. Where it is recorded, the record is thrown away."""
    clock = RealClock()
    recorded, _, name = mode.rpartition("recorded, ")
    watcher = Deaf(clock) if recorded or mode.startswith("recorded") else None
    if name == "bare":
        return Session(clock=clock, watcher=watcher)
    if name == "schema of a recovery plan":
        return Session(clock=clock, watcher=watcher, layers=[PLAN.layer()])
    if name == DEADLINE:
        return Session(clock=clock, layers=[RecoveryLayer(deadline=60.0)])
    return Session(clock=clock, watcher=watcher, layers=[RecoveryLayer()], specs=KNOWN[name])


class Deaf(Recorder):
    """A recorder that makes every event and keeps none, so that a long loop does not fill the memory."""

    def add(self, event: Any) -> None:
        """Forget it."""


DEADLINE = "a deadline"
MODES = (BARE, *KNOWN, "schema of a recovery plan", DEADLINE, BARE_RECORDED, "recorded, nothing declared")


def microseconds(made: Made) -> float:
    """CPU microseconds of one call in a round of them; those of threads that it starts included."""
    return timed(made, CALLS, time.process_time) / CALLS * 1e6


def microseconds_async(made: Made) -> float:
    """The same of an async tool."""
    return asyncio.run(timed_async(made, CALLS, time.process_time)) / CALLS * 1e6


def in_turns(level: str, rounds: int) -> dict[str, list[float]]:
    """In this process: every round of every mode."""
    tool: Made = forecast if level == "sync" else forecast_async
    take = microseconds if level == "sync" else microseconds_async
    made = {mode: wrap(tool, session(mode), name="forecast") for mode in MODES}
    found: dict[str, list[float]] = {mode: [] for mode in MODES}
    for number in range(rounds):
        order = MODES if number % 2 else MODES[::-1]
        for mode in order:
            found[mode].append(take(made[mode]))
    return found


def added(level: str, processes: int, rounds: int) -> Iterable[Row]:
    """What each mode adds to its floor."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        samples = pool.starmap(in_turns, [(level, rounds)] * processes, chunksize=1)
    for mode in MODES:
        if mode in (BARE, BARE_RECORDED):
            yield row(level, mode, "call_us", [min(one[mode]) for one in samples])
            continue
        floor = BARE_RECORDED if mode.startswith("recorded") else BARE
        yield row(level, mode, "added_us", [min(one[mode]) - min(one[floor]) for one in samples])
        yield row(level, mode, "median_us", [median(one[mode]) - median(one[floor]) for one in samples])
        yield row(level, mode, "ratio", [min(one[mode]) / min(one[floor]) for one in samples])


def row(level: str, mode: str, metric: str, values: Sequence[float]) -> Row:
    """The median over processes with their range."""
    low, value, high = (round(each, 3) for each in (min(values), median(values), max(values)))
    who: Row = {"suite": "benchmark-recovery", "agent": "", "level": level, "mode": mode, "metric": metric}
    return {**who, "value": value, "low": low, "high": high, "n": len(values)}


def played(agent: str, recovery: str, over: str, tasks: int, work: Path) -> MazeRun:
    """The run of these, or what is left of it."""
    engine, _, ladder = over.partition(", ")
    limit, implicit = None if engine == "direct" else tasks, LADDER if ladder else PUBLISHED_FAMILIES
    settings = MazeOptions(agent=agent, recovery=recovery, engine=engine, limit=limit, implicit=implicit)
    folder = work / f"maze-{agent}-{over.replace(', ', '-')}-{recovery}"
    began = time.perf_counter()
    run_scripted_agent(settings, folder, lambda done, total: None)
    found = read_maze_run(folder)
    took = time.perf_counter() - began
    print(f"{over}: {agent}, {recovery}: {len(found.records)} episodes, {took:.0f} s", flush=True)
    return found


def done(found: Record) -> Counter[tuple[str, str]]:
    return Counter((effect.action, effect.subject) for effect in found.effects)


def rated(results: Sequence[MazeResult], who: Row) -> Iterable[Row]:
    """Rates by mode and over all, each with an interval."""
    aided = any(result.verdict.calls_by_layer or result.verdict.masked_faults for result in results)
    for mode in (*sorted({result.mode for result in results}), "all"):
        cell = EpisodeTable([result for result in results if mode in ("all", result.mode)], DESIGN)
        for metric in (*RATES, *(AIDED if aided else ())):
            if mode != CLEAN or metric is TSR:
                yield figure_row(who, who["level"], mode, metric.name, estimate(metric, cell))


def counted(found: Sequence[tuple[MazeResult, Record]], who: Row) -> Iterable[Row]:
    """Calls and doubled effects by mode."""
    clean = {result.task: done(record) for result, record in found if result.mode == "NP"}
    for mode in sorted({result.mode for result, _ in found}):
        here = [(result, record) for result, record in found if result.mode == mode]
        for metric in (
            Metric[MazeResult]("calls", lambda result: result.verdict.calls, kind="amount"),
            Metric[MazeResult]("calls_by_layer", lambda result: result.verdict.calls_by_layer, kind="amount"),
        ):
            figure = estimate(metric, EpisodeTable([result for result, _ in here], DESIGN))
            yield figure_row(who, who["level"], mode, metric.name, figure)
        excess = [(done(record), clean[result.task]) for result, record in here]
        twice = sum(max(0, times - max(1, once[key])) for deeds, once in excess for key, times in deeds.items())
        wrong = sum(key not in once for deeds, once in excess for key in deeds)
        for name, value in (("doubled", twice), ("wrong", wrong)):
            yield {**who, "mode": mode, "metric": name, "value": value, "low": None, "high": None, "n": len(here)}


Judged = Mapping[Any, tuple[MazeResult, Record]]


def judged(run: MazeRun) -> Judged:
    """Each episode's verdict and record, in one order whatever the order in which they ended."""
    pairs = dict(zip(run.records, zip(run.results(), run.records.values(), strict=True), strict=True))
    return {episode: pairs[episode] for episode in sorted(pairs, key=lambda one: one.id)}


def equal(one: Judged, other: Judged, who: Row) -> Row:
    """Of the episodes of one, how many came to the same in the other."""
    same = sum(
        result.verdict == other[episode][0].verdict and done(found) == done(other[episode][1])
        for episode, (result, found) in one.items()
    )
    for episode, (result, found) in one.items():
        if result.verdict != other[episode][0].verdict or done(found) != done(other[episode][1]):
            print(f"differs: {who['agent']} {who['level']} {episode.id}", flush=True)
    share = round(100 * same / len(one), 2)
    return {**who, "mode": "all", "metric": "verdicts_equal", "value": share, "low": None, "high": None, "n": len(one)}


def table_rows(engines: Sequence[str], tasks: int, work: Path) -> Iterable[Row]:
    """Each agent without the layer and with each form of it, over these engines."""
    for agent in AGENTS:
        for recovery in RECOVERIES:
            own = [one for one in engines if agent in AGENTS[:2] or one.startswith("direct")]
            runs = {engine: judged(played(agent, recovery, engine, tasks, work)) for engine in own}
            for engine, found in runs.items():
                who: Row = {"suite": "maze", "agent": f"{agent}, {recovery}", "level": engine}
                yield from rated([result for result, _ in found.values()], who)
                yield from counted(list(found.values()), who)
                if recovery == "active":
                    yield from limits(found, who, agent)
                if not engine.startswith("direct") and "direct" in runs:
                    yield equal(found, runs["direct"], who)


def limits(found: Judged, who: Row, agent: str) -> Iterable[Row]:
    """What the declarations allow, by mode."""
    results = with_reach({episode: result for episode, (result, _) in found.items()}, HABITS.get(agent, OTHERS))
    for one in maze_table([*results.values()], who, (CEILING,)):
        if one["level"] == ALL:
            yield {**one, "level": who["level"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the long table here; rows of parts left out stay as they were")
    parser.add_argument("--parts", default="added,table", help="added, table or both")
    parser.add_argument("--processes", type=int, default=9, help="for the added time")
    parser.add_argument("--rounds", type=int, default=40, help="of each mode in each process")
    parser.add_argument("--engines", nargs="+", default=(*ENGINES, ON_LADDER), help="for the table")
    parser.add_argument("--tasks", type=int, default=25, help="tasks of each level over langchain and mcp")
    parser.add_argument("--work", type=Path, default=Path("recovery-runs"), help="where the runs of the table are kept")
    arguments = parser.parse_args()
    found: list[Row] = []
    if "added" in arguments.parts:
        for level in ("sync", "async"):
            found += added(level, arguments.processes, arguments.rounds)
    if "table" in arguments.parts:
        found += table_rows(arguments.engines, arguments.tasks, arguments.work)
    for one in found:
        low, high = one["low"], one["high"]
        print(f"{one['level']:10} {one['agent']:16} {one['mode']:28} {one['metric']:14} {one['value']} [{low}, {high}]")
    if arguments.json is not None:
        made = {one["suite"] for one in found}
        others = OtherRows.of(arguments.json, lambda row: row["suite"] in made)
        others.write_with(arguments.json, [*others.rows, *found])


if __name__ == "__main__":
    main()
