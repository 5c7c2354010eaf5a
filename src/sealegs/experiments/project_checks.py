"""Obstacles to an experiment here: versions, extras, the sandbox, and plans that cannot be read.

Which versions fit is read from the metadata of the installed Sealegs, so that it is what pip would say.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sealegs.experiments.project_scan import SKIPPED, ScannedProject
from sealegs.faults.plan_files import read_plan
from sealegs.faults.problems import PlanError

Status = Literal["ok", "warn", "fail"]
LIKE_A_PLAN = re.compile(r"^[\"' ]*rules[\"']?:.*^[-\s\"'{]*fault[\"']?:", re.MULTILINE | re.DOTALL)
MOST_PLANS = 200
LONGEST_PLAN = 200_000  # bytes
PAGES = "open report.html on another machine; the command line says the same"


@dataclass(frozen=True, slots=True)
class DoctorLine:
    """One thing that was looked at.

    Attributes:
        check: what.
        status: `ok`, `warn` where it may stand in the way, `fail` where it does.
        message: what was found.
        remedy: what to do; empty where nothing is to be done.
    """

    check: str
    status: Status
    message: str
    remedy: str = ""


def place_lines(project: ScannedProject) -> Iterator[DoctorLine]:
    """The findings on this place, without running the agent."""
    yield _python_line()
    yield from framework_lines(project)
    yield from _extra_lines(project)
    yield _sandbox_line()
    yield _browser_line()
    yield _docker_line()
    yield from _plan_lines(project.folder)


def framework_lines(project: ScannedProject) -> Iterator[DoctorLine]:
    """The lines on the project's framework: whether it is here in a version that its adapter supports."""
    framework = project.framework
    if not framework.extra:
        yield DoctorLine("framework", "ok", f"{framework.name}: no extra is needed")
        return
    remedy = f'pip install "sealegs[{framework.extra}]"'
    requirements = extra_requirements(framework.extra)
    if not requirements:
        yield DoctorLine("framework", "warn", f"{framework.name}: this Sealegs is too old for its adapter", remedy)
    for name, wanted in requirements:
        found = _installed(name)
        if found is None:
            yield DoctorLine("framework", "warn", f"{framework.name}: {name} is not installed", remedy)
        elif not version_fits(found, wanted):
            message = f"{framework.name}: {name} {found} is outside what its adapter supports ({wanted})"
            yield DoctorLine("framework", "warn", message, remedy)
        else:
            yield DoctorLine("framework", "ok", f"{framework.name}: {name} {found} ({wanted})")


def extra_requirements(extra: str) -> list[tuple[str, str]]:
    """The distributions that an extra of Sealegs installs, each with the versions that fit, from its metadata."""
    found = []
    for text in importlib.metadata.requires("sealegs") or ():
        needed, _, marker = text.partition(";")
        parts = re.fullmatch(r"\s*([\w.-]+)\s*(?:\[[^]]*\])?\s*\(?([^)]*)\)?\s*", needed)
        if parts and re.search(rf"""extra\s*==\s*["']{re.escape(extra)}["']""", marker) and parts[1] != "sealegs":
            found.append((parts[1], parts[2].strip()))
    return found


def version_fits(version: str, wanted: str) -> bool:
    """Return whether a version is within what a requirement says, such as `>=1.4,<2`; by its numbers alone."""
    has = _numbers(version)
    for sign, text in re.findall(r"(>=|<=|==|!=|~=|<|>)\s*([\w.*+!]+)", wanted):
        bound = _numbers(text)
        width = max(len(has), len(bound))
        left, right = has + (0,) * (width - len(has)), bound + (0,) * (width - len(bound))
        same = has[: len(bound)] == bound
        fits = {
            ">=": left >= right,
            "<=": left <= right,
            "<": left < right,
            ">": left > right,
            "==": same,
            "!=": not same,
            "~=": left >= right and has[: len(bound) - 1] == bound[:-1],
        }
        if not fits[sign]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in numbers[0].split(".")) if numbers else ()


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _python_line() -> DoctorLine:
    wanted = importlib.metadata.metadata("sealegs")["Requires-Python"] or ""
    here = platform.python_version()
    if version_fits(here, wanted):
        return DoctorLine("python", "ok", f"{here} ({wanted})")
    return DoctorLine("python", "fail", f"{here} is outside what Sealegs supports ({wanted})", f"use Python {wanted}")


def _extra_lines(project: ScannedProject) -> Iterator[DoctorLine]:
    """Extras that verbs for one's own agent need, and those that the project asks for by what it uses."""
    uses = {"report": "the HTML page of `sealegs test`", "hunt": "`sealegs hunt`"}
    if any("url" in server for server in project.mcp_servers.values()):
        uses["mcp"] = f"`sealegs proxy` before the servers with an address in {project.mcp_file}"
    for extra, what in uses.items():
        wrong = [
            f"{name} is not installed" if found is None else f"{name} {found} does not fit {wanted}"
            for name, wanted in extra_requirements(extra)
            if (found := _installed(name)) is None or not version_fits(found, wanted)
        ]
        if wrong:
            message = f"{what} is not to be had: {', '.join(wrong)}"
            yield DoctorLine(f"extra {extra}", "warn", message, f'pip install "sealegs[{extra}]"')
        else:
            yield DoctorLine(f"extra {extra}", "ok", f"{what} can be used")


def _sandbox_line() -> DoctorLine:
    from sealegs.sandbox import find_isolation

    found = find_isolation()
    if found.strong:
        return DoctorLine("sandbox", "ok", found.words)
    remedy = "only for code that a model writes: apt-get install bubblewrap, and allow user namespaces"
    return DoctorLine("sandbox", "warn", found.words, remedy)


def _browser_line() -> DoctorLine:
    try:
        return DoctorLine("browser", "ok", f"{webbrowser.get().__class__.__name__} can show the page")
    except webbrowser.Error:
        return DoctorLine("browser", "warn", "no browser is here to show the page", PAGES)


def _docker_line() -> DoctorLine:
    if shutil.which("docker"):
        return DoctorLine("docker", "ok", "its command is here")
    return DoctorLine("docker", "warn", "not installed", "only `sealegs run highwater` in containers needs it")


def _plan_lines(folder: Path) -> Iterator[DoctorLine]:
    """The fault plans in a folder: those that cannot be read, and how many can."""
    sound = 0
    for file in _plan_files(folder):
        try:
            read_plan(file)
            sound += 1
        except PlanError as error:
            name = file.relative_to(folder)
            message = f"{name} cannot be read: {error.problems[0]}".removesuffix(".")
            yield DoctorLine("plan", "warn", message, f"sealegs plan check {name}")
    if sound:
        yield DoctorLine("plans", "ok", f"{sound} in this folder can be read")


def _plan_files(folder: Path) -> list[Path]:
    """The files of the folder, and of those right below it, that look like fault plans."""
    places = [folder, *(one for one in sorted(folder.iterdir()) if one.is_dir() and _is_own(one))]
    found = []
    for file in (one for place in places for one in sorted(place.iterdir()) if one.is_file()):
        if file.suffix in (".yaml", ".yml", ".json") and file.stat().st_size < LONGEST_PLAN:
            try:
                text = file.read_text("utf-8-sig")
            except (OSError, ValueError):
                continue
            if LIKE_A_PLAN.search(text):
                found.append(file)
    return found[:MOST_PLANS]


def _is_own(folder: Path) -> bool:
    return not folder.name.startswith(".") and folder.name not in SKIPPED and not (folder / "pyvenv.cfg").exists()
