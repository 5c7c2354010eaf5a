"""What a run of the suite is, and running it with a scripted agent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sealegs.faults.seeds import digest
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.moments import DRAW
from sealegs.scenarios.scenario import VERSION, Scenario, episodes
from sealegs.scenarios.task_sets import SHIPPED
from sealegs.suites.maze.direct import run_direct
from sealegs.suites.maze.logs import FORM
from sealegs.suites.running.folders import Progress, run_rest


@dataclass(frozen=True, slots=True)
class MazeSettings:
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
    moment: str = DRAW
    engine: str = "direct"
    version: str = VERSION

    def episodes(self) -> list[Scenario]:
        """All episodes of the run."""
        return episodes(
            self.levels,
            self.modes,
            limit=self.limit,
            epochs=self.epochs,
            seed=self.seed,
            own=self.plan,
            tasks=self.tasks,
            moment=self.moment,
        )

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        who = self.agent or self.model.replace("/", "-")
        default = MazeSettings()
        parts = [
            *(["C" + "".join(level[1:] for level in self.levels)] if self.levels != default.levels else []),
            *(["-".join(self.modes)] if self.modes != default.modes else []),
            *([self.prompt] if self.prompt != default.prompt else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"plan{digest(self.plan):016x}"[:12]] if self.plan else []),
            *([f"{Path(self.tasks).name}"] if self.tasks else []),
            *([f"moment-{self.moment}"] if self.moment != default.moment else []),
            *([f"recovery-{self.recovery}"] if self.recovery != default.recovery else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.engine] if self.agent and self.engine != default.engine else []),
        ]
        return "-".join(["maze", who, *parts])


def run_scripted(settings: MazeSettings, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect."""
    play = partial(
        run_direct,
        agent=settings.agent,
        max_steps=settings.max_steps,
        recovery=settings.recovery,
        engine=settings.engine,
        jobs=jobs,
    )
    run_rest(settings, folder, FORM, play, progress)
