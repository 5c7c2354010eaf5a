"""Packages of the npm registry, installed once on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests import needs


def installed(*packages: str) -> Path:
    """A folder with these packages; the test is skipped where npm does not bring them."""
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        pytest.skip(needs.NODE)
    mark = "-".join(one.replace("/", "-") for one in packages)
    home = Path(tempfile.gettempdir()) / f"sealegs-npm-{mark}-{os.getuid()}"
    if not home.exists():
        aside = Path(tempfile.mkdtemp())
        command = [npm, "install", "--prefix", str(aside), "--no-audit", "--no-fund", *packages]
        command += ["--cache", str(aside / "cache")]  # a home may be read-only
        command += ["--fetch-retries", "1", "--fetch-retry-mintimeout", "500"]  # who is offline should not wait
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
        if done.returncode != 0:
            shutil.rmtree(aside)
            pytest.skip(f"{needs.npm_packages(packages)} ({' '.join(done.stderr[-200:].split())})")
        if home.exists():  # another run was faster
            shutil.rmtree(aside)
        else:
            aside.rename(home)
    return home
