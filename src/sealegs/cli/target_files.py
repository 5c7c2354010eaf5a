"""Files that an option names: whole or not at all, through a link to what it names, and into a pipe as it comes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import is_stream, write_all, write_atomically
from sealegs.traces.folder_urls import with_urls


def check_json_target(target: str) -> str:
    """Return the name that `--json` was given, if a file can be written there.

    Raises:
        UserError: its folder is not there or not to be written, or the name is that of a folder.
    """
    return target if target == "-" else check_file_target("--json", target)


def check_file_target(option: str, target: str) -> str:
    """Return the name that an option was given, if a file can be written there; an empty one stays as it is.

    Raises:
        UserError: its folder is not there or not to be written, or the name is that of a folder.
    """
    file = Path(target)
    if not target or is_stream(file):
        return target
    real = _real(file)
    if not real.parent.is_dir():
        why = f"the folder {real.parent} does not exist; make it, or name another file"
    elif real.is_dir():
        why = "a folder has this name; name another file"
    elif not os.access(real.parent, os.W_OK):
        why = f"the folder {real.parent} is not writable; name another file"
    else:
        return target
    raise UserError(f"cannot write {option} {target}: {why}")


def check_different(targets: Mapping[str, Path | str | None]) -> None:
    """Refuse two options that name one file: what is written first would be lost.

    Args:
        targets: what each option was given, by its name; a pipe or a device takes the output of several.

    Raises:
        UserError: two name the same file.
    """
    seen: dict[str, str] = {}
    for option, target in targets.items():
        if not target or target == "-" or is_stream(Path(target)):
            continue
        real = os.path.realpath(target)
        if real in seen:
            raise UserError(f"{seen[real]} and {option} both name {target}; give each a file of its own")
        seen[real] = option


def write_target(file: Path, data: str | bytes) -> None:
    """Write the file that an option names. A link to it stays one, and a file that is there keeps its permissions.

    Raises:
        UserError: it cannot be written; the message says why.
    """
    if not is_stream(file):
        real = _real(file)
        write_atomically(real, data, mode=real.stat().st_mode & 0o777 if real.exists() else None)
        return
    try:
        own = _own_descriptor(file)
        with FileIO(file if own is None else own, "ab", closefd=own is None) as stream:
            write_all(stream, with_urls(data).encode(errors="replace") if isinstance(data, str) else data)
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}; name another file") from error


def _real(file: Path) -> Path:
    """The file that a name leads to.

    Raises:
        UserError: its links lead nowhere.
    """
    real = Path(os.path.realpath(file)) if file.is_symlink() else file
    if real.is_symlink():
        raise UserError(f"cannot write {file}: its symbolic links form a loop; name another file")
    return real


def _own_descriptor(file: Path) -> int | None:
    """The standard output or error that a name is of, with nothing left to flush; None for another stream.

    Where it is a file and is opened once more, what is printed later is written over it: each has its own place there.
    """
    there = file.stat()
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        with suppress(OSError):  # it is closed
            if os.path.samestat(there, os.fstat(descriptor)):
                stream.flush()
                return descriptor
    return None
