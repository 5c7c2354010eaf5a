"""The pages of the documentation, and the blocks of code that stand on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (?P<name>[\w.-]+\.\w+)\b")
FRAGMENT = re.compile(r"\s*(?:#|//) fragment: \S")


@dataclass(frozen=True)
class Block:
    """A block of code.

    Attributes:
        page: the place of its page in the repository.
        line: the line of the page on which its text begins.
        language: what the fence names; empty where it names nothing.
        text: what is between the fences.
    """

    page: str
    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The name of the file that the first line says it is, as in `# plan.yaml`."""
        found = FILE.match(self.text)
        return found["name"] if found else None

    @property
    def fragment(self) -> bool:
        """Whether the first line says that it does not run as it is, and why."""
        return FRAGMENT.match(self.text) is not None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """README.md and the pages of docs/, by their places in the repository."""
    return ["README.md", *sorted(page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md"))]


def text_of(page: str) -> str:
    """The Markdown of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, from top to bottom."""
    text = text_of(page)
    for found in FENCE.finditer(text):
        indent = found["indent"]
        code = "".join(line.removeprefix(indent) for line in found["text"].splitlines(keepends=True))
        yield Block(page, text.count("\n", 0, found.start("text")) + 1, found["language"], code)
