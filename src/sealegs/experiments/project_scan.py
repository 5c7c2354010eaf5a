"""The parts of a project, read from its folder without running it: its framework, its tools, and its agent's entry.

Python files are read by `ast`, dependencies from `pyproject.toml`, `requirements*.txt` and `uv.lock`; a `package.json`
without any of these is a project in TypeScript or JavaScript. The findings are guesses by names and forms, which the
files that `sealegs init` writes show to the user.
"""

from __future__ import annotations

import json
import keyword
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealegs.adapters.frameworks import FRAMEWORKS, Framework
from sealegs.experiments.project_imports import with_borrowed_tools
from sealegs.experiments.project_modules import ProjectModule, read_module

SKIPPED = {
    "__pycache__",
    "build",
    "dist",
    "node_modules",
    "sealegs-hunt",
    "sealegs-logs",
    "sealegs-test",
    "site-packages",
}
MOST_FILES = 500  # files of Python that are read
OWN = ("sealegs_agent.py",)  # what `sealegs init` wrote is not the project's
TESTS = re.compile(r"(^|/)(tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$|setup\.py$)")
MCP_FILES = (".mcp.json", "mcp.json", ".cursor/mcp.json", ".vscode/mcp.json")


@dataclass(frozen=True)
class ScannedProject:
    """The project that a folder holds.

    Attributes:
        folder: the folder.
        framework: the framework of the agent; plain Python where none is seen.
        found_by: the place where the framework was seen, in words; empty if none was.
        modules: the Python modules that are not tests.
        javascript: whether the project is one of TypeScript or JavaScript.
        mcp_servers: the MCP servers that a file of the project starts, by name.
        mcp_file: that file.
        requirements: a file that pip installs the project's dependencies from; `.` for the project itself.
    """

    folder: Path
    framework: Framework
    found_by: str = ""
    modules: tuple[ProjectModule, ...] = ()
    javascript: bool = False
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    mcp_file: str = ""
    requirements: str = ""

    @property
    def tools(self) -> dict[str, ProjectModule]:
        """The tools by their names, each with the module that defines it."""
        return {name: module for module in self.modules for name in module.tools}

    def described(self) -> list[str]:
        """The findings, in a few lines for the user."""
        if self.javascript:
            servers = f"{len(self.mcp_servers)} in {self.mcp_file}" if self.mcp_servers else "none was found"
            return [
                "found: a project in TypeScript or JavaScript; the proxy goes before its MCP servers",
                f"MCP servers: {servers}",
            ]
        where = f" ({self.found_by})" if self.found_by else ""
        tools = ", ".join(f"{name} ({module.file})" for name, module in self.tools.items())
        return [f"found: {self.framework.name}{where}", f"tools: {tools or 'none was found'}"]


def scan_project(folder: Path) -> ScannedProject:
    """Read a folder's project."""
    modules = tuple(
        module
        for file in project_python_files(folder)
        if _importable(file) and (module := read_module(folder, file)) is not None
    )
    dependencies = dict(_dependencies(folder))
    framework, found_by = _framework(modules, dependencies)
    servers, mcp_file = _mcp_servers(folder)
    javascript = not modules and not dependencies and (folder / "package.json").is_file()
    own = [module for module in modules if not TESTS.search(module.file.as_posix())]
    return ScannedProject(
        folder,
        framework,
        found_by,
        with_borrowed_tools(own),
        javascript,
        servers,
        mcp_file,
        _requirements(folder),
    )


def project_python_files(folder: Path) -> list[Path]:
    """The project's Python files, relative to the folder, those above before those below."""
    found: list[Path] = []
    waiting = [folder]
    while waiting and len(found) < MOST_FILES:
        place = waiting.pop(0)
        try:
            entries = sorted(place.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir():
                # Recognized by its marker, since a virtual environment may have any name.
                is_venv = (entry / "pyvenv.cfg").exists()
                if (
                    not entry.name.startswith(".")
                    and entry.name not in SKIPPED
                    and not is_venv
                    and not entry.is_symlink()
                ):
                    waiting.append(entry)
            elif entry.suffix == ".py" and entry.name not in OWN:
                found.append(entry.relative_to(folder))
    return found[:MOST_FILES]


def _framework(modules: tuple[ProjectModule, ...], dependencies: Mapping[str, str]) -> tuple[Framework, str]:
    """The framework that the code imports, else the one that the project depends on, else none."""
    for one in FRAMEWORKS:
        for module in modules:
            imported = sorted(name for name in module.imports if one.is_imported_as(name))
            if imported:
                return one, f"{module.file} imports {imported[0]}"
    # Only now: a lock file also names the dependencies of dependencies.
    for one in FRAMEWORKS:
        for name in one.packages:
            if name in dependencies:
                return one, f"{dependencies[name]} asks for {name}"
    return FRAMEWORKS[-1], ""


def _dependencies(folder: Path) -> Iterator[tuple[str, str]]:
    """The distributions that a project asks for, each with the file that says so."""
    for file in sorted(folder.glob("requirements*.txt")):
        for line in _text(file).splitlines():
            name = re.match(r"\s*([A-Za-z0-9][\w.-]*)", line)
            if name:
                yield _normal(name[1]), file.name
    project = _toml(folder / "pyproject.toml").get("project", {})
    groups = [project.get("dependencies", []), *dict(project.get("optional-dependencies", {})).values()]
    groups += list(_toml(folder / "pyproject.toml").get("dependency-groups", {}).values())
    for wanted in (one for group in groups if isinstance(group, list) for one in group if isinstance(one, str)):
        # What follows the name (a version, an extra, a marker) says nothing of the framework.
        yield _normal(re.split(r"[^\w.-]", wanted.strip())[0]), "pyproject.toml"
    poetry = _toml(folder / "pyproject.toml").get("tool", {}).get("poetry", {}).get("dependencies", {})
    yield from ((_normal(name), "pyproject.toml") for name in poetry)
    locked = _toml(folder / "uv.lock").get("package", [])
    yield from ((_normal(str(one.get("name"))), "uv.lock") for one in locked if isinstance(one, dict))


def _requirements(folder: Path) -> str:
    if (folder / "requirements.txt").is_file():
        return "-r requirements.txt"
    return "." if "build-system" in _toml(folder / "pyproject.toml") else ""


def _mcp_servers(folder: Path) -> tuple[dict[str, Any], str]:
    """The servers that a client's settings in the folder start, and the file's name."""
    for name in MCP_FILES:
        try:
            data = json.loads(_text(folder / name) or "{}")
        except (ValueError, RecursionError):
            continue
        servers = (data.get("mcpServers") or data.get("servers")) if isinstance(data, dict) else None
        if isinstance(servers, dict) and servers:
            return {key: one for key, one in servers.items() if isinstance(one, dict)}, name
    return {}, ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except (OSError, ValueError):
        return ""


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(file))
    except ValueError:
        return {}


def _importable(file: Path) -> bool:
    """Return whether a file's path can be written as a module's name: `my-agent v2.py` can be run, and not imported."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in file.with_suffix("").parts)
