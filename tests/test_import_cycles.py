"""No file imports itself by way of others. Lazy and type-only imports count, and so do modules named in a text.

A module named in a text is one that `import_module` loads or that a command (`python -m NAME`) runs. If NAME is a
package, such a command runs its `__main__`. A NAME that another file puts after the `-m` counts as the package alone.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import networkx
import pytest

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
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = texts_of(tree)
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else str(node.module) for name in inner]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value]
        elif isinstance(node, (ast.List, ast.Tuple)):
            names = [f"{name}.__main__" for name in run_by(node.elts, texts)]
        yield from (name for name in names if name in known)


def texts_of(tree: ast.Module) -> dict[str, str]:
    """The texts that a file gives a name, by name."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def run_by(words: list[ast.expr], texts: dict[str, str]) -> Iterator[str]:
    """The modules that a command (`[sys.executable, "-m", "ship"]`) runs: the text after `-m`, or the one it names."""
    for flag, word in pairwise(words[1:]):  # what comes first is the program
        if isinstance(flag, ast.Constant) and flag.value == "-m":
            if isinstance(word, ast.Constant):
                yield str(word.value)
            elif isinstance(word, ast.Name) and word.id in texts:
                yield texts[word.id]


def write_package(folder: Path, texts: dict[str, str]) -> None:
    """Write a package of files with these texts."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)


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
    texts = {
        "__init__": "",
        "lazy": "def go():\n    from ship import typed",
        "typed": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ship.called import Hull",
        "called": "import importlib\nHull = importlib.import_module('ship.started').Hull",
        "started": "COMMAND = ['python', '-m', 'ship.lazy']",
        "alone": "import ship.lazy",
    }
    write_package(tmp_path / "ship", texts)
    assert circles(tmp_path) == [["ship.called", "ship.lazy", "ship.started", "ship.typed"]]


@pytest.mark.parametrize(
    "command", ["[sys.executable, '-m', 'ship', 'sail']", "(sys.executable, '-m', SHIP)", "['python', '-m', 'ship']"]
)
def test_a_command_of_the_own_package_runs_its_main_file(tmp_path: Path, command: str) -> None:
    texts = {
        "__init__": "",
        "__main__": "from ship.bridge import main",
        "bridge": "from ship import again",
        "again": f"import subprocess\nimport sys\nSHIP = 'ship'\nsubprocess.run({command})",
    }
    write_package(tmp_path / "ship", texts)
    assert circles(tmp_path) == [["ship.__main__", "ship.again", "ship.bridge"]]
    (tmp_path / "ship" / "again.py").write_text("SHIP = 'ship'\nKNOWN = ['-m', SHIP]")  # compared with, not run
    assert circles(tmp_path) == []
