"""Dotted paths into JSON-like data.

`items.price` names the price of every item where `items` is a list; `items.0.price` that of the first. Nothing is
edited in place: `replace_values` returns new data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

SCALARS = frozenset({str, int, float, bool, type(None)})


def values_at(data: Any, path: str) -> tuple[Any, ...]:
    """Every value that the path names; empty where a key is absent."""
    if "." not in path and path and isinstance(data, dict):  # most paths are one key
        return (data[path],) if path in data else ()
    return tuple(_walk(data, path.split(".") if path else []))


def first_value(data: Any, path: str) -> Any:
    """The first value that the path names.

    Raises:
        KeyError: the path names nothing in the data.
    """
    for value in _walk(data, path.split(".") if path else []):
        return value
    raise KeyError(path)


def replace_values(data: Any, path: str, change: Callable[[Any], Any]) -> Any:
    """New data in which each value that the path names has become `change(value)`."""
    return _replaced(data, path.split(".") if path else [], change)


def leaves(data: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each scalar with its path."""
    if isinstance(data, (dict, Mapping)):
        inner: Iterable[tuple[Any, Any]] = data.items()
    elif isinstance(data, (list, tuple)):
        inner = enumerate(data)
    else:
        yield prefix, data
        return
    for key, value in inner:
        path = f"{prefix}.{key}" if prefix else str(key)
        # By exact type, so that most leaves need no generator of their own.
        if type(value) in SCALARS:
            yield path, value
        else:
            yield from leaves(value, path)


def all_texts(data: Any) -> list[str]:
    """Every text in the data, in no fixed order."""
    found: list[str] = []
    waiting: list[Iterable[Any]] = [(data,)]
    for values in waiting:  # which grows meanwhile
        for value in values:
            kind = type(value)
            if kind is str:
                found.append(value)
            elif kind not in SCALARS:
                if isinstance(value, dict):
                    waiting.append(value.values())
                elif isinstance(value, (list, tuple)):
                    waiting.append(value)
    return found


def _walk(data: Any, keys: list[str]) -> Iterator[Any]:
    if not keys:
        yield data
        return
    key, rest = keys[0], keys[1:]
    if isinstance(data, Mapping):
        if key in data:
            yield from _walk(data[key], rest)
    elif isinstance(data, (list, tuple)):
        # A number chooses one item; a name means this field of every item, so that key is not used up.
        if key.isdigit():
            if int(key) < len(data):
                yield from _walk(data[int(key)], rest)
        else:
            for item in data:
                yield from _walk(item, keys)


def _replaced(data: Any, keys: list[str], change: Callable[[Any], Any]) -> Any:
    if not keys:
        return change(data)
    key, rest = keys[0], keys[1:]
    if isinstance(data, Mapping):
        return {k: _replaced(v, rest, change) if k == key else v for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        if key.isdigit():
            return [_replaced(v, rest, change) if i == int(key) else v for i, v in enumerate(data)]
        # A name in a list means this field of every item; only a number chooses one of them.
        return [_replaced(item, keys, change) for item in data]
    return data
