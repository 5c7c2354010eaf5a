"""A docstring begins with what comes back or what is done: with a noun or a verb, not with a preposition."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
PREPOSITIONS = {"As", "By", "For", "From", "In", "Of", "To", "Whose", "With"}
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
EXCEPTIONS = {"Notice"}  # a model that agents see, whose text is part of a task set


def headless(root: Path) -> Iterator[str]:
    """The definitions below a folder whose docstring begins with a preposition."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, DEFINITIONS) and not (node.name.startswith("__") and node.name != "__str__"):
                first = (ast.get_docstring(node) or " ").split(" ")[0]
                if first in PREPOSITIONS and node.name not in EXCEPTIONS:
                    yield f"{path.name}: {node.name}: {first} ..."


def test_no_docstring_begins_with_a_preposition() -> None:
    assert list(headless(SOURCE)) == []


def test_a_headless_docstring_is_found(tmp_path: Path) -> None:
    texts = {"rate": "Of all episodes, in %.", "share": "The share of all episodes.", "_size": "As JSON data."}
    code = "\n".join(f'def {name}():\n    """{text}"""' for name, text in texts.items())
    (tmp_path / "figures.py").write_text(code)
    assert list(headless(tmp_path)) == ["figures.py: rate: Of ...", "figures.py: _size: As ..."]
