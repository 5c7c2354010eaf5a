"""Questions with their SQL, and the databases that they are about: a folder in Spider's layout, or plain files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError

USUAL = ("pairs.json", "train_spider.json", "train.json", "dev.json")
MOST_NAMED = 20
FIELDS = {"question": ("question",), "query": ("query", "sql", "SQL"), "database": ("db_id", "database")}


@dataclass(frozen=True)
class Pair:
    """A question and the SQL that answers it.

    Attributes:
        number: its place in the file, from 1.
        question, query: as written.
        database: the database's name.
    """

    number: int
    question: str
    query: str
    database: str


def read_pairs(folder: Path, file: Path | None = None) -> list[Pair]:
    """The pairs in a file: a JSON list, or one object a line.

    Args:
        folder: where the databases lie.
        file: the file; one of the usual names in the folder by default.

    Raises:
        UserError: there is no such file or folder, or entries are no pairs; up to `MOST_NAMED` of them are named.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}; name one with databases in database/ID/ID.sqlite")
    entries = _entries(_found(folder, file))
    pairs: list[Pair] = []
    wrong: list[str] = []
    for number, entry in enumerate(entries, 1):
        given = {field: _text(entry, names) for field, names in FIELDS.items()}
        lacking = [FIELDS[field][0] for field, text in given.items() if not text]
        if lacking:
            wrong.append(f"pair {number}: {', '.join(lacking)} missing or no text")
        # The name becomes a part of a path, which must stay below the folder.
        elif set(given["database"]) & set("/\\\0") or given["database"].startswith("."):
            wrong.append(f"pair {number}: {given['database']!r} is not a database's name")
        else:
            pairs.append(Pair(number, given["question"].strip(), given["query"], given["database"]))
    if wrong:
        more = f"\n... and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        remedy = "give a list of {question, query, db_id}"
        raise UserError("\n".join(wrong[:MOST_NAMED]) + f"{more}\n{remedy}")
    if not pairs:
        raise UserError("there are no pairs in the file; give a list of {question, query, db_id}")
    return pairs


def read_names(folder: Path) -> dict[str, Mapping[str, Any]]:
    """The entries of Spider's `tables.json` by database; empty where there is no such file.

    Raises:
        UserError: the file is there and is not JSON.
    """
    path = folder / "tables.json"
    if not path.is_file():
        return {}
    found = _entries(path)
    return {str(entry["db_id"]): entry for entry in found if isinstance(entry, Mapping) and "db_id" in entry}


def _found(folder: Path, file: Path | None) -> Path:
    if file is not None:
        for path in (file, folder / file):
            if path.is_file():
                return path
        raise UserError(f"there is no file {file}; name the file of pairs with --pairs")
    for name in USUAL:
        if (folder / name).is_file():
            return folder / name
    raise UserError(f"there is none of {', '.join(USUAL)} in {folder}; name the file of pairs with --pairs")


def _entries(path: Path) -> list[Any]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        found = json.loads(text)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as JSON ({error}); fix it") from error
    if not isinstance(found, list):
        raise UserError(f"{path} holds no list; give a list of {{question, query, db_id}}")
    return found


def _text(entry: Any, names: tuple[str, ...]) -> str:
    if not isinstance(entry, Mapping):
        return ""
    return next((entry[name] for name in names if isinstance(entry.get(name), str) and entry[name].strip()), "")
