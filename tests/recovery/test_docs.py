"""The plan on the page about repetition is one. That the pages' programs run is tested in `tests/docs`."""

from __future__ import annotations

import re
from pathlib import Path

from sealegs.recovery.recovery_plan import read_recovery_plan

DOCS = Path(__file__).parents[2] / "docs"


def test_the_plan_on_the_page_of_repetition_is_one(tmp_path: Path) -> None:
    page = (DOCS / "repeating.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "recovery.yaml").write_text(found, encoding="utf-8")
    assert list(read_recovery_plan(tmp_path / "recovery.yaml").checks) == ["pay"]
