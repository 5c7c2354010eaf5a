"""Environments of their own: `nox` tests each adapter with its real framework and writes the table of docs/adapters.md.

`nox -s "adapter(langchain)"` tests one; `nox -s table` writes the table from what the runs left in build/adapters;
`nox -s adapter -- --no-cost` makes the checks and leaves nothing. `nox -s floors extra_floors base_floor
training_floor` tests with the lowest versions that pyproject.toml allows. `nox -s base --force-python PYTHON` makes the
base tests with another Python, `nox -s slow` those tests that the default run leaves out, `nox -s docs` builds the
documentation's site, `nox -s evals` plays real evals of others. These take long: no part of `nox` alone.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import nox

nox.options.sessions = ["adapter", "table"]
nox.options.default_venv_backend = "venv"
ROOT = Path(__file__).parent
FOUND = ROOT / "build" / "adapters"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
HARNESSES = ROOT / "tests" / "adapters" / "frameworks"
NO_OWN_EXTRA = {"plain": "", "loops": "", "inspect": "bench"}
# By the names of their files of harnesses: those above, and every extra that has such a file.
FRAMEWORKS = [
    *NO_OWN_EXTRA,
    *(name for name in (extra.replace("-", "_") for extra in EXTRAS) if (HARNESSES / f"{name}.py").exists()),
]
# Extras that are no framework of agents: their tests, and what these need beside the usual.
OTHERS = {
    "httpx,httpx2,requests": (["tests/adapters/test_http.py"], []),
    "bench": (["tests/adapters/test_inspect.py", "tests/cli/test_run.py"], ["openai"]),
    "hunt": (["tests/hunt"], []),
    "mcp": (["tests/adapters/mcp"], ["fastmcp"]),
    "otel": (["tests/traces/test_spans.py"], ["opentelemetry-sdk", "opentelemetry-exporter-otlp-json-file"]),
    "report": (["tests/reports"], []),
}
TESTING = ["pytest", "pytest-asyncio", "pytest-xdist", "hypothesis", "networkx", "scipy"]
TORCH = "torch==2.13.0"
WHOLE = ["-n", "0", "-m", "slow or not slow"]  # what is slow too, and one process: torch takes all cores by itself
ROOMS = ["faults", "inject", "tasks", "traces"]  # those that stand on the base install alone


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
    session.install("-e", ".")
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
    lowest(session, "-e", f".[{extras}]")
    session.install(*of_extras(*TESTING, *more))
    tests(session, *paths)


@nox.session
def evals(session: nox.Session) -> None:
    """Evals of others: what is known of their tools against their own environments, and reference agents in them."""
    session.install("-e", ".[evals]", *of_extras(*TESTING))
    tests(session, "tests/suites/inspect_eval/real")


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
    session.install("-e", ".[docs]")
    session.run("mkdocs", "build", "--strict", "--site-dir", str(ROOT / "build" / "site"))


@nox.session
def slow(session: nox.Session) -> None:
    """What takes long and says little more: the tests that the default run leaves out."""
    session.install("-e", ".[dev]")
    tests(session, "-m", "slow")


@nox.session
def base(session: nox.Session) -> None:
    """The command, and the tests of the kernel's rooms, on the base install: a Python at a time."""
    session.install("-e", ".", *of_extras(*TESTING))
    session.run("sealegs", "--help", silent=True)
    tests(session, *(f"tests/{room}" for room in ROOMS))


@nox.session(python=["3.11", "3.12", "3.13"])
def base_floor(session: nox.Session) -> None:
    """The command, and the tests of the kernel's rooms, with the lowest versions of what the base install names."""
    lowest(session, "-e", ".")
    session.run("sealegs", "--help", silent=True)
    session.install(*of_extras(*TESTING))
    tests(session, *(f"tests/{room}" for room in ROOMS))


def needed(framework: str) -> list[str]:
    """What pip installs for a framework's page of tests."""
    extra = extra_of(framework)
    return ["-e", f".[{extra}]"] if extra else ["-e", ".", *requirements(framework)]


def requirements(framework: str) -> list[str]:
    """The packages of a framework: those of its extra."""
    if framework == "loops":
        return of_extras("openai", "anthropic")
    return list(EXTRAS.get(extra_of(framework), []))


def extra_of(framework: str) -> str:
    """The extra that installs a framework; empty where none does."""
    return NO_OWN_EXTRA.get(framework, framework.replace("_", "-"))


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
