"""One name, one idea: no public class, function or module name stands in two files of the package.

The exceptions may only become fewer, but for names that every adapter or every domain may have once. The others are
modules that each suite or verb has one of, and classes that two adapters or two simulated tools show to others.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import sealegs

SRC = Path(sealegs.__file__).parent
VERBS = ("bank", "campaign", "data", "highwater", "hunt", "maze", "plan", "proof", "sandbox", "world")
EACH = {  # names that may stand in any number of files, of these places
    ("function", "wrap"): "adapters/",  # one in each adapter
    **{("module", name): "world/" for name in ("facts", "histories", "overlaps")},  # one in each domain
}
EXCEPTIONS = {
    "class": {"AsyncTransport": 2, "Hit": 2, "Posting": 2, "Seam": 2, "Transport": 2},
    "function": {"main": 6},
    "module": {
        **{"suite": 5, "options": 4, "inspect_task": 3},  # one in each suite
        **dict.fromkeys(VERBS, 2),  # cli/VERB.py, and what the verb is about
    },
}


def public_names() -> Iterator[tuple[str, str, Path]]:
    """Kind, name and file of every public name at the top of a module."""
    for file in sorted(SRC.rglob("*.py")):
        module = file.parent.name if file.name == "__init__.py" else file.stem
        if file.parent != SRC and not module.startswith("_"):
            yield "module", module, file
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
                yield "function", node.name, file
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield "class", node.name, file


def in_its_place(kind: str, name: str, file: Path) -> bool:
    """Whether a name is one that every adapter or every domain may have, and stands there."""
    place = EACH.get((kind, name))
    return place is not None and file.relative_to(SRC).as_posix().startswith(place)


@pytest.mark.parametrize("kind", EXCEPTIONS)
def test_a_name_stands_for_one_thing(kind: str) -> None:
    places: dict[str, set[Path]] = defaultdict(set)
    for found, name, file in public_names():
        if found == kind and not in_its_place(found, name, file):
            places[name].add(file)
    several = {name: len(files) for name, files in places.items() if len(files) > 1}
    new = {name: sorted(str(file.relative_to(SRC)) for file in places[name]) for name in several}
    assert several == EXCEPTIONS[kind], {
        "doubled, give one of them another name": {
            name: files for name, files in new.items() if several[name] > EXCEPTIONS[kind].get(name, 1)
        },
        "doubled no more, take it off the list": sorted(
            name for name, count in EXCEPTIONS[kind].items() if several.get(name, 1) < count
        ),
    }


def test_the_exceptions_are_under_three_per_cent() -> None:
    names = {(kind, name, file) for kind, name, file in public_names()}
    several = sum(sum(counts.values()) for counts in EXCEPTIONS.values()) + sum(in_its_place(*one) for one in names)
    assert several / len(names) < 0.03
