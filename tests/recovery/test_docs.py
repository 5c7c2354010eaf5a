"""The page's program says what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sealegs.recovery.plan import read_recovery_plan

DOCS = Path(__file__).parents[2] / "docs"


def block(page: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.mark.parametrize("name", ["recovery.md", "alternatives.md", "recovery-service.md"])
def test_a_page_of_recovery(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    (tmp_path / "recovery.yaml").write_text(block(page, "yaml"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(block(page, "python"), name, "exec"), {})
    assert capsys.readouterr().out == block(page, "text")


def test_the_plan_on_the_page_of_repetition_is_one(tmp_path: Path) -> None:
    page = (DOCS / "repeating.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "recovery.yaml").write_text(found, encoding="utf-8")
    assert list(read_recovery_plan(tmp_path / "recovery.yaml").checks) == ["pay"]
