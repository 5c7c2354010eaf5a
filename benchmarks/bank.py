"""Lookup in the exemplar bank from 70 exemplars to 100,000, beside a plain scan.

The bank of 70 is the first 70 shipped exemplars. The larger ones are made from all shipped ones: each copy has words
of its own in its message and, one time in ten, a status of its own, so structures differ as mined ones do. The
questions are the signatures of the labelled train failures, each once a run. The scan goes through every exemplar and
shares out common words (Jaccard), with words taken apart beforehand: the least that a bank without an index would
have to do.

    python benchmarks/bank.py --json benchmarks/results/bank.json

Times are wall-clock: the median over the runs of the mean over the questions, with the fastest and the slowest run.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from results_file import write_results

from sealegs.faults.call import Call
from sealegs.recovery.bank import Bank, Exemplar, shipped_exemplars
from sealegs.recovery.forms import read_failure
from sealegs.recovery.signature import Signature
from sealegs.scoring.diagnosis_accuracy import labelled_failures

SIZES = (70, 1_000, 10_000, 100_000)
LIMIT = 1e-3  # seconds a lookup at 70
CALL = Call("get_rate", {"base": "EUR"})


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the long table."""

    suite: str
    agent: str
    level: str
    mode: str
    metric: str
    value: float
    low: float
    high: float
    n: int


def made(size: int) -> tuple[Exemplar, ...]:
    """So many exemplars."""
    shipped = shipped_exemplars()
    if size <= len(shipped):
        return shipped[:size]
    rng = random.Random(size)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 9))) for _ in range(5_000)]
    found = list(shipped)
    for number in range(size - len(shipped)):
        one = rng.choice(shipped)
        status = (*one.status, rng.randint(400, 599)) if rng.random() < 0.1 and one.status else one.status
        look = " ".join([one.looks[0][:120], *rng.choices(words, k=6)])
        found.append(one.changed(name=f"{one.name}-{number}", status=status, looks=[look]))
    return tuple(found)


def timed(query: Callable[[Signature], object], questions: list[Signature], runs: int) -> tuple[float, float, float]:
    """Seconds for a question: median, fastest and slowest run."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        for signature in questions:
            query(signature)
        times.append((time.perf_counter() - start) / len(questions))
    return median(times), min(times), max(times)


def scan(exemplars: tuple[Exemplar, ...]) -> Callable[[Signature], object]:
    """A scan of all exemplars by the words that they share with the failure."""
    texts = [frozenset(" ".join(one.masks).lower().split()) for one in exemplars]

    def nearest(signature: Signature) -> object:
        mine = frozenset(signature.message.lower().split())
        return max(texts, key=lambda theirs: len(mine & theirs) / (len(mine | theirs) or 1))

    return nearest


def measured(runs: int) -> Iterator[Row]:
    """All rows."""
    questions = [found for one in labelled_failures("train") if (found := read_failure(one.text).signature) is not None]
    for size in SIZES:
        exemplars = made(size)
        start = time.perf_counter()
        bank = Bank(exemplars)
        built = time.perf_counter() - start
        some = questions if size <= 10_000 else questions[::6]
        level = str(size)
        mine = timed(lambda signature, bank=bank: bank.advice(CALL, signature), some, runs)  # type: ignore[misc]
        theirs = timed(scan(exemplars), some[:: max(1, size // 1_000)], runs)
        yield Row("benchmark-bank", "", level, "bank", "build_seconds", built, built, built, 1)
        yield Row("benchmark-bank", "", level, "bank", "lookup_seconds", *mine, runs)
        yield Row("benchmark-bank", "", level, "scan", "lookup_seconds", *theirs, runs)
        ratio = mine[0] / theirs[0]
        yield Row("benchmark-bank", "", level, "bank", "share_of_scan", ratio, ratio, ratio, runs)


def main() -> int:
    """Run everything, print the table, and write the rows."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path, help="where to write the rows")
    options.add_argument("--runs", type=int, default=5, help="how often every question is asked (default 5)")
    given = options.parse_args()
    print(f"Python {platform.python_version()}\n{'exemplars':>10} {'build s':>9} {'lookup us':>10} {'scan us':>10}")
    rows: list[Row] = []
    for row in measured(given.runs):
        rows.append(row)
        if row.metric == "share_of_scan":
            built, mine, theirs = (one.value for one in rows[-4:-1])
            print(f"{row.level:>10} {built:>9.2f} {1e6 * mine:>10.0f} {1e6 * theirs:>10.0f}")
    if given.json:
        write_results(given.json, rows)
    slow = [row for row in rows if row.level == "70" and row.metric == "lookup_seconds" and row.mode == "bank"]
    return 1 if any(row.value > LIMIT for row in slow) else 0


if __name__ == "__main__":
    sys.exit(main())
