"""Tables that ship as CSV: rows by column, below comments that say where they are from."""

from __future__ import annotations

import csv


def table_rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV text with a head; lines that begin with # are comments."""
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
