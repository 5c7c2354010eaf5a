"""Where clients keep their servers, on each system, and which of several places is meant."""

import json
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.client_configs.config_places import CLIENTS, ClientEnvironment, places_of
from sealegs.adapters.client_configs.installing import found_server
from sealegs.faults.user_error import UserError

USER = {
    ("claude-desktop", "darwin"): "home/Library/Application Support/Claude/claude_desktop_config.json",
    ("claude-desktop", "win32"): "roaming/Claude/claude_desktop_config.json",
    ("claude-desktop", "linux"): "home/.config/Claude/claude_desktop_config.json",
    ("cursor", "darwin"): "home/.cursor/mcp.json",
    ("cursor", "win32"): "home/.cursor/mcp.json",
    ("cursor", "linux"): "home/.cursor/mcp.json",
    ("vscode", "darwin"): "home/Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "roaming/Code/User/mcp.json",
    ("vscode", "linux"): "home/.config/Code/User/mcp.json",
    ("claude-code", "darwin"): "home/.claude.json",
    ("claude-code", "win32"): "home/.claude.json",
    ("claude-code", "linux"): "home/.claude.json",
}
PROJECT = {"cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json", "claude-code": ".mcp.json"}


def around(root: Path, system: str = "linux", folder: str = "home/work/shop", **more: str) -> ClientEnvironment:
    (root / folder).mkdir(parents=True, exist_ok=True)
    windows = {"APPDATA": str(root / "roaming"), "LOCALAPPDATA": str(root / "local")}
    return ClientEnvironment(root / folder, root / "home", {**(windows if system == "win32" else {}), **more}, system)


def written(file: Path, data: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data), "utf-8")
    return file


@pytest.mark.parametrize(("client", "system"), USER)
def test_the_users_file_and_the_projects(tmp_path: Path, client: str, system: str) -> None:
    places = places_of(CLIENTS[client], around(tmp_path, system))
    assert {place.file for place in places if place.scope == "user"} == {tmp_path / USER[client, system]}
    project = {place.file for place in places if place.scope == "project"}
    assert project == ({tmp_path / "home/work/shop" / PROJECT[client]} if client in PROJECT else set())


def test_the_packaged_claude_desktop_of_windows_comes_first(tmp_path: Path) -> None:
    packaged = tmp_path / "local/Packages/Claude_abc123/LocalCache/Roaming/Claude"
    packaged.mkdir(parents=True)
    (place,) = places_of(CLIENTS["claude-desktop"], around(tmp_path, "win32"))
    assert place.file == packaged / "claude_desktop_config.json"


def test_folders_that_the_environment_names(tmp_path: Path) -> None:
    here = around(tmp_path, XDG_CONFIG_HOME="/x", CLAUDE_CONFIG_DIR="/c")
    assert places_of(CLIENTS["vscode"], here)[-1].file == Path("/x/Code/User/mcp.json")
    assert places_of(CLIENTS["claude-code"], here)[-1].file == Path("/c/.claude.json")


def test_a_projects_file_is_found_from_below_but_not_past_its_root_or_the_home(tmp_path: Path) -> None:
    entry = {"mcpServers": {"shop": {"command": "x"}}}
    inside = around(tmp_path, folder="home/work/shop/src")
    above = written(tmp_path / "home/work/shop/.cursor/mcp.json", entry)
    assert found_server(CLIENTS["cursor"], "shop", None, "", inside).place.file == above
    (inside.folder / ".git").mkdir()
    with pytest.raises(UserError, match="no servers; looked in"):
        found_server(CLIENTS["cursor"], "shop", None, "", inside)
    above.unlink()
    written(tmp_path / "home/.cursor/mcp.json", entry)
    assert found_server(CLIENTS["cursor"], "shop", None, "", around(tmp_path)).place.scope == "user"


def test_several_places_are_reported_and_one_can_be_chosen(tmp_path: Path) -> None:
    here = around(tmp_path)
    server = {"shop": {"command": "x"}}
    written(tmp_path / "home/work/shop/.mcp.json", {"mcpServers": server})
    local = {str(here.folder): {"mcpServers": server}, "/elsewhere": {"mcpServers": {"other": {"command": "y"}}}}
    mine = written(tmp_path / "home/.claude.json", {"mcpServers": server, "projects": local})
    with pytest.raises(UserError, match=r"several places: .*\(project\), .*\(local\), .*\(user\); choose"):
        found_server(CLIENTS["claude-code"], "shop", None, "", here)
    for scope, keys in {
        "project": ("mcpServers",),
        "local": ("projects", str(here.folder), "mcpServers"),
        "user": ("mcpServers",),
    }.items():
        found = found_server(CLIENTS["claude-code"], "shop", None, scope, here)
        assert (found.place.scope, found.place.keys) == (scope, keys)
    with pytest.raises(UserError, match="several places"):
        found_server(CLIENTS["claude-code"], "shop", mine, "", here)
    with pytest.raises(UserError, match="no servers of scope 'local'"):
        found_server(CLIENTS["cursor"], "shop", None, "local", here)


def test_vs_code_reads_both_names_of_the_servers(tmp_path: Path) -> None:
    file = written(tmp_path / ".mcp.json", {"mcpServers": {"shop": {"command": "x"}}})
    assert found_server(CLIENTS["vscode"], "shop", file, "", around(tmp_path)).place.keys == ("mcpServers",)
