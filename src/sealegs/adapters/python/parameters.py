"""A tool's parameters, so that a call's arguments have names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any


class Parameters:
    """A callable's parameters, to name the arguments of its calls. `self` is no argument of a tool."""

    __slots__ = ("_bound", "_only", "_spare", "names")

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:  # a built-in without a signature
            parameters = []
        kinds = inspect.Parameter
        names = [p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        self._bound = int(names[:1] == ["self"])
        self.names = tuple(names[self._bound :])
        self._only = {p.name for p in parameters if p.kind is kinds.POSITIONAL_ONLY}
        self._spare = next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), "args")

    def named(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name; what has none stands in a list under the name of the `*` parameter."""
        if self._bound:
            args = args[self._bound :]
        arguments = dict(zip(self.names, args))
        if len(args) > len(self.names):
            arguments[self._spare] = list(args[len(self.names) :])
        if kwargs:
            arguments.update(kwargs)
        return arguments

    def given(self, arguments: Mapping[str, Any], args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The way back, for arguments that a fault has changed. `args` are those of the agent's call, for `self`."""
        left = dict(arguments)
        spare = left.pop(self._spare, ()) if self._spare not in self.names else ()
        first = [left.pop(name) for name in self.names if name in left and (spare or name in self._only)]
        return (*args[: self._bound], *first, *spare), left
