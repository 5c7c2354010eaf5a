"""`sealegs init`: the few files that put a project's agent under faults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.terminal import echo
from sealegs.faults.user_error import UserError

EXAMPLES = """Examples:

    sealegs init

    sealegs init path/to/project --dry-run
"""

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
def init_project(
    folder: Annotated[Path, typer.Argument(help="The project's folder.")] = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the files, and write nothing.")] = False,
) -> None:
    """Write the files that put a project's agent under faults: the glue, a fault plan, a test, and a CI job.

    The framework and the tools are looked up in the project's files; nothing of the project is run or changed, and no
    file is overwritten.
    """
    from sealegs.experiments.project_files import next_steps, project_files, write_project_files
    from sealegs.experiments.project_scan import scan_project

    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}; name the folder of the project")
    project = scan_project(folder)
    texts = project_files(project)
    if dry_run:
        for name, text in texts.items():
            echo(f"==> {name} <==\n{text}")
        return
    write_project_files(folder, texts)
    for line in project.described():
        echo(line)
    for name in texts:
        echo(f"wrote {folder / name}")
    echo("Next, look for EDIT in these files, then:")
    for step in next_steps(project):
        echo(f"  {step}")
