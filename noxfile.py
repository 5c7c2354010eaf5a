"""Environments of their own: `nox` tests each adapter with its real framework and writes the table of docs/adapters.md.

`nox -s "adapter(langchain)"` tests one; `nox -s table` writes the table from what the runs left in build/adapters.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["adapter", "table"]
nox.options.default_venv_backend = "venv"
FRAMEWORKS = [
    "langchain",
    "openai_agents",
    "pydantic_ai",
    "smolagents",
    "llama_index",
    "dspy",
    "google_adk",
    "autogen",
    "agent_framework",
    "crewai",
    "claude_agent_sdk",
]
FOUND = Path("build/adapters")


@nox.session
@nox.parametrize("framework", ["plain", *FRAMEWORKS], ids=["plain", *FRAMEWORKS])
def adapter(session: nox.Session, framework: str) -> None:
    """One framework, its adapter and the conformance kit."""
    session.install("-e", "." if framework == "plain" else f".[{framework.replace('_', '-')}]")
    FOUND.mkdir(parents=True, exist_ok=True)
    found = str(FOUND / f"{framework}.json")
    session.run("python", "-m", "tests.adapters.frameworks.suite", framework, "--json", found)


@nox.session
def table(session: nox.Session) -> None:
    """The table in docs/adapters.md and its data in benchmarks/results/adapters.json."""
    session.install("-e", ".")
    session.run("python", "-m", "tests.adapters.frameworks.table", str(FOUND))
