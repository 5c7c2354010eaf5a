"""The command for a clean interpreter that finds the same modules as this one, wherever it is installed."""

from __future__ import annotations

import sys
from pathlib import Path


def module_command(module: str, *numbers: int) -> list[str]:
    """The words that run the `main` of one of this package's modules.

    Args:
        module: its name in this package.
        numbers: what `main` is called with: descriptors that it inherits.
    """
    path = [str(Path(entry).absolute()) for entry in sys.path]
    code = f"import sys; sys.path[:] = {path!r}; from {__package__}.{module} import main; main(*{numbers!r})"
    return [sys.executable, "-c", code]
