"""Episodes over MCP on a machine that cannot make what they need: an end, and a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LACKING = """
import sys

from sealegs.cli import main
from sealegs.engines import prefork_server

prefork_server.server_command = lambda *given: ["/nowhere/at/all"]
words = "run maze --agent planner --limit 1 --levels C1 --modes P1 --engine mcp --jobs 1 --out out"
sys.argv = ["sealegs", *words.split()]
main()
"""


def test_a_server_that_cannot_be_started_ends_the_run(tmp_path: Path) -> None:
    """Nobody closed the pipe that its answers come by, and the client waited for them for ever."""
    done = subprocess.run([sys.executable, "-c", LACKING], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "the server of an episode's tools failed: [Errno 2] No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr
