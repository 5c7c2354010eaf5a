"""Starting a kernel's process: under bubblewrap, or bare.

A `Launcher` is the seam for other places (a container, another machine): it starts Python with `BOOT`, which reads the
source of the kernel from its pipe, and says what the kernel should give up by itself once it has said where it is.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sealegs.sandbox.confinement import Handshake, KernelEnvironment, confinement
from sealegs.sandbox.isolation_status import Isolation
from sealegs.sandbox.limits import Limits
from sealegs.sandbox.process import BOOT, KernelProcess, spawn
from sealegs.sandbox.python_files import INSTALLED, ZONES, PythonFiles, python_files

PYTHON = ("-P", "-s", "-S", "-B", "-X", "utf8", "-c", BOOT)
# No variable of this environment gets in; sets are in the same order every time.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "TZ": "UTC"}
INSIDE = "/python"  # where the files of Python are in the sandbox
SCRATCH = "/scratch"
DEVICES = ("/dev/null", "/dev/urandom")  # the machine's own: nobody but root of the machine can make others
CLOSED = ("--dir", SCRATCH, "--remount-ro", "/", "--chdir", "/")  # after all that is put there
NAMESPACES = ("user", "pid", "net", "ipc", "uts")


class Launcher(Protocol):
    """Starts kernels in some place."""

    isolation: Isolation

    def launch(self, limits: Limits) -> KernelProcess:
        """Start a process that runs `BOOT`, and return without waiting for it."""

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        """The confinement that the kernel has to put on itself."""


class Bubblewrap:
    """A place under bubblewrap: namespaces of its own, of the file system only what Python needs, read-only.

    Args:
        files: what else is there, read-only: the path inside, and the file or folder.
    """

    def __init__(self, files: Mapping[str, Path] | None = None) -> None:
        self._files = [word for where, file in (files or {}).items() for word in _bind(file, where)]
        self.isolation = Isolation(
            "bubblewrap", (*(f"{one} namespace" for one in NAMESPACES), "Landlock", "seccomp", "limits")
        )

    def launch(self, limits: Limits) -> KernelProcess:
        """Start it."""
        program = shutil.which("bwrap")
        if program is None:
            raise OSError("bubblewrap (bwrap) is not installed")
        python = python_files()
        executable = f"{INSIDE}/bin/{python.executable.name}"
        return spawn([program, *_wrapping(python), *self._files, *CLOSED, "--", executable, *PYTHON], {})

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        """The confinement that it puts on itself; it can read all that there is, which is little."""
        return confinement(hello, KernelEnvironment(SCRATCH, scratch=True, readable=["/"], sealed=DEVICES), limits)


class Bare:
    """A process beside all others, kept in by Landlock, seccomp and limits. It has no folder to write to.

    Args:
        missing: why nothing stronger is used.
        readable: what else it may read; folders end in `/`.
    """

    def __init__(self, missing: str = "", readable: Sequence[str] = ()) -> None:
        self._more = readable
        self.isolation = Isolation("weak", ("Landlock", "seccomp", "limits"), missing)

    def launch(self, limits: Limits) -> KernelProcess:
        """Start it."""
        return spawn([str(python_files().executable), *PYTHON], ENVIRONMENT)

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        """The confinement that it puts on itself: it can read no file but Python's."""
        readable, listed = _readable()
        return confinement(
            hello, KernelEnvironment("/", scratch=False, readable=(*readable, *self._more), listed=listed), limits
        )


@functools.cache
def _wrapping(python: PythonFiles) -> tuple[str, ...]:
    """The arguments of bubblewrap. The scratch folder is mounted by the kernel, which can limit its files too."""
    options = [f"--unshare-{one}" for one in NAMESPACES]
    options += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv"]
    options += ["--hostname", "sandbox", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
    options += [
        "--cap-add",
        "CAP_SYS_ADMIN",
    ]  # for that mount, and for making those of devices read-only; given up before any code runs
    for name, value in {**ENVIRONMENT, "LD_LIBRARY_PATH": f"{INSIDE}/so", "HOME": SCRATCH, "TMPDIR": SCRATCH}.items():
        options += ["--setenv", name, value]
    options += _bind(python.executable, f"{INSIDE}/bin/{python.executable.name}")
    for folder in python.folders:
        options += _bind(folder, _inside(folder, python.prefix))
        for name in INSTALLED:
            if (folder / name).is_dir():
                hidden = f"{_inside(folder, python.prefix)}/{name}"
                # An empty folder over it: what is installed on the host is nothing that the code may import.
                options += ["--tmpfs", hidden, "--remount-ro", hidden]
    if python.loader is not None:
        options += _bind(python.loader.resolve(), str(python.loader))
    for file in sorted(set(python.libraries.values())):
        options += _bind(file, f"{INSIDE}/so/{file.name}")
    for name, file in sorted(python.libraries.items()):
        if name != file.name:
            # Programs look for a library by its soname, which is usually a link to the file with the whole version.
            options += ["--symlink", file.name, f"{INSIDE}/so/{name}"]
    if ZONES.is_dir():
        options += _bind(ZONES, str(ZONES))
    for device in DEVICES:
        options += ["--dev-bind", device, device]
    return tuple(options)


def _bind(file: Path, where: str) -> list[str]:
    return ["--ro-bind", str(file), where]


def _inside(folder: Path, prefix: Path) -> str:
    """The path of a folder of Python in the sandbox: as far from its new prefix as from the old one."""
    if not folder.is_relative_to(prefix):
        raise OSError(f"{folder} is not under Python's prefix {prefix}")
    return f"{INSIDE}/{folder.relative_to(prefix)}"


@functools.cache
def _readable() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths that a bare kernel may read (folders end in `/`), and the folders whose names alone it may read.

    The entries of the standard library one by one: installed packages may lie in the same folder.
    """
    python = python_files()
    readable = [str(file) for file in set(python.libraries.values())]
    for folder in python.folders:
        # A rule for a link would hold for what it leads to, wherever that is.
        entries = [one for one in os.scandir(folder) if one.name not in INSTALLED and not one.is_symlink()]
        readable += [entry.path + "/" if entry.is_dir() else entry.path for entry in entries]
    if ZONES.is_dir():
        readable.append(f"{ZONES}/")
    readable.append("/dev/urandom")
    return tuple(readable), tuple(map(str, python.folders))
