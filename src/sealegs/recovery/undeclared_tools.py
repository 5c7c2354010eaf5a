"""Failures that recovery left alone only because it is not declared whether the tool changes anything.

Nothing undeclared is ever repeated, so a layer without declarations does little, and says for which tools that is so:
by an action `left` in the record, by a warning of the logger `sealegs.recovery`, once for each tool in a process, and
here, in a list for a person.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sealegs.traces.events import Event, LayerActionTaken, ToolCalled

LEFT = "left"  # the name of the action
SAFETY = "safety"  # its policy
_LOG = logging.getLogger("sealegs.recovery")
_logged: set[str] = set()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class UndeclaredTool:
    """A tool whose failures were left alone for want of a declaration.

    Attributes:
        tool: its name.
        calls: how many of its calls.
    """

    tool: str
    calls: int

    @property
    def remedy(self) -> str:
        """The line of a recovery plan that would declare it."""
        return remedy(self.tool)


def remedy(tool: str) -> str:
    """The line of a recovery plan that declares that a tool changes nothing."""
    return f"tools: {{{_quoted(tool)}: {{effects: false}}}}"


def reason(tool: str) -> str:
    """The reason why a failure was left alone, and the declaration that would change that."""
    return (
        f"{tool} may have changed something: nobody said that it does not, so it is not called again; "
        f"where it changes nothing, say so in the recovery plan: {remedy(tool)}"
    )


def warn_once(tool: str) -> None:
    """Log a tool, the first time in this process."""
    log_once(reason(tool))


def log_once(message: str) -> None:
    """Log this, the first time in this process. If logging is not set up, it goes to standard error."""
    with _lock:
        if message in _logged:
            return
        _logged.add(message)
    _LOG.warning("%s", message)


def find_undeclared_tools(episodes: Iterable[Iterable[Event]]) -> tuple[UndeclaredTool, ...]:
    """The tools whose failures were left alone in these episodes for want of a declaration, the most calls first."""
    found: Counter[str] = Counter()
    for events in episodes:
        tools: dict[str, str] = {}
        for event in events:
            if isinstance(event, ToolCalled):
                tools[event.call] = event.tool
            elif isinstance(event, LayerActionTaken) and (event.policy, event.action) == (SAFETY, LEFT):
                found[tools.get(event.call, event.call)] += 1
    return tuple(UndeclaredTool(tool, calls) for tool, calls in _most_first(found))


def _most_first(found: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def _quoted(tool: str) -> str:
    return tool if tool.replace("_", "").isalnum() else f'"{tool}"'
