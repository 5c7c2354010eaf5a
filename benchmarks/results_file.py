"""Files of results: a long table, and the command, date, commit and machine that made it (`docs/results.md`)."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]


def write_results(file: Path | str, rows: Iterable[Any], facts: Mapping[str, Any] | None = None) -> None:
    """Write rows, one a line, after what made them.

    Args:
        file: where.
        rows: of the long table, mappings or dataclasses.
        facts: what else is worth knowing, such as versions.
    """
    data = {"made": provenance(), **(facts or {})}
    head = json.dumps(data, indent=1).removesuffix("\n}")
    lines = ",\n".join(json.dumps(asdict(row) if is_dataclass(row) else row) for row in rows)  # type: ignore[arg-type]
    Path(file).parent.mkdir(parents=True, exist_ok=True)  # what was measured is not lost for want of one
    Path(file).write_text(f'{head},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


class OtherRows(NamedTuple):
    """The rows of a file of results that are not made anew now, and what made the file.

    Attributes:
        rows: they stay.
        parts: the `made` of each command that the file is of. One with the same command as today's is its own earlier
            run.
    """

    rows: list[dict[str, Any]]
    parts: list[dict[str, Any]]

    @classmethod
    def of(cls, file: Path, made_anew: Callable[[Mapping[str, Any]], bool]) -> OtherRows:
        """Read them; none where there is no file."""
        if not file.exists():
            return cls([], [])
        before = json.loads(file.read_text("utf-8"))
        rows = [row for row in before["rows"] if not made_anew(row)]
        return cls(rows, before.get("parts", [before["made"]]) if rows else [])

    def write_with(self, file: Path, rows: Iterable[Any]) -> None:
        """Write the file anew: these and today's, which are in the order in which they are to be."""
        made = provenance()
        parts = [*(one for one in self.parts if one["command"] != made["command"]), made]
        write_results(file, rows, {"parts": parts} if len(parts) > 1 else None)


def join_results(files: Sequence[Path], target: Path, key: str) -> None:
    """Put the rows of several runs of a benchmark into one file, with what made each of them.

    Args:
        files: of the runs. Where two of them have rows of the same kind, the later file counts.
        target: where the rows of all go.
        key: the column that tells kinds of rows apart.
    """
    parts = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    rows = {kind: list(own) for part in parts for kind, own in groupby(part["rows"], itemgetter(key))}
    made = [one for part in parts for one in part.get("parts", [part["made"]])]
    write_results(target, [row for own in rows.values() for row in own], {"parts": made})


def provenance() -> dict[str, Any]:
    """Return what this process is, so that a reader can tell whether its figures are those of today's code."""
    words = (word.replace(f"{ROOT}/", "") for word in sys.argv[1:])  # as they are in any checkout
    command = [Path(sys.executable).name, os.path.relpath(sys.argv[0], ROOT), *words]
    return {
        "command": shlex.join(command),
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _git("rev-parse", "--short=10", "HEAD"),
        "uncommitted": bool(_git("status", "--porcelain", "--untracked-files=no", "--", "src", "benchmarks/*.py")),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def _git(*words: str) -> str:
    """What git says; empty outside a checkout."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
