"""A call's arguments as SQLite binds them, or a clear refusal that names every one that will not do."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sealegs.faults.call import Failure

if TYPE_CHECKING:
    from sealegs.world.sql.parameter import Parameter

LARGEST = 2**63


def bind_arguments(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any] | Failure:
    """The arguments by name as SQLite takes them, or the failure that an API would answer with."""
    problems: list[dict[str, str]] = []
    ready: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.name not in given:
            problems.append(_problem(parameter.name, f"is missing; give {_wanted(parameter)}", None))
            continue
        value = given[parameter.name]
        try:
            ready[parameter.name] = _ready(parameter, value)
        except ValueError as error:
            problems.append(_problem(parameter.name, f"{error}; give {_wanted(parameter)}", value))
    known = [parameter.name for parameter in parameters]
    remedy = f"the parameters are {', '.join(known)}" if known else "the function has no parameters"
    problems += [
        _problem(str(name), f"is not a parameter; {remedy}", given[name]) for name in given if name not in known
    ]
    if problems:
        first = "; ".join(f"{item['field']} {item['problem']}" for item in problems)
        return Failure(f"Invalid arguments: {first}", type="InvalidArguments", status=422, body={"details": problems})
    return ready


def _ready(parameter: Parameter, value: Any) -> Any:
    if parameter.role == "value":
        return _scalar(parameter.types, value)
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise ValueError("is not a list")
    if parameter.role == "values":
        return json.dumps([_cell(_only(item)) for item in value], ensure_ascii=False)
    rows = [_row(item, parameter.width) for item in value]
    return json.dumps(rows, ensure_ascii=False)


def _scalar(types: Sequence[str], value: Any) -> Any:
    """A value of one of the types. A whole number with a point is an integer, and a boolean is none."""
    if isinstance(value, str) and "string" in types:
        return _cell(value)
    # If a number is allowed as well, 2.0 stays as it was given.
    if isinstance(value, float) and value.is_integer() and "number" not in types and "integer" in types:
        return _cell(int(value))
    # To Python a boolean is an integer; to a column it is not.
    if isinstance(value, int) and not isinstance(value, bool) and ("integer" in types or "number" in types):
        return _cell(value)
    if isinstance(value, float) and "number" in types:
        return _cell(value)
    raise ValueError(f"is {_named(value)}")


def _row(item: Any, width: int) -> list[Any]:
    if isinstance(item, Mapping):
        item = list(item.values())
    if width == 1 and not isinstance(item, (list, tuple)):
        item = [item]
    if not isinstance(item, (list, tuple)) or len(item) != width:
        raise ValueError(f"holds {_named(item)} where a row of {width} cells is wanted")
    return [_cell(value) for value in item]


def _only(item: Any) -> Any:
    """A value, also where it stands alone in a row, which is a list or a record."""
    if isinstance(item, Mapping):
        item = list(item.values())
    if isinstance(item, (list, tuple)):
        if len(item) != 1:
            raise ValueError(f"holds a row of {len(item)} cells where one value is wanted")
        return item[0]
    return item


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, str):
        if isinstance(value, str):
            _encodable(value)
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, int) and not -LARGEST <= value < LARGEST:
            raise ValueError("holds a whole number of more than 64 bits")
        if not math.isfinite(value):
            raise ValueError("holds a number that is not finite")
        return value
    raise ValueError(f"holds {_named(value)}")


def _encodable(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("holds a text with half a character") from None


def _wanted(parameter: Parameter) -> str:
    if parameter.role == "value":
        names = {"integer": "a whole number", "number": "a number", "string": "a text"}
        return " or ".join(names[kind] for kind in parameter.types)
    return "a list of values" if parameter.role == "values" else f"a list of rows of {parameter.width} cells"


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    for kind, words in ((str, "a text"), (int, "a whole number"), (float, "a number"), (Mapping, "an object")):
        if isinstance(value, kind):
            return words
    return "a list" if isinstance(value, (list, tuple)) else f"a {type(value).__name__}"


def _problem(field: str, problem: str, value: Any) -> dict[str, str]:
    return {"field": field, "problem": problem, "value": str(value)[:80]}
