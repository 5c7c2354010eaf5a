"""The canary is in every data file that the package ships, and nowhere that a model reads."""

from __future__ import annotations

import csv
import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.suites.paladin.graders import rubric
from sealegs.tasks.editions import CANARY, CANARY_FIELD, GUID

PACKAGE = Path(__file__).parent.parent / "src" / "sealegs"
CODE = {
    ".py",
    ".typed",
    ".j2",
    ".html",
    ".css",
    ".js",
    ".jinja",
}  # what runs or gives a form: no test material
TEMPLATES = PACKAGE / "experiments" / "templates"  # what a user's own project is given


def data_files() -> Iterator[Path]:
    for file in sorted(PACKAGE.rglob("*")):
        if file.is_file() and file.suffix not in CODE and "__pycache__" not in file.parts and file.parent != TEMPLATES:
            yield file


def in_first_line(text: str, mark: str) -> bool:
    return text.split("\n", 1)[0] == f"{mark} {CANARY}"


def in_yaml(text: str) -> bool:
    yaml.safe_load(text)
    return in_first_line(text, "#")


def in_sql(text: str) -> bool:
    sqlite3.connect(":memory:").executescript(text)
    return in_first_line(text, "--")


def in_csv(text: str) -> bool:
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    return in_first_line(text, "#") and len({len(row) for row in csv.reader(rows)}) == 1


def in_json(text: str) -> bool:
    data: Any = json.loads(text)
    return all(one[CANARY_FIELD] == CANARY for one in (data if isinstance(data, list) else [data]))


def in_lines(text: str) -> bool:
    """In every object of a file of objects, and in the head of a file that has one."""
    rows = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    return all(one[CANARY_FIELD] == CANARY for one in ([rows[0][1]] if isinstance(rows[0], list) else rows))


WAYS: Mapping[str, Callable[[str], bool]] = {
    ".yaml": in_yaml,
    ".sql": in_sql,
    ".csv": in_csv,
    ".json": in_json,
    ".jsonl": in_lines,
    ".gz": in_lines,
    ".txt": lambda text: in_first_line(text, "#"),
    ".campaign": lambda text: in_first_line(text, "#"),
    ".md": lambda text: text.rstrip().endswith(f"<!-- {CANARY} -->"),
}


def text_of(file: Path) -> str:
    return gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text("utf-8")


def test_every_data_file_holds_the_canary() -> None:
    files = list(data_files())
    assert {file.suffix for file in files} == set(WAYS), "a new kind of file needs a way of its own"
    assert len(files) > 130
    lacking = [str(file.relative_to(PACKAGE)) for file in files if not WAYS[file.suffix](text_of(file))]
    assert lacking == []


@pytest.mark.parametrize("suffix", WAYS)
def test_a_file_without_it_is_found(suffix: str) -> None:
    file = next(file for file in data_files() if file.suffix == suffix)
    assert not WAYS[suffix](text_of(file).replace(GUID, "sealegs:0"))


def test_no_model_reads_it() -> None:
    from sealegs.scenarios.task_sets import task_set
    from sealegs.suites.micro.workloads import load_workloads
    from sealegs.world.corpus import load_corpus

    assert rubric().startswith("# Rubric")
    assert "canary" not in rubric().lower()
    texts = [task.request for task in task_set().tasks.values()] + [one.prompt for one in load_workloads().values()]
    texts += [tool.spec.description for tool in load_corpus().tools.values()]
    assert not any(GUID in text for text in texts)
