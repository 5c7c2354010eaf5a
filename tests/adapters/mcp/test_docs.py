"""The page says what is so: its programs run, and its plans are sound."""

import os
import re
import subprocess
import sys
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


def test_the_round_runs(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    for name, program in zip(("server.py", "client.py"), blocks("python"), strict=True):
        assert program.startswith(f"# {name}\n")
        (tmp_path / name).write_text(program, encoding="utf-8")
    folders = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "client.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=1800
    )
    assert done.stdout == blocks("text")[0], done.stderr
    assert (tmp_path / "shop.jsonl").exists()
