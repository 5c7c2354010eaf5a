"""Bait looks at what an attempt did, and at nothing that the rest of the machine does meanwhile."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sealegs.sandbox.bait import locks_on

HOLD = """
import fcntl, struct, sys, time
file = open({file!r}, "r+")
{lock}
print("locked", flush=True)
time.sleep(600)
"""
LOCKS = {
    "flock": "fcntl.flock(file, fcntl.LOCK_EX)",
    "of a process": "fcntl.lockf(file, fcntl.LOCK_EX)",
    "of an open file": "fcntl.fcntl(file, 37, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))",
    "a lease": "fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)",
}


@contextmanager
def held(file: Path, lock: str, *, below: bool) -> Iterator[None]:
    """Another process holds a lock: a child of this one, or one that has lost its parent."""
    code = HOLD.format(file=str(file), lock=LOCKS[lock])
    # The shell starts it beside itself and ends, so that its parent is no process of ours.
    words = ["sh", "-c", '"$0" -c "$1" & echo $!'] if not below else []
    command = [*words, sys.executable, *(["-c", code] if below else [code])]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    holder = started.pid if below else int(started.stdout.readline())
    try:
        assert started.stdout.readline() == "locked\n"
        if not below:
            started.wait()
        yield
    finally:
        os.kill(holder, signal.SIGKILL)
        started.wait()
        started.stdout.close()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_of_a_process_below_this_one_counts_and_no_other(lock: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    assert locks_on(file) == 0
    with held(file, lock, below=True):
        assert locks_on(file) == 1
    with held(file, lock, below=False):
        assert locks_on(file) == 0
