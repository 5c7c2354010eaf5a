"""No file imports itself by way of others. Lazy and type-only imports count, and so do modules named in a text.

A module named in a text is one that `import_module` loads or that a command (`python -m NAME`) runs.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx

SOURCE = Path(__file__).parent.parent / "src"


def modules(root: Path) -> dict[str, Path]:
    """Every module under a folder, by name."""
    found = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The known modules that a file depends on, wherever in the file.

    `from package import module` depends on the module, `from package import name` on the package's own file.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else str(node.module) for name in inner]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value]
        yield from (name for name in names if name in known)


def circles(root: Path) -> list[list[str]]:
    """Every set of modules that depend on one another."""
    known = modules(root)
    graph = networkx.DiGraph()
    for name, path in known.items():
        graph.add_edges_from((name, other) for other in imported(path, known) if other != name)
    return sorted(sorted(found) for found in networkx.strongly_connected_components(graph) if len(found) > 1)


def test_no_file_imports_itself_by_way_of_others() -> None:
    assert circles(SOURCE) == []


def test_every_kind_of_import_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "ship"
    package.mkdir()
    texts = {
        "__init__": "",
        "lazy": "def go():\n    from ship import typed",
        "typed": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ship.called import Hull",
        "called": "import importlib\nHull = importlib.import_module('ship.started').Hull",
        "started": "COMMAND = ['python', '-m', 'ship.lazy']",
        "alone": "import ship.lazy",
    }
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    assert circles(tmp_path) == [["ship.called", "ship.lazy", "ship.started", "ship.typed"]]
