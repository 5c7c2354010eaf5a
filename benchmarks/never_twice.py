"""Whether the effect of one call ever happens twice behind the recovery layer: failures after the work, over every way.

    python benchmarks/never_twice.py --json benchmarks/results/never_twice.json

Each failure of `tests/recovery/twice/failures.py` is raised by a tool that has done its work (in a process of its own
where the way leads out of ours), under each declaration of `till.py`. `agent` is the way, `level` the declaration and
`mode` the family of the exception's library.

- `failures`: the calls that were played, of which each failed; `doubled`: those whose effect happened twice;
- `repeated`: those that the layer made again, or by another tool. Where that is harmless, it should.

The command ends with 1 if anything was doubled, or repeated where that is not known to be harmless.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from results_file import ROOT, write_results

sys.path.insert(0, str(ROOT))
from tests.recovery.twice.failures import failures
from tests.recovery.twice.seams import SEAMS, Seam
from tests.recovery.twice.till import NEVER, call_id

FAMILIES = {
    "clients of HTTP": ("httpx", "requests", "urllib3", "aiohttp"),
    "model APIs": ("openai", "anthropic"),
    "cloud services": ("botocore", "google", "azure", "stripe", "twilio", "slack_sdk"),
    "databases and queues": ("psycopg", "psycopg2", "redis", "pymongo", "kafka", "elasticsearch", "sqlite3"),
    "servers and RPC": ("grpc", "mcp", "fastmcp", "fastapi", "pydantic_core", "jsonschema"),
    "others": ("tools", "pybreaker", "circuitbreaker"),
}
OWN = "Python's own"


def family(name: str) -> str:
    """The family of a failure by the name of its exception."""
    library = name.replace(".", " ").split()[0]
    return next((one for one, libraries in FAMILIES.items() if library in libraries), OWN)


def rows_of(name: str, seam: Seam, level: str, count: int) -> Iterator[dict[str, Any]]:
    """What comes of all failures over one way under one declaration, by family."""
    began = time.monotonic()
    tally = seam.played([level], range(count))
    sorts: dict[str, list[str]] = {"all": []}
    for place, (kind, _) in enumerate(failures()[:count]):
        for sort in ("all", family(kind)):
            sorts.setdefault(sort, []).append(call_id(level, place))
    missing = [] if level == "verified_before" else tally.without_effect(sorts["all"])
    if missing:
        raise SystemExit(f"{name}, {level}: no failure came after the effect in {len(missing)} calls: {missing[:3]}")
    for sort, ids in sorts.items():
        found = {
            "failures": len(ids),
            "doubled": len(tally.doubled(ids)),
            "repeated": len(tally.repeated(ids)),
        }
        head = {"suite": "never_twice", "agent": name, "level": level, "mode": sort}
        for metric, value in found.items():
            yield {**head, "metric": metric, "value": value, "low": None, "high": None, "n": len(ids)}
        if sort == "all":
            print(f"{name:17} {level:15} {found} {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", type=int, default=len(failures()), help="only the first so many")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    given = parser.parse_args()
    rows = [
        row
        for name, seam in SEAMS.items()
        for level in seam.levels
        for row in rows_of(name, seam, level, given.failures)
    ]
    if given.json is not None:
        write_results(given.json, rows)
    wrong = [row for row in rows if row["mode"] == "all" and row["value"] and _is_wrong(row)]
    for row in wrong:
        print(f"{row['agent']}, {row['level']}: {row['value']} {row['metric']}")
    sys.exit(bool(wrong))


def _is_wrong(row: dict[str, Any]) -> bool:
    return row["metric"] == "doubled" or (row["metric"] == "repeated" and row["level"] in NEVER)


if __name__ == "__main__":
    main()
