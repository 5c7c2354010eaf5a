"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import get_model

from sealegs.suites import registry
from sealegs.suites.maze.inspect_task import maze
from sealegs.suites.maze.logs import LogError
from sealegs.suites.maze.running import Settings, opened

Display = Literal["full", "conversation", "rich", "plain", "log", "none"]


def run_inspect(
    settings: Settings, folder: Path, *, display: Display | None = None, connections: int | None = None
) -> None:
    """Run what is left of a run through Inspect.

    Every finished sample is written at once, so a killed process loses only the samples it was in.

    Raises:
        LogError: the model is unknown or has no key, or Inspect itself ended with an error.
    """
    assert registry.maze is maze
    name = f"sealegs/{settings.agent}" if settings.agent else settings.model
    try:
        model = get_model(name)
    except (PrerequisiteError, ValueError, ImportError) as error:
        raise LogError(f"the model {name!r} cannot be used: {_plain(error)}") from error
    left = opened(settings, folder)
    if not left:
        return
    task = maze(
        levels=settings.levels,
        modes=settings.modes,
        prompt=settings.prompt,
        limit=settings.limit,
        epochs=settings.epochs,
        seed=settings.seed,
        max_steps=settings.max_steps,
        plan=settings.plan,
        tasks=settings.tasks,
        recovery=settings.recovery,
        only=None if len(left) == len(settings.episodes()) else [episode.id for episode in left],
    )
    options: dict[str, Any] = {"max_connections": connections} if connections else {}
    if settings.agent:
        options |= {"log_realtime": False, "max_samples": 8}
    logs = inspect_eval(task, model=model, log_dir=str(folder), log_buffer=1, display=display, **options)
    for log in logs:
        if log.status != "success":
            reason = log.error.message if log.error else log.status
            raise LogError(
                f"Inspect ended the run with {log.status!r}: {reason}; the same command goes on with the rest"
            )


def _plain(error: BaseException) -> str:
    """An error's words without the markup that Inspect adds."""

    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).split())
