"""The rooms and the one-way imports between them, read from the source; lazy imports count."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "sealegs"
ROOMS: dict[str, set[str]] = {
    "faults": set(),
    "search": set(),
    "intervals": set(),
    "tasks": {"faults"},
    "inject": {"faults"},
    "traces": {"faults", "inject"},
    "world": {"faults", "search", "tasks"},
    "adapters": {"faults", "inject", "traces"},
    "sandbox": {"faults", "inject"},
    "recovery": {"faults", "inject", "search", "traces"},
    "agents": {"faults", "inject", "search", "tasks", "world", "sandbox", "recovery"},
    "scoring": {"faults", "intervals", "tasks", "traces"},
    "reports": {"faults", "intervals", "tasks", "traces", "scoring"},
}
ROOMS["scoring"] |= {"recovery"}
ROOMS["scenarios"] = set(ROOMS) - {"adapters", "reports"}
ROOMS["engines"] = set(ROOMS) - {"reports", "scoring"}
ROOMS["suites"] = set(ROOMS)
ROOMS["hunt"] = set(ROOMS)
ROOMS["experiments"] = set(ROOMS)
ROOMS["generate"] = set(ROOMS) - {"reports", "hunt", "experiments"}
ROOMS["training"] = set(ROOMS) - {"generate", "hunt", "experiments", "suites"}
ROOMS["cli"] = set(ROOMS)
HEAVY = {
    "inspect_ai": {
        "adapters/inspect.py",
        "adapters/inspect_seam.py",
        "engines/inspect_",
        "suites/",
        "generate/staged/",
        "training/data/teacher.py",
        "training/local_model.py",
        "training/inspect_models.py",
    },
    "matplotlib": {"reports/"},
    "jinja2": {"reports/", "training/encoding.py"},
    "fsspec": {"traces/object_store.py"},
    "ray": {"engines/ray_cluster.py"},
    "torch": {"training/"},
    "transformers": {"training/"},
    "trl": {"training/"},
    "peft": {"training/"},
    "datasets": {"training/"},
    "accelerate": {"training/"},
    "pyarrow": {"training/", "reports/rank_files.py", "engines/table_parts.py", "suites/verdict_tables.py"},
    "numpy": {
        "intervals/",
        "scoring/",
        "reports/",
        "search/bm25.py",
        "world/tool_needs.py",
        "recovery/bank/",
        "suites/maze/detection_rows.py",
    },
    "bm25s": {"search/bm25.py"},
    "Stemmer": {"search/bm25.py"},
    "sqlglot": {"world/sql/"},
    "sentence_transformers": {"search/embeddings.py"},
    "networkx": set(),
    "scipy": set(),
    "langchain": {"adapters/langchain.py", "suites/micro/", "engines/langchain_engine.py"},
    "langchain_core": {"adapters/langchain.py", "suites/micro/", "engines/langchain_engine.py"},
    "langgraph": {"adapters/langchain.py", "adapters/langgraph_store.py", "suites/micro/"},
    "mcp": {"suites/micro/"},
    "fastmcp": set(),
    "aiohttp": {"adapters/mcp/http_", "adapters/relaying/", "adapters/http_proxy/", "suites/maze/review/"},
    "httpx": {"adapters/httpx.py"},
    "httpx2": {"adapters/httpx2.py"},
    "requests": {"adapters/requests.py"},
    "urllib3": {"adapters/requests.py"},
    "openai": set(),
    "anthropic": set(),
    "opentelemetry": {"recovery/otel_metrics.py", "traces/spans.py"},
    "pytest": {
        "adapters/pytest.py",
        "adapters/pytest_faults.py",
        "adapters/pytest_report.py",
        "experiments/pytest_runs.py",
    },
    "hypothesis": {"hunt/"},
}
BANNED = {"utils", "util", "helpers", "core", "common"}
FILES = sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            yield from _literal(node)


def _literal(call: ast.Call) -> Iterator[str]:
    """The fixed beginning of the name that `import_module` is called with."""
    for argument in call.args:
        parts = argument.values[:1] if isinstance(argument, ast.JoinedStr) else [argument]
        yield from (str(part.value).rstrip(".") for part in parts if isinstance(part, ast.Constant))


def room_of(path: Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0] if len(relative.parts) > 1 else ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    room = room_of(path)
    if not room:
        return
    assert room in ROOMS, f"{room} is not a room of the design"
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "sealegs" and len(parts) > 1 and parts[1] in ROOMS:
            assert parts[1] == room or parts[1] in ROOMS[room], f"{room} must not import {name}"


def own_packages() -> dict[str, set[str]]:
    """What adapters import of frameworks that are not in `HEAVY`: the packages, and the adapters that do."""
    light = {"sealegs", "pydantic", "pydantic_core", *sys.stdlib_module_names}
    found: dict[str, set[str]] = {}
    for path in (SOURCE / "adapters").glob("*.py"):
        for package in {name.split(".")[0] for name in imports(path)} - light - set(HEAVY):
            found.setdefault(package, set()).add(f"adapters/{path.name}")
    return found


OWN = own_packages()


@pytest.mark.parametrize("package", sorted(OWN))
def test_a_framework_has_one_adapter(package: str) -> None:
    assert len(OWN[package]) == 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_packages_stay_in_their_place(path: Path) -> None:
    relative = path.relative_to(SOURCE).as_posix()
    for name in imports(path):
        places = (HEAVY | OWN).get(name.split(".")[0])
        if places is not None:
            assert any(relative.startswith(place) for place in places), f"{relative} must not import {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_file_is_a_pile_of_anything(path: Path) -> None:
    assert not BANNED & {*path.relative_to(SOURCE).parts, path.stem}


def loaded_by(statement: str) -> set[str]:
    """The top-level packages in memory after a statement in a fresh interpreter."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_sealegs_is_light() -> None:
    heavy = {"pandas", "polars", "openai", "anthropic", "rich", "typer", "asyncio", "pydantic", "yaml", *HEAVY, *OWN}
    assert not loaded_by("import sealegs") & heavy


def test_the_kernel_loads_nothing_heavy() -> None:
    assert not loaded_by("import sealegs.faults, sealegs.inject, sealegs.tasks, sealegs.traces") & {*HEAVY, *OWN}
