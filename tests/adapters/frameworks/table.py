"""The tables of frameworks in two pages of docs, made from the list of frameworks and from what the kit found:

    python -m tests.adapters.frameworks.table FOLDER

Rows of frameworks that were not run this time stay as they were in benchmarks/results/adapters.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sealegs.adapters.conformance import CHECKS
from sealegs.adapters.frameworks import FRAMEWORKS
from tests.adapters.frameworks.agent_runs import AGENT_CHECKS

ROOT = Path(__file__).parents[3]
DATA = ROOT / "benchmarks" / "results" / "adapters.json"
PAGE = ROOT / "docs" / "adapters.md"
OBJECTS_PAGE = ROOT / "docs" / "your-agent.md"
BEGIN, END = "<!-- made by nox: begin -->\n", "<!-- made by nox: end -->\n"
LONGEST = 90  # characters of what the model sees


def gathered(folder: Path, known: Iterable[Mapping[str, Any]], what: str) -> list[dict[str, Any]]:
    """What this run found of each framework, and what is known of those that were not run.

    Args:
        folder: what the kit wrote, a file for each framework.
        known: what was found before.
        what: `frameworks` for their adapters, `agents` for their agent objects.
    """
    rows = {str(row["framework"]): dict(row) for row in known}
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        rows |= {row["framework"]: {**row, "python": found["python"]} for row in found.get(what, ())}
    return sorted(rows.values(), key=lambda row: str(row["framework"]).lower())


def long_table(adapters: Iterable[Mapping[str, Any]], agents: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The figures of both as rows of the long table: checks of `n`, and milliseconds a call."""
    found: list[dict[str, Any]] = []
    for level, frameworks in (("tools", adapters), ("agent objects", agents)):
        for one in frameworks:
            n = sum(one["counts"].values())
            who = {"suite": "adapters", "agent": one["framework"], "level": level, "mode": one["version"]}
            figures = dict(one["counts"]) | {f"{name}_ms": value for name, value in one.get("ms_a_call", {}).items()}
            found += [
                {**who, "metric": metric, "value": value, "low": None, "high": None, "n": n}
                for metric, value in figures.items()
            ]
    return found


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as Markdown, with the reasons why checks are absent below."""
    lines = [
        "| framework | version | ways | checks passed | absent | a tool that raises | a call: bare + added, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    notes = []
    for row in rows:
        counts, cost = row["counts"], row["ms_a_call"]
        made = counts["passed"] + counts["failed"]
        absent = f"{counts['absent']}" if counts["absent"] else ""
        lines.append(
            f"| {row['framework']} | `{row['package']}` {row['version']} | {', '.join(row['modes'])} "
            f"| {counts['passed']} of {made} | {absent} | {_short(row['surface'])} "
            f"| {cost['bare']:.2f} + {max(0.0, cost['added']):.2f} |"
        )
        notes += [f"- {row['framework']}: {reason} ({', '.join(names)})." for reason, names in _reasons(row).items()]
    return "\n".join([*lines, "", "Absent, for lack of anything to check:", "", *notes, ""])


def lines_table() -> str:
    """What the reader writes for each framework, as Markdown."""
    lines = ["| framework | the line | extra |", "|---|---|---|"]
    for one in FRAMEWORKS:
        written = ", ".join(f"`{line}`" for line in one.lines)
        lines.append(f"| {one.name} | {written} | {f'`{one.extra}`' if one.extra else 'none'} |")
    return "\n".join([*lines, ""])


def objects_table() -> str:
    """What is taken as an agent object of each framework, as Markdown."""
    lines = ["| framework | what is taken as an agent object |", "|---|---|"]
    return "\n".join([*lines, *(f"| {one.name} | {one.objects} |" for one in FRAMEWORKS if one.objects), ""])


def agents_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows of agent objects as Markdown."""
    lines = ["| framework | version | agent objects | tools | checks passed | absent |", "|---|---|---|---|---|---|"]
    notes = []
    for row in rows:
        counts = row["counts"]
        lines.append(
            f"| {row['framework']} | `{row['package']}` {row['version']} | {', '.join(row['objects'])} "
            f"| {', '.join(row['tools'])} | {counts['passed']} of {counts['passed'] + counts['failed']} "
            f"| {counts['absent'] or ''} |"
        )
        notes += [f"- {row['framework']}: {reason} (`{name}`)." for name, reason in row["absent"].items()]
    return "\n".join([*lines, "", *([*notes, ""] if notes else [])])


def _reasons(row: Mapping[str, Any]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, reason in row["absent"].items():
        if reason != "a sync run cannot be cancelled":
            reasons.setdefault(reason, []).append(f"`{name}`")
    return reasons


def _short(text: str) -> str:
    line = " ".join(text.split())
    if "Traceback" in line:
        line = line[: line.index("Traceback")] + "the whole traceback"
    return (line if len(line) <= LONGEST else f"{line[:LONGEST]}...").replace("|", "\\|")


def written(page: str, *tables: str) -> str:
    """The page with its tables made anew."""
    before, *rest = page.split(BEGIN)
    afters = [one.split(END)[1] for one in rest]
    return before + "".join(f"{BEGIN}\n{one}\n{END}{after}" for one, after in zip(tables, afters, strict=True))


def main(folder: Path) -> None:
    """Write data and page."""
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    adapters, agents = (gathered(folder, known.get(what, ()), what) for what in ("frameworks", "agents"))
    found = {
        "checks": list(CHECKS),
        "frameworks": adapters,
        "agent_checks": list(AGENT_CHECKS),
        "agents": agents,
        "rows": long_table(adapters, agents),
    }
    DATA.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    pages = {PAGE: (lines_table(), table(adapters), agents_table(agents)), OBJECTS_PAGE: (objects_table(),)}
    for page, tables in pages.items():
        page.write_text(written(page.read_text(encoding="utf-8"), *tables), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
