"""`sealegs doctor [AGENT]`: whether faults reach the tools of this project's agent, and what is in the way."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.output import foreign_output_aside, write_data
from sealegs.cli.shared_options import json_option
from sealegs.cli.terminal import echo

EXAMPLES = """Examples:

    sealegs doctor

    sealegs doctor my_agent:run --input "Refund order 17"
"""

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
def examine_agent(
    agent: Annotated[
        str | None,
        typer.Argument(help="The agent, as for `sealegs test`; by default that of pyproject.toml or sealegs_agent.py."),
    ] = None,
    input: Annotated[list[str] | None, typer.Option(help="The agent's input. Repeatable.")] = None,
    specs: Annotated[str, typer.Option(help="ToolSpecs of the tools as module:name.")] = "",
    max_calls: Annotated[int, typer.Option(min=1, help="Tool calls after which the run is cut off.")] = 50,
    time_limit: Annotated[
        float, typer.Option(min=0.001, help="Real seconds for the run of a command or address.")
    ] = 300.0,
    json: Annotated[str, json_option("what was found")] = "",
) -> None:
    """Run the agent once with a small fault on each tool, and say which tools are reached and what is missing here.

    The run is a real one: tools do their work, and a model is paid. The exit code is 0 if a fault was delivered, and
    1 if the seam is not live.
    """
    from sealegs.experiments.project_doctor import examine_project

    with foreign_output_aside():
        found = examine_project(Path.cwd(), agent, input or [], specs, max_calls=max_calls, time_limit=time_limit)
    write_data(found.data(), json)
    if json != "-":
        width = max(len(line.check) for line in found.lines)
        for line in found.lines:
            remedy = f"; {line.remedy}" if line.remedy else ""
            echo(f"{line.status:4}  {line.check:{width}}  {line.message}{remedy}")
    raise typer.Exit(found.exit_code)
