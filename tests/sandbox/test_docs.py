"""The page says what is so: its program runs, its defaults are the code's."""

import dataclasses
import re
from pathlib import Path
from typing import Any

from sealegs.sandbox import Limits
from tests.sandbox.places import place

PAGE = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_program_of_the_page_runs() -> None:
    place("weak")
    (block,) = BLOCK.findall(PAGE)
    scope: dict[str, Any] = {"__name__": "page"}
    exec(compile(block, "sandbox.md", "exec"), scope)
    assert scope["refused"].how == "raised"


def test_the_defaults_of_the_page_are_the_codes() -> None:
    for name, value in dataclasses.asdict(Limits()).items():
        text = f"{value >> 20} MiB" if value >= 1 << 20 else f"{value:,}" if isinstance(value, int) else f"{value:g}"
        assert f"| `{name}` | {text} |" in PAGE
