"""Diagnosis of an answer that looks like data and is wrong: the sentence that says so, and the facts in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sealegs.faults import paths
from sealegs.training.data.bad_messages import BadMessage
from sealegs.training.data.step_context import join_names, quoted, short_value

NOT_TRUE = "not true that "
_NAME = re.compile(r"(?:argument )?[a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_INSIDE = re.compile(r"Traceback|Exception|https?://|SELECT |psycopg|/srv/|\bat com\.|Error\b")
_ORDER = re.compile(r"not (?:after|before)|moved by|moment|shift_|minutes|days? |date")


def diagnose_answer(trouble: BadMessage) -> tuple[str, dict[str, str]]:
    """The list of forms that fits, and their slots."""
    violation = trouble.violation
    reason = violation.reason if violation is not None else f"{NOT_TRUE}the answer is complete"
    if reason.startswith("the answer is "):  # text that does not parse
        return "failed.unreadable", {}
    # Before the rules: an answer with a stack trace in it breaks several of them, and the trace is why.
    leak = _inside(trouble.data)
    if leak:
        return "failed.leak", {"field": leak}
    if not reason.startswith(NOT_TRUE):
        return _of_shape(reason, trouble.data)
    rule = reason.removeprefix(NOT_TRUE)
    if " repeats the argument " in rule:
        echo = _echo(rule, trouble)
        if echo is not None:
            return "failed.echo", echo
    facts = _facts(rule, trouble)
    if " is at least " in rule or " is at most " in rule:
        field = rule.partition(" ")[0]
        value = short_value(_at(trouble.data, field))
        if value:
            return "failed.bounds", {"field": field, "value": value}
    if " the known one for " in rule and facts:
        return "failed.fact", {"facts": join_names(facts), "rule": rule}
    if len(facts) > 1:
        name = "failed.order" if _ORDER.search(rule) else "failed.sum"
        return name, {"facts": join_names(facts), "rule": rule}
    return "failed.wrong", {"rule": rule}


def _of_shape(reason: str, data: Any) -> tuple[str, dict[str, str]]:
    """The fields that are empty, or do not hold a value of their kind."""
    field = re.split(r" is |: ", reason, maxsplit=1)[0]
    value = _at(data, field)
    if value is None or value in ("", [], {}) or "required" in reason:
        return "failed.empty", {"field": field}
    if "minimum" in reason or "maximum" in reason:
        return "failed.bounds", {"field": field, "value": short_value(value) or quoted(value)}
    return "failed.type", {"field": field, "value": quoted(value)}


def _echo(rule: str, trouble: BadMessage) -> dict[str, str] | None:
    field, _, argument = rule.partition(" repeats the argument ")
    value, requested = short_value(_at(trouble.data, field)), short_value(trouble.use.arguments.get(argument))
    return {"field": field, "value": value, "asked": requested} if value and requested and value != requested else None


def _facts(rule: str, trouble: BadMessage) -> list[str]:
    """The fields that a rule is about, with their values: `total = 12.5`."""
    found: dict[str, str] = {}
    for name in _NAME.findall(rule):
        if name.startswith("argument "):
            value = short_value(trouble.use.arguments.get(name.removeprefix("argument ")))
            name = name.removeprefix("argument ")
        else:
            value = short_value(_at(trouble.data, name))
        if value:
            found[name] = f"{name} = {value}"
    return list(found.values())[:4]


def _at(data: Any, path: str) -> Any:
    return next(iter(paths.values_at(data, path)), None)


def _inside(data: Any, path: str = "") -> str:
    """The path of a text that shows the inside of a program; empty where there is none."""
    if isinstance(data, Mapping):
        found = (_inside(value, f"{path}.{name}" if path else str(name)) for name, value in data.items())
        return next(filter(None, found), "")
    if isinstance(data, list):
        return next(filter(None, (_inside(value, path) for value in data)), "")
    # The note is the bank's advice beside the answer, not a text of the tool's.
    return path if isinstance(data, str) and path != "recovery_note" and _INSIDE.search(data) else ""
