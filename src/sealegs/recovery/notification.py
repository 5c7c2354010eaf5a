"""Reports of what recovery does: to the episode's watcher, the log `sealegs.recovery.acts` and the process's metrics.

The log goes where the program sends it, and nowhere if logging is not set up. It names tools, policies and the types
of failures; it does not hold arguments, answers or what tools say.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from sealegs.faults.call import Failure
from sealegs.faults.visible_text import visible
from sealegs.inject.layer_context import LayerAct
from sealegs.recovery.otel_metrics import GAVE_UP, meters

LOG = logging.getLogger("sealegs.recovery.acts")
LOG.addHandler(logging.NullHandler())
LEVELS: Mapping[str, int] = {GAVE_UP: logging.WARNING, "opened": logging.WARNING, "tried": logging.DEBUG}
OWN_WORDS = frozenset({GAVE_UP, "opened", "retried"})  # actions whose detail holds no text of a tool


def act_notifier(episode: str, note_act: Callable[[LayerAct], None]) -> Callable[[LayerAct], None]:
    """A function that reports each act to all of them.

    Args:
        episode: its name.
        note_act: tells the episode's watcher.
    """
    counted = meters()

    def notify(act: LayerAct) -> None:
        note_act(act)
        if counted is not None:
            counted.acted(act)
        level = LEVELS.get(act.action, logging.INFO)
        if LOG.isEnabledFor(level):
            LOG.log(level, "%s", visible(_in_words(episode, act)))

    return notify


def report_duration(tool: str, seconds: float, *, helped: bool) -> None:
    """Report how long recovery spent on a call."""
    counted = meters()
    if counted is not None:
        counted.took(tool, seconds, helped=helped)


def _in_words(episode: str, act: LayerAct) -> str:
    where = f"{episode}: " if episode else ""
    by = f" by {act.policy}" if act.policy else ""
    other = f" with {act.attempt.tool}" if act.attempt is not None and act.attempt.tool != act.call.tool else ""
    came = f", {act.outcome.type}" if isinstance(act.outcome, Failure) and act.attempt is not None else ""
    why = f" ({act.detail})" if act.action in OWN_WORDS and act.detail else ""
    return f"{where}{act.call.tool} {act.call.id}: {act.action.replace('_', ' ')}{by}{other}{came}{why}"
