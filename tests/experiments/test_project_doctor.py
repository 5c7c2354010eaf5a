"""`sealegs doctor`: what it proves by one run, and what it says of the place."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from sealegs.adapters.frameworks import FRAMEWORKS
from sealegs.experiments import project_checks
from sealegs.experiments.project_checks import extra_requirements, framework_lines, place_lines, version_fits
from sealegs.experiments.project_doctor import DoctorReport, examine_project
from sealegs.experiments.project_scan import ScannedProject, scan_project
from sealegs.faults.user_error import UserError
from sealegs.sandbox.isolation_status import Isolation
from tests import needs

AGENT = """
import asyncio

from sealegs import tool


@tool(effects=False)
def find(number):
    return {"number": number}


@tool
def pay(amount):
    return {"paid": amount}


def mail(to):
    return f"sent to {to}"


TOOLS = [find, pay, mail]


def run(request="17"):
    find(1)
    return pay(find(2)["number"])


def mailing(request):
    find(1)
    return mail(request)


def deaf(request):
    return mail(request)


async def later(request):
    await asyncio.sleep(0)
    return run()


def breaks(request):
    find(1)
    raise RuntimeError("no key")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "desk.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("desk", None)


def messages(report: DoctorReport, check: str) -> list[tuple[str, str]]:
    return [(line.status, line.message) for line in report.lines if line.check == check]


def test_a_live_seam_is_proven_by_a_fault_on_each_tool(folder: Path) -> None:
    report = examine_project(folder, "desk:run")
    assert (report.exit_code, report.proof.live) == (0, True)
    assert messages(report, "seam") == [
        ("ok", "find: 2 calls; delivered: delay on call 1"),
        ("ok", "pay: 1 call; delivered: delay on call 1"),
    ]
    assert messages(report, "tool") == [
        ("warn", "mail (desk.py) was not called in this run, so nothing is proven of it")
    ]
    (undeclared,) = (line for line in report.lines if line.check == "declared")
    assert undeclared.message.startswith("pay: nobody says")
    assert "tools: {pay: {effects: false}}" in undeclared.remedy


def test_an_async_agent_is_proven_too(folder: Path) -> None:
    assert len(messages(examine_project(folder, "desk:later", ["x"]), "seam")) == 2


def test_a_tool_that_is_called_past_the_seam_is_named(folder: Path) -> None:
    report = examine_project(folder, "desk:mailing", ["x"])
    assert report.exit_code == 1, "one tool that is not reached is a seam that is not live"
    assert ("fail", "mail (desk.py) ran, and its call did not pass the seam") in messages(report, "tool")


def test_a_seam_that_is_not_live_fails(folder: Path) -> None:
    report = examine_project(folder, "desk:deaf", ["x"])
    assert report.exit_code == 1
    assert messages(report, "seam") == [("fail", "desk:deaf was run once, and no tool call passed through the seam")]


def test_a_run_that_breaks_is_reported(folder: Path) -> None:
    report = examine_project(folder, "desk:breaks", ["x"])
    assert report.exit_code == 0, "the seam is live all the same"
    ((status, text),) = messages(report, "run")
    assert status == "warn"
    assert "RuntimeError: no key" in text


def test_the_agent_is_that_of_the_settings_or_of_init(folder: Path) -> None:
    with pytest.raises(UserError, match="no agent is named"):
        examine_project(folder, None)
    (folder / "sealegs_agent.py").write_text("from desk import run\n", encoding="utf-8")
    assert examine_project(folder, None).proof.agent == "sealegs_agent:run"
    settings = '[tool.sealegs.test]\nagent = "desk:mailing"\ninput = ["x"]\n'
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    assert examine_project(folder, None).proof.agent == "desk:mailing"
    (folder / "asked.txt").write_text("x\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text(settings.replace('input = ["x"]', 'inputs = "asked.txt"'), encoding="utf-8")
    assert examine_project(folder, "desk:mailing").proof.agent == "desk:mailing"
    sys.modules.pop("sealegs_agent", None)


def test_an_agent_that_cannot_be_imported_names_what_is_missing(folder: Path) -> None:
    (folder / "crew.py").write_text("import crewai_that_is_nowhere\nimport crewai\n", encoding="utf-8")
    with pytest.raises(UserError, match=r'crewai_that_is_nowhere.*pip install "sealegs\[crewai\]"'):
        examine_project(folder, "crew:run")


def test_plans_that_cannot_be_read_are_named(folder: Path) -> None:
    good = "name: a\nrules:\n- match: {tool: x}\n  fault: {kind: error}\n"
    (folder / "good.yaml").write_text(good, encoding="utf-8")
    (folder / "plans").mkdir()
    (folder / "plans" / "bad.yaml").write_text(good.replace("error", "eror"), encoding="utf-8")
    (folder / "other.yaml").write_text("rules: [1]\n", encoding="utf-8")
    lines = [line for line in place_lines(scan_project(folder)) if line.check in ("plan", "plans")]
    assert [line.status for line in lines] == ["warn", "ok"]
    assert "bad.yaml cannot be read" in lines[0].message
    assert "Did you mean error?" in lines[0].message
    assert lines[0].remedy == "sealegs plan check plans/bad.yaml"


def test_the_place_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Isolation("weak", (), "bubblewrap does not work here: no")
    monkeypatch.setattr("sealegs.sandbox.find_isolation", lambda: weak)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(project_checks, "_installed", lambda name: None)
    lines = {line.check: line for line in place_lines(scan_project(folder))}
    assert lines["python"].status == "ok"
    assert [lines[name].status for name in ("sandbox", "docker", "extra report", "extra hunt")] == ["warn"] * 4
    assert "apt-get install bubblewrap" in lines["sandbox"].remedy
    assert lines["extra hunt"].remedy == 'pip install "sealegs[hunt]"'


@pytest.mark.parametrize(("version", "status"), [("1.4.7", "ok"), ("0.3.1", "warn"), ("2.0", "warn"), (None, "warn")])
def test_a_framework_out_of_range_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str | None, status: str
) -> None:
    monkeypatch.setattr(project_checks, "_installed", lambda name: version)
    (langchain,) = (one for one in FRAMEWORKS if one.name == "LangChain")
    (line,) = framework_lines(ScannedProject(tmp_path, langchain))
    assert line.status == status, line
    assert (line.remedy == "") == (status == "ok")


def test_the_ranges_are_those_of_the_extras() -> None:
    pytest.importorskip("nox", reason=needs.module("nox"))
    import noxfile

    assert {one.extra for one in FRAMEWORKS if one.extra} < set(noxfile.EXTRAS)
    (wanted,) = noxfile.EXTRAS["langchain"]
    ((name, versions),) = extra_requirements("langchain")
    assert name == "langchain"
    assert {f"{name}{','.join(order)}" for order in permutations(versions.split(","))} >= {wanted}


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("1.4", ">=1.4,<2", True),
        ("1.4.0", "<2,>=1.4", True),
        ("1.3.9", ">=1.4,<2", False),
        ("2.0.0rc1", ">=1.4,<2", False),
        ("0.14.25", ">=0.14.20,<0.15", True),
        ("1.5.3", "~=1.5", True),
        ("2.0", "~=1.5", False),
        ("1.5", "!=1.5", False),
        ("3", "", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, wanted: str, fits: bool) -> None:
    assert version_fits(version, wanted) is fits


def test_the_command_tells_it_as_lines_and_as_json(folder: Path) -> None:
    whole = [sys.executable, "-B", "-m", "sealegs", "doctor", "desk:run"]
    shown = subprocess.run(whole, cwd=folder, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert " ".join(shown.stdout.splitlines()[0].split()) == "ok seam find: 2 calls; delivered: delay on call 1"
    as_json = subprocess.run([*whole, "--json", "-"], cwd=folder, capture_output=True, text=True, check=True)
    data = json.loads(as_json.stdout)
    assert data["live"] is True
    assert data["tools"][0] == {"name": "find", "calls": 2, "faults": ["delay on call 1"], "declared": True}
    assert len(data["lines"]) == len(shown.stdout.splitlines())
