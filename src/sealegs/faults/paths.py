"""Dotted paths into JSON-like data.

`items.price` names the price of every item where `items` is a list; `items.0.price` that of the first. Nothing is
edited in place: `replaced` returns new data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def values(data: Any, path: str) -> tuple[Any, ...]:
    """Every value that the path names; empty where a key is absent."""
    if "." not in path and path and isinstance(data, dict):  # most paths are one key
        return (data[path],) if path in data else ()
    return tuple(_walk(data, path.split(".") if path else []))


def first(data: Any, path: str) -> Any:
    """The first value that the path names.

    Raises:
        KeyError: the path names nothing in the data.
    """
    for value in _walk(data, path.split(".") if path else []):
        return value
    raise KeyError(path)


def replaced(data: Any, path: str, change: Callable[[Any], Any]) -> Any:
    """New data in which each value that the path names has become `change(value)`."""
    return _replaced(data, path.split(".") if path else [], change)


def leaves(data: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each scalar with its path."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from leaves(value, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(data, (list, tuple)):
        for index, value in enumerate(data):
            yield from leaves(value, f"{prefix}.{index}" if prefix else str(index))
    else:
        yield prefix, data


def _walk(data: Any, keys: list[str]) -> Iterator[Any]:
    if not keys:
        yield data
        return
    key, rest = keys[0], keys[1:]
    if isinstance(data, Mapping):
        if key in data:
            yield from _walk(data[key], rest)
    elif isinstance(data, (list, tuple)):
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
        return [_replaced(item, keys, change) for item in data]
    return data
