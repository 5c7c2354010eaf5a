"""Files that are there whole or not at all: written aside, then renamed.

It does not cover files that grow, which are the store's (`traces.store`).
"""

from __future__ import annotations

import os
from pathlib import Path

from sealegs.faults.user_error import UserError


def write_atomically(path: Path, data: str | bytes, remedy: str = "name another file") -> None:
    """Write a file so that it is there whole or not at all; folders on the way to it are made.

    Args:
        path: where.
        data: what; text is written as UTF-8.
        remedy: what the user is told to do if it cannot be written.

    Raises:
        UserError: it cannot be written; the message says why. Nothing is left behind.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        make_folder(path.parent, remedy)
        try:
            # What agents and tools write may hold half of a character, which UTF-8 has no bytes for.
            aside.write_bytes(data.encode(errors="replace") if isinstance(data, str) else data)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; {remedy}") from error


def check_appendable(path: Path, remedy: str) -> None:
    """Check that a file can be appended to, before anything depends on it. Nothing is made.

    Raises:
        UserError: it cannot be; the message says why.
    """
    check_folder(path.parent, remedy)
    if not path.parent.exists():
        return
    there = path.exists()
    try:
        with path.open("ab"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; {remedy}") from error


def check_folder(folder: Path, remedy: str) -> None:
    """Check that a folder is there or can be made, before anything depends on it. Nothing is made.

    Raises:
        UserError: it cannot be; the message says why.
    """
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not there.is_dir():
        why = "a file of this name is there" if there == folder else f"{there} is a file"
    elif not os.access(there, os.W_OK):
        why = f"{there} is not writable"
    else:
        return
    raise UserError(f"cannot make the folder {folder}: {why}; {remedy}")


def make_folder(folder: Path, remedy: str) -> None:
    """Make a folder and those above it, where they are not there.

    Raises:
        UserError: it cannot be made, or something else is there; the message says why.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = "a file of this name is there" if isinstance(error, FileExistsError) else error.strerror
        raise UserError(f"cannot make the folder {folder}: {told}; {remedy}") from error
