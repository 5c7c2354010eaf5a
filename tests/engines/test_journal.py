"""A journal on a disk that takes a part of an entry: the entry is refused, and nothing of it stays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("resource", reason=needs.PROC)
FULL = """
import resource, signal, sys
from pathlib import Path

from sealegs.engines.journal import Journal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = Path(sys.argv[1])
journal = Journal(file, {"seed": 1})
journal.append({"key": "first"})
resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 10, resource.RLIM_INFINITY))
try:
    journal.append({"key": "second", "words": "more than there is room for"})
except OSError as error:
    print(error.strerror)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append({"key": "third"})
"""


def test_half_an_entry_is_an_error_and_does_not_stay(tmp_path: Path) -> None:
    """The kernel writes what there is room for and says how much; `detect measure` took that for all of it."""
    file = tmp_path / "journal.jsonl"
    done = subprocess.run([sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "File too large\n"), done.stderr
    entries = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [entry.get("key") for entry in entries] == [None, "first", "third"]
