"""Work that shards did ahead: results by key, from which one process makes the whole in order.

What a command decides in order (which of two near duplicates stays) cannot be divided; the results that it decides on
can. A shard's folder holds its results. Merged, they lie in the whole's folder, whose command takes them in place of
doing that work again, and removes them once it is finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sealegs.engines.journal import KeyedJournal
from sealegs.engines.merging import ShardFolder, check_owned
from sealegs.engines.shards import ELSEWHERE, holds_files
from sealegs.faults.user_error import UserError

AHEAD = "ahead.jsonl"


def work_ahead(folder: Path, settings: Mapping[str, Any]) -> KeyedJournal | None:
    """The results that lie in a folder; None where there are none.

    Raises:
        UserError: they are of something else.
    """
    return KeyedJournal(folder / AHEAD, settings) if (folder / AHEAD).exists() else None


def check_whole_folder(out: Path, journal: str, what: str) -> None:
    """Check that a whole can be made or resumed in a folder.

    Raises:
        UserError: it holds something else.
    """
    if not (out / journal).exists() and not (out / AHEAD).exists() and holds_files(out):
        raise UserError(f"{out} is not empty and holds no {what}; {ELSEWHERE}")


def merge_work_ahead(
    parts: Sequence[ShardFolder], out: Path, settings: Mapping[str, Any], keys: Sequence[str] | None = None
) -> set[str]:
    """Join the results of shards in the folder of the whole.

    Args:
        parts: shards of one whole, each once.
        out: the whole's folder.
        settings: of the results.
        keys: all keys; None where a shard may have any.

    Returns:
        the keys of all results that are there.

    Raises:
        UserError: they contradict each other.
    """
    sources = [
        (folder, note, KeyedJournal(folder / AHEAD, settings)) for folder, note in parts if (folder / AHEAD).exists()
    ]
    # All shards are checked before the first result is written.
    for folder, note, found in sources:
        if keys is not None:
            check_owned(folder, note.place, found.keys, keys)
    if not sources:
        return set()
    whole = KeyedJournal(out / AHEAD, settings)
    for folder, _, found in sources:
        # Sorted, so that the merged file is the same whatever order the shards worked in.
        for key in sorted(found.keys):
            if key not in whole.keys:
                whole.append(found.entry(key))
            elif whole.entry(key) != found.entry(key):
                raise UserError(f"{key} appears twice with different content, in {folder} and {out}; {ELSEWHERE}")
    return set(whole.keys)
