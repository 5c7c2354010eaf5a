"""The finished parts of a measurement of detectors, so that the same command resumes where it was stopped.

A part is one direction of one record, tested or guarded by; what was learned is beside the journal in files of
profiles. It does not cover a change of the code in between: use another folder then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sealegs.engines.journal import Journal
from sealegs.recovery.detectors import Profiles, read_profiles
from sealegs.scoring import Verdict
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.suites.maze.detecting import CheckedAnswer
from sealegs.traces.atomic_files import write_atomically

JOURNAL = "parts.jsonl"
HALF = "half of the base tasks"


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """The settings of a measurement: equal settings give equal parts.

    Attributes:
        more: a folder of further tasks, whose clean episodes are also learned from.
        limit: at most this many base tasks of each level.
        epochs: how many times each faulty episode is run.
        seed: decides the halves, the victims and the faults.
    """

    more: str = ""
    limit: int | None = None
    epochs: int = 1
    seed: int = 0

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The amounts of material to learn from, the least first, each with its folders of further tasks."""
        further = {f"{HALF}, and {Path(self.more).name}": (self.more,)} if self.more else {}
        return {HALF: (), **further}

    @property
    def name(self) -> str:
        """A folder's name for it."""
        given = {"more": Path(self.more).name, "limit": self.limit, "epochs": self.epochs, "seed": self.seed}
        usual = {"more": "", **{name: getattr(DetectionSettings(), name) for name in ("limit", "epochs", "seed")}}
        return "-".join(["detect-maze", *(f"{name}{given[name]}" for name in given if given[name] != usual[name])])


class FinishedParts:
    """Finished parts by name.

    Args:
        folder: where they are kept.
        settings: what is measured; parts of other settings are refused.

    Raises:
        UserError: the folder holds other parts.
    """

    def __init__(self, folder: Path, settings: DetectionSettings) -> None:
        self._folder = folder
        self._journal = Journal(folder / JOURNAL, asdict(settings))
        self._found = {entry["part"]: entry["data"] for entry in self._journal.entries}

    def kept(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a part: as it was kept, or made and kept."""
        if name not in self._found:
            self._found[name] = make()
            self._journal.append({"part": name, "data": self._found[name]})
        found: dict[str, Any] = self._found[name]
        return found

    def profiles(self, name: str, make: Callable[[], Profiles]) -> Profiles:
        """Return profiles: as they were kept, or learned and kept."""
        file = self._folder / f"{name.replace(', ', '-').replace(' ', '-')}-profiles.json"
        if not file.exists():
            write_atomically(file, make().text(), "name another folder with --out")
        return read_profiles(file)


def checked_answer_data(one: CheckedAnswer) -> dict[str, Any]:
    """Return a tested answer as JSON data."""
    data = asdict(one)
    del data["detections"]
    return {**data, "told": sorted(map(list, one.detections))}


def checked_answer_from(data: Mapping[str, Any]) -> CheckedAnswer:
    """The answer that this data is of."""
    fields = {name: value for name, value in data.items() if name != "told"}
    return CheckedAnswer(**fields, detections=frozenset((arm, share, per) for arm, share, per in data["told"]))


def result_from(data: Mapping[str, Any]) -> MazeResult:
    """The judged episode that this data is of."""
    return MazeResult(**{**data, "verdict": Verdict(**data["verdict"])})
