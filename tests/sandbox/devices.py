"""One at a time with the machine's devices: an attempt that gets out changes `/dev/null` for all tests beside it."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = Path(tempfile.gettempdir()) / "sealegs-tests-devices.lock"


@contextmanager
def devices(*, changed: bool = False) -> Iterator[None]:
    """Wait until no other test changes the devices; with `changed`, also until none looks at them."""
    try:
        file = os.open(FILE, os.O_RDONLY)
    except FileNotFoundError:  # a file that is there may belong to another user, and cannot be opened with O_CREAT then
        file = os.open(FILE, os.O_RDONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX if changed else fcntl.LOCK_SH)
        yield
    finally:
        os.close(file)
