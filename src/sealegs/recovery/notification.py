"""Reports of what recovery does: to the episode's watcher, the log `sealegs.recovery.acts` and the process's metrics.

The log goes where the program sends it, and nowhere if logging is not set up. It names tools, policies and the types
of failures; it does not hold arguments, answers or what tools say.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from sealegs.faults.call import Failure
from sealegs.faults.visible_text import visible
from sealegs.inject.layer_context import LayerAction
from sealegs.recovery.otel_metrics import GAVE_UP, meters

LOG = logging.getLogger("sealegs.recovery.acts")
LOG.addHandler(logging.NullHandler())
LEVELS: Mapping[str, int] = {GAVE_UP: logging.WARNING, "opened": logging.WARNING, "tried": logging.DEBUG}
OWN_WORDS = frozenset({GAVE_UP, "opened", "retried"})  # actions whose detail holds no text of a tool


def action_notifier(episode: str, note_action: Callable[[LayerAction], None]) -> Callable[[LayerAction], None]:
    """A function that reports each action to all of them.

    Args:
        episode: its name.
        note_action: tells the episode's watcher.
    """
    counted = meters()

    def notify(action: LayerAction) -> None:
        note_action(action)
        if counted is not None:
            counted.layer_action(action)
        level = LEVELS.get(action.name, logging.INFO)
        if LOG.isEnabledFor(level):
            LOG.log(level, "%s", visible(_in_words(episode, action)))

    return notify


def report_duration(tool: str, seconds: float, *, helped: bool) -> None:
    """Report how long recovery spent on a call."""
    counted = meters()
    if counted is not None:
        counted.took(tool, seconds, helped=helped)


def _in_words(episode: str, action: LayerAction) -> str:
    where = f"{episode}: " if episode else ""
    by = f" by {action.policy}" if action.policy else ""
    other = (
        f" with {action.attempt.tool}" if action.attempt is not None and action.attempt.tool != action.call.tool else ""
    )
    came = f", {action.outcome.type}" if isinstance(action.outcome, Failure) and action.attempt is not None else ""
    why = f" ({action.detail})" if action.name in OWN_WORDS and action.detail else ""
    return f"{where}{action.call.tool} {action.call.id}: {action.name.replace('_', ' ')}{by}{other}{came}{why}"
