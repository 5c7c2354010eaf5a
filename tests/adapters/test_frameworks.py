"""Each framework that is installed here passes two checks of the kit, and its agent objects one; `nox` makes all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import noxfile
import pytest

from tests import needs

MAIN = ("value_replaced", "error_shown")
OBJECTS = "agent_held"
ROOT = Path(__file__).parents[2]


def is_installed(framework: str) -> bool:
    try:
        return all(version(re.split(r"[^\w.-]", one)[0]) for one in noxfile.requirements(framework))
    except PackageNotFoundError:
        return False


@pytest.mark.parametrize("name", noxfile.FRAMEWORKS)
def test_a_framework_passes_the_kit(name: str, tmp_path: Path) -> None:
    """In a process, a folder and a home of its own, since frameworks warn, print and leave files."""
    if not is_installed(name):
        pytest.skip(needs.framework(name))
    command = [sys.executable, "-m", "tests.adapters.frameworks.suite", name]
    checks = [word for check in (*MAIN, OBJECTS) for word in ("--check", check)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": path}
    run = subprocess.run([*command, *checks], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    stdout = run.stdout.decode()
    assert run.returncode == 0, f"{stdout}\n{run.stderr.decode()}"
    assert stdout.count("passed  ") >= len(MAIN)
    assert (f"passed  {OBJECTS}" in stdout) == any(one.objects for one in noxfile.entries(name)), stdout
