"""Declarations by the author of a tool, in its code: whether it changes anything, and how it is repeated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypedDict

from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError


class Declaration(TypedDict, total=False):
    """The declarations of `tool` and `wrap`; see `ToolSpec` for what each means."""

    effects: bool | None
    idempotent: bool
    key: str
    shown_by: str
    statuses: Literal["", "own"]


def declared_spec(
    name: str, function: Callable[..., Any], declared: Declaration, parameters: Mapping[str, Any]
) -> ToolSpec | None:
    """The spec that the declaration makes; None where nothing is declared.

    Raises:
        UserError: it contradicts itself, or the function has no parameter of the key's name.
    """
    if not any(declared.values()) and declared.get("effects") is None:
        return None
    spec = ToolSpec(name, parameters=parameters, **declared)
    if spec.effects is False and (spec.key or spec.shown_by):
        raise UserError(
            f"{name} is declared with effects=False and with a key or shown_by, which are for tools that act"
        )
    if spec.key and not _takes(function, spec.key):
        raise UserError(f"{name} has no parameter {spec.key!r}; give as key the one that carries its idempotency key")
    return spec


def renamed_spec(spec: ToolSpec, name: str) -> ToolSpec:
    """The declaration under the name that the tool has in a session."""
    return spec if spec.name == name else replace(spec, name=name)


def _takes(function: Callable[..., Any], parameter: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a built-in without a signature
        return True
    return parameter in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
