"""A ranking as files for other programs: the long table as CSV and Parquet, the main table as LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.reports.rank_tables import heading, how, ranking_lines
from sealegs.scoring.ranking_rows import RankRow, RankTable

TEXTS = ("suite", "agent", "model", "level", "mode", "metric", "against", "task_set", "played", "source")
NUMBERS = ("value", "low", "high", "p", "p_holm")
COUNTS = ("n", "group")
COLUMNS = (*TEXTS[:6], *NUMBERS[:3], "n", "against", *NUMBERS[3:], "task_set", "played", "group", "source")
ESCAPED = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "−": "$-$",
}


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = COLUMNS) -> str:
    """Rows as CSV with a line of names; what a row does not have is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def parquet_bytes(rows: Sequence[RankRow]) -> bytes:
    """Rows as a Parquet file; what a row does not have is null.

    Raises:
        UserError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise UserError('--parquet needs pyarrow; run: pip install "sealegs[parquet]"') from error
    types = {**dict.fromkeys(TEXTS, pa.string()), **dict.fromkeys(NUMBERS, pa.float64())}
    types |= dict.fromkeys(COUNTS, pa.int64())
    schema = pa.schema([(name, types[name]) for name in COLUMNS])
    target = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema), target)
    found: bytes = target.getvalue().to_pybytes()
    return found


def latex_text(tables: Sequence[RankTable]) -> str:
    """The main table of each ranking, for the package booktabs."""
    return "\n".join(_latex(table) for table in tables)


def _latex(table: RankTable) -> str:
    head, lines = ranking_lines(table)
    caption = " ".join([heading(table) + ".", *how(table)])
    ours = len(table.standings)
    body = [" & ".join(map(escaped, line)) + r" \\" for line in lines]
    if len(lines) > ours:
        body.insert(ours, r"\midrule")
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped(caption)}}}",
            rf"\begin{{tabular}}{{l{'r' * len(head)}}}",
            r"\toprule",
            " & ".join(map(escaped, ("", *head))) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escaped(text: str) -> str:
    """A text as LaTeX shows it."""
    return "".join(ESCAPED.get(character, character) for character in text)
