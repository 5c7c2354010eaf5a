"""A task set as a dataset folder: what is in it, and that its files are what its metadata say."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from sealegs.scenarios.task_sets import task_set
from sealegs.suites.maze.dataset_folder import dataset_files
from sealegs.tasks.editions import CANARY, GUID
from sealegs.tasks.yaml_tasks import tasks_of
from tests import needs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dataset")
    (out / "data").mkdir()
    for name, text in dataset_files(task_set(), "sealegs-maze").items():
        (out / name).write_text(text, "utf-8")
    return out


def test_every_task_is_there_once_and_is_read_back_as_it_was(folder: Path) -> None:
    texts = [file.read_text("utf-8") for file in sorted(folder.glob("data/*.jsonl"))]
    rows = [json.loads(line) for text in texts for line in text.split("\n") if line]
    shipped = task_set()
    assert {row["id"] for row in rows} == set(shipped.tasks)
    assert {(row["task_set"], row["canary"]) for row in rows} == {(shipped.edition, CANARY)}
    groups = shipped.corpus("c1-01").groups
    row = next(row for row in rows if row["id"] == "c3-02")
    (read,) = tasks_of([json.loads(row["task"])], groups)
    assert read.graph == shipped.tasks["c3-02"].graph


def test_the_metadata_name_the_files_by_their_digests_and_the_card_every_split(folder: Path) -> None:
    about = json.loads((folder / "croissant.json").read_text("utf-8"))
    for one in about["distribution"]:
        assert one["sha256"] == hashlib.sha256((folder / one["contentUrl"]).read_bytes()).hexdigest()
    assert [one["name"] for one in about["recordSet"]] == ["c1", "c2", "c3", "c4"]
    front = yaml.safe_load((folder / "README.md").read_text("utf-8").split("---")[1])
    assert [one["split"] for one in front["configs"][0]["data_files"]] == ["c1", "c2", "c3", "c4"]
    assert all(GUID in file.read_text("utf-8") for file in folder.rglob("*") if file.is_file())


def test_datasets_reads_it_without_a_network(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason=needs.module("datasets"))
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path))
    assert {name: len(found[name]) for name in found} == dict.fromkeys(("c1", "c2", "c3", "c4"), 100)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what mlcroissant itself uses
def test_mlcroissant_finds_no_mistake_and_reads_every_row(folder: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason=needs.module("mlcroissant"))
    found = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    issues = found.metadata.ctx.issues
    assert not issues.errors
    # The day on which somebody publishes a folder is not known when it is written.
    assert all("datePublished" in warning for warning in issues.warnings)
    shipped = task_set()
    for level in ("C1", "C2", "C3", "C4"):
        rows = list(found.records(record_set=level.lower()))
        ids = [row[f"{level.lower()}/id"].decode() for row in rows]
        assert ids == [task.id for task in shipped.tasks.values() if task.level == level]
