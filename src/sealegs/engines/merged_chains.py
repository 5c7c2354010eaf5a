"""The chains of digests where shards are joined: an altered shard is refused, and the whole is sealed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sealegs.engines.record_places import record_places
from sealegs.engines.shards import ShardNote
from sealegs.faults.user_error import UserError
from sealegs.traces.chain_check import ChainFinding, check_chain
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


def refuse_unproven(found: Iterable[ChainFinding], alone: Iterable[str]) -> None:
    """Refuse to add to a merged folder that was altered: the merge would seal it again, and hide that.

    A merge that was stopped before it sealed leaves a chain that does not fit, too. Then all that is there is in its
    shards, and nothing is left of which only the merged folder speaks.

    Args:
        found: the folder's findings.
        alone: what is there and, as it is, in none of the shards that are merged now.

    Raises:
        UserError: it was.
    """
    changed = next((one for one in found if one.state == "changed"), None)
    first = min(alone, default=None)
    if changed is not None and first is not None:
        remedy = "restore it, or merge all shards into another folder"
        raise UserError(f"{changed.sentence()}, and {first} is in no shard that is named here; {remedy}")


def refuse_altered_records(merged: Path, files: Iterable[Path]) -> None:
    """Do the same for records. `merged`: those that were merged before; `files`: those of the shards.

    Raises:
        UserError: they were altered, and not all of them are in the shards.
    """
    if not records_exist(merged) or (found := check_chain(merged)).state != "changed":
        return
    shards = {key: len(places) for file in files for key, places in record_places(file).items()}
    refuse_unproven([found], [key for key, its in record_places(merged).items() if shards.get(key, 0) < len(its)])
