"""Changes of structured text that keep most of it well-formed, where a fuzzer's own change bytes alone."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any

OPENING = (b"{", b"[")
WORD = re.compile(rb"[^\s,()=:]+")
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


class Mutation:
    """Changes of a text in a node, a word or a line or two, some of them by parts of the sound texts that it is given.

    Most parts are put where they fit, under the key that they had, so that much of what comes out is sound too.
    """

    def __init__(self, seeds: Iterable[bytes]) -> None:
        self._seeds = list(seeds)
        self._values: dict[str, list[str]] = {}
        words: dict[bytes, None] = {}
        for line in (line for seed in self._seeds for part in seed.split(b"\f") for line in part.split(b"\n")):
            if line[:1] in OPENING:
                for holder, key, name in _places(json.loads(line)):
                    self._values.setdefault(name, []).append(json.dumps(holder[key]))
            else:
                words |= dict.fromkeys(WORD.findall(line))
        self._words = list(words)

    def changed(self, data: bytes, seed: int, otherwise: Callable[[bytes], bytes]) -> bytes:
        """Change a text of one or more JSON documents, or of words; now and then any text `otherwise`."""
        drawn = random.Random(seed)
        if drawn.random() < 0.4:  # anew, since most of what a fuzzer keeps is what was refused in some new way
            data = drawn.choice(self._seeds)
        if drawn.random() < 0.25:
            return otherwise(data)
        parts = data.split(b"\f")
        place = drawn.randrange(len(parts))
        lines = parts[place].split(b"\n")
        sound = [index for index, line in enumerate(lines) if line[:1] in OPENING]
        try:
            if sound:
                line = drawn.choice(sound)
                tree = json.loads(lines[line])
                for _ in range(drawn.choice((1, 1, 2))):
                    tree = self._with_change(tree, drawn)
                lines[line] = json.dumps(tree, ensure_ascii=drawn.random() < 0.9).encode("utf-8", "surrogatepass")
            elif self._words:
                self._reword(lines, drawn)
            else:
                return otherwise(data)
        except (ValueError, RecursionError):
            return otherwise(data)
        if drawn.random() < 0.05:
            drawn.shuffle(lines)
        parts[place] = b"\n".join(lines)
        return b"\f".join(parts)

    def _reword(self, lines: list[bytes], drawn: random.Random) -> None:
        place = drawn.randrange(len(lines))
        match drawn.randrange(8):
            case 0:
                lines.insert(place, drawn.choice(lines))
            case 1:
                del lines[place]
            case _:
                if there := list(WORD.finditer(lines[place])):
                    word = drawn.choice(there)
                    other = drawn.choice(self._words)
                    lines[place] = lines[place][: word.start()] + other + lines[place][word.end() :]

    def _with_change(self, tree: Any, drawn: random.Random) -> Any:
        nodes = list(_places(tree))
        if not nodes:
            return deepcopy(drawn.choice(ODD))
        holder, key, name = drawn.choice(nodes)
        match drawn.randrange(14):
            case 0:
                holder.pop(key)
            case 1:
                other, there, _ = drawn.choice(nodes)
                holder[key] = json.loads(json.dumps(other[there]))
            case 2:
                holder[key] = [holder[key]]
            case 3:
                holder[key] = {"a": holder[key]}
            case 4 if isinstance(holder, dict):
                holder[drawn.choice([one for _, one, _ in nodes if isinstance(one, str)])] = holder.pop(key)
            case 5:
                holder[key] = _deep(drawn.choice((5, 5, 5, 50, 1200)))
            case 6 | 7:
                holder[key] = deepcopy(drawn.choice(ODD))  # or the next change would be one of the list itself
            case 8 if isinstance(holder, list):
                holder.insert(key, json.loads(json.dumps(holder[key])))
            case _ if name in self._values:
                holder[key] = json.loads(drawn.choice(self._values[name]))
            case _:
                holder[key] = _nudged(holder[key], drawn)
        return tree


def _nudged(value: Any, drawn: random.Random) -> Any:
    """A value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + drawn.choice((-1, 1, 0.5))
    return value + drawn.choice(("a", ".", " ", "\u00e9")) if isinstance(value, str) else value


def _places(tree: Any) -> Iterator[tuple[Any, Any, str]]:
    """Each holder with a key of it, and a name of the place that equal places share."""
    left = [(tree, "")]
    while left:
        one, name = left.pop()
        for key, value in one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ():
            place = str(key) if isinstance(one, dict) else f"{name}[]"
            yield one, key, place
            left.append((value, place))


def _deep(depth: int) -> Any:
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found
