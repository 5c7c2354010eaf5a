"""An agent that is a command line, in any language.

The command gets its input in place of `{input}`, or on standard input where it names none, and answers on standard
output. The faults for its tools are in its environment: `SEALEGS_PLAN` (a file), `SEALEGS_EPISODE`, `SEALEGS_TIMEOUT`
(seconds after which one call is given up), and `SEALEGS_RECORDS` (a folder for what was recorded). `sealegs proxy` in
front of its MCP servers reads them, and so does `sealegs.environment_session()` in Python.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sealegs.experiments.foreign_records import enter_foreign_records
from sealegs.experiments.run_harness import RunHarness
from sealegs.faults.user_error import UserError
from sealegs.traces.environment_names import EPISODE, PLAN, RECORDS, TIMEOUT

PLACE = "{input}"
TAIL = 2000  # characters of standard error that are shown


class AgentEndedBadly(Exception):
    """A command that failed, or was ended because it took too long."""


@dataclass(frozen=True)
class CommandAgent:
    """A command line; `name` is how the user wrote it."""

    name: str
    words: tuple[str, ...]

    def run(self, harness: RunHarness) -> Any:
        """Start it, wait for its end, and enter what was recorded elsewhere.

        Raises:
            AgentEndedBadly: it failed or took too long; what was recorded until then is entered too.
            UserError: files of the run cannot be written.
        """
        words = [word.replace(PLACE, harness.input) for word in self.words]
        given = "" if any(PLACE in word for word in self.words) else harness.input
        with ExitStack() as files:
            with _our_own_files():
                folder = Path(files.enter_context(tempfile.TemporaryDirectory(prefix="sealegs-")))
                plan, records = folder / "plan.json", folder / "records"
                plan.write_text(harness.plan.model_dump_json(by_alias=True, exclude_defaults=False), "utf-8")
                records.mkdir()
                # Files, since a process that the command leaves in the background would keep a pipe open after its end.
                stdin, stdout, stderr = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
                stdin.write(given.encode())
                stdin.seek(0)
            variables = {PLAN: str(plan), EPISODE: harness.episode, RECORDS: str(records)}
            environment = {**os.environ, **variables, TIMEOUT: str(harness.timeout)}
            try:
                return _output(words, (stdin, stdout, stderr), environment, harness.time_limit)
            finally:
                enter_foreign_records(records, harness.recorder)


@contextmanager
def _our_own_files() -> Iterator[None]:
    """Make files for a run; that they cannot be made is no failure of the agent."""
    try:
        yield
    except OSError as error:
        what = f"cannot make the files of a run in {tempfile.gettempdir()}: {error.strerror}"
        raise UserError(f"{what}; make room there, or name another place (TMPDIR)") from error


def _output(
    words: list[str], files: tuple[IO[bytes], IO[bytes], IO[bytes]], environment: dict[str, str], time_limit: float
) -> str:
    """The text that a command prints on standard output; `files` are its standard input, output and error."""
    stdin, stdout, stderr = files
    # a session of its own, so that what the command started ends with it
    with subprocess.Popen(
        words, stdin=stdin, stdout=stdout, stderr=stderr, env=environment, start_new_session=True
    ) as process:
        try:
            process.wait(time_limit)
        except subprocess.TimeoutExpired:
            raise AgentEndedBadly(f"it did not end within {time_limit:g} s") from None
        finally:
            _end_group(process)
    out, errors = _read(stdout), _read(stderr)
    if process.returncode:
        last = errors.strip()[-TAIL:]
        raise AgentEndedBadly(f"exit code {process.returncode}" + (f": {last}" if last else ""))
    return out.strip()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of a command and of what it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
