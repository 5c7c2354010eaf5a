"""The files that the Python that runs here needs of the disk, and no others.

The libraries are found by asking: a Python that has imported what the standard library can import says which files it
has mapped. Installed packages (ours too) are not included.
"""

from __future__ import annotations

import functools
import os
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ZONES = Path("/usr/share/zoneinfo")  # public data, for `zoneinfo`
INSTALLED = ("site-packages", "dist-packages")
PT_INTERP = 3
# Extensions whose libraries a program without screen or keyboard has no use for, and those that test Python itself.
LEFT_OUT = ("_tkinter", "_curses", "readline", "_gdbm", "_dbm", "_test", "_xx", "xx", "_ctypes_test", "nis")
ASK = f"""
import os, sys, warnings
warnings.simplefilter("ignore")
for name in sorted(os.listdir(sys.argv[1])):
    name = name.split(".")[0]
    if not name.startswith({LEFT_OUT!r}):
        try:
            __import__(name)
        except Exception:
            pass
print(*{{line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps") if ".so" in line}}, sep="\\n")
"""


@dataclass(frozen=True, eq=False)
class PythonFiles:
    """The files of one Python.

    Attributes:
        executable: the program.
        loader: the path at which the program looks for its dynamic loader; None for one without.
        prefix: the folder that Python's own paths are under.
        folders: the standard library, and its extensions where they are elsewhere.
        libraries: the shared libraries, by the names under which they are looked for.
    """

    executable: Path
    loader: Path | None
    prefix: Path
    folders: tuple[Path, ...]
    libraries: Mapping[str, Path]


@functools.cache
def python_files() -> PythonFiles:
    """The files of the Python that runs now.

    Raises:
        OSError: they cannot be found out.
    """
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    standard = Path(os.__file__).resolve().parent
    extensions = Path(sysconfig.get_config_var("DESTSHARED") or standard / "lib-dynload").resolve()
    folders = (standard,) if extensions.is_relative_to(standard) else (standard, extensions)
    return PythonFiles(
        executable,
        _loader(executable),
        Path(sys.base_prefix).resolve(),
        folders,
        _libraries(executable, extensions, folders),
    )


def _libraries(executable: Path, extensions: Path, folders: tuple[Path, ...]) -> dict[str, Path]:
    command = [str(executable), "-I", "-S", "-c", ASK, str(extensions)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise OSError(f"{executable} does not run: {done.stderr.strip()[-200:]}")
    # What is mapped into a process that has loaded every extension is what the dynamic loader found.
    files = {Path(line).resolve() for line in done.stdout.split("\n") if line.startswith("/")}
    files = {file for file in files if file.is_file() and not any(file.is_relative_to(one) for one in folders)}
    named = {file.name: file for file in files}
    for folder in {file.parent for file in files}:
        for entry in os.scandir(folder):
            # The loader asks for a library by the name of a link to it (`libm.so.6`), which therefore has to be there
            # as well.
            if entry.is_symlink() and (target := Path(entry.path).resolve()) in files:
                named[entry.name] = target
    return named


def _loader(executable: Path) -> Path | None:
    """The dynamic loader that a program names in its header (ELF, 64 bits)."""
    with executable.open("rb") as file:
        head = file.read(64)
        if head[:5] != b"\x7fELF\x02":
            raise OSError(f"{executable} is not a 64-bit program of Linux")
        (table,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        for number in range(count):
            file.seek(table + number * size)
            entry = file.read(size)
            if struct.unpack_from("<I", entry)[0] == PT_INTERP:
                (at,) = struct.unpack_from("<Q", entry, 8)
                (length,) = struct.unpack_from("<Q", entry, 32)
                file.seek(at)
                return Path(file.read(length).rstrip(b"\0").decode())
    return None
