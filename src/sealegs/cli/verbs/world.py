"""`sealegs world`: look at the simulated tools, and check your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.terminal import echo

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="List the simulated tools and groups, and check a domain."
)


@app.command("list")
def listing(domain: Annotated[str, typer.Argument(help="Only this domain.")] = "") -> None:
    """List tools with arguments and answers, and alternative groups with their ways."""
    from sealegs.world.corpus import load_corpus
    from sealegs.world.listing import corpus_lines

    for line in corpus_lines(load_corpus(), domain):
        echo(line)


@app.command("check")
def check_tools(
    file: Annotated[Path | None, typer.Argument(help="A Python file of tools; the corpus by default.")] = None,
) -> None:
    """Check tools and groups with the kit, and report everything that is wrong with them."""
    from sealegs.world.corpus import load_corpus, load_corpus_file
    from sealegs.world.corpus_check import domain_problems

    corpus = load_corpus() if file is None else load_corpus_file(file)
    problems = domain_problems(corpus)
    counted = f"{len(corpus.tools)} tools, {len(corpus.histories)} history tools, {len(corpus.groups)} groups"
    echo("\n".join([*problems, f"{counted}: {len(problems)} problem(s)"]))
    raise typer.Exit(2 if problems else 0)
