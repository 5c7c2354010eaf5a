"""The command `sealegs`: what its verbs have in common. Each verb is a file of the folder `verbs`, with no logic.

A user's mistake is one message on standard error and exit code 2; nothing is half written.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from sealegs import __version__
from sealegs.cli.terminal import echo, echo_traceback
from sealegs.faults.lost_exceptions import interrupt_soon, lost_exceptions
from sealegs.faults.user_error import UserError

PROJECT_FILE = "pyproject.toml"  # may hold defaults for options
MOST = 40  # lines of a message
NEW_OBJECTS = 50_000  # between two collections: looking again and again through all that loads takes a tenth of a start
KEPT = "(what was finished is kept)"
NO_THREAD = "can't start new thread"  # what Python says, whatever the reason
NO_ROOM = ("failed to map segment from shared object", "Cannot allocate memory")  # what the dynamic loader says
OWN_FAULT = 70  # the exit code where Sealegs itself breaks down (EX_SOFTWARE of sysexits.h)
ANOTHER = "name another place"
REMEDIES = {  # errors that a user can fix, wherever met: a full or failing disk, a folder that is not ours, a limit
    **dict.fromkeys((errno.EDQUOT, errno.EFBIG, errno.ENOSPC), f"make room, or {ANOTHER}"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), f"make it writable, or {ANOTHER}"),
    **dict.fromkeys((errno.EIO, errno.ESTALE), f"check the disk, or {ANOTHER}"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "raise the limit of open files (ulimit -n)"),
    errno.ENOLCK: "name a place on a file system that supports locks",
    errno.EAGAIN: "end other processes, or raise their limit (ulimit -u)",
    errno.ENOMEM: "free memory; fewer --jobs need less",
}


# Each verb and its module, by the names of the files. None is imported: a verb pays for no other's imports.
VERBS = {file.stem.replace("_", "-"): file.stem for file in sorted((Path(__file__).parent / "verbs").glob("[a-z]*.py"))}


class VerbModules(Mapping[str, Any]):
    """The command of each verb, which is imported on demand: a verb pays for no other's imports."""

    def __getitem__(self, name: str) -> Any:
        return _command(name, VERBS[name])

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


@cache
def _command(verb: str, module: str) -> Any:
    from sealegs.cli.url_folders import take_urls

    command = typer.main.get_command(import_module(f"sealegs.cli.verbs.{module}").app)
    command.name = verb
    _fill_lines(command)
    take_urls(command, verb)
    return command


def _fill_lines(command: Any) -> None:
    """Join the lines of each paragraph of its help: from the second on, Typer would keep the ends they have in code."""
    if command.help:
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in command.help.split("\n\n"))
    if isinstance(commands := getattr(command, "commands", None), dict):  # any other mapping imports what is asked for
        for verb in commands.values():
            _fill_lines(verb)


class Verbs(TyperGroup):
    """All verbs. Ctrl-C ends each with a sentence and exit code 130; one that can say more catches it itself.

    What the folder's `pyproject.toml` has in `[tool.sealegs]` are defaults of their options.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = VerbModules()  # type: ignore[assignment]  # read only

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs' names."""
        return list(self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what comes before the verb, and look up the verb's defaults."""
        words = list(args)
        rest: list[str] = super().parse_args(ctx, args)
        if not {"-h", "--help"} & set(words) and Path(PROJECT_FILE).is_file():  # most start without, and faster
            from sealegs.cli.project_defaults import defaults_for

            ctx.default_map = defaults_for(self, ctx, words)
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            echo("stopped before the end; nothing is half written", err=True)
            raise typer.Exit(130) from None
        except Exception as error:
            if file := _cut_short(error):
                raise UserError(f"{file} is truncated, probably because the disk was full; delete it") from error
            if ctx.default_map:
                from sealegs.cli.project_defaults import blame_settings

                blame_settings(error)
            raise


def _cut_short(error: Exception) -> str:
    """The compiled file of a module whose end is missing; empty for any other error. Typer would say `Aborted.`"""
    if not isinstance(error, EOFError):
        return ""
    from traceback import walk_tb

    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    return next((str(one.f_locals["bytecode_path"]) for one in frames if "bytecode_path" in one.f_locals), "")


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def sealegs(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """Does your agent keep its footing when its tools fail? Measure it, and find where it falls."""
    if version:
        echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command; a mistake of the user's ends with its message and exit code 2."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    try:
        with lost_exceptions(KeyboardInterrupt, lambda: interrupt_soon(signal.SIGINT)):
            app(standalone_mode=True)
    except UserError as error:
        _end(str(error))
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        if _is_out_of_memory(error):
            _end_without_memory()
        if str(error) == NO_THREAD:
            _end(f"no thread could be started; {REMEDIES[errno.ENOMEM]}, or {REMEDIES[errno.EAGAIN]} {KEPT}")
        if isinstance(error, OSError) and error.errno in REMEDIES:
            where = f"cannot use {error.filename}: " if error.filename else ""
            _end(f"{where}{error.strerror}; {REMEDIES[error.errno]} {KEPT}")
        # Python's own exit code would be 1, which `test` and `hunt` keep for a weakness of the agent.
        echo_traceback()
        sys.exit(OWN_FAULT)


def _is_out_of_memory(error: BaseException) -> bool:
    """Return whether there was too little memory or too few addresses (`ulimit -v`), also to load a library."""
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and str(error).endswith(NO_ROOM))


def _end_without_memory() -> NoReturn:
    """Say that memory is out, and stop without the interpreter's own end.

    Libraries that could not have their memory break down there, or never end.
    """
    try:
        _end(f"out of memory; {REMEDIES[errno.ENOMEM]} {KEPT}")
    except SystemExit:
        pass
    except BaseException:
        os.write(2, b"sealegs: out of memory\n")
    with suppress(BaseException):
        sys.stdout.flush()
    with suppress(BaseException):
        from multiprocessing import active_children

        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what fails now fails for the same reason
        for process in active_children():
            process.kill()  # nobody hands them work any more, and the exit functions would wait for them
        atexit._run_exitfuncs()
    os._exit(2)


def _end(message: str) -> NoReturn:
    """Tell a mistake, the first lines of it where it is long, and stop."""
    lines = message.split("\n")
    more = [f"... and {len(lines) - MOST:,} lines more"] if len(lines) > MOST + 1 else []
    text = "\n".join([*(lines[:MOST] if more else lines), *more])
    from sealegs.cli.consoles import errors

    errors.print(f"sealegs: {text}")
    sys.exit(2)
