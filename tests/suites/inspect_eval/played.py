"""Playing the evals of this folder, and what is taken from their logs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sealegs.scoring.metric import Row
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode, EvalLogs, PlayedEpisode, read_eval_logs
from sealegs.suites.inspect_eval.eval_runner import EvalRunner
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.suite import SUITE

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]
OUTAGE = "version: 1\nname: outage\nrules:\n- match: {tool: order}\n  when: {first: 1}\n  fault: {kind: error}\n"
SHOP = Path(__file__).parent / "evals" / "shop.py"


def sealegs(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "200"}
    return subprocess.run([*SEALEGS, *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=600)


def named(task: str) -> str:
    return f"{SHOP}@{task}"


def options_for(task: str, clerk: str = "patient", **more: Any) -> InspectOptions:
    more = {"modes": "NP,P1,P2", **more}
    return InspectOptions(task=named(task), model=f"shopclerk/{clerk}", **more).checked()


def play(folder: Path, task: str, clerk: str = "patient", **more: Any) -> EvalLogs:
    EvalRunner(options_for(task, clerk, **more), folder).play(lambda done, total: None)
    return read_eval_logs(folder)


def rows(folder: Path) -> list[Row]:
    return SUITE.report(folder).rows


def values(folder: Path) -> dict[tuple[str, str], float | None]:
    """The values over all kinds, by mode and metric."""
    return {(row["mode"], row["metric"]): row["value"] for row in rows(folder) if row["level"] == "all"}


def injections(logs: EvalLogs) -> dict[EvalEpisode, list[Any]]:
    """Every fault that fired: on which call, what, and what was shown."""
    return {key: list(_injections(one)) for key, one in logs.played.items()}


def _injections(one: PlayedEpisode) -> Iterator[Any]:
    assert one.record is not None
    for turn in one.record.turns:
        for injection in turn.injections:
            shown = json.dumps(injection.shown, sort_keys=True)
            yield turn.call.tool, dict(turn.call.arguments), injection.rule, injection.kind, injection.moment, shown


def calls(one: PlayedEpisode) -> list[str]:
    """The tools that were called, in order, with their arguments."""
    assert one.record is not None
    return [f"{turn.call.tool}({', '.join(map(str, turn.call.arguments.values()))})" for turn in one.record.own]
