"""A set of made tasks on disk: `tasks.jsonl`, a card for people, and the figures as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.intervals.exact_shares import share_interval
from sealegs.scenarios.scenario import SUITE
from sealegs.scenarios.task_sets import TASKS
from sealegs.scoring.metric import ALL, Row
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.traces.atomic_files import write_atomically

CARD = "README.md"


@dataclass(frozen=True)
class GenerationYield:
    """The yield of a run of generation.

    Attributes:
        engine: `rules`, or the model that proposed.
        tasks: as plain data, in order.
        tried: attempts by level.
        fell: the number of attempts that failed a check, by level and check.
        cost: the cost of the model calls: calls, tokens in and out.
    """

    engine: str
    tasks: Sequence[Mapping[str, Any]]
    tried: Mapping[str, int]
    fell: Mapping[tuple[str, str], int]
    cost: Mapping[str, int] | None = None

    def rows(self) -> list[Row]:
        """The acceptance rate of each level in % with its interval, and how many failed each check."""
        rows: list[Row] = []
        accepted = {level: sum(task["level"] == level for task in self.tasks) for level in self.tried}
        for level in (*self.tried, ALL):
            tried = self.tried[level] if level != ALL else sum(self.tried.values())
            kept = accepted[level] if level != ALL else len(self.tasks)
            low, high = share_interval(kept, tried)
            # Without any attempt the interval is all of [0, 1], and the share must not divide by zero.
            rows.append(self._row(level, "acceptance_rate", 100 * kept / max(1, tried), tried, 100 * low, 100 * high))
            rows.append(self._row(level, "accepted", kept, tried))
            for check in dict.fromkeys(name for _, name in self.fell):
                counts = [n for (own, name), n in self.fell.items() if name == check and level in (ALL, own)]
                if counts:
                    rows.append(self._row(level, f"rejected: {check}", sum(counts), tried))
        rows += [self._row(ALL, name, value, 1) for name, value in (self.cost or {}).items()]
        return rows

    def _row(
        self, level: str, metric: str, value: float, n: int, low: float | None = None, high: float | None = None
    ) -> Row:
        who: Row = {"agent": self.engine} if self.engine == "rules" else {"model": self.engine}
        made: Row = {"suite": SUITE, **who, "level": level, "mode": ALL, "metric": metric}
        bounds = (None if bound is None else round(bound, 2) for bound in (low, high))
        return {**made, "value": round(value, 2), "low": next(bounds), "high": next(bounds), "n": n}


def write_dataset(out: Path, found: GenerationYield, settings: Mapping[str, Any]) -> None:
    """Write the tasks and the card, each file whole or not at all."""
    write_atomically(out / TASKS, task_lines(found.tasks))
    write_atomically(out / CARD, dataset_card(found, settings))


def task_lines(tasks: Iterable[Mapping[str, Any]]) -> str:
    """Tasks as plain data, one a line, each with the canary."""
    return "".join(json.dumps({**task, CANARY_FIELD: CANARY}, ensure_ascii=False) + "\n" for task in tasks)


def dataset_card(found: GenerationYield, settings: Mapping[str, Any]) -> str:
    """The card of a set: the facts that a person who finds the folder must know."""
    setting_lines = "\n".join(f"- {name}: {value}" for name, value in settings.items())
    checks = list(dict.fromkeys(name for _, name in found.fell))
    head = "| level | attempts | accepted | " + " | ".join(checks) + " |"
    lines = [head, "|---" * (3 + len(checks)) + "|"]
    for level, tried in found.tried.items():
        kept = sum(task["level"] == level for task in found.tasks)
        fell = " | ".join(str(found.fell.get((level, check), 0)) for check in checks)
        lines.append(f"| {level} | {tried} | {kept} | {fell} |")
    cost = "".join(f"\n- {name}: {value}" for name, value in (found.cost or {}).items())
    table = "\n".join(lines)
    return f"""# {len(found.tasks)} tasks for `maze`

Made by Sealegs. Each is valid, of its level, answerable in the world of simulated tools with every alternative branch
agreeing, readable (every input stands in the request), and open to at least two kinds of implicit corruption wherever a
fault may strike. No person has read them.

    sealegs run maze --tasks . --agent planner

{setting_lines}{cost}

Attempts, and what the others fell at:

{table}

<!-- {CANARY} -->
"""
