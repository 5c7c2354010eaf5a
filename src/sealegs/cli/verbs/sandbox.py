"""`sealegs sandbox`: what keeps hostile code in here, and whether it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sealegs.cli.shared_options import json_option

if TYPE_CHECKING:
    from sealegs.sandbox import Isolation, Launcher
    from sealegs.sandbox.escapes import EscapeVerdict

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Check the sandbox that models' code runs in.")


@app.callback()
def sandbox_commands() -> None:
    """Check the sandbox that models' code runs in."""


@app.command("check")
def check_isolation(
    weak: Annotated[bool, typer.Option("--weak", help="Do without bubblewrap, even where it works.")] = False,
    names: Annotated[str, typer.Option("--only", help="Only these escapes, separated by commas.")] = "",
    json: Annotated[str, json_option("the long table")] = "",
) -> None:
    """Report which isolation is active, and try to get out of it.

    Exit code 1 if one escape succeeds. Under weak isolation some do.
    """
    from sealegs.cli.consoles import console, errors
    from sealegs.cli.output import write_table_rows
    from sealegs.sandbox.escapes import try_escapes

    which = _chosen(names)
    isolation, launcher = _place(weak)
    out = errors if json == "-" else console
    out.print(f"isolation: {isolation.words}", markup=False, highlight=False, soft_wrap=True)
    verdicts = []
    for verdict in try_escapes(launcher, which):
        verdicts.append(verdict)
        out.print(_line(verdict, isolation), markup=False, highlight=False, soft_wrap=True)
    escaped = [verdict for verdict in verdicts if verdict.escaped]
    out.print(f"{len(verdicts)} escapes tried, {len(escaped)} succeeded")
    write_table_rows([row for verdict in verdicts for row in _rows(verdict, isolation)], json, _about(isolation))
    raise typer.Exit(1 if escaped else 0)


@app.command("calls")
def check_calls(
    weak: Annotated[bool, typer.Option("--weak", help="Do without bubblewrap, even where it works.")] = False,
    json: Annotated[str, json_option("the long table")] = "",
) -> None:
    """Make every permitted system call on all that is shared with the machine, and report what it did there.

    Exit code 1 if one changes anything. Under weak isolation some learn which files and processes exist.
    """
    from sealegs.cli.consoles import console, errors
    from sealegs.cli.output import write_table_rows
    from sealegs.sandbox.allowed_calls import effects_by_call, try_calls

    isolation, launcher = _place(weak)
    out = errors if json == "-" else console
    out.print(f"isolation: {isolation.words}", markup=False, highlight=False, soft_wrap=True)
    attempts = list(try_calls(launcher))
    effects = effects_by_call(attempts)
    write_table_rows(_call_rows(effects, isolation), json, _about(isolation))
    for name, (tried, did) in effects.items():
        out.print(f"{name:18} {tried:4}  {', '.join(did) or 'nothing'}", markup=False, highlight=False, soft_wrap=True)
    changing = sum(bool(set(did) - {"seen"}) for _, did in effects.values())
    out.print(f"{len(effects)} system calls made {len(attempts):,} times, {changing} changed what is shared")
    raise typer.Exit(1 if changing else 0)


def _call_rows(effects: dict[str, tuple[int, tuple[str, ...]]], isolation: Isolation) -> list[dict[str, Any]]:
    import os

    user, rows = "root" if os.getuid() == 0 else "user", []
    for name, (tried, did) in effects.items():
        who = {"suite": "sandbox", "agent": name, "level": isolation.name, "mode": user}
        for metric, value in (("changes", len(set(did) - {"seen"})), ("learns", int("seen" in did))):
            rows.append({**who, "metric": metric, "value": value, "low": value, "high": value, "n": tried})
    return rows


def _place(weak: bool) -> tuple[Isolation, Launcher]:
    """The isolation to try, and what starts kernels in it."""
    from sealegs.sandbox import launcher
    from sealegs.sandbox.available_isolation import weakest

    found = weakest() if weak else launcher(allow_weak=True)
    return found.isolation, found


def _chosen(names: str) -> list[Any]:
    """The escapes that were named; all where none was."""
    from sealegs.faults.user_error import UserError
    from sealegs.sandbox.escapes import escapes

    known = {escape.name: escape for escape in escapes()}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [repr(name) for name in wanted if name not in known]
    if unknown:
        raise UserError(f"unknown escape {', '.join(unknown)}; choose from {', '.join(known)}")
    return [known[name] for name in wanted] if wanted else list(known.values())


def _line(verdict: EscapeVerdict, isolation: Isolation) -> str:
    """A line of the table: name, what came of it, what stopped it."""
    reason = "; ".join(verdict.why) if verdict.escaped else verdict.escape.stopped_by(isolation.name)
    return f"{'ESCAPED' if verdict.escaped else 'stopped'}  {verdict.escape.name:22} {reason}"


def _about(isolation: Isolation) -> dict[str, Any]:
    return {"isolation": isolation.name, "layers": list(isolation.layers), "missing": isolation.missing}


def _rows(verdict: EscapeVerdict, isolation: Isolation) -> list[dict[str, Any]]:
    escaped = float(verdict.escaped)
    who = {"suite": "sandbox", "agent": verdict.escape.name, "level": isolation.name, "mode": verdict.turn.how}
    seconds = round(verdict.seconds, 3)
    return [
        {**who, "metric": metric, "value": value, "low": value, "high": value, "n": 1}
        for metric, value in (("escaped", escaped), ("seconds", seconds))
    ]
