"""`sealegs serve-script SCRIPT`: a model that plays a script, for agents under test."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Lock
from typing import Annotated

import typer

from sealegs.cli.terminal import echo

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
    from sealegs.adapters.mock_model import ModelRequest, ScriptServer, read_script
    from sealegs.engines.journal import append_sealed
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject import RealClock
    from sealegs.inject.session import UNARMED
    from sealegs.traces.atomic_files import check_appendable, make_folder
    from sealegs.traces.episode_file import recorded_episode

    alone = Lock()  # each request is served in a thread of its own

    def note(request: ModelRequest) -> None:
        if log is not None:
            with alone:
                append_sealed(log, {"path": request.path, "body": request.body})

    if log is not None:
        make_folder(log.parent, "name another file with --log")
        check_appendable(log, "name another file with --log")
    played, faults, clock = read_script(script), UNARMED if plan is None else read_plan(plan), RealClock()
    about = {"script": played.name, "plan": faults.as_data()}
    with recorded_episode(records, None, about, script.stem, clock) as recorder:
        server = ScriptServer(played, port, note, faults, clock, recorder)
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
