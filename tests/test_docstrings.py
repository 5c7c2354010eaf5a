"""A docstring begins with what comes back or what is done, and names only exceptions that there are."""

import ast
import builtins
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sealegs.world.corpus import load_corpus

SOURCE = Path(__file__).parent.parent / "src"
EXAMPLES = SOURCE.parent / "examples"
PREPOSITIONS = {
    *("After", "As", "At", "Before", "By", "For", "From", "In", "It", "Nobody", "Nothing", "Of", "On", "Once", "To"),
    *("Under", "While", "Whose", "With", "Without"),
}
QUESTIONS = {"How", "That", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"}
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
PROPERTIES = {"property", "cached_property"}  # these may begin with "Whether", as attributes do elsewhere
ANYWHERE = {"ChoiceError", "MissingExtra", "PlanError", "UserError"}  # for people, through all rooms
# Models and functions that agents see: their texts are part of a task set, of the proof's prompts, or of a tool.
EXCEPTIONS = {"Need", "Notice", "ToolInput", "ToolOutput", "help_", "in_stock"}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of a file of code."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def headless(root: Path) -> Iterator[str]:
    """The definitions below a folder whose docstring begins with a preposition."""
    for path in sorted(root.rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, DEFINITIONS) and not (node.name.startswith("__") and node.name != "__str__"):
                first = (ast.get_docstring(node) or " ").split(" ")[0]
                if first in PREPOSITIONS and node.name not in EXCEPTIONS:
                    yield f"{path.name}: {node.name}: {first} ..."


@pytest.mark.parametrize("root", [SOURCE, EXAMPLES], ids=["src", "examples"])
def test_no_docstring_begins_with_a_preposition(root: Path) -> None:
    assert list(headless(root)) == []


def test_a_headless_docstring_is_found(tmp_path: Path) -> None:
    texts = {"rate": "Of all episodes, in %.", "share": "The share of all episodes.", "_size": "As JSON data."}
    code = "\n".join(f'def {name}():\n    """{text}"""' for name, text in texts.items())
    (tmp_path / "figures.py").write_text(code)
    assert list(headless(tmp_path)) == ["figures.py: rate: Of ...", "figures.py: _size: As ..."]


def beginning_with_a_question(root: Path) -> Iterator[tuple[str, str]]:
    """The modules and definitions below a folder whose docstring is a clause without a head, and its first line."""
    for path in sorted(root.rglob("*.py")):
        for node in nodes_of(path):
            if not isinstance(node, DEFINITIONS | ast.Module):
                continue
            line = (ast.get_docstring(node) or "").partition("\n")[0]
            first = line.partition(" ")[0]
            decorators = {ast.unparse(one).rpartition(".")[2] for one in getattr(node, "decorator_list", ())}
            if first not in QUESTIONS or (first == "Whether" and decorators & PROPERTIES):
                continue
            if getattr(node, "name", "") not in EXCEPTIONS:
                yield f"{path.name}: {getattr(node, 'name', 'the module')}: {first} ...", line


@cache
def schemas() -> str:
    """The declarations of all simulated tools: the docstrings of their answers are part of these, and of task sets."""
    specs = [tool.spec for tools in (load_corpus().tools, load_corpus().histories) for tool in tools.values()]
    return json.dumps([[spec.parameters, spec.returns] for spec in specs], ensure_ascii=False)


@pytest.mark.parametrize("root", [SOURCE, EXAMPLES], ids=["src", "examples"])
def test_no_docstring_begins_with_a_question(root: Path) -> None:
    assert [
        place
        for place, line in beginning_with_a_question(root)
        if json.dumps(line, ensure_ascii=False)[1:-1] not in schemas()
    ] == []


def test_a_docstring_that_begins_with_a_question_is_found(tmp_path: Path) -> None:
    code = '''"""What is measured."""

def rate():
    """How many of all."""

class Wait:
    @property
    def over(self):
        """Whether it is over."""

    @property
    def seconds(self):
        """How long it takes."""

    def is_over(self):
        """Return whether it is over."""
'''
    (tmp_path / "figures.py").write_text(code)
    found = [place for place, _ in beginning_with_a_question(tmp_path)]
    assert found == ["figures.py: the module: What ...", "figures.py: rate: How ...", "figures.py: seconds: How ..."]


def unknown_errors(root: Path) -> Iterator[str]:
    """The names under `Raises:` that no code of their room has, and Python neither."""
    for room in sorted({path.relative_to(root).parts[0] for path in root.rglob("*.py")}):
        paths = sorted((root / room).rglob("*.py")) or [root / room]
        trees = {path: nodes_of(path) for path in paths}
        nodes = [node for tree in trees.values() for node in tree]
        known = {node.id for node in nodes if isinstance(node, ast.Name)} | set(dir(builtins)) | ANYWHERE
        known |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        known |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
        for path, tree in trees.items():
            for node in tree:
                if isinstance(node, DEFINITIONS):
                    section = (ast.get_docstring(node) or "").partition("\nRaises:\n")[2].partition("\n\n")[0]
                    for name in re.findall(r"^ {4}([\w.]+):", section, re.MULTILINE):
                        if name.rpartition(".")[2] not in known:
                            yield f"{path.name}: {node.name}: {name}"


def test_every_error_that_a_docstring_names_exists() -> None:
    assert list(unknown_errors(SOURCE / "sealegs")) == []


def test_an_error_of_another_name_is_found(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    text = (
        '"""Read.\n\n    Raises:\n        Unfit: it is none.\n        OSError: no file.\n        Odd: other.\n    """'
    )
    (tmp_path / "room" / "texts.py").write_text(f"class Odd(Exception): ...\n\ndef read():\n    {text}\n")
    assert list(unknown_errors(tmp_path)) == ["texts.py: read: Unfit"]
