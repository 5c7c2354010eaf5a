"""Episodes over MCP on a machine that cannot make what they need: an end, and a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sealegs.engines import prefork_server

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


def test_the_parent_of_servers_ends_without_a_word_where_who_started_it_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", prefork_server.__name__, str(folder / "servers")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, timeout=120)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not folder.exists()
