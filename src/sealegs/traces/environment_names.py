"""Environment variables that tell a process of its run: the plan, the episode, the timeout, the place of records."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

PLAN, EPISODE, RECORDS = "SEALEGS_PLAN", "SEALEGS_EPISODE", "SEALEGS_RECORDS"
TIMEOUT = "SEALEGS_TIMEOUT"  # seconds after which one call is given up
REDACT, REDACT_NAMES, REDACTION_KEY = "SEALEGS_REDACT", "SEALEGS_REDACT_NAMES", "SEALEGS_REDACTION_KEY"
RECORD_KEY = "SEALEGS_RECORD_KEY"  # of the digests over records
LIVE = ".live"  # ends the name of a file that gets each event as it happens, for a process that is killed
FAILED = ".failed"  # ends its name in place of that, where an event could not be written


def records_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """A file of its own for what this process records, in the folder that the environment names; None without one."""
    folder = environment.get(RECORDS)
    return Path(folder) / f"{time.time_ns()}-{os.getpid()}.jsonl" if folder else None
