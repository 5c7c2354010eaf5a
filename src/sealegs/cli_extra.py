"""The extra `cli`: what the command, its searches and its measurements need, and the message where that is missing.

Faults, sessions, adapters, records and the recovery layer work without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

PACKAGES = {"bm25s": "bm25s", "numpy": "numpy", "rich": "rich", "Stemmer": "pystemmer", "typer": "typer"}  # by module


def why_unusable(what: str, modules: Iterable[str] = PACKAGES) -> str:
    """Name the packages of the extra that are missing for this, and the remedy; empty if none is missing.

    Args:
        what: cannot be used without them.
        modules: of the extra, that it imports.
    """
    missing = ", ".join(PACKAGES[module] for module in modules if find_spec(module) is None)
    return f'{what} needs {missing}; run: pip install "sealegs[cli]"' if missing else ""
