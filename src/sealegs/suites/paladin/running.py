"""What a run of the suite is, and running it with a scripted backbone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sealegs.suites.paladin.episodes import VERSION, PaladinEpisode, episodes
from sealegs.suites.paladin.logs import FORM
from sealegs.suites.paladin.playing import Setup, run_direct
from sealegs.suites.running.folders import Progress, run_rest

MAX_STEPS = 40


@dataclass(frozen=True, slots=True)
class PaladinSettings:
    """What a run is: equal settings give equal episodes. `agent` is a scripted backbone's name."""

    agent: str = ""
    model: str = ""
    arm: str = "paladin"
    retrieval: str = "off"
    set: str = "eval"
    limit: int | None = None
    epochs: int = 1
    seed: int = 0
    max_steps: int = MAX_STEPS
    engine: str = "direct"
    version: str = VERSION

    @property
    def setup(self) -> Setup:
        """Under what each episode is played."""
        return Setup(self.arm, self.retrieval, self.max_steps)

    def episodes(self) -> list[PaladinEpisode]:
        """All episodes of the run."""
        return episodes(self.set, limit=self.limit, epochs=self.epochs, seed=self.seed)

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        who = self.agent or self.model.replace("/", "-")
        default = PaladinSettings()
        parts = [
            *([self.set] if self.set != default.set else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.engine] if self.agent and self.engine != default.engine else []),
        ]
        return "-".join(["paladin", self.arm, who, f"retrieval-{self.retrieval}", *parts])


def run_scripted(settings: PaladinSettings, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted backbone's run without Inspect."""
    run_rest(
        settings, folder, FORM, partial(run_direct, backbone=settings.agent, setup=settings.setup, jobs=jobs), progress
    )
