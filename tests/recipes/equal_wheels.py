"""Build the package twice, from copies in two folders, at two times, under two umasks; equal bytes, or exit code 1.

usage: python -m tests.recipes.equal_wheels ROOT
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARTS = ("pyproject.toml", "README.md", "LICENSE", "src")


def main(root: Path) -> int:
    """Print the digests of what was built."""
    with tempfile.TemporaryDirectory() as folder:
        one = built(root, Path(folder) / "one", 0o022, 0)
        two = built(root, Path(folder) / "another folder", 0o077, 86_400)
    for name, digest in one.items():
        print(f"{digest}  {name}")
    if one != two:
        print(f"the second build differs: {two}")
    return int(one != two)


def built(root: Path, place: Path, umask: int, later: int) -> dict[str, str]:
    """The digests of wheel and source archive, built from a copy whose files are of another time."""
    place.mkdir()
    for part in PARTS:
        source = root / part
        if source.is_dir():
            shutil.copytree(source, place / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, place / part)
    for file in place.rglob("*"):
        os.utime(file, (time.time() - later, time.time() - later))
    before = os.umask(umask)
    try:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(place / "built"), str(place)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    finally:
        os.umask(before)
    files = sorted((place / "built").iterdir())
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
