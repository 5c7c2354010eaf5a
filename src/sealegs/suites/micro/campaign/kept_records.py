"""A campaign's records as they are kept: without secrets, each trace sealed when its run has ended.

A trace is written by its run, which may be killed at any moment, so its chain of digests is made afterwards, by the
process that waits for the run. The journal's line about the run holds a digest of the trace, so that one that was put
in another's place, or removed with its chain, is noticed, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.suites.micro.campaign.folder import JOURNAL, TRACES, trace_file
from sealegs.suites.micro.isolation import RunEnd
from sealegs.traces.atomic_files import sync_file
from sealegs.traces.chain_check import OPEN, ChainFinding, check_chains
from sealegs.traces.record_chain import write_chain
from sealegs.traces.redaction import Redactor, redactor_for

TRACE = "trace"  # in a line of the journal: the digest of the run's trace, empty where there was none


class RecordKeeper:
    """Makes of how a run ended what is kept of it.

    Args:
        folder: of the campaign.

    Raises:
        UserError: a setting of redaction cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._traces = folder / TRACES
        # The folder that the runs have their key from, so that equal values stay equal in all files.
        self._redactor: Redactor | None = redactor_for(self._traces)

    def __call__(self, end: RunEnd) -> tuple[RunEnd, Mapping[str, Any]]:
        """Seal the trace of a run; return the run's end without secrets, and what the journal holds besides.

        Raises:
            UserError: the trace cannot be read or sealed.
        """
        trace = trace_file(self._traces, end.id)
        digest = ""  # where the run could not make it, and says so
        if trace.is_file():
            digest = _digest(trace, sync=True)
            write_chain(trace)
        if self._redactor is not None:
            end = RunEnd(**self._redactor.redacted(asdict(end)))
        return end, {TRACE: digest}


def check_campaign_records(folder: Path) -> list[ChainFinding]:
    """Compare journal, traces and verdicts of a campaign with their chains, and the traces with the journal.

    Raises:
        UserError: there is none, or a file cannot be read.
    """
    known = _known_traces(folder / JOURNAL)
    found = [_checked_trace(one, known) if one.file.parent.name == TRACES else one for one in check_chains(folder)]
    there = {one.file.stem for one in found if one.file.parent.name == TRACES}
    lacking = [trace_file(folder / TRACES, run) for run, digest in known.items() if digest and run not in there]
    return [*found, *(ChainFinding(file, "changed", ("cut: all of it is missing",), 0) for file in lacking)]


def _checked_trace(found: ChainFinding, known: Mapping[str, str | None]) -> ChainFinding:
    """A trace's finding, with what the journal says of it."""
    if found.file.stem not in known:  # its run has not ended, or ended with the process that waited for it
        return ChainFinding(found.file, "open", (OPEN,), found.lines)
    wanted = known[found.file.stem]
    if wanted is None or found.state == "changed" or wanted == _digest(found.file):
        return found
    return ChainFinding(found.file, "changed", ("altered: it is not the trace that the journal names",), found.lines)


def _known_traces(journal: Path) -> dict[str, str | None]:
    """The digest of each ended run's trace, by the last line about it; None in a journal that is older than that."""
    return {str(entry["id"]): entry.get(TRACE) for entry in _entries(journal)}


def _entries(journal: Path) -> Iterator[dict[str, Any]]:
    """The entries of a journal, without lines that are damaged: its own chain reports these."""
    for line in journal.read_bytes().splitlines() if journal.exists() else ():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and "id" in entry:
            yield entry


def _digest(trace: Path, *, sync: bool = False) -> str:
    """The digest of a trace, which is on the disk then if that is asked for."""
    try:
        with trace.open("rb") as file:
            if sync:
                sync_file(file.fileno())
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        raise UserError(
            f"cannot read {trace}: {error.strerror}; fix that, and the same command resumes the campaign"
        ) from error
