"""Each framework that is installed here passes two checks of the kit; `nox` makes all, each in its environment."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.adapters.frameworks.suite import FRAMEWORKS

MAIN = ("value_replaced", "error_shown")
ROOT = Path(__file__).parents[2]


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # nor is the package around it
        return False


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_passes_the_kit(name: str, tmp_path: Path) -> None:
    """In a process, a folder and a home of its own, since frameworks warn, print and leave files."""
    if not is_installed(FRAMEWORKS[name]):
        pytest.skip(needs.framework(name))
    command = [sys.executable, "-m", "tests.adapters.frameworks.suite", name]
    checks = [word for check in MAIN for word in ("--check", check)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": path}
    run = subprocess.run([*command, *checks], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    told = run.stdout.decode()
    assert run.returncode == 0, f"{told}\n{run.stderr.decode()}"
    assert told.count("passed  ") >= len(MAIN)
