"""The table of `docs/results.md`: each file of results, what it measures, and what made it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
OF_COMMANDS = {  # files that no benchmark writes
    "adapters": "What each framework's adapter passed.",
    "detectors": "What learned detectors find on `maze`.",
    "highwater_check_own": "Whether documentation of the package's own functions prints a way round.",
    "highwater_check_spider": "The same for functions of Spider's train split.",
    "proof_ci": "Whether training teaches recovery, small.",
    "proof_full": "Whether training teaches recovery, in full.",
    "proof_settings": "The full proof with other settings.",
}
OTHER_SCRIPTS = {
    "detector_costs": "detectors",
    "highwater_published": "highwater_agents",
    "highwater_recall": "highwater_search",
    "inspect_eval_cost": "inspect_eval",
}


def results_lines() -> Iterator[tuple[str, ...]]:
    """The lines of the table: file, what it measures, command, date, commit, rows."""
    for file in sorted((HERE / "results").glob("*.json")):
        found = json.loads(file.read_text(encoding="utf-8"))
        made = found.get("made", {})
        own_stamp = "uncommitted" in made
        mark = ("" if not made["uncommitted"] else " and changes") if own_stamp else "*" if made else ""
        command = made.get("command", "nox").replace(f" --json benchmarks/results/{file.name}", "")
        date = made.get("date", "")
        commit = f"`{made['commit']}`{mark}" if made else ""
        yield f"`{file.stem}`", _subject(file.stem), f"`{command}`", date, commit, f"{len(found['rows']):,}"


def _subject(name: str) -> str:
    """The first line of the benchmark that writes a file."""
    if name in OF_COMMANDS:
        return OF_COMMANDS[name]
    script = HERE / f"{OTHER_SCRIPTS.get(name, name)}.py"
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0].replace("|", "\\|")
