"""Commands on a Ray cluster: each is a task that makes a folder, and hands it over as one archive.

A task reads nothing that an earlier try of it left, and writes where nobody else does. So Ray may run it again,
elsewhere, whenever a process or a node is lost, and the result is the same.
"""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically

RAY = "ray"
CONNECT = 10.0  # seconds until a cluster must answer
LAST = 2000  # characters of a failed command's messages
INSTALL = 'pip install "sealegs[ray]"'
ARCHIVE = ".zip"  # ends the name of what a task made


class RayCommand(NamedTuple):
    """A command of one task.

    Attributes:
        module: what Python runs, as with `python -m`.
        args: its options; `--out FOLDER` joins them.
        rest: what comes after them.
        place: the working folder, on every node.
        settings: environment variables that the node may not have.
        good: the exit codes after which the folder is what was wanted.
    """

    module: str
    args: tuple[str, ...]
    rest: tuple[str, ...]
    place: str
    settings: Mapping[str, str]
    good: tuple[int, ...]


class RayOutcome(NamedTuple):
    """The outcome of a task.

    Attributes:
        code: the command's exit code.
        node: the name of the machine.
        errors: the end of its standard error.
        archive: the folder as a zip archive; empty where the command failed.
    """

    code: int
    node: str
    errors: str
    archive: bytes


class LostCommand(RuntimeError):
    """A command failed on a node in a way that is not the user's mistake."""


def check_cluster_address(text: str) -> str:
    """Return the address of a cluster, if it has the form of one; an empty text is none.

    Raises:
        UserError: it has another form.
    """
    if text and text != RAY and not (text.startswith(f"{RAY}://") and text.removeprefix(f"{RAY}://")):
        raise UserError(f"--on {text!r} is not a cluster; write --on ray, or --on ray://HOST:PORT")
    return text


class RayCluster:
    """A cluster that this process is connected to.

    Args:
        ray: the imported package.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    @property
    def processors(self) -> int:
        """The number of tasks that run at once."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def make_archives(
        self, commands: Mapping[str, RayCommand], folder: Path, progress: Callable[[int, int], None]
    ) -> None:
        """Run commands on the nodes, and keep the folder that each makes as `folder/NAME.zip`. What is there is kept.

        Args:
            commands: by the names of their archives.
            folder: where the archives are kept, here.
            progress: called with how many are there, and of how many.

        Raises:
            UserError: a command refused the request.
            LostCommand: a command failed otherwise.
        """
        task = self._ray.remote(max_retries=-1, num_cpus=1, scheduling_strategy="SPREAD")(_made_folder)
        left = {name: one for name, one in commands.items() if not archive_of(folder, name).exists()}
        waiting = {task.remote(one): name for name, one in left.items()}
        progress(len(commands) - len(waiting), len(commands))
        try:
            while waiting:
                finished, _ = self._ray.wait(list(waiting), num_returns=1)
                for reference in finished:
                    name = waiting.pop(reference)
                    # One file, because a store of objects knows no folder that is there whole or not at all.
                    write_atomically(archive_of(folder, name), _archive(name, self._ray.get(reference)))
                    progress(len(commands) - len(waiting), len(commands))
        finally:
            for reference in waiting:  # after a failure, or Ctrl-C
                self._ray.cancel(reference, force=True)


def archive_of(folder: Path, name: str) -> Path:
    """The path of a command's archive."""
    return folder / f"{name}{ARCHIVE}"


@contextmanager
def connected_cluster(address: str) -> Iterator[RayCluster]:
    """Connect to a cluster while the block runs.

    Args:
        address: `ray` for the cluster that Ray finds by itself (by RAY_ADDRESS, or on this machine; where there is
            none it starts one of this machine alone), `ray://HOST:PORT` for one that is reached by its client port.

    Raises:
        UserError: Ray is not installed, or there is no cluster at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise UserError(f"--on {address} needs Ray; run: {INSTALL}") from error
    _check_reachable(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that is started here reports to nobody
    try:
        ray.init(address=None if address == RAY else address, log_to_driver=False, logging_level="error")
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        [first, *_] = str(error).splitlines() or [type(error).__name__]
        raise UserError(
            f"--on {address}: no cluster answers there ({first}); check the address and RAY_ADDRESS"
        ) from error
    try:
        yield RayCluster(ray)
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse an address at which nothing listens; Ray itself would try for minutes."""
    place = os.environ.get("RAY_ADDRESS", "") if address == RAY else address
    host, _, port = place.removeprefix(f"{RAY}://").rpartition(":")
    if not (host and port.isdigit()):  # none, or a word that Ray knows
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"--on {address}: no cluster answers at {place} ({error}); check the address") from error


def _made_folder(command: RayCommand) -> RayOutcome:
    """Run a command on this node."""
    node = socket.gethostname()
    if not Path(command.place).is_dir():
        return RayOutcome(2, node, f"there is no folder {command.place}; give all nodes the same files", b"")
    with tempfile.TemporaryDirectory(prefix="sealegs-") as place:
        out = Path(place) / "made"
        words = [sys.executable, "-m", command.module, *command.args, "--out", str(out), *command.rest]
        run = subprocess.run(
            words,
            cwd=command.place,
            env={**os.environ, **command.settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        good = run.returncode in command.good and out.is_dir()
        errors = run.stderr.decode("utf-8", "replace").strip()[-LAST:]
        return RayOutcome(run.returncode, node, errors, packed_folder(out) if good else b"")


def _archive(name: str, outcome: RayOutcome) -> bytes:
    """The archive that a task made."""
    if outcome.archive:
        return outcome.archive
    if outcome.code == 2:
        raise UserError(f"on {outcome.node}: {outcome.errors.removeprefix('sealegs: ')}")
    raise LostCommand(f"{name} failed on {outcome.node} (exit code {outcome.code}):\n{outcome.errors}")


def packed_folder(folder: Path) -> bytes:
    """Pack the files of a folder as a zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder).as_posix())
    return made.getvalue()


def unpack_folder(file: Path, folder: Path) -> Path:
    """Unpack what `packed_folder` packed, into a folder that is made.

    Raises:
        UserError: the file is damaged.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            folder.mkdir()
            archive.extractall(folder)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise UserError(f"{file} is damaged ({error}); delete it, and the same command makes it again") from error
    return folder
