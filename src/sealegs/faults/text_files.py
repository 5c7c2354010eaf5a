"""Text files that people give: in UTF-8, or one message."""

from __future__ import annotations

from pathlib import Path

from sealegs.faults.user_error import UserError


def utf8_text(file: Path) -> str:
    """The text of a file.

    Raises:
        UserError: it cannot be read, or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}); give the name of a readable file") from error
