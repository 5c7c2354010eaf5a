"""Files of records, plain or compressed: the one place that knows that there are two forms.

Records are named as they are written (`episodes.jsonl`), and places in them are places in these bytes, whichever form
is on the disk. `sealegs compress` puts `episodes.jsonl.gz` in the place of the plain file; where both are there, the
plain one counts.
"""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.traces.compressed_blocks import MOST_UNPACKED, BlockReader, block_index

SUFFIXES = ".jsonl", ".gz"  # of the compressed form
COMPRESSED = "episodes.jsonl.gz"  # its name in a run's folder: any other there is somebody else's, unless it is named


def compressed_form(path: Path) -> Path:
    """The path of the compressed form of a file of records."""
    return path if _is_compressed(path) else path.with_name(path.name + SUFFIXES[1])


def plain_form(path: Path) -> Path:
    """The path of a file of records as it is written, from that of either form."""
    return path.with_suffix("") if _is_compressed(path) else path


def open_records(path: Path) -> BufferedReader:
    """Open a file of records for reading, in whichever form it is there.

    Args:
        path: of the plain form; that of a compressed one is understood.

    Raises:
        CompressionError: the compressed form is damaged.
        OSError: it cannot be opened.
    """
    try:
        return plain_form(path).open("rb")
    except FileNotFoundError:
        if not compressed_form(path).exists():
            raise
    return open_compressed(compressed_form(path))


def open_compressed(file: Path) -> BufferedReader:
    """Open the compressed form of a file of records for reading, whatever is beside it.

    Raises:
        CompressionError: it is damaged.
        OSError: it cannot be opened.
    """
    return BufferedReader(BlockReader(file), MOST_UNPACKED)


def records_exist(path: Path) -> bool:
    """Return whether a file of records is there, in either form."""
    return plain_form(path).exists() or compressed_form(path).exists()


def records_size(path: Path) -> int:
    """The bytes of a file of records, as it is written; 0 where there is none.

    Raises:
        CompressionError: the compressed form is damaged.
        OSError: it cannot be read.
    """
    if plain_form(path).exists():
        return plain_form(path).stat().st_size
    return block_index(compressed_form(path)).size if compressed_form(path).exists() else 0


def only_compressed(path: Path) -> bool:
    """Return whether a file of records is there in its compressed form alone."""
    return not plain_form(path).exists() and compressed_form(path).exists()


def refuse_compressed(path: Path) -> None:
    """Refuse to append to a file of records that is compressed, or named as one that is.

    Raises:
        UserError: it is.
    """
    if _is_compressed(path):
        raise UserError(f"{path} is the name of a compressed file, to which nothing is appended; name another file")
    if only_compressed(path):
        file = compressed_form(path)
        raise UserError(f"{file} is compressed, and nothing can be appended to it; unpack it first (gunzip {file})")


def _is_compressed(path: Path) -> bool:
    """Return whether a path is that of a compressed form, by its name. Another `.gz` is a file of its own."""
    return tuple(path.suffixes[-2:]) == SUFFIXES
