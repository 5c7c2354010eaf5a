"""A process that has the command loaded, and forks for each command line: hundreds of them in seconds.

Run as a script it is that process: it reads requests, and answers each when its child has ended, as JSON lines. It
cannot tell how long a start takes, and does not suit what reads a terminal.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

# What many verbs need. Nothing that a test takes away (`without`), and nothing that starts threads.
LOADED = (
    "sealegs.adapters.mcp.gate_recording",
    "sealegs.cli",
    "sealegs.generate.generation_options",
    "sealegs.hunt.hunt_options",
    "sealegs.hunt.hunt_report",
    "sealegs.hunt.maze_task",
    "sealegs.hunt.plan_search",
    "sealegs.recovery.bank.adding",
    "sealegs.recovery.detectors.profile_check",
    "sealegs.recovery.failure_diagnosis",
    "sealegs.scenarios.known_tools",
    "sealegs.suites.highwater.suite",
    "sealegs.suites.maze.options",
    "sealegs.suites.maze.suite",
    "sealegs.suites.paladin.suite",
    "sealegs.training.data.data_command",
    "sealegs.traces.sources",
    "sealegs.traces.trace_replay",
    "sealegs.world.corpus",
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


class WarmCommand:
    """The client's side of the process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, arguments: Sequence[str], cwd: Path, without: Sequence[str] = ()) -> Ended:
        """Run the command in a folder, as if these modules were not installed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"arguments": list(arguments), "cwd": str(cwd), "without": list(without)}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


@contextmanager
def warm_command() -> Iterator[WarmCommand]:
    """Start the process, for as long as the block lasts."""
    command = [sys.executable, "-B", "-m", "tests.cli.warm"]  # imported agents leave no bytecode behind
    root = Path(__file__).parents[2]
    places = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": os.pathsep.join(places)}
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield WarmCommand(process)
        assert process.stdin is not None
        process.stdin.close()


def _serve() -> None:
    for name in LOADED:
        importlib.import_module(name)
    importlib.import_module("sealegs.world.corpus").load_corpus()
    sys.modules["__main__"].__package__ = None  # usage says `sealegs`, as where the script is called
    _build_once()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)


def _build_once() -> None:
    """Typer builds the whole command each time that it is called; the children shall find it built."""
    from sealegs.cli import app

    build, built = typer.main.get_command, typer.main.get_command(app)
    for name in built.list_commands(None):
        built.get_command(None, name)
    typer.main.get_command = lambda one: built if one is app else build(one)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run one command in a child, with its output in files of no name."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            _run(request)
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return {"code": os.waitstatus_to_exitcode(status), "out": texts[0], "err": texts[1]}


def _run(request: dict[str, Any]) -> None:
    """Run the command as the shell would; the child ends here."""
    from sealegs.cli import main

    for name in request["without"]:
        sys.modules[name] = None  # type: ignore[assignment]
    os.chdir(request["cwd"])
    sys.path[0] = ""
    sys.argv = ["sealegs", *request["arguments"]]
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
