"""Places in which each MCP client keeps its servers: the files of a project and of a user, on each system.

As the clients' own documentation says it, November 2026. Further profiles of VS Code, its Insiders edition, and files
that a client is started with (`--mcp-config`) are not searched: name these yourself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MCP_SERVERS = "mcpServers"
DESKTOP_FILE = Path("Claude", "claude_desktop_config.json")
PACKAGED = "Packages/Claude_*/LocalCache/Roaming/Claude"  # where Windows keeps the files of the packaged app


@dataclass(frozen=True, slots=True)
class McpClient:
    """A program whose servers can be wrapped.

    Attributes:
        name: as the command takes it.
        title: as people call it.
        keys: the names under which its files may hold the servers.
        project: its file in a project; empty where it has none.
        afterwards: what makes it read its file again.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    project: str
    afterwards: str


CLIENTS = {
    one.name: one
    for one in (
        McpClient("claude-desktop", "Claude Desktop", (MCP_SERVERS,), "", "quit Claude Desktop and start it again"),
        McpClient(
            "cursor", "Cursor", (MCP_SERVERS,), ".cursor/mcp.json", "switch the server off and on in Cursor's settings"
        ),
        McpClient(
            "vscode",
            "VS Code",
            ("servers", MCP_SERVERS),
            ".vscode/mcp.json",
            "choose Restart above the server in the file",
        ),
        McpClient("claude-code", "Claude Code", (MCP_SERVERS,), ".mcp.json", "start Claude Code again"),
    )
}


@dataclass(frozen=True, slots=True)
class ConfigPlace:
    """A place where servers may be.

    Attributes:
        scope: `project`, `user`, `local` (a user's own, for one project), or `file` for one that was named.
        file: the file.
        keys: the names that lead to the servers in it.
    """

    scope: str
    file: Path
    keys: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file} ({self.scope})"


@dataclass(frozen=True, slots=True)
class ClientEnvironment:
    """The surroundings that the places depend on.

    Attributes:
        folder: the folder that the command runs in, absolute.
        home: the user's home.
        environment: the environment's variables.
        system: as `sys.platform` names it.
    """

    folder: Path
    home: Path
    environment: Mapping[str, str]
    system: str


def places_of(client: McpClient, around: ClientEnvironment) -> list[ConfigPlace]:
    """The places of a client's servers, the nearest first."""
    found = []
    if client.project:
        file = _project_file(Path(client.project), around)
        found += [ConfigPlace("project", file, (key,)) for key in client.keys]
    user = _user_file(client, around)
    if client.name == "claude-code":
        found += _local_places(user, around)
    return [*found, *(ConfigPlace("user", user, (key,)) for key in client.keys)]


def named_places(client: McpClient, file: Path, around: ClientEnvironment) -> list[ConfigPlace]:
    """The places of a client's servers in a file of any name."""
    local = _local_places(file, around) if client.name == "claude-code" else []
    return [*(ConfigPlace("file", file, (key,)) for key in client.keys), *local]


def _project_file(name: Path, around: ClientEnvironment) -> Path:
    """The file of this name in the folder or one above it, up to the root of a repository and below the home."""
    for folder in (around.folder, *around.folder.parents):
        if folder == around.home and folder != around.folder:
            break
        if (folder / name).exists():
            return folder / name
        if (folder / ".git").exists():
            break
    return around.folder / name


def _local_places(file: Path, around: ClientEnvironment) -> list[ConfigPlace]:
    """The places of single projects' servers that Claude Code keeps in the user's file, under the projects' paths."""
    folders: Sequence[Path] = (around.folder, *around.folder.parents)
    names = dict.fromkeys(name for folder in folders for name in (str(folder), folder.as_posix()))
    return [ConfigPlace("local", file, ("projects", name, MCP_SERVERS)) for name in names]


def _user_file(client: McpClient, around: ClientEnvironment) -> Path:
    home, environment = around.home, around.environment
    if client.name == "cursor":
        return home / ".cursor" / "mcp.json"
    if client.name == "claude-code":
        return Path(environment.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
    settings = _settings_folder(around)
    if client.name == "vscode":
        return settings / "Code" / "User" / "mcp.json"
    packaged = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    folders = sorted(packaged.glob(PACKAGED)) if around.system == "win32" else []
    return folders[0] / DESKTOP_FILE.name if folders else settings / DESKTOP_FILE


def _settings_folder(around: ClientEnvironment) -> Path:
    """The folder in which the system keeps the settings of applications."""
    if around.system == "win32":
        return Path(around.environment.get("APPDATA") or around.home / "AppData" / "Roaming")
    if around.system == "darwin":
        return around.home / "Library" / "Application Support"
    return Path(around.environment.get("XDG_CONFIG_HOME") or around.home / ".config")


def backup_folder(around: ClientEnvironment) -> Path:
    """The folder for the files as they were before, out of the way of repositories."""
    if around.system == "win32":
        state = Path(around.environment.get("LOCALAPPDATA") or around.home / "AppData" / "Local")
    elif around.system == "darwin":
        state = around.home / "Library" / "Application Support"
    else:
        state = Path(around.environment.get("XDG_STATE_HOME") or around.home / ".local" / "state")
    return state / "sealegs" / "client-configs"
