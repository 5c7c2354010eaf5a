"""The chains of digests where shards are joined: an altered shard is refused, and the whole is sealed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sealegs.engines.shards import ShardNote
from sealegs.faults.user_error import UserError
from sealegs.traces.chain_check import ChainFinding
from sealegs.traces.record_chain import chain_file, write_chain
from sealegs.traces.record_files import records_exist


def seal_merged(files: Iterable[Path], target: Path, *, before: bool) -> None:
    """Give a merged file of records a chain, if all that it was made of has one.

    Args:
        files: those of the parts; one that is not there is left out.
        target: the merged file.
        before: whether it was there before the merge.
    """
    made_of = [*filter(records_exist, files), *([target] if before else ())]
    # A chain made here for records without one would vouch for what nobody watched.
    if all(chain_file(file).exists() for file in made_of):
        write_chain(target)
    else:
        chain_file(target).unlink(missing_ok=True)


def refuse_altered(found: Iterable[ChainFinding], note: ShardNote) -> None:
    """Refuse a shard of which a file of records was altered.

    Raises:
        UserError: one was.
    """
    for one in found:
        if one.state == "changed":
            raise UserError(f"{one.sentence()}; restore it, or make shard {note.shard} again in another folder")
