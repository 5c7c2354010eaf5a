"""One name, one idea: no public class, function or module name stands in two files of the package.

The exceptions may only become fewer. They are of three sorts: what every adapter has (`wrap`), modules that each suite,
domain or verb has one of, and answers of simulated tools whose class name stands in a schema that agents read.
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
EXCEPTIONS = {
    "class": {"AsyncTransport": 2, "Hit": 2, "Posting": 2, "Seam": 2, "Transport": 2},
    "function": {"main": 6, "wrap": 12},
    "module": {
        **dict.fromkeys(("facts", "histories", "overlaps"), 6),  # one in each domain
        **{"suite": 4, "options": 3, "inspect_task": 3},  # one in each suite
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


@pytest.mark.parametrize("kind", EXCEPTIONS)
def test_a_name_stands_for_one_thing(kind: str) -> None:
    places: dict[str, set[Path]] = defaultdict(set)
    for found, name, file in public_names():
        if found == kind:
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
    assert sum(sum(names.values()) for names in EXCEPTIONS.values()) / len(names) < 0.03
