"""The table of events in docs/records.md is that of the code."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_args

from sealegs.traces import Event

DOCS = Path(__file__).parent.parent.parent / "docs"
ROW = re.compile(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|", re.MULTILINE)


def test_the_table_of_events_is_complete() -> None:
    rows = dict(ROW.findall((DOCS / "records.md").read_text(encoding="utf-8")))
    documented = {name: re.findall(r"\w+", fields) for name, fields in rows.items()}
    there = {
        event.__dataclass_fields__["type"].default: [
            field.name for field in dataclasses.fields(event) if field.name != "type"
        ]
        for event in get_args(Event)
    }
    assert documented == there
