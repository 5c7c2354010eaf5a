"""A tool's parameters, so that a call's arguments have names, and as JSON Schema.

Annotations say what a value is meant to be, and Python does not see to it. They are read where their meaning is plain;
one that stands as text is parsed, and neither run nor imported from.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

PLAIN = (str, int, float, bool, type(None))  # of defaults
TYPES: dict[Any, Any] = {
    # In a list: where a schema says `string` itself, `faults.equal` tells "5" from 5, which nobody checks here.
    str: ["string"],
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    type(None): "null",
    list: "array",
    dict: "object",
}
BRACKETED = (list, dict, *(vars(typing)[name] for name in ("List", "Dict", "Optional", "Union")))


class Parameters:
    """A callable's parameters, to name the arguments of its calls. `self` is not an argument of a tool.

    Attributes:
        names: of those that may be given by place.
    """

    __slots__ = ("_bound", "_function", "_only", "_schema", "_spare", "names")

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:  # a built-in without a signature
            parameters = []
            self._schema: dict[str, Any] | list[inspect.Parameter] = {}
        else:
            self._schema = parameters
        self._function = function
        kinds = inspect.Parameter
        names = [p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        self._bound = int(names[:1] == ["self"])
        self.names = tuple(names[self._bound :])
        self._only = {p.name for p in parameters if p.kind is kinds.POSITIONAL_ONLY}
        self._spare = next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), "args")

    @property
    def schema(self) -> dict[str, Any]:
        """All of them as JSON Schema, with their plain defaults and what their annotations allow.

        Empty where the callable takes any name, or does not tell.
        """
        if isinstance(self._schema, list):  # made when it is asked for: only some need it
            self._schema = _schema(self._schema, self._function)
        return self._schema

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


def _schema(parameters: list[inspect.Parameter], function: Callable[..., Any]) -> dict[str, Any]:
    # It takes names that are not known, so a list of the known ones would be wrong.
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return {}
    own = [p for p in parameters if p.kind is not p.VAR_POSITIONAL]
    own = own[[p.name for p in own[:1]] == ["self"] :]
    names = _names(function) if any(isinstance(p.annotation, str) for p in own) else {}
    schema: dict[str, Any] = {"type": "object", "properties": {p.name: _field(p, names) for p in own}}
    if needed := [p.name for p in own if p.default is p.empty]:
        schema["required"] = needed
    # What is given by place beyond the named ones has a name, too, that of the `*` parameter.
    if all(p.kind is not p.VAR_POSITIONAL for p in parameters):
        schema["additionalProperties"] = False
    return schema


def _field(parameter: inspect.Parameter, names: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of one parameter's values."""
    try:
        found = {} if parameter.annotation is parameter.empty else _allowed(parameter.annotation, names)
    except Exception:  # annotations may be anything; what is not understood allows everything
        found = {}
    if not isinstance(parameter.default, PLAIN):
        return found
    if found and parameter.default is None:  # `to: str = None` is meant to allow it
        found = {"anyOf": [found, {"type": "null"}]}
    return {**found, "default": parameter.default}


def _allowed(annotation: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of the values that an annotation allows; empty where that is anything, or not known."""
    if isinstance(annotation, str):
        annotation = _meaning(annotation, names)
    if annotation in TYPES:
        return {"type": TYPES[annotation]}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _allowed(inner[0], names)
    if origin is Literal:
        return {"enum": list(inner)} if all(type(one) in PLAIN for one in inner) else {}
    if origin is Union or origin is UnionType:
        every = [_allowed(one, names) for one in inner]
        return {"anyOf": every} if all(every) else {}
    if origin is list:
        items = _allowed(inner[0], names) if inner else {}
        return {"type": "array", "items": items} if items else {"type": "array"}
    if origin is dict:
        return {"type": "object"}
    if isinstance(annotation, type) and issubclass(annotation, Enum) and issubclass(annotation, str):
        return {"enum": [one.value for one in annotation]}
    return {}


def _meaning(text: str, names: Mapping[str, Any]) -> Any:
    """The meaning of an annotation in a text.

    Raises:
        LookupError: it has a name that is not known, or a form that is not followed.
        SyntaxError: it is no annotation.
    """
    if text not in names and text in vars(builtins):  # most are
        return vars(builtins)[text]
    return _meant(ast.parse(text, mode="eval").body, names)


def _meant(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Constant(value=str(text)):
            return _meaning(text, names)
        case ast.Name(id=name):
            return names[name] if name in names else vars(builtins)[name]
        case ast.Attribute(value=ast.Name(id=module), attr=name) if names.get(module) is typing:
            return vars(typing)[name]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return Union[(_meant(left, names), _meant(right, names))]  # noqa: UP007  # of what is not known before
        case ast.Subscript(value=outer, slice=inner):
            given = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            form = _meant(outer, names)
            if form is Annotated:
                return _meant(given[0], names)
            if form is Literal:
                return Literal[tuple(map(ast.literal_eval, given))]
            if form in BRACKETED:
                meant = tuple(_meant(one, names) for one in given)
                return form[meant if len(meant) > 1 else meant[0]]
    raise LookupError(ast.dump(node))


def _names(function: Any) -> Mapping[str, Any]:
    """The names of the module in which a callable's annotations stand."""
    try:
        inner = inspect.unwrap(function)
    except ValueError:  # it wraps itself
        return {}
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isinstance(inner, type):
        inner = vars(inner).get("__init__")
    inner = getattr(inner, "__func__", inner)
    found = getattr(inner, "__globals__", None) or getattr(type(inner).__call__, "__globals__", {})
    return found if isinstance(found, dict) else {}
