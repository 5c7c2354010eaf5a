"""`sealegs sandbox check`: the isolation in words, the table, the rows, the exit code."""

import json
from pathlib import Path

from sealegs.sandbox.available_isolation import find_isolation
from tests.cli.test_run import sealegs
from tests.sandbox.places import place


def test_check(tmp_path: Path) -> None:
    place("weak")
    done = sealegs("sandbox", "check", "--only", "tcp,secret-file,forged-end", "--json", "rows.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert find_isolation().words[:30] in done.stdout
    assert "stopped  secret-file" in done.stdout
    assert "3 escapes tried, 0 succeeded" in done.stdout
    report = json.loads((tmp_path / "rows.json").read_text())
    assert report["isolation"] == find_isolation().name
    assert [(row["agent"], row["value"]) for row in report["rows"] if row["metric"] == "escaped"] == [
        ("tcp", 0.0),
        ("secret-file", 0.0),
        ("forged-end", 0.0),
    ]
    assert all(
        set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"} for row in report["rows"]
    )


def test_an_escape_is_exit_code_one(tmp_path: Path) -> None:
    place("weak")
    done = sealegs("sandbox", "check", "--weak", "--only", "tcp,stat-elsewhere", "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["isolation"] == "weak"
    assert "WEAK" in done.stderr
    assert "ESCAPED  stat-elsewhere" in done.stderr


def test_an_unknown_name(tmp_path: Path) -> None:
    done = sealegs("sandbox", "check", "--only", "tcpp", cwd=tmp_path)
    assert done.returncode == 2
    assert "unknown escape 'tcpp'" in done.stderr
