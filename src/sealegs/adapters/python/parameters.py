"""A tool's parameters, so that a call's arguments have names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

PLAIN = (str, int, float, bool, type(None))  # of defaults


class Parameters:
    """A callable's parameters, to name the arguments of its calls. `self` is not an argument of a tool.

    Attributes:
        names: of those that may be given by place.
        schema: all of them as JSON Schema, with their plain defaults; empty where the callable takes any name, or does
            not tell.
    """

    __slots__ = ("_bound", "_only", "_spare", "names", "schema")

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:  # a built-in without a signature
            parameters = []
            self.schema: dict[str, Any] = {}
        else:
            self.schema = _schema(parameters)
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
        if not args:
            return dict(kwargs)
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


def _schema(parameters: list[inspect.Parameter]) -> dict[str, Any]:
    # It takes names that are not known, so a list of the known ones would be wrong.
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return {}
    fields = {p.name: {"default": p.default} if isinstance(p.default, PLAIN) else {} for p in parameters}
    own = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    return {"type": "object", "properties": {name: fields[name] for name in own[own[:1] == ["self"] :]}}
