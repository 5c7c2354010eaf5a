"""Any Python value as the JSON data that a record holds of it: a copy, as the value is now.

Values that JSON cannot represent become text, so that nothing an agent or a tool hands over can stop a run: `nan` and
`inf`, keys that are not text, bytes (as text where they are UTF-8, else `base64:...`), and any other object as `str`
shows it.
Dataclasses and pydantic models become objects, sets sorted lists. What is nested too deeply or holds itself is cut off.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping
from math import isfinite
from typing import Any

DEPTH = 100  # levels of nesting that are kept
LARGEST = 10**4000  # Python reads and writes no decimal number of more than 4,300 digits
CUT = "..."
ATOMS = frozenset({str, bool, type(None)})


def to_json_data(value: Any) -> Any:
    """The value as JSON data. Never raises."""
    try:
        return _plain(value, ())
    except Exception:  # a container that cannot be walked through, or changes meanwhile
        return _text(value)


def to_json_object(value: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping as a JSON object. Never raises."""
    try:
        if type(value) is dict and _flat(value):
            return value.copy()
        found = _plain(value, ())
    except Exception:  # as in `to_json_data`, a call of which most arguments would pay for
        found = _text(value)
    return found if isinstance(found, dict) else {"text": found}


def _flat(value: dict[Any, Any]) -> bool:
    """Return whether an object is of JSON's own types alone, as most arguments and answers are: then a copy will do."""
    for key, item in value.items():
        # By exact type: a subclass may be written otherwise than its base.
        kind = type(item)
        plain = kind in ATOMS or (kind is int and -LARGEST < item < LARGEST) or (kind is float and isfinite(item))
        if type(key) is not str or not plain:
            return False
    return True


def _plain(value: Any, inside: tuple[int, ...]) -> Any:
    """`inside` holds the ids of the containers around the value."""
    kind = type(value)
    if kind in ATOMS:
        return value
    # Beyond this size, Python refuses to turn an integer into decimal digits.
    if kind is int:
        return value if -LARGEST < value < LARGEST else hex(value)
    if kind is float:
        return value if isfinite(value) else str(value)
    if kind is dict and len(inside) < DEPTH and _flat(value):
        return value.copy()
    if kind is dict or kind is list or kind is tuple or _holds_others(value):
        # Only the containers around it are looked at: the same list twice side by side is not a circle.
        if id(value) in inside or len(inside) >= DEPTH:
            return CUT
        return _container(value, (*inside, id(value)))
    return _scalar(value)


def _holds_others(value: Any) -> bool:
    if isinstance(value, (Mapping, list, tuple, set, frozenset)):
        return True
    return not isinstance(value, type) and (dataclasses.is_dataclass(value) or hasattr(value, "model_dump"))


def _container(value: Any, inside: tuple[int, ...]) -> Any:
    kind = type(value)  # to ask whether a list is a mapping costs more than to copy a short one
    if kind is dict or (kind is not list and isinstance(value, Mapping)):
        return {
            key if type(key) is str else _text(key): item if type(item) in ATOMS else _plain(item, inside)
            for key, item in value.items()
        }
    if kind is list or isinstance(value, (list, tuple)):
        return [item if type(item) in ATOMS else _plain(item, inside) for item in value]
    if isinstance(value, (set, frozenset)):
        # A set has no order, and the order of its texts differs between processes: a record must not.
        return sorted((_plain(item, inside) for item in value), key=repr)
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name), inside) for field in dataclasses.fields(value)}
    dumped = value.model_dump()
    # Whatever has a method of this name is taken for a model, and what it gives may be anything.
    return _plain(dumped, inside) if isinstance(dumped, dict) else _text(value)


def _scalar(value: Any) -> Any:
    """Subclasses of the JSON types are taken for what they hold; the rest is text."""
    if isinstance(value, str):
        # Not `str(value)`: an enumeration's own `__str__` may say something else than the text that it is.
        return str.__str__(value)
    if isinstance(value, int):
        return _plain(int(value), ())
    if isinstance(value, float):
        return _plain(float(value), ())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value))
    return _text(value)


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"base64:{base64.b64encode(value).decode()}"


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # an object that cannot say what it is
        return f"<{type(value).__name__}>"
