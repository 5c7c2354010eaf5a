"""The latest arguments and answers of a session's tools, as far as alternatives take values from it.

It is bounded: it keeps only the latest call of each tool that an alternative names, and only the named fields of its
answer.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Call, Outcome, Value


class Memory:
    """The latest right answers.

    Args:
        wanted: by tool, the paths that are wanted of its answers.
    """

    __slots__ = ("_latest", "_wanted")

    def __init__(self, wanted: Mapping[str, Iterable[str]]) -> None:
        self._wanted = wanted
        self._latest: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}  # arguments, and fields by path

    @property
    def wanted(self) -> Mapping[str, Iterable[str]]:
        """The paths that are wanted of each tool's answers."""
        return self._wanted

    def keep(self, call: Call, outcome: Outcome) -> None:
        """Remember a call that was answered well, in place of the one before."""
        wanted = self._wanted.get(call.tool)
        if wanted is None or not isinstance(outcome, Value):
            return
        fields: dict[str, Any] = {}
        for path in wanted:
            found = paths.values_at(outcome.value, path)
            if found:
                fields[path] = copy.deepcopy(found[0])  # the agent may change what it was given
        self._latest[call.tool] = copy.deepcopy(dict(call.arguments)), fields

    def latest_arguments(self, tool: str) -> Mapping[str, Any]:
        """The arguments of the latest call.

        Raises:
            KeyError: there was none.
        """
        return self._latest[tool][0]

    def seen(self, tool: str, path: str) -> Any:
        """A field of the latest answer.

        Raises:
            KeyError: there was none, or it had no such field.
        """
        return self._latest[tool][1][path]


NOTHING = Memory({})
