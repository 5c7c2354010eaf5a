"""Joining the shards of a campaign: how its runs ended, and what their agents did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sealegs.engines.merged_chains import refuse_altered, refuse_unproven, seal_merged
from sealegs.engines.merging import (
    MergeResult,
    ShardFolder,
    check_owned,
    merge_result,
    open_merge_folder,
    shared_file,
)
from sealegs.engines.shards import ELSEWHERE
from sealegs.faults.user_error import UserError
from sealegs.suites.micro.campaign.campaign_check import read_campaign
from sealegs.suites.micro.campaign.folder import (
    JOURNAL,
    SETTINGS,
    TRACES,
    journal_lines,
    read_campaign_request,
    trace_file,
)
from sealegs.suites.micro.campaign.kept_records import check_campaign_records
from sealegs.traces.atomic_files import make_folder, write_atomically
from sealegs.traces.folder_lock import locks_folder
from sealegs.traces.redaction import OWNER_ONLY


@locks_folder("out")
def merge_campaigns(parts: Sequence[ShardFolder], out: Path) -> MergeResult:
    """Join the folders of a campaign's shards.

    Args:
        parts: shards of one campaign, each once.
        out: the folder to make, or to add to.

    Raises:
        UserError: they contradict each other, or a file cannot be read or written.
    """
    request = read_campaign_request(parts[0].folder)
    keys = [run.id for run in read_campaign(request.text, request.model, request.source).runs()]
    data = shared_file(parts, SETTINGS)
    found: dict[str, list[str]] = dict(journal_lines(out))
    homes: dict[str, Path] = {}
    for folder, note in parts:
        own = journal_lines(folder)
        refuse_altered(check_campaign_records(folder) if own else (), note)
        check_owned(folder, note.place, own, keys)
        for key, lines in own.items():
            before = found.get(key, lines)
            # A run that was made again has further lines: one history must be the beginning of the other.
            if before != lines[: len(before)] and lines != before[: len(lines)]:
                raise UserError(f"{key} appears twice with different endings, in {folder} and {out}; {ELSEWHERE}")
            found[key] = max(before, lines, key=len)
            # The trace goes with the longer history; it is that of the latest time that the run was made.
            if len(lines) >= len(before):
                homes[key] = folder
    if journal_lines(out):
        refuse_unproven(check_campaign_records(out), found.keys() - homes.keys())
    open_merge_folder(out, SETTINGS, data)
    make_folder(out / TRACES, ELSEWHERE)
    for key, home in homes.items():
        if (file := trace_file(home / TRACES, key)).exists():
            trace = trace_file(out / TRACES, key)
            write_atomically(trace, file.read_bytes(), ELSEWHERE, OWNER_ONLY)
            seal_merged([file], trace, before=False)
    journal, there = out / JOURNAL, (out / JOURNAL).exists()
    text = "".join(line for key in keys for line in found.get(key, ()))
    write_atomically(journal, text, ELSEWHERE, OWNER_ONLY)
    seal_merged([folder / JOURNAL for folder, _ in parts], journal, before=there)
    again = f"the same `sealegs campaign run` without --shard, with --out {out}, runs what is missing"
    return merge_result(parts, "runs", keys, found, again)
