"""The page's program says what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sealegs.recovery.plan import read_recovery_plan

PAGE = (Path(__file__).parents[2] / "docs" / "recovery.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_page_of_recovery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recovery.yaml").write_text(block("yaml"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python"), "recovery.md", "exec"), {})
    assert capsys.readouterr().out == block("text")


def test_the_plan_on_the_page_of_repetition_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "repeating.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "recovery.yaml").write_text(found, encoding="utf-8")
    assert list(read_recovery_plan(tmp_path / "recovery.yaml").checks) == ["pay"]
