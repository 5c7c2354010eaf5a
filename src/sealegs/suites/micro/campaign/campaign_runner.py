"""A campaign run in its folder: what is left of it, each run in its own process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from sealegs.engines.shards import Shard, describe_shard, open_shard_folder
from sealegs.suites.micro.campaign.campaign_check import read_campaign
from sealegs.suites.micro.campaign.folder import (
    JOURNAL,
    KIND,
    TRACES,
    CampaignRequest,
    CampaignSettings,
    open_campaign_folder,
    read_ends,
)
from sealegs.suites.micro.campaign.kept_records import RecordKeeper
from sealegs.suites.micro.campaign.run_process import FOLDER, PRELOAD, WORK, failed_outside
from sealegs.suites.micro.campaign.runs import Campaign, PlannedRun
from sealegs.suites.micro.campaign.shipped import campaign_text
from sealegs.suites.micro.chat_ends import ask_chat_first
from sealegs.suites.micro.isolation import RunEnd, RunLimits, RunRequest, run_all
from sealegs.suites.micro.workloads import workloads_edition
from sealegs.traces.record_chain import lacks_seal

MEMORY = 2 * 2**30  # bytes that a run may take


@dataclass(frozen=True, slots=True)
class ReadyCampaign:
    """A campaign with its folder made.

    Attributes:
        campaign: what is to be run.
        folder: where.
        runs: those that are to be run: all of the campaign's, or those of a shard.
        finished: ids of them that have ended before.
        jobs: runs at a time.
        budget: seconds that a run may take.
        notes: what a person should know beforehand.
    """

    campaign: Campaign
    folder: Path
    runs: tuple[PlannedRun, ...]
    finished: frozenset[str]
    jobs: int
    budget: float
    notes: tuple[str, ...]

    def run(self, progress: Callable[[int, int], None], tell: Callable[[str], None]) -> None:
        """Run what is left; each end is kept the moment it is known.

        Args:
            progress: called with how many runs have ended, and the total.
            tell: called with sentences that a person should read.
        """
        requests = [RunRequest(run.id, run.as_data()) for run in self.runs]
        done = len(self.finished)
        progress(done, len(requests))
        # A killed process may have written all ends and no seal: then the journal's chain is closed all the same.
        if done == len(requests) and not lacks_seal(self.folder / JOURNAL):
            return

        def ended(_: RunEnd) -> None:
            nonlocal done
            done += 1
            progress(done, len(requests))

        with _environment(FOLDER, str((self.folder / TRACES).absolute())):
            run_all(
                WORK,
                requests,
                preload=PRELOAD,
                limits=RunLimits(self.budget, MEMORY),
                jobs=self.jobs,
                journal=self.folder / JOURNAL,
                ended=ended,
                tell=tell,
                again=failed_outside,
                keep=RecordKeeper(self.folder),
            )


def prepare_campaign(
    file: str, model: str, folder: Path, *, jobs: int, budget: float, shard: Shard | None = None
) -> ReadyCampaign:
    """Read a campaign and make its folder.

    Args:
        file: the campaign's, or the name of one that ships.
        model: stands in for all models of the file; empty: as in the file.
        folder: where its runs are kept.
        jobs: runs at a time.
        budget: seconds that a run may take.
        shard: the part of the runs that is to be run; None for all.

    Raises:
        UserError: the file is not a campaign, the folder holds something else, or a model cannot be called.
    """
    name, text = campaign_text(file)
    campaign = read_campaign(text, model, file)
    every = campaign.runs()
    own = every if shard is None else shard.among(every, lambda run: run.id)
    wanted = {run.id for run in own}
    done = {id for id, end in read_ends(folder).items() if not failed_outside(end)}
    # Before the folder is made, and only models that are still needed: a resumed campaign must not fail for a finished
    # one's key.
    for chat in dict.fromkeys(run.experiment.model for run in own if run.id not in done):
        ask_chat_first(chat)
    request = CampaignRequest(name, text, model, CampaignSettings(budget, task_set=workloads_edition()))
    ids = [run.id for run in every]
    open_shard_folder(folder, describe_shard(shard, KIND, ids, asdict(request)) if shard else None)
    open_campaign_folder(folder, request)
    known = read_ends(folder)
    former = [id for id in known if id not in wanted]
    notes = []
    if former:
        some = ", ".join(former[:3]) + (", ..." if len(former) > 3 else "")
        notes.append(
            f"{folder / JOURNAL} holds {len(former)} runs that the campaign has no longer ({some});"
            " they are kept there and counted nowhere"
        )
    kept = frozenset(done) & wanted
    if kept and len(kept) < len(wanted):
        notes.append(f"{len(kept)} of {len(wanted)} runs are finished; running the rest")
    return ReadyCampaign(campaign, folder, tuple(own), kept, jobs, budget, tuple(notes))


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable for the processes that are started meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
