"""What a read costs in memory: page faults, which are the same on a busy machine as on an idle one."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.adapters.mcp.piping import piped, request

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason=needs.GLIBC)
READS, CALLS = 500, 100
CODE = f"""
import os, resource
from sealegs.adapters.relaying.read_buffers import keep_read_buffers
os.environ["HELD"] and keep_read_buffers()
source, target = os.pipe()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({READS}):
    os.write(target, b"x")
    os.read(source, 1 << 18)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[7])


@pytest.mark.parametrize(("held", "low", "high"), [("yes", 0, READS // 5), ("", READS, READS * 100)])
def test_a_large_buffer_is_taken_from_memory_that_is_kept(
    monkeypatch: pytest.MonkeyPatch, held: str, low: int, high: int
) -> None:
    monkeypatch.setenv("HELD", held)
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert low <= int(done.stdout) <= high


@pytest.mark.skipif(sys.platform != "linux", reason=needs.PROC)
def test_a_relay_takes_no_new_memory_for_a_call(tmp_path: Path) -> None:
    rules = [{"match": {"tool": "other"}, "fault": {"kind": "error"}}]
    with piped(tmp_path, rules) as pipes:
        for id in range(20):
            pipes.answer(id, "echo", text="a")
        before = faults_of(pipes.process.pid)
        for id in range(20, 20 + CALLS):
            pipes.write(request(id, "echo", text="a"))
            pipes.line()
        assert faults_of(pipes.process.pid) - before < CALLS // 2
