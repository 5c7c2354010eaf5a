"""The extra `cli`: what the command, its searches and its measurements need, and the message where that is missing.

Faults, sessions, adapters, records and the recovery layer work without it.
"""

from __future__ import annotations

from importlib.util import find_spec

PACKAGES = {"bm25s": "bm25s", "numpy": "numpy", "rich": "rich", "Stemmer": "pystemmer", "typer": "typer"}  # by module


def why_unusable(what: str) -> str:
    """Name the packages of the extra that are missing for this, and the remedy; empty where none is missing."""
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    return f'{what} needs {", ".join(missing)}; run: pip install "sealegs[cli]"' if missing else ""
