"""Write alternative groups in their text form, which `group_parser` reads.

What is written and read again is the same group, but for a `Constant` that a way would not take for a reference anyway:
it becomes its plain value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sealegs.tasks.graph import Constant
from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.group_parser import INDENT, is_reference

WIDTH = 120
STEP = 4  # a line that continues another is indented by so much more


def write_groups(groups: Iterable[Pattern]) -> str:
    """Write the groups, with a blank line between two.

    Raises:
        TypeError: a call is bound to something that is neither text nor data, such as a `Field`.
    """
    return "\n".join("".join(f"{line}\n" for line in _lines(group)) for group in groups)


def _lines(group: Pattern) -> Iterator[str]:
    head = [f"group {group.name}({_joined(group.inputs)})", f"-> {_joined(group.exports)}"]
    yield from _filled(" ".join(head).split(" "), 0)
    yield from _filled(group.purpose.split(), INDENT)
    for way in group.ways:
        yield from _way_lines(way, group.exports)
    for example in group.examples:
        yield from _filled(["e.g.", *_separated(_json(example[name]) for name in group.inputs)], INDENT)


def _way_lines(way: Way, names: tuple[str, ...]) -> Iterator[str]:
    """A way on one line, or a line for each call and one for the exports."""
    parts = [_call_words(tool, arguments, way) for tool, arguments in way.calls.items()]
    parts = [["|", f"{way.id}:", *parts[0]], *([">", *words] for words in parts[1:])]
    last = list(way.calls)[-1]
    own_order = tuple(way.exports) != names
    exports = [f"{name}={field}" for name, field in way.exports.items() if own_order or field != f"{last}.{name}"]
    if exports:
        parts.append(["->", *_separated(exports)])
    whole = " ".join(word for words in parts for word in words)
    if INDENT + len(whole) <= WIDTH:
        yield " " * INDENT + whole
        return
    yield from _filled(parts[0], INDENT)
    for words in parts[1:]:
        yield from _filled(words, INDENT + STEP)


def _call_words(tool: str, arguments: Any, way: Way) -> list[str]:
    """A call in pieces between which a line may be broken."""
    given = list(_separated(_argument(name, value, way) for name, value in arguments.items()))
    return [f"{tool}({given[0]}", *given[1:-1], f"{given[-1]})"] if len(given) > 1 else [f"{tool}({''.join(given)})"]


def _argument(name: str, value: Any, way: Way) -> str:
    if not is_reference(value, way.calls):
        return f"{name}={_json(value.value if isinstance(value, Constant) else value)}"
    reference = value.removeprefix("in.")
    return name if reference == name else f"{name}={reference}"


def _filled(words: Sequence[str], indent: int) -> Iterator[str]:
    """Lines of these words, none of which is broken; all but the first are indented further."""
    line = " " * indent + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > WIDTH:
            yield line
            line = " " * (indent + STEP) + word
        else:
            line += f" {word}"
    yield line


def _joined(names: Iterable[str]) -> str:
    return ", ".join(names)


def _separated(items: Iterable[str]) -> Iterator[str]:
    """The items, a comma behind each but the last."""
    found = list(items)
    yield from (f"{item}," for item in found[:-1])
    yield from found[-1:]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
