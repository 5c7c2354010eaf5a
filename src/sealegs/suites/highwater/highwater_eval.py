"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task

from sealegs.engines.inspect_runner import Display, run_left
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.highwater.highwater_logs import FORM
from sealegs.suites.highwater.inspect_task import highwater
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode


def run_highwater_in_inspect(settings: HighwaterOptions, folder: Path, *, display: Display | None = None) -> None:
    """Run what is left of a run through Inspect; see `run_left`.

    Raises:
        UserError: the sandbox here is too weak.
    """

    def make(left: list[HighwaterEpisode]) -> Task:
        return highwater(
            setting=settings.setting,
            distractors=settings.distractors,
            hints=settings.hints,
            errors=settings.errors,
            split=settings.split,
            limit=settings.limit,
            epochs=settings.epochs,
            seed=settings.seed,
            max_steps=settings.max_steps,
            search=settings.search,
            plan=settings.plan,
            data=settings.data,
            allow_weak_sandbox=settings.allow_weak_sandbox,
            sandbox=settings.sandbox,
            only=None if len(left) == len(settings.episodes()) else [episode.id for episode in left],
        )

    name = f"sealegs/{settings.agent}" if settings.agent else settings.model
    options: dict[str, Any] = {"log_realtime": False, "max_samples": 8} if settings.agent else {}
    run_left(settings, folder, FORM, name, make, setup=settings.model_setup, display=display, **options)
