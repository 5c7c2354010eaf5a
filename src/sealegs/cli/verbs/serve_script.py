"""`sealegs serve-script SCRIPT`: a model that plays a script, for agents under test."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated

import typer

from sealegs.cli.target_files import check_different
from sealegs.cli.terminal import echo
from sealegs.faults.user_error import UserError

if TYPE_CHECKING:
    from sealegs.adapters.mock_model import ModelRequest

app = typer.Typer(add_completion=False)
LONG = 3600.0  # seconds of one sleep; an interrupt ends it at once


@app.command()
def serve_script(
    script: Annotated[Path, typer.Argument(help="The script, in YAML or JSON.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    log: Annotated[Path | None, typer.Option(help="Append each request to this file, one JSON object a line.")] = None,
    plan: Annotated[Path | None, typer.Option(help="A fault plan for the model's answers.")] = None,
    records: Annotated[Path | None, typer.Option(help="Append the record of the episode to this file (JSONL).")] = None,
) -> None:
    """Serve a script as a model, on this machine alone, until interrupted.

    The first line of the output is the address that an OpenAI client takes as its base URL.
    """
    from sealegs.adapters.mock_model import ScriptServer, read_script
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject import RealClock
    from sealegs.inject.session import UNARMED
    from sealegs.traces.atomic_files import check_appendable, make_folder
    from sealegs.traces.episode_file import recorded_episode

    check_different({"--log": log, "--records": records})
    requests = _RequestLog(log)
    if log is not None:
        make_folder(log.parent, "name another file with --log")
        check_appendable(log, "name another file with --log")
    played, faults, clock = read_script(script), UNARMED if plan is None else read_plan(plan), RealClock()
    about = {"script": played.name, "plan": faults.as_data()}
    with recorded_episode(records, None, about, script.stem, clock) as recorder:
        server = ScriptServer(played, port, requests.note, faults, clock, recorder)
        # A thread serves, so that an interrupt never comes in the middle of an answer.
        with server:
            try:
                echo(server.url)
                echo(
                    f"OPENAI_BASE_URL={server.url} OPENAI_API_KEY=none  or  ANTHROPIC_BASE_URL={server.root}", err=True
                )
                while True:
                    time.sleep(LONG)
            except KeyboardInterrupt:  # the usual end of a server, so the exit code is 0
                echo(f"stopped; {len(server.requests)} request(s) were answered", err=True)
    if requests.failed is not None:
        raise requests.failed


class _RequestLog:
    """The file of requests. One that cannot be logged is answered all the same: the agent did nothing wrong."""

    def __init__(self, file: Path | None) -> None:
        self.failed: UserError | None = None
        self._file = file
        self._alone = Lock()  # each request is served in a thread of its own

    def note(self, request: ModelRequest) -> None:
        """Log a request, unless one before it could not be logged."""
        from sealegs.engines.journal import append_sealed

        with self._alone:
            if self._file is None or self.failed is not None:
                return
            try:
                append_sealed(self._file, {"path": request.path, "body": request.body})
            except (UserError, OSError) as error:
                why = getattr(error, "strerror", None) or error
                what = f"{self._file} is missing requests because it could not be written ({why})"
                self.failed = UserError(f"{what}; make room or name another file with --log")
                echo(f"sealegs: {what}; requests are still answered", err=True)
