"""Memory that is freed and taken again does not go back to the system in between."""

from __future__ import annotations

import platform
import subprocess
import sys

STEPS = """
import resource, sys
from sealegs.training.freed_memory import keep_freed_memory
kept = sys.argv[1] == "kept" and keep_freed_memory()
def step():
    for piece in [bytearray(20 * 2**20) for _ in range(4)]:
        piece[::4096] = b"x" * len(piece[::4096])
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(int(kept), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def run(how: str) -> tuple[int, int]:
    done = subprocess.run([sys.executable, "-c", STEPS, how], capture_output=True, text=True, check=True)
    kept, faults = map(int, done.stdout.split())
    return kept, faults


def test_pages_are_cleared_once_and_not_in_each_step() -> None:
    kept, faults = run("kept")
    assert kept == (platform.libc_ver()[0] == "glibc")
    if kept:
        assert faults < run("returned")[1] / 3
