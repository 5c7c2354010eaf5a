"""The page about production says what is so: its programs and commands run, one after the other."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from sealegs.cli import main
from sealegs.faults.plan_files import read_plan
from sealegs.faults.triggers import Outage
from tests import needs

pytest.importorskip(
    "opentelemetry.exporter.otlp.json.file", reason=needs.module("opentelemetry.exporter.otlp.json.file")
)

PAGE = (Path(__file__).parents[2] / "docs" / "production.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_s_programs_and_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "page"}
    blocks = BLOCK.findall(PAGE)
    assert [kind for kind, _ in blocks] == ["python", "sh", "sh", "python"]
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, "production.md", "exec"), scope)
            continue
        monkeypatch.setattr(sys, "argv", shlex.split(block))
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
    (rule,) = (rule for rule in read_plan(tmp_path / "fitted.yaml").rules if "latency" not in rule.id)
    assert isinstance(rule.when, Outage)
    assert rule.when.rate == pytest.approx(0.3, abs=0.15)
    assert capsys.readouterr().out.endswith("lamp 0 7 0\n")


def test_the_table_names_the_attributes_that_spans_have() -> None:
    documented = set(re.findall(r"`((?:gen_ai|http|error|sealegs)\.[\w.-]+)`", PAGE)) | {
        "sealegs.fault.kinds",
        "sealegs.fault.delivered",
        "sealegs.fault.cut_off",
    }
    source = "".join(
        (Path(__file__).parents[2] / "src" / "sealegs" / "traces" / name).read_text(encoding="utf-8")
        for name in ("spans.py", "otlp.py")
    )
    assert all(f'"{name}"' in source for name in documented), documented
