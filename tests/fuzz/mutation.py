"""Changes of structured text that keep most of it well-formed, where a fuzzer's own change bytes alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    10**30,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\x00",
    "\ud800",
    "\u202e",
    "x" * 300,
    "9" * 5000,
    "2026-02-30T25:61:00Z",
    "../../etc/passwd",
    "{{heard}}",
    "*",
    "(a+)+$",
    [],
    [[]],
    {},
    {"": {}},
)


def changed(data: bytes, seed: int, otherwise: Callable[[bytes], bytes]) -> bytes:
    """Change a text of one or more JSON documents in a node or two; other texts, and now and then any, `otherwise`."""
    drawn = random.Random(seed)
    if drawn.random() < 0.4:
        return otherwise(data)
    parts = data.split(b"\f")
    place = drawn.randrange(len(parts))
    lines = parts[place].split(b"\n")
    sound = [index for index, line in enumerate(lines) if line[:1] in (b"{", b"[")]
    if not sound:
        return otherwise(data)
    line = drawn.choice(sound)
    try:
        tree = json.loads(lines[line])
        for _ in range(drawn.randint(1, 3)):
            tree = _with_change(tree, drawn)
        lines[line] = json.dumps(tree, ensure_ascii=drawn.random() < 0.9).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return otherwise(data)
    if drawn.random() < 0.1:
        drawn.shuffle(lines)
    parts[place] = b"\n".join(lines)
    return b"\f".join(parts)


def _with_change(tree: Any, drawn: random.Random) -> Any:
    nodes = list(_places(tree))
    if not nodes:
        return deepcopy(drawn.choice(ODD))
    holder, key = drawn.choice(nodes)
    match drawn.randrange(7):
        case 0:
            holder.pop(key)
        case 1:
            other, there = drawn.choice(nodes)
            holder[key] = json.loads(json.dumps(other[there]))
        case 2:
            holder[key] = [holder[key]]
        case 3:
            holder[key] = {"a": holder[key]}
        case 4 if isinstance(holder, dict):
            holder[drawn.choice([one for _, one in nodes if isinstance(one, str)])] = holder.pop(key)
        case 5:
            holder[key] = _deep(drawn.choice((5, 5, 5, 50, 1200)))
        case _:
            holder[key] = deepcopy(drawn.choice(ODD))  # or the next change would be one of the list itself
    return tree


def _places(tree: Any) -> Any:
    """Each holder with a key of it, not deeper than a mutation can reach."""
    left = [tree]
    while left:
        one = left.pop()
        for key, value in one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ():
            yield one, key
            left.append(value)


def _deep(depth: int) -> Any:
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found
