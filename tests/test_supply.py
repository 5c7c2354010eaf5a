"""The lock of CI is in step with what the package asks for, names no place to get it from, and leaves torch out."""

import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCK = (ROOT / ".ci" / "requirements.txt").read_text("utf-8")
PINS = dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", LOCK, re.MULTILINE))
CHECK = runpy.run_path(str(ROOT / ".ci" / "licences.py"))
REPORT = runpy.run_path(str(ROOT / ".ci" / "flaws.py"))["report"]
SOUND, UNKNOWN = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}
FLAWED = {"name": "c", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}


def wanted(extras: list[str]) -> Iterator[Requirement]:
    """What the package asks for with these extras."""
    yield from map(Requirement, PROJECT["dependencies"])
    for extra in extras:
        for one in map(Requirement, PROJECT["optional-dependencies"][extra]):
            if one.name == "sealegs":
                yield from wanted(sorted(one.extras))
            else:
                yield one


def test_the_lock_is_in_step() -> None:
    """Else: nox -s lock."""
    for one in wanted(["dev"]):
        name = re.sub(r"[-_.]+", "-", one.name).lower()
        versions = re.findall(rf"^{name}(?:\[[^]]*\])?==([^ ;\\]+)", LOCK, re.MULTILINE)
        assert versions, f"{name} is not in .ci/requirements.txt; nox -s lock"
        assert any(one.specifier.contains(version, prereleases=True) for version in versions), (name, versions)


def test_every_pin_has_a_hash_and_no_place() -> None:
    for block in re.split(r"\n(?=\S)", LOCK):
        if not block.startswith("#"):
            assert "--hash=sha256:" in block, block
    assert "://" not in LOCK
    assert "torch" not in PINS


@pytest.mark.parametrize(
    ("expression", "may"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-2-Clause", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", True),
        ("(MIT OR BSD-3-Clause) AND GPL-3.0-only", False),
        ("BSD-3-Clause AND (GPL-3.0-only OR MIT)", True),
        ("(MIT", False),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("", False),
    ],
)
def test_a_licence_may_be_or_not(expression: str, may: bool) -> None:
    allowed, _ = CHECK["read_list"]((ROOT / ".ci" / "licences.txt").read_text("utf-8"))
    assert CHECK["is_allowed"](expression, allowed) is may


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ([SOUND, SOUND], ["known flaws: 0, in all 2 packages"]),
        ([SOUND, UNKNOWN], ["known flaws: 0, in 1 of 2 packages; of the others the index has no data"]),
        ([UNKNOWN], ["known flaws: NOT CHECKED: the index has no data of flaws for any of the 1 packages"]),
        ([FLAWED, SOUND], ["c 2: PYSEC-1, mended in 3", "known flaws: 1, in all 2 packages"]),
    ],
)
def test_what_was_not_audited_is_reported(found: list[dict[str, object]], lines: list[str]) -> None:
    assert list(REPORT(found)) == lines
