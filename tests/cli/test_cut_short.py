"""A compiled file of Python's that a full disk has cut short: one message, which names it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def sealegs(cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "sealegs", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_a_compiled_file_that_is_cut_short_is_named(tmp_path: Path) -> None:
    verb = ("plan", "check", str(tmp_path / "plan.yaml"))
    (tmp_path / "plan.yaml").write_text("name: none\n", "utf-8")
    assert sealegs(tmp_path / "cache", *verb).returncode == 0
    (file,) = (tmp_path / "cache").rglob(f"plan_files.cpython-{sys.version_info.major}{sys.version_info.minor}.pyc")
    file.write_bytes(file.read_bytes()[:-100])
    done = sealegs(tmp_path / "cache", *verb)
    assert done.returncode == 2
    assert done.stderr == f"sealegs: {file} is truncated, probably because the disk was full; delete it\n"
    file.unlink()
    assert sealegs(tmp_path / "cache", *verb).returncode == 0
