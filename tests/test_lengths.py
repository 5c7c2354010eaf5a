"""No function is longer than 50 lines, its docstring aside, and no file longer than 400."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
FUNCTION = 50
FILE = 400


def too_long(root: Path) -> Iterator[str]:
    """The files and functions below a folder that are too long, with their lines."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > FILE:
            yield f"{path.name}: {text.count(chr(10))}"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = set(range(node.lineno, (node.end_lineno or 0) + 1))
                if ast.get_docstring(node) is not None:
                    lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
                if len(lines) > FUNCTION:
                    yield f"{path.name}: {node.name}: {len(lines)}"


def test_nothing_is_too_long() -> None:
    assert list(too_long(SOURCE)) == []


def test_what_is_too_long_is_found(tmp_path: Path) -> None:
    body = ["    pass"] * 49
    texts = {
        "file.py": ["x = 1"] * 401,
        "just.py": ["x = 1"] * 400,
        "long.py": ["def long():", *body, "    pass"],
        "fits.py": ["def fits():", '    """Two', '    lines."""', *body],
        "task.py": ["class Ship:", "    async def sail(self):", *(f"    {line}" for line in body), "        pass"],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    assert list(too_long(tmp_path)) == ["file.py: 401", "long.py: long: 51", "task.py: sail: 51"]
