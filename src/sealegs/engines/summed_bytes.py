"""The digest of a Parquet file, within the file.

Parquet's own checksums leave out the footer, where one wrong bit makes other rows.
"""

from __future__ import annotations

import hashlib

SUM = b"sealegs.sha256"  # the name in the footer under which the digest is
ZEROS = b"0" * 64  # what is in its place while it is made


def summed(data: bytes) -> bytes:
    """Return the bytes of a file with their digest in its place: they are whole if they stay as they were.

    Raises:
        ValueError: there is no place for it.
    """
    place = data.rindex(SUM) + len(SUM) + 2  # behind the type and the length of the value
    blank = data[:place] + ZEROS + data[place + len(ZEROS) :]
    return data[:place] + hashlib.sha256(blank).hexdigest().encode() + data[place + len(ZEROS) :]
