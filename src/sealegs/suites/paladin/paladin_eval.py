"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task

from sealegs.engines.inspect_runner import Display, run_left
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.paladin.episodes import PaladinEpisode
from sealegs.suites.paladin.inspect_task import paladin
from sealegs.suites.paladin.options import PaladinOptions
from sealegs.suites.paladin.paladin_logs import FORM


def run_paladin_in_inspect(settings: PaladinOptions, folder: Path, *, display: Display | None = None) -> None:
    """Run what is left of a run through Inspect; see `run_left`."""

    def make(left: list[PaladinEpisode]) -> Task:
        return paladin(
            arm=settings.arm,
            retrieval=settings.retrieval,
            set=settings.set,
            limit=settings.limit,
            epochs=settings.epochs,
            seed=settings.seed,
            max_steps=settings.max_steps,
            only=[episode.id for episode in left],
        )

    name = f"sealegs/{settings.agent}" if settings.agent else settings.model
    options: dict[str, Any] = {"log_realtime": False, "max_samples": 8} if settings.agent else {}
    run_left(settings, folder, FORM, name, make, setup=settings.model_setup, display=display, **options)
