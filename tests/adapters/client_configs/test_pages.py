"""The pages about the clients: the entries that they show are those that the command writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sealegs.adapters.client_configs.config_places import CLIENTS
from sealegs.cli import app
from sealegs.traces.atomic_files import write_atomically

PAGES = Path(__file__).parents[3] / "docs" / "clients"


def test_each_client_has_a_page() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(CLIENTS)


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_a_page_shows_what_the_command_writes(client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    plan, config = tmp_path / "plan.yaml", tmp_path / "config.json"
    plan.write_text("name: outage\nrules:\n  - {match: {tool: order}, fault: {kind: error, status: 503}}\n")
    before, after, by_uvx = (
        json.loads(block)
        for block in re.findall(r"```json\n(.*?)```", (PAGES / f"{client}.md").read_text("utf-8"), re.DOTALL)
    )
    usual = ["--server", "shop", "--config", str(config)]
    for more, shown in (((), after), (("--uvx",), by_uvx)):
        write_atomically(config, json.dumps(before))
        assert app(["install", client, *usual, "--plan", "plan.yaml", *more], standalone_mode=False) in (None, 0)
        (found,), (meant,) = ((*one.values(),) for one in (json.loads(config.read_text("utf-8")), shown))
        entry = found["shop"]
        assert Path(entry["command"]).name == Path(meant["shop"]["command"]).name
        entry["args"] = ["/home/me/plan.yaml" if word == str(plan) else word for word in entry["args"]]
        assert {**entry, "command": ""} == {**meant["shop"], "command": ""}
        assert app(["uninstall", client, *usual], standalone_mode=False) in (None, 0)
        assert json.loads(config.read_text("utf-8")) == before
