"""The pages say what is so: their programs run, and their table of events is that of the code."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from sealegs.traces import Event

DOCS = Path(__file__).parent.parent.parent / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|", re.MULTILINE)


def test_the_programs_of_the_pages_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "page"}
    for page, count in (("seam.md", 3), ("records.md", 2)):
        blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
        assert len(blocks) == count
        for block in blocks:
            exec(compile(block, page, "exec"), scope)
    assert capsys.readouterr().out == "True\n"


def test_the_table_of_events_is_complete() -> None:
    rows = dict(ROW.findall((DOCS / "records.md").read_text(encoding="utf-8")))
    told = {name: re.findall(r"\w+", fields) for name, fields in rows.items()}
    there = {
        event.__dataclass_fields__["type"].default: [
            field.name for field in dataclasses.fields(event) if field.name != "type"
        ]
        for event in get_args(Event)
    }
    assert told == there
