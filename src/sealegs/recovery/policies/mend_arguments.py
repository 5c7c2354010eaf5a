"""Mend a call's arguments by the tool's own schema, where there is one way to do so."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar

import jsonschema_rs

from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.policies.policy import Policy

ALIKE = 0.75  # of two names: how near they must be for one to be a slip of the other


class MendArguments(Policy):
    """The policy that repairs arguments once, and only where they break the schema and the repaired ones keep it.

    Names that are a slip of one that is missing are put right, texts that are numbers, truth values or JSON are read,
    single values become lists where lists are asked for, listed values are matched without case, names that the schema
    does not allow are left out, and what is missing takes its default. No value is made up.
    """

    name: ClassVar[str] = "mend_arguments"

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Make the call with repaired arguments."""
        spec, call = context.spec(failed_call.attempt.tool), failed_call.attempt
        if failed_call.category != "arguments" or spec is None or not spec.parameters:
            return failed_call
        arguments = repair_arguments(call.arguments, spec.parameters)
        if arguments is None:
            return failed_call
        # Another call than the one that failed: that the tool is idempotent does not speak for it, a shared key does.
        if not (context.keyed(failed_call) or context.nothing_done(failed_call)) or not context.claims(
            failed_call, call.tool
        ):
            return failed_call
        detail = f"the arguments broke the schema of {call.tool}"
        return (yield from context.attempt(failed_call, self.name, "repaired", call.tool, arguments, detail))


def repair_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments as the schema wants them; None where they are right, or cannot be repaired without guessing."""
    validator = jsonschema_rs.validator_for(dict(schema))
    if _is_valid(validator, dict(arguments)):
        return None
    shared = {key: schema[key] for key in ("$defs", "definitions") if key in schema}  # what fields may refer to
    fields = {name: {**field, **shared} for name, field in schema.get("properties", {}).items()}
    found = _named(arguments, fields, strict=schema.get("additionalProperties") is False)
    found = {name: _typed(value, fields.get(name, {})) for name, value in found.items()}
    for name in schema.get("required", ()):
        if name not in found and "default" in fields.get(name, {}):
            found[name] = fields[name]["default"]
    return found if _is_valid(validator, found) else None


def _is_valid(validator: Any, value: Any) -> bool:
    try:
        return bool(validator.is_valid(value))
    except ValueError:  # not JSON: the arguments of a Python function may be any objects
        return False


def _named(arguments: Mapping[str, Any], fields: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """The arguments under the names that the schema has, each taken once."""
    free = [name for name in fields if name not in arguments]
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in fields:
            found[name] = value
            continue
        slip = _slip(name, free)
        if slip is not None:
            # Each name once: a second slip towards it must not overwrite the first.
            free.remove(slip)
            found[slip] = value
        elif not strict:
            found[name] = value
    return found


def _slip(name: str, free: list[str]) -> str | None:
    plain = {_plain(candidate): candidate for candidate in free}
    near = difflib.get_close_matches(_plain(name), plain, n=2, cutoff=ALIKE)
    if _plain(name) in plain:
        return plain[_plain(name)]
    return plain[near[0]] if len(near) == 1 else None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value as the schema wants it, if one reading of it does; else as it is."""
    if not schema:
        return value
    validator = jsonschema_rs.validator_for(dict(schema))
    if _is_valid(validator, value):
        return value
    return next((reading for reading in _readings(value, schema) if _is_valid(validator, reading)), value)


def _readings(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(value, str):
        yield value.strip()
        plain = value.strip().casefold()
        with suppress(ValueError):
            # Models write Python's `True` where JSON has `true`.
            yield json.loads(plain if plain in ("true", "false", "null") else value)
        yield from (item for item in schema.get("enum", ()) if isinstance(item, str) and item.casefold() == plain)
    # Before numbers, since True is an int to Python.
    elif isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, (int, float)):
        if float(value).is_integer():
            yield int(value)
        yield f"{value:.15g}"
    if schema.get("type") == "array" and not isinstance(value, list):
        # The schema of the items may refer to definitions of the whole.
        shared = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        yield [_typed(value, {**schema["items"], **shared} if schema.get("items") else {})]
    if schema.get("type") != "array" and isinstance(value, list) and len(value) == 1:
        yield value[0]
