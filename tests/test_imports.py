"""What an import pulls in: counted in modules, which is the same on every machine, and not in seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import pytest

import sealegs
import sealegs.experiments
import sealegs.faults
import sealegs.traces
from sealegs.faults import KINDS
from tests import needs

ELSEWHERE = tempfile.gettempdir()  # a folder without a pyproject.toml, whose defaults another module reads
HEAVY = {"numpy", "yaml", "asyncio", "pydantic", "bm25s", "Stemmer", "inspect_ai", "langchain", "jinja2", "scipy"}
NOT_NEEDED = ("sealegs.adapters.python", "sealegs.faults.model_apis.", "sealegs.adapters.relaying.http_")
COMMAND = """
import sys
from sealegs.cli import main
sys.argv = ["sealegs", "--version"]
try:
    main()
except SystemExit:
    pass
"""


def modules(code: str) -> set[str]:
    """The modules that are loaded after some code ran in a fresh interpreter."""
    # The relay takes standard output for itself.
    ended = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", ended], input="", cwd=ELSEWHERE, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_the_package_loads_itself_alone() -> None:
    found = modules("import sealegs")
    assert {name for name in found if name.startswith("sealegs")} == {"sealegs", "sealegs.lazy_names"}
    assert len(found - modules("")) <= 30


def test_the_version_needs_the_command_line_alone() -> None:
    found = modules(COMMAND)
    assert not found & (HEAVY - {"pydantic"})  # which Typer loads if it is there
    assert len({name for name in found if name.startswith("sealegs.")}) <= 10


def test_the_list_of_verbs_needs_no_suite() -> None:
    """Helps that name suites look for them when they are shown themselves."""
    found = modules(COMMAND.replace("--version", "--help"))
    assert not [
        name for name in found if name.startswith("sealegs.suites.") and name.endswith("suite") and name.count(".") > 2
    ]


def test_the_relay_over_pipes_loads_nothing_of_other_ways(tmp_path: Path) -> None:
    """A client starts it anew for each of its sessions, and waits."""
    plan = tmp_path / "plan.yaml"
    plan.write_text("{name: p, rules: [{match: {tool: pay}, fault: {kind: error}}]}", encoding="utf-8")
    words = ["proxy", "--plan", str(plan), "--", sys.executable, "-c", ""]
    found = modules(COMMAND.replace('"--version"', ", ".join(map(repr, words))))
    assert "sealegs.adapters.mcp.pipe_relay" in found
    assert not found & (HEAVY - {"asyncio", "pydantic", "yaml"})
    assert not {name.partition(".")[0] for name in found} & {"aiohttp", "mcp", "fastmcp", "rich", "opentelemetry"}
    light = {"sealegs.traces.environment_names", "sealegs.traces.folder_urls"}  # they load nothing else
    assert {name for name in found if name.startswith("sealegs.traces.")} <= light
    assert len({name for name in found if name.startswith("sealegs.")}) <= 69
    assert not [name for name in found if name.startswith(NOT_NEEDED)]


@pytest.mark.parametrize(
    ("option", "most", "others"),
    [
        ("--url", 79, ("sealegs.adapters.http_proxy", "sealegs.adapters.mcp.pipe_relay")),
        ("--http", 78, ("sealegs.adapters.mcp",)),
    ],
)
def test_the_relay_over_http_loads_nothing_of_other_ways(option: str, most: int, others: tuple[str, ...]) -> None:
    pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))
    found, lines = _ended_as_it_listens(option)
    assert "listening on http://127.0.0.1:" in lines
    assert "sealegs.adapters.relaying.http_serving" in found
    assert not {name.partition(".")[0] for name in found} & {"mcp", "fastmcp", "opentelemetry", "rich", "yaml"}
    light = {"sealegs.traces.environment_names", "sealegs.traces.folder_urls"}
    assert {name for name in found if name.startswith("sealegs.traces.")} <= light
    assert not found & {f"sealegs.faults.model_apis.{name}" for name in ("model_api", "known_apis")}
    assert not [name for name in found if name.startswith(("sealegs.adapters.python", *others))]
    assert len({name for name in found if name.startswith("sealegs.")}) <= most


def _ended_as_it_listens(option: str) -> tuple[set[str], str]:
    """The modules of a proxy that has begun to listen, and what it wrote."""
    words = ["sealegs", "proxy", option, "http://127.0.0.1:9"]
    code = f"""
import json, signal, sys
from sealegs.cli import main
from sealegs.cli.verbs import proxy
def told(line, err=False):
    print(line)
    if line.startswith("listening"):
        signal.raise_signal(signal.SIGTERM)
proxy.echo = told
sys.argv = {words!r}
try:
    main()
except SystemExit:
    pass
"""
    ended = f"{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", ended], cwd=ELSEWHERE, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    return set(json.loads(lines[-1])), "\n".join(lines[:-1])


def test_a_plan_loads_the_kinds_that_it_names() -> None:
    plan = {"name": "p", "rules": [{"match": {"tool": "pay"}, "fault": {"kind": "lost_ack"}}]}
    found = modules(f"from sealegs.faults.plan_files import plan_from; plan_from({plan!r}).as_data()")
    assert {kind for kind in KINDS if f"sealegs.faults.kinds.{kind}" in found} <= {"connection", "lost_ack", "timeout"}
    assert "sealegs.faults.kinds.lost_ack" in found
    assert "sealegs.faults.invariants.shape" not in found


def test_the_relay_looks_for_no_plugins_of_pydantic_and_its_server_may(tmp_path: Path) -> None:
    """To look for them takes a tenth of a start, the more the more packages are installed."""
    written = tmp_path / "written.txt"
    (tmp_path / "watching.py").write_text(f"open({str(written)!r}, 'a').write('loaded')\nplugin = None\n")
    about = tmp_path / "watching-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: watching\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[pydantic]\nwatching = watching:plugin\n")
    server = f"import os; open({str(written)!r}, 'a').write(str('PYDANTIC_DISABLE_PLUGINS' in os.environ))"
    relay = [sys.executable, "-m", "sealegs", "proxy", "--", sys.executable, "-c", server]
    path = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run(relay, env={**os.environ, "PYTHONPATH": path}, input="", capture_output=True, text=True, check=True)
    assert written.read_text() == "False"


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "sealegs", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"{sealegs.__version__}\n"
    wrong = subprocess.run([*command[:-1], "plam"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "'plam'" in wrong.stderr


def test_a_verb_loads_no_other() -> None:
    found = modules(COMMAND.replace('"--version"', '"plan", "--help"'))
    assert "sealegs.cli.verbs.plan" in found
    assert not found & {f"sealegs.cli.{name}" for name in ("run", "hunt", "train", "test")}


def test_a_guarded_tool_needs_no_numbers_and_no_suite() -> None:
    found = modules("import sealegs; sealegs.wrap, sealegs.Session, sealegs.Plan, sealegs.Recorder")
    assert not found & (HEAVY - {"yaml", "asyncio", "pydantic"})
    assert not [name for name in found if name.startswith(("sealegs.suites", "sealegs.world", "sealegs.scoring"))]


@pytest.mark.parametrize("package", [sealegs, sealegs.experiments, sealegs.faults, sealegs.traces])
def test_every_public_name_is_found(package: object) -> None:
    name = package.__name__  # type: ignore[attr-defined]
    public = {one for one in package.__all__ if not one.startswith("__")}  # type: ignore[attr-defined]
    assert public == set(package._HOMES)  # type: ignore[attr-defined]
    own = {file.stem for file in Path(import_module(name).__file__ or "").parent.iterdir()}
    assert not public & own, "a module of the same name would hide it"
    for one in public:
        assert getattr(package, one) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing  # type: ignore[attr-defined]
