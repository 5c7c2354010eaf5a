"""The recovery layer: what it adds to a call that goes well, and what it is worth on `maze`.

    python benchmarks/recovery.py --json benchmarks/results/recovery.json
    python benchmarks/recovery.py --parts table --engines direct --json FILE

Added time is as in `seam.py`: the same tool in the same loop, in processes of its own (pyperf), against a session that
has no layer. The table: scripted agents with and without the active layer over each engine; `direct` runs every
task, the others `--tasks` of each level. `calls` counts those that the layer made, too. Of
the effects in the ledger, `doubled` counts what was done once too often, `wrong` what the same agent does not do where
nothing fails.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pyperf
from seam import Made, forecast, rows

from sealegs.adapters.python import wrap
from sealegs.faults.invariants import Bounds, Echo
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session
from sealegs.recovery.layer import RecoveryLayer
from sealegs.scoring import judge
from sealegs.scoring.intervals import cluster_bootstrap
from sealegs.scoring.metrics import Result, Row, table
from sealegs.suites.maze.direct import run_direct
from sealegs.suites.maze.episodes import Episode, episodes
from sealegs.traces import Record, decoded, record

AGENTS = ("naive", "retrier")
RECOVERIES = ("off", "active")
METRICS = ("tsr", "prr", "rc")
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
}
INVARIANTS = (Bounds("days", minimum=0, maximum=14), Echo("city", "city"), Echo("days", "days"))


def kept(spec: ToolSpec | None) -> Callable[[Made], Made]:
    """The tool under the layer, with what is declared of it."""
    return lambda bare: wrap(bare, Session(specs=[spec] if spec else [], layers=[RecoveryLayer()]))


MODES: dict[str, Callable[[Made], Made]] = {
    "bare": lambda bare: wrap(bare, Session()),
    "nothing declared": kept(None),
    "schema": kept(ToolSpec("forecast", returns=SCHEMA)),
    "schema and three invariants": kept(ToolSpec("forecast", returns=SCHEMA, invariants=INVARIANTS)),
}


def timed(loops: int, mode: str) -> float:
    """Seconds for so many calls."""
    made = MODES[mode](forecast)
    rounds = range(loops)
    began = time.perf_counter()
    for _ in rounds:
        made("Oslo", days=2)
    return time.perf_counter() - began


def judged(chosen: Sequence[Episode], agent: str, recovery: str, engine: str) -> list[tuple[Result, Record]]:
    """The episodes, played and judged."""
    by_id = {episode.id: episode for episode in chosen}
    found = []
    for lines in run_direct(chosen, agent, recovery=recovery, engine=engine):
        played = record([decoded(json.loads(line)) for line in lines])
        episode = by_id[played.episode]
        verdict = judge(played, episode.case(played))
        found.append((Result(episode.task, episode.base.level, episode.mode, episode.epoch, verdict), played))
    return found


def done(played: Record) -> Counter[tuple[str, str]]:
    return Counter((effect.action, effect.subject) for effect in played.effects)


def counted(found: Sequence[tuple[Result, Record]], who: Row) -> Iterable[Row]:
    """Calls and doubled effects by mode."""
    clean = {result.task: done(played) for result, played in found if result.mode == "NP"}
    for mode in sorted({result.mode for result, _ in found}):
        here = [(result, played) for result, played in found if result.mode == mode]
        calls = [len(played.turns) for _, played in here]
        value, (low, high) = mean(calls), spread(calls)
        numbers = {"value": round(value, 2), "low": round(low, 2), "high": round(high, 2), "n": len(here)}
        yield {**who, "mode": mode, "metric": "calls", **numbers}
        excess = [(done(played), clean[result.task]) for result, played in here]
        twice = sum(max(0, times - max(1, once[key])) for found, once in excess for key, times in found.items())
        wrong = sum(key not in once for found, once in excess for key in found)
        for metric, value in (("doubled", twice), ("wrong", wrong)):
            yield {**who, "mode": mode, "metric": metric, "value": value, "low": None, "high": None, "n": len(here)}


def spread(values: Sequence[int]) -> tuple[float, float]:
    """A 95 % interval of the mean, the tasks drawn anew."""
    low, high = cluster_bootstrap(lambda weights: weights @ values / weights.sum(axis=1), len(values), 0)
    return float(low), float(high)


def table_rows(engine: str, tasks: int) -> Iterable[Row]:
    """Each agent with and without the layer over this engine."""
    chosen = episodes(limit=None if engine == "direct" else tasks)
    for agent in AGENTS:
        for recovery in RECOVERIES:
            began = time.perf_counter()
            found = judged(chosen, agent, recovery, engine)
            who: Row = {"suite": "maze", "agent": f"{agent}, {recovery}", "level": engine}
            for row in table([result for result, _ in found], who):
                if row["level"] == "all" and row["metric"] in METRICS:
                    yield {**row, "level": engine}
            yield from counted(found, who)
            print(f"{engine}: {agent}, {recovery}: {len(found)} episodes, {time.perf_counter() - began:.0f} s")


def main() -> None:
    runner = pyperf.Runner(processes=8, values=5)
    runner.argparser.add_argument("--json", type=Path, help="write the long table here")
    runner.argparser.add_argument("--parts", default="added,table", help="added, table or both")
    runner.argparser.add_argument("--engines", default="direct,langchain,mcp", help="for the table")
    runner.argparser.add_argument("--tasks", type=int, default=10, help="tasks of each level over langchain and mcp")
    arguments = runner.parse_args()
    found: list[dict[str, Any]] = []
    if "added" in arguments.parts:
        timings = {mode: runner.bench_time_func(f"recovery: {mode}", timed, mode) for mode in MODES}
        if not arguments.worker and all(timings.values()):
            found += [{**row, "suite": "benchmark-recovery"} for row in rows("sync", timings)]
    if arguments.worker:
        return
    if "table" in arguments.parts:
        for engine in arguments.engines.split(","):
            found += table_rows(engine, arguments.tasks)
    for one in found:
        low, high = one["low"], one["high"]
        print(f"{one['level']:10} {one['agent']:16} {one['mode']:28} {one['metric']:9} {one['value']} [{low}, {high}]")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"rows": found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
