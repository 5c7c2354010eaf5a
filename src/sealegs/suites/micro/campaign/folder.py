"""A campaign's folder: what was requested, how the runs ended, and what they reported meanwhile.

`campaign.json` holds the settings and the file's text, `journal.jsonl` the end of each run, `traces/` what each run's
agent did, `labels.csv` people's labels, `verdicts.jsonl` a judging model's. The same command resumes where the last
one stopped. `kept_records` says what is done to all of it before it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from sealegs.engines.shards import holds_files
from sealegs.faults.user_error import UserError
from sealegs.suites.micro.isolation import RunEnd
from sealegs.traces.atomic_files import make_folder, write_atomically
from sealegs.traces.redaction import OWNER_ONLY

SETTINGS = "campaign.json"
JOURNAL = "journal.jsonl"
TRACES = "traces"
ELSEWHERE = "name another folder with --out"
KIND = "micro"  # of a shard
VERSION = 1  # of what a run is; a folder of another version is not resumed


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """The settings that the runs of a folder share.

    Attributes:
        budget: seconds that a run may take.
        version: of the rules of running.
        task_set: the edition of the workloads; empty in a folder that is older than that.
    """

    budget: float
    version: int = VERSION
    task_set: str = ""


@dataclass(frozen=True, slots=True)
class CampaignRequest:
    """The last request to a folder: the file's name and text, the model that replaced all, and the settings."""

    source: str
    text: str
    model: str
    settings: CampaignSettings


def trace_file(folder: Path, run: str) -> Path:
    """The file of what a run's agent did.

    Args:
        folder: of the traces.
        run: its id.
    """
    return folder / f"{run}.jsonl"


def open_campaign_folder(folder: Path, request: CampaignRequest) -> None:
    """Make or check the folder, and write down the request.

    Raises:
        UserError: it holds runs under other settings, or something else.
    """
    file = folder / SETTINGS
    if file.exists():
        before = asdict(read_campaign_request(folder).settings)
        now = asdict(request.settings)
        differences = "; ".join(f"{key} was {before[key]!r}, is {now[key]!r}" for key in now if before[key] != now[key])
        if differences:
            raise UserError(
                f"{folder} holds runs under other settings ({differences}); give the same, or name another --out"
            )
    elif holds_files(folder):
        raise UserError(f"{folder} is not empty and holds no campaign; {ELSEWHERE}")
    write_atomically(file, json.dumps(asdict(request), indent=1) + "\n", ELSEWHERE, OWNER_ONLY)
    make_folder(folder / TRACES, ELSEWHERE)


def read_campaign_request(folder: Path) -> CampaignRequest:
    """Read the last request to the folder.

    Raises:
        UserError: it holds no campaign.
    """
    file = folder / SETTINGS
    try:
        data: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return CampaignRequest(data["source"], data["text"], data["model"], CampaignSettings(**data["settings"]))
    except FileNotFoundError:
        raise UserError(
            f"{folder} holds no campaign (no {SETTINGS}); name the folder of a `sealegs campaign run`"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file} is damaged ({type(error).__name__}: {error}); run the campaign again") from error


def read_ends(folder: Path) -> dict[str, RunEnd]:
    """The ends of runs, by id; a line that is being written, or was cut off, is left out.

    Raises:
        UserError: the journal is damaged.
    """
    file = folder / JOURNAL
    if not file.exists():
        return {}
    found: dict[str, RunEnd] = {}
    names = [field.name for field in fields(RunEnd)]
    for number, line in enumerate(file.read_bytes().split(b"\n")[:-1], 1):
        try:
            entry = json.loads(line)
            found[entry["id"]] = RunEnd(**{name: entry[name] for name in names})
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{file}:{number} is not a line of a journal ({error}); restore the file") from error
    return found


def journal_lines(folder: Path) -> dict[str, list[str]]:
    """The whole lines of the journal by the run that they are about.

    Raises:
        UserError: the journal is damaged.
    """
    found: dict[str, list[str]] = {}
    if not read_ends(folder):
        return found
    for line in (folder / JOURNAL).read_bytes().split(b"\n")[:-1]:
        found.setdefault(json.loads(line)["id"], []).append(line.decode() + "\n")
    return found
