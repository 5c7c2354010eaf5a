"""A run of the suite in a folder: what was asked for, what is finished, and the rest.

The folder holds `run.json` (what was asked for) and the records. The same command goes on where the last one stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sealegs.faults.seeds import digest
from sealegs.suites.maze import LEVELS, MODES
from sealegs.suites.maze.direct import run_direct
from sealegs.suites.maze.episodes import VERSION, Episode, episodes
from sealegs.suites.maze.logs import LogError, read_runs
from sealegs.suites.maze.task_sets import SHIPPED
from sealegs.traces.store import Store

SETTINGS = "run.json"
RECORDS = "episodes.jsonl"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is: equal settings give equal episodes."""

    agent: str = ""
    model: str = ""
    levels: tuple[str, ...] = LEVELS
    modes: tuple[str, ...] = MODES
    prompt: str = "standard"
    limit: int | None = None
    epochs: int = 1
    seed: int = 0
    max_steps: int = 25
    plan: str = ""
    tasks: str = SHIPPED
    recovery: str = "off"
    engine: str = "direct"
    version: str = VERSION

    def episodes(self) -> list[Episode]:
        """All episodes of the run."""
        return episodes(
            self.levels,
            self.modes,
            limit=self.limit,
            epochs=self.epochs,
            seed=self.seed,
            own=self.plan,
            tasks=self.tasks,
        )

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        who = self.agent or self.model.replace("/", "-")
        default = Settings()
        parts = [
            *(["C" + "".join(level[1:] for level in self.levels)] if self.levels != default.levels else []),
            *(["-".join(self.modes)] if self.modes != default.modes else []),
            *([self.prompt] if self.prompt != default.prompt else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"plan{digest(self.plan):016x}"[:12]] if self.plan else []),
            *([f"{Path(self.tasks).name}"] if self.tasks else []),
            *([f"recovery-{self.recovery}"] if self.recovery != default.recovery else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.engine] if self.agent and self.engine != default.engine else []),
        ]
        return "-".join(["maze", who, *parts])


def opened(settings: Settings, folder: Path) -> list[Episode]:
    """Make or check the run's folder.

    Returns:
        the episodes that are not finished yet.

    Raises:
        LogError: the folder holds another run, or damaged records.
    """
    file = folder / SETTINGS
    if file.exists():
        _check_same(settings, file)
    elif folder.exists() and any(folder.iterdir()):
        raise LogError(f"{folder} is not empty and holds no run of Sealegs; name another folder with --logs")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(settings), indent=2) + "\n", encoding="utf-8")
    finished = _finished(folder)
    return [episode for episode in settings.episodes() if episode not in finished]


def _check_same(settings: Settings, file: Path) -> None:
    try:
        before: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LogError(f"{file} is not JSON ({error}); delete the folder, or name another with --logs") from error
    before = {**asdict(Settings()), **before}  # a run from before a setting came had its default
    now = json.loads(json.dumps(asdict(settings)))
    differing = [f"{name} was {before.get(name)!r}, is {now[name]!r}" for name in now if before.get(name) != now[name]]
    if differing:
        raise LogError(f"{file.parent} holds another run ({'; '.join(differing)}); name another folder with --logs")


def _finished(folder: Path) -> set[Episode]:
    if not any(file.suffix in (".jsonl", ".eval") for file in folder.iterdir()):
        return set()
    try:
        return {episode for run in read_runs(folder) for episode in run.records}
    except LogError as error:
        if "no finished episode" in str(error):
            return set()
        raise


def run_scripted(settings: Settings, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect."""
    left = opened(settings, folder)
    total = len(settings.episodes())
    progress(total - len(left), total)
    if not left:
        return
    store = Store(folder / RECORDS)
    try:
        done = total - len(left)
        for lines in run_direct(
            left,
            settings.agent,
            max_steps=settings.max_steps,
            recovery=settings.recovery,
            engine=settings.engine,
            jobs=jobs,
        ):
            store.append_lines(lines)
            done += 1
            progress(done, total)
    finally:
        store.close()


def with_engine(settings: Settings, engine: str) -> Settings:
    """The settings under an engine: `auto` is direct for scripted agents and Inspect for models."""
    if engine == "auto":
        engine = "direct" if settings.agent else "inspect"
    return replace(settings, engine=engine)
