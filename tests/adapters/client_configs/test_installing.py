"""A server wrapped and taken out again: the bytes, what a client would start, and what happens in between."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

import sealegs
from sealegs.adapters.client_configs import installing
from sealegs.adapters.client_configs.config_places import CLIENTS
from sealegs.adapters.client_configs.installing import found_server, make_change, wrapped
from sealegs.adapters.client_configs.jsonc import parse_jsonc
from sealegs.faults.user_error import UserError
from sealegs.traces import build_record, read_episodes
from tests.adapters.client_configs.changing import PROXY, around, change
from tests.adapters.client_configs.configs import configurations

REAL = Path(__file__).parents[1] / "mcp" / "real_server.py"
MAIN = "from sealegs.cli import main; main()"


@settings(max_examples=60)
@given(configurations("mcpServers"), st.data())
def test_in_and_out_is_the_identity(tmp_path_factory: pytest.TempPathFactory, made: Any, data: st.DataObject) -> None:
    """For any configuration, whichever servers are wrapped and in whichever order they are taken out."""
    config, text = made
    assume(not any(is_wrapped(one) for one in config["mcpServers"].values()))
    folder = tmp_path_factory.getbasetemp()
    file = folder / "mcp.json"
    file.write_bytes(text.encode())
    assert parse_jsonc(text).data == config
    names = data.draw(st.permutations(list(config["mcpServers"])))
    out = data.draw(st.permutations(names))  # before anything is done: a draw may end the example
    for name in names:
        change(folder, file, name, into=True)
    meant = {name: wrapped_entry(entry) for name, entry in config["mcpServers"].items()}
    assert parse_jsonc(file.read_bytes().decode()).data == {**config, "mcpServers": meant}
    for name in out:
        change(folder, file, name, into=False)
    assert file.read_bytes() == text.encode()
    assert not list((folder / "home").rglob("*.json"))


def wrapped_entry(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "command": PROXY[0], "args": [*PROXY[1:], "--", entry["command"], *entry.get("args", [])]}


def is_wrapped(entry: dict[str, Any]) -> bool:
    return entry["command"] == "sealegs" or "proxy" in entry.get("args", [])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "mcp.json"
    place.write_text('{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "args": ["1"]}}}', "utf-8")
    return place


def test_what_was_edited_meanwhile_stays(tmp_path: Path, file: Path) -> None:
    change(tmp_path, file, "a", into=True)
    change(tmp_path, file, "b", into=True)
    data = json.loads(file.read_text("utf-8"))
    data["mcpServers"]["b"]["env"] = {"NEW": "1"}
    data["mcpServers"]["b"]["args"].append("2")
    data["mcpServers"]["c"] = {"command": "z"}
    file.write_text(json.dumps(data, indent=4), "utf-8")  # as a client writes it anew
    change(tmp_path, file, "a", into=False)
    change(tmp_path, file, "b", into=False)
    assert json.loads(file.read_text("utf-8"))["mcpServers"] == {
        "a": {"command": "x"},
        "b": {"command": "y", "args": ["1", "2"], "env": {"NEW": "1"}},
        "c": {"command": "z"},
    }


def test_the_backup_holds_the_file_as_it_was(tmp_path: Path, file: Path) -> None:
    before = file.read_bytes()
    change(tmp_path, file, "a", into=True)
    (backup,) = (tmp_path / "home").rglob("*.json")
    assert backup.read_bytes() == before
    assert backup.stat().st_mode & 0o777 == 0o600


def test_without_its_backup_a_server_comes_out_with_the_same_meaning(tmp_path: Path, file: Path) -> None:
    change(tmp_path, file, "a", into=True)
    (backup,) = (tmp_path / "home").rglob("*.json")
    backup.unlink()
    change(tmp_path, file, "a", into=False)
    assert json.loads(file.read_text("utf-8"))["mcpServers"]["a"] == {"command": "x", "args": []}


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path, file: Path) -> None:
    file.chmod(0o660)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    change(tmp_path, link, "a", into=True)
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o660
    assert b"sealegs" in file.read_bytes()


def test_a_change_meanwhile_is_not_lost(tmp_path: Path, file: Path) -> None:
    found = found_server(CLIENTS["cursor"], "a", file, "", around(tmp_path))
    done = wrapped(found, PROXY, around(tmp_path))
    file.write_text("{}", "utf-8")
    with pytest.raises(UserError, match="changed meanwhile"):
        make_change(done, keep=True)
    assert file.read_text("utf-8") == "{}"


def test_a_kill_at_any_point_leaves_the_old_file_or_the_new(tmp_path: Path, file: Path) -> None:
    path = os.pathsep.join([str(Path(sealegs.__file__).parents[1]), str(Path(__file__).parents[3])])
    command = [sys.executable, "-m", "tests.adapters.client_configs.changing", str(tmp_path), str(file)]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True)
    seen = Counter(run.stdout.split("\n"))
    assert not [line for line in seen if "neither" in line]
    assert seen["in old"] > 5  # points before the file is in its place
    assert seen["out old"]  # the backup was still to be removed
    assert seen["out new"] > 5


async def test_a_client_that_starts_what_is_written_meets_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of the verb itself, then the official client with what it left in the file."""
    environment = {"PYTHONPATH": str(Path(sealegs.__file__).parents[1]), "MARK": "kept"}
    entry = {"type": "stdio", "command": sys.executable, "args": [str(REAL), "official", "stdio"], "env": environment}
    file = tmp_path / "project" / ".vscode" / "mcp.json"
    file.parent.mkdir(parents=True)
    text = f'{{\n\t// the shop\n\t"servers": {{\n\t\t"shop": {json.dumps(entry)},\n\t}},\n}}\n'
    file.write_text(text, "utf-8")
    rule = {"match": {"tool": "price"}, "when": {"nth": 2}, "fault": {"kind": "error", "status": 503}}
    plan = tmp_path / "project" / "plan.json"
    plan.write_text(json.dumps({"name": "a bad day", "rules": [rule]}), "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    monkeypatch.chdir(file.parent.parent)
    verb(["install", "vscode", "--server", "shop", "--plan", "plan.json", "--records", "shop.jsonl"])
    monkeypatch.chdir(tmp_path)  # a client starts its servers anywhere
    installed = parse_jsonc(file.read_text("utf-8")).data["servers"]["shop"]
    assert installed["env"] == environment
    server = StdioServerParameters(command=installed["command"], args=installed["args"], env=installed["env"])
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        answers = [await session.call_tool("price", {"item": "lamp"}) for _ in range(3)]
    assert [answer.is_error for answer in answers] == [False, True, False]
    assert "503" in answers[1].content[0].text  # type: ignore[union-attr]
    (events,) = read_episodes(tmp_path / "project" / "shop.jsonl")
    assert [bool(turn.injections) for turn in build_record(events).turns if turn.call.tool == "price"] == [
        False,
        True,
        False,
    ]
    monkeypatch.chdir(file.parent.parent)
    verb(["uninstall", "vscode", "--server", "shop"])
    assert file.read_text("utf-8") == text


def verb(words: list[str]) -> None:
    subprocess.run([sys.executable, "-c", MAIN, *words], check=True, capture_output=True)


def test_uvx_finds_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installing.sealegs_command(True) == ["uvx", "--from", "sealegs[mcp]", "sealegs"]
    monkeypatch.setattr(sys, "executable", "/home/u/.cache/uv/archive-v0/abc/bin/python")
    with pytest.raises(UserError, match="give --uvx"):
        installing.sealegs_command(False)


@pytest.mark.parametrize("proxy", [installing.UVX, ("/usr/bin/python", "-m", "sealegs"), ("C:\\a\\sealegs.exe",)])
def test_every_form_of_the_command_is_known_again(tmp_path: Path, file: Path, proxy: tuple[str, ...]) -> None:
    before = file.read_bytes()
    found = found_server(CLIENTS["cursor"], "b", file, "", around(tmp_path))
    make_change(wrapped(found, [*proxy, "proxy", "--plan", "p"], around(tmp_path)), keep=True)
    again = found_server(CLIENTS["cursor"], "b", file, "", around(tmp_path))
    with pytest.raises(UserError, match="wrapped already"):
        wrapped(again, PROXY, around(tmp_path))
    change(tmp_path, file, "b", into=False)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"mcpServers": {"a": {"url": "https://x.example/mcp"}}}', "--url https://x.example/mcp --port 8001"),
        ('{"mcpServers": {"a": {"command": 1}}}', "has no `command`"),
        ('{"mcpServers": {"a": {"command": "x", "args": [1]}}}', "not a list of texts but [1]"),
        ('{"mcpServers": {"a": []}}', "it is not an object"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "'a' is there 2 times"),
        ('{"mcpServers": {"a": {"command": "x", "command": "y"}}}', "'command' is there 2 times"),
        ('{"mcpServers": {"b": {"command": "x"}}}', "no server 'a'; there are 'b' in"),
        ('{"mcpServers": {}}', "Cursor has no servers"),
        ("", "Cursor has no servers"),
        ('{"mcpServers": \n{"a" 1}}', "line 2: a colon is missing before '1}}'"),
        ("{'mcpServers': 1}", "a name in double quotes is missing"),
        ('{"mcpServers": {"a": {"command": "\\q"}}}', "line 1"),
        ("[" * 100000, "nested too deeply"),
        ('{"mcpServers": {"a": {"command": "x"}}} {', "the end of the file is missing before '{'"),
        ('{"mcpServers": {"a": {"command": "x"}}', "missing at the end"),
        ('{"mcpServers": {"a": {"command": "x"}} /* never closed', "missing before '/*"),
    ],
)
def test_what_cannot_be_wrapped_is_reported_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text, "utf-8")
    with pytest.raises(UserError) as caught:
        wrapped(found_server(CLIENTS["cursor"], "a", file, "", around(tmp_path)), PROXY, around(tmp_path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert file.read_text("utf-8") == text
