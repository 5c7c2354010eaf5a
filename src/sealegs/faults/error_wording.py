"""Validation errors in plain words: where, what is there, what is wrong, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from sealegs.faults.keyed import alternative_key
from sealegs.faults.kinds import KINDS
from sealegs.faults.kinds.delay import Exponential, Lognormal, Normal, Quantiles, Uniform
from sealegs.faults.matchers import Argument, Header
from sealegs.faults.own_kinds import is_own_kind, own_kind, registered_kinds
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.problems import Problem, abbreviate
from sealegs.faults.triggers import Burst, Outage

Loc = tuple[int | str, ...]

KEYED: dict[str, type[BaseModel]] = {
    model.key: model for model in (Argument, Header, Burst, Outage, Uniform, Normal, Lognormal, Exponential, Quantiles)
}
# The name of each kind of alternative, by the function that recognizes it.
ALTERNATIVES = {
    "_condition_of()": (
        "condition",
        ("always", "first", "nth", "every", "probability", "window", "burst", "outage", "first_touch"),
    ),
    f"{alternative_key.__name__}()": (
        "matcher",
        ("tool", "tag", "model", "argument", "method", "header", "all", "any", "not"),
    ),
    "_alternative()": ("distribution", ("uniform", "normal", "lognormal", "exponential", "quantiles")),
}


def problem_from_error(error: ErrorDetails, data: Any) -> Problem | None:
    """One validation error of plan data in plain words; None where it only follows from another one."""
    loc, kind = error["loc"], error["type"]
    path, value = located(loc, data)
    context = error.get("ctx", {})
    if kind == "too_short" and isinstance(value, (list, tuple)) and len(value) >= context.get("min_length", 0):
        return None  # its items are wrong, and each of them is reported
    if loc and loc[-1] == "[key]":
        path, _ = located(loc[:-1], data)
        return Problem(path, "", "is named by a key that is not text", "Put the key in quotes.")
    if kind == "missing":
        return Problem(path, "", "is missing", f"Add it. {_about(loc, data)}")
    if kind in ("extra_forbidden", "invalid_key"):
        return _unknown_field(loc, path, data)
    if kind.startswith("union_tag"):
        return _unknown_alternative(path, value, str(context.get("discriminator", "")))
    if kind == "problem":
        return Problem(path, abbreviate(value), str(context["wrong"]), str(context["remedy"]))
    wrong, remedy = WORDS.get(kind, _other)(context)
    if isinstance(value, str) and "number" in remedy:
        remedy += " Write it without quotes."
    return Problem(path, abbreviate(value), wrong, remedy)


def located(loc: Loc, data: Any) -> tuple[str, Any]:
    """The path that a person would write, and what is there. Names of alternatives in `loc` are not part of it."""
    # pydantic puts the kind between `fault` and the field; nobody wrote it there.
    if len(loc) > 3 and loc[2] == "fault" and not _own(loc, data):
        loc = loc[:3] + loc[4:]
    path, here = "", data
    for index, key in enumerate(loc):
        # The last part may name what is missing. Any other that is not there is an alternative of pydantic's own.
        if isinstance(here, Mapping) and (key in here or index == len(loc) - 1):
            path, here = f"{path}.{key}" if path else str(key), here.get(key)
        elif isinstance(here, (list, tuple)) and isinstance(key, int):
            path, here = f"{path}[{key}]", here[key] if key < len(here) else None
    return path or "plan", here


def suggest_name(name: Any, names: Iterable[str]) -> str:
    """A remedy for a name that is not one of these."""
    known = list(names)
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"Did you mean {near[0]}?" if near else f"Give one of {', '.join(known)}."


def _own(loc: Loc, data: Any) -> str:
    """The kind of the fault in which the place lies, where it is one of others; empty where it is one of ours."""
    try:
        kind = data["rules"][loc[1]]["fault"]["kind"]
    except (KeyError, IndexError, TypeError):  # there is no fault that says its kind
        return ""
    return kind if isinstance(kind, str) and kind not in KINDS and is_own_kind(kind) else ""


def _model(loc: Loc, data: Any) -> type[BaseModel]:
    """The model whose field the last part of `loc` names."""
    own = _own(loc, data) if len(loc) == 4 and loc[2] == "fault" else ""
    if own:
        return own_kind(own)
    if len(loc) >= 2 and loc[-2] in KEYED:
        return KEYED[str(loc[-2])]
    # rules, place, fault, kind, field: the kind is pydantic's addition and names the model.
    if len(loc) == 5 and loc[2] == "fault":
        return KINDS[str(loc[3])]
    return Rule if len(loc) == 3 and loc[0] == "rules" else Plan


def _fields(model: type[BaseModel]) -> dict[str, str]:
    """The fields' names in data with what they mean."""
    return {field.alias or name: field.description or "" for name, field in model.model_fields.items()}


def _about(loc: Loc, data: Any) -> str:
    return _fields(_model(loc, data)).get(str(loc[-1]), "")


def _unknown_field(loc: Loc, path: str, data: Any) -> Problem:
    names = [name for name in _fields(_model(loc, data)) if name != "kind"]
    remedy = suggest_name(loc[-1], names) if names else "Leave it out: there are no parameters here."
    return Problem(path, "", "is not a field that belongs here", remedy.replace("Give one of", "The fields are"))


def _unknown_alternative(path: str, value: Any, discriminator: str) -> Problem:
    if discriminator not in ALTERNATIVES:
        kind = value.get("kind") if isinstance(value, Mapping) else None
        if kind is None:
            return Problem(f"{path}.kind", "", "is missing", f"Give the kind of fault: one of {', '.join(KINDS)}.")
        return Problem(
            f"{path}.kind",
            abbreviate(kind),
            "is not a kind of fault",
            suggest_name(kind, (*KINDS, *registered_kinds())),
        )
    noun, names = ALTERNATIVES[discriminator]
    # A single key is a misspelt name of an alternative; several are alternatives that somebody wanted together.
    if isinstance(value, Mapping) and len(value) == 1:
        name = str(next(iter(value)))
        return Problem(f"{path}.{name}", "", f"is not a {noun}", suggest_name(name, names))
    remedy = f"Give one {noun}: {', '.join(names)}."
    if isinstance(value, Mapping) and len(value) > 1:
        combine = " To combine several, put each into the list of `all` or `any`." if noun == "matcher" else ""
        return Problem(path, abbreviate(value), f"has {len(value)} keys where one is expected", remedy + combine)
    if isinstance(value, str):
        remedy = suggest_name(value, names)
    return Problem(path, abbreviate(value), f"is not a {noun}", remedy)


Words = Callable[[Mapping[str, Any]], tuple[str, str]]


def _just(wrong: str, remedy: str) -> Words:
    return lambda context: (wrong, remedy)


def _other(context: Mapping[str, Any]) -> tuple[str, str]:
    return "cannot be used here", "See docs/plans.md for what can."


def _lengths(context: Mapping[str, Any]) -> tuple[str, str]:
    low, high = context.get("min_length"), context.get("max_length")
    limit = f"at least {low}" if low is not None else f"at most {high}"
    return f"has {context.get('actual_length')} items", f"Give {limit}."


_OBJECT = _just("is not an object", "Write it as `key: value` lines.")
_LIST = _just("is not a list", "Write it as a list: [a, b].")
_INTEGER = _just("is not a whole number", "Give a whole number.")
_NUMBER = _just("is not a number", "Give a number.")

WORDS: dict[str, Words] = {
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "dict_type": _OBJECT,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "int_type": _INTEGER,
    "float_type": _NUMBER,
    "finite_number": _just("is not finite", "Give a number, or leave the field out for no limit."),
    "string_type": _just("is not text", "Write it as text, in quotes."),
    "string_too_short": _just("is empty", "Write something, or leave the field out."),
    "bool_type": _just("is neither true nor false", "Give true or false."),
    "bool_parsing": _just("is neither true nor false", "Give true or false."),
    "literal_error": lambda c: ("is not one of the possible values", f"Give {c['expected']}."),
    "greater_than": lambda c: (f"is not more than {c['gt']:g}", f"Give a number above {c['gt']:g}."),
    "greater_than_equal": lambda c: (f"is less than {c['ge']:g}", f"Give a number of at least {c['ge']:g}."),
    "less_than_equal": lambda c: (f"is more than {c['le']:g}", f"Give a number of at most {c['le']:g}."),
    "too_short": _lengths,
    "too_long": _lengths,
    "recursion_loop": _just("refers to itself", "Write the value out."),
}
