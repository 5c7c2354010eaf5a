"""CITATION.cff says of the package what the package says of itself."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_the_citation_agrees_with_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    needed = {"cff-version", "message", "title", "authors"}  # by the schema of the format, 1.2.0
    assert needed <= cited.keys()
    name, _, about = cited["title"].partition(": ")
    assert (name.lower(), about.lower() + ".") == (project["name"], project["description"].lower())
    assert cited["license"] == project["license"]
