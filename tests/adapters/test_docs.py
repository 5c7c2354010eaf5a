"""The programs of the pages run, and their scripts are scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.agents.scripted_model import ScriptServer, script_from
from tests import needs

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def test_the_page_of_http_tools() -> None:
    pytest.importorskip("httpx2", reason=needs.module("httpx2"))
    (program,) = blocks("http.md", "python")
    with ScriptServer(script_from({"turns": [{"say": "x"}]})) as server:
        exec(compile(program, "http.md", "exec"), {"server": server.root})


def test_the_page_of_the_scripted_model() -> None:
    pytest.importorskip("openai", reason=needs.module("openai"))
    (script,) = blocks("serve-script.md", "yaml")
    (program,) = blocks("serve-script.md", "python")
    scope: dict[str, Any] = {"script": yaml.safe_load(script)}
    exec(compile(program, "serve-script.md", "exec"), scope)
