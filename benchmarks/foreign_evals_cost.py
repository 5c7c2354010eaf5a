"""What `sealegs run inspect` adds to AgentDojo and tau2 without a model: processor time, beside the eval by itself.

    python benchmarks/foreign_evals_cost.py --json benchmarks/results/foreign_evals_cost.json
    python benchmarks/foreign_evals_cost.py --evals tau2_airline --pairs 3 --limit 10

Needs `pip install "sealegs[evals]"`. `gold` plays the eval's own solution both times, so that no model's time hides
what is added. `bare` is Inspect alone: the eval is loaded, played and logged. `sealegs` is all that the command does
for the clean samples, its plan being empty: it loads the eval, puts every call through the session of its sample, keeps
a record of it and reads the logs. Neither holds the time that a command takes to start. Both play the same samples, one
run after the other in one process, in changing order, and both leave the eval's database out of their logs: to write it
would make the bare run longer, and the share that is added smaller. `added` is the median over the pairs of what the
second takes more, in % of the first, with the interval at 95 % of that median by order statistics; `sample_ms` is the
time of a bare sample.

Each looks for garbage as often as its command does: `inspect eval` leaves that to Python, `sealegs` looks more rarely.
`added_alike` is the same share with both left to Python, so that it holds none of what the rarer search saves.

`added_struck` is the share for a sample with a fault, as the command looks for garbage: the clean samples are there, so
that what is timed is to read them, to draw a wrong answer for each sample (P3, which changes nothing of what `gold`
calls), to show it, and to record that. It is there only where every sample can be struck.

`calls`, `calls_struck` are the same shares of the function calls that cProfile counts. These hardly depend on what else
the machine does; but a call of Sealegs' own is short beside one that reads a database, so they are no times.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import math
import pstats
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from foreign_evals import RUNS, ForeignRun
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.scorer import value_to_float
from results_file import write_results

from sealegs.cli import NEW_OBJECTS
from sealegs.engines.logs import SETTINGS
from sealegs.suites.inspect_eval import knowledge_answers
from sealegs.suites.inspect_eval.eval_logs import FAULT_MODES, read_eval_logs
from sealegs.suites.inspect_eval.eval_runner import NO_MODEL, EvalRunner
from sealegs.suites.inspect_eval.foreign_task import load_eval, only_samples, sample_names
from sealegs.suites.inspect_eval.options import CLEAN, InspectOptions
from sealegs.suites.inspect_eval.reference_agents import reference_solver
from sealegs.suites.inspect_eval.slim_logs import state_out_of_logs

AGENT = "gold"
FIRST = {"tau2_airline": 10, "tau2_retail": 10}  # samples of evals of which one takes a second
CONFIDENCE = 0.95
FAULTED_MODE = "P3"
Solved = dict[str, bool]
Read = Callable[[], Solved]  # which samples were played, and whether each was solved


def options_of(run: ForeignRun, limit: int | None) -> InspectOptions:
    """The clean samples alone."""
    limit = limit or FIRST.get(run.name)
    return InspectOptions(
        task=run.task, task_args=run.arguments, agent=AGENT, modes=(CLEAN,), limit=limit, connections=4
    ).checked()


def nothing_before(options: InspectOptions, folder: Path) -> None:
    """Most ways begin with an empty folder."""


def clean_before(options: InspectOptions, folder: Path) -> None:
    """Play the clean samples, whose time another way is about."""
    under_sealegs(options, folder)


def alone(options: InspectOptions, folder: Path) -> Read:
    """Play the eval by Inspect; returns how to read what was solved, which is not timed."""
    task = load_eval(options.task, options.arguments)
    chosen = only_samples(task.dataset, set(sample_names(task.dataset, options.limit)))
    task = task_with(task, dataset=chosen, solver=reference_solver(options.task, AGENT))
    with state_out_of_logs():
        (log,) = inspect_eval(
            task,
            model=NO_MODEL,
            log_dir=str(folder),
            log_realtime=False,
            display="none",
            fail_on_error=False,
            **options.model_setup.config,
        )

    def read() -> Solved:
        number, found = value_to_float(), {}
        for sample in log.samples or ():
            (score,) = (sample.scores or {}).values()
            value = score.value["utility"] if isinstance(score.value, dict) else score.value
            found[str(sample.id)] = number(value) == 1
        return found

    return read


def under_sealegs(options: InspectOptions, folder: Path, mode: str = CLEAN) -> Read:
    """Play the same by the suite, under an empty plan."""
    EvalRunner(options, folder).play(lambda done, total: None)
    return lambda: {key.sample: one.value == 1 for key, one in read_eval_logs(folder).valid.items() if key.mode == mode}


def with_fault(options: InspectOptions, folder: Path) -> Read:
    """Play what is left of a run whose clean samples are there: a fault in each sample."""
    noted = json.loads((folder / SETTINGS).read_text("utf-8"))
    faulted = options.model_copy(update={"modes": (CLEAN, FAULTED_MODE)})
    settings = {**noted, "modes": list(faulted.modes), FAULT_MODES: [FAULTED_MODE]}
    (folder / SETTINGS).write_text(json.dumps(settings), "utf-8")
    return under_sealegs(faulted, folder, FAULTED_MODE)


THRESHOLDS = gc.get_threshold()
RARER = (NEW_OBJECTS, *THRESHOLDS[1:])
WAYS = {
    "bare": (nothing_before, alone, THRESHOLDS),
    "sealegs": (nothing_before, under_sealegs, RARER),
    "alike": (nothing_before, under_sealegs, THRESHOLDS),
    "struck": (clean_before, with_fault, RARER),
}


def begun(way: str, options: InspectOptions, folder: Path) -> Callable[[], Read]:
    """What is measured of a way, with all that comes before it done."""
    before, play, thresholds = WAYS[way]
    before(options, folder)
    gc.collect()
    knowledge_answers._packed_data.cache_clear()  # a command begins with nothing read
    gc.set_threshold(*thresholds)
    return partial(play, options, folder)


def timed(way: str, options: InspectOptions) -> tuple[float, Solved]:
    """Processor time of one run, and what it solved."""
    with tempfile.TemporaryDirectory() as folder:
        play = begun(way, options, Path(folder))
        started = time.process_time()
        read = play()
        taken = time.process_time() - started
        gc.set_threshold(*THRESHOLDS)
        return taken, read()


def counted(way: str, options: InspectOptions) -> float:
    """Function calls of one run, by sample."""
    with tempfile.TemporaryDirectory() as folder:
        play = begun(way, options, Path(folder))
        profile = cProfile.Profile()
        read = profile.runcall(play)
        gc.set_threshold(*THRESHOLDS)
        calls: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]  # typeshed leaves it out
        return calls / len(read())


def pairs_of(options: InspectOptions, count: int) -> Iterator[dict[str, float]]:
    """The times of a sample in `count` rounds of all ways; every run must solve the same samples."""
    for way in WAYS:
        timed(way, options)  # what is loaded once
    for number in range(count):
        found = {way: timed(way, options) for way in (list(WAYS) if number % 2 else list(reversed(WAYS)))}
        every = found["bare"][1]
        # Not every sample can be struck; the wrong answer that one is shown changes nothing of what `gold` does.
        alike = [solved == every for way, (_, solved) in found.items() if way != "struck"]
        if not all(alike) or found["struck"][1].items() - every.items():
            raise SystemExit(f"{options.task}: the runs do not solve the same samples")
        print(options.task, *options.task_args, {way: round(one[0], 2) for way, one in found.items()}, flush=True)
        yield {way: taken / len(solved) for way, (taken, solved) in found.items()} | {
            "samples": len(every),
            "struck_samples": len(found["struck"][1]),
        }


def median_rows(values: list[float], known: dict[str, Any], places: int) -> dict[str, Any]:
    """A median, with the narrowest interval of order statistics that holds it with the confidence; none if too few."""
    ordered, n = sorted(values), len(values)
    # That all but k values lie beside the median at random: the binomial distribution of a fair coin.
    outside = [2 * sum(math.comb(n, below) for below in range(k)) / 2**n for k in range(n // 2 + 1)]
    cut = next((k for k in range(n // 2, 0, -1) if 1 - outside[k] >= CONFIDENCE), None)
    low, high = (None, None) if cut is None else (ordered[cut - 1], ordered[n - cut])
    found = {"value": statistics.median(values), "low": low, "high": high}
    return {**known, **{key: one if one is None else round(one, places) for key, one in found.items()}, "n": n}


def rows_of(run: ForeignRun, count: int, limit: int | None) -> Iterator[dict[str, Any]]:
    """The rows of one eval."""
    options = options_of(run, limit)
    pairs = list(pairs_of(options, count))
    known = {"suite": f"inspect:{run.name}", "agent": AGENT, "level": "all", "mode": CLEAN}
    samples = int(pairs[0]["samples"])
    yield {**known, "metric": "samples", "value": samples, "low": None, "high": None, "n": count}
    yield median_rows([1000 * one["bare"] for one in pairs], {**known, "metric": "sample_ms"}, 1)
    # What is loaded once would count more for fewer samples.
    every_faulted = all(one["struck_samples"] == samples for one in pairs)
    faulted = ("struck",) if every_faulted else ()
    for metric, way in (("added", "sealegs"), ("added_alike", "alike"), *(("added_struck", way) for way in faulted)):
        yield median_rows([100 * (one[way] / one["bare"] - 1) for one in pairs], {**known, "metric": metric}, 2)
    bare = counted("bare", options)
    for metric, way in (("calls", "sealegs"), *(("calls_struck", way) for way in faulted)):
        share = round(100 * (counted(way, options) / bare - 1), 2)
        yield {**known, "metric": metric, "value": share, "low": None, "high": None, "n": 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--evals", nargs="+", default=[run.name for run in RUNS], choices=[run.name for run in RUNS])
    parser.add_argument("--pairs", type=int, default=11, help="runs of each way")
    parser.add_argument("--limit", type=int, help="samples of each eval; all by default, of tau2 ten")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for run in (one for one in RUNS if one.name in given.evals):
        rows += rows_of(run, given.pairs, given.limit)
        for row in [row for row in rows if row["suite"].endswith(f":{run.name}")]:
            print(run.name, row["metric"], row["value"], row["low"], row["high"], flush=True)
        if given.json:
            write_results(given.json, rows)


if __name__ == "__main__":
    main()
