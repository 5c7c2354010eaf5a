"""The plans of docs/mcp.md are sound. That its round runs is tested in `tests/docs`."""

import re
from pathlib import Path

import pytest
import yaml

from sealegs.faults import plan_from
from tests import needs

pytest.importorskip("mcp", reason=needs.module("mcp"))

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_plans_are_sound() -> None:
    assert all(plan_from(yaml.safe_load(block)).rules for block in blocks("yaml"))
    inline = re.findall(r"`(\{kind: .*?\})`", PAGE)
    assert inline
    assert all(
        plan_from({"name": "x", "rules": [{"match": {"tool": "a"}, "fault": yaml.safe_load(one)}]}) for one in inline
    )
