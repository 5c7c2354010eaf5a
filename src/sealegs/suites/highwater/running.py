"""What a run of the suite is, and running it with a scripted agent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sealegs.faults.seeds import digest
from sealegs.suites.highwater import ERRORS
from sealegs.suites.highwater.direct import run_direct
from sealegs.suites.highwater.episodes import SUITE, VERSION, HighwaterEpisode, chosen, episodes
from sealegs.suites.highwater.finding import BM25
from sealegs.suites.highwater.libraries import SHIPPED
from sealegs.suites.highwater.logs import FORM
from sealegs.suites.running.folders import Progress, run_rest


@dataclass(frozen=True, slots=True)
class HighwaterSettings:
    """What a run is: equal settings give equal episodes."""

    agent: str = ""
    model: str = ""
    setting: str = "open"
    distractors: int = 9
    hints: bool = False
    errors: tuple[str, ...] = ERRORS
    split: str = "test"
    limit: int | None = None
    epochs: int = 1
    seed: int = 0
    max_steps: int = 25
    search: str = BM25
    interface: str = "code"
    plan: str = ""
    data: str = SHIPPED
    engine: str = "direct"
    sandbox: str = ""
    suite: str = SUITE
    version: str = VERSION

    def episodes(self) -> list[HighwaterEpisode]:
        """All episodes of the run."""
        return episodes(
            chosen(self.data, self.split, self.limit, self.seed),
            self.errors,
            setting=self.setting,
            distractors=self.distractors,
            hints=self.hints,
            seed=self.seed,
            own=self.plan,
            folder=self.data,
            epochs=self.epochs,
        )

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        default = HighwaterSettings()
        parts = [
            *([f"{self.setting}{self.distractors}"] if self.setting != "open" else []),
            *(["hints"] if self.hints else []),
            *([f"errors-{'-'.join(self.errors)}"] if self.errors != default.errors and not self.plan else []),
            *([self.split] if self.split != default.split else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"plan{digest(self.plan):016x}"[:12]] if self.plan else []),
            *([Path(self.data).name] if self.data else []),
            *([f"search-{Path(self.search).name}"] if self.search != BM25 else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.interface] if self.interface != default.interface else []),
            *([f"sandbox-{self.sandbox.partition(':')[0]}"] if self.sandbox else []),
            *([self.engine] if self.agent and self.engine != default.engine else []),
        ]
        return "-".join([SUITE, self.agent or self.model.replace("/", "-"), *parts])


def run_scripted(
    settings: HighwaterSettings, folder: Path, progress: Progress, jobs: int | None = None, allow_weak: bool = False
) -> None:
    """Run what is left of a scripted agent's run without Inspect.

    Raises:
        Mistake: the sandbox here is too weak, or the folder holds something else.
    """
    play = partial(
        run_direct,
        agent=settings.agent,
        max_steps=settings.max_steps,
        search=settings.search,
        interface=settings.interface,
        allow_weak=allow_weak,
        jobs=jobs,
    )
    run_rest(settings, folder, FORM, play, progress)
