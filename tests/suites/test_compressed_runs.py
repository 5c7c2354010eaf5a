"""Compressed runs of the suites and of experiments: tables of verdicts hold, and so does judging in processes."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from sealegs.engines.compressing import compress_runs
from sealegs.experiments import experiment
from sealegs.experiments.experiment_report import read_experiment
from sealegs.traces.record_files import compressed_form
from tests import needs
from tests.experiments import agents
from tests.suites.test_verdict_table import EPISODES, RECORDS, directly, folder, in_ranges, parts, played, read, shown

__all__ = ["folder", "in_ranges", "played"]  # fixtures


@pytest.fixture
def packed(folder: Path, tmp_path: Path) -> Path:
    """The same run, compressed, without a table."""
    copy = Path(shutil.copytree(folder, tmp_path / "packed" / folder.name))
    (one,) = compress_runs([copy])
    assert one.before == (folder / RECORDS).stat().st_size
    assert not (copy / RECORDS).exists()
    return copy


def test_parts_from_before_are_used_after(folder: Path, judged: Counter[str]) -> None:
    true = read(folder)
    before = {file: file.read_bytes() for file in parts(folder)}
    assert len(before) == 3
    list(compress_runs([folder]))
    judged.clear()
    assert read(folder) == true
    assert not judged
    assert {file: file.read_bytes() for file in parts(folder)} == before
    parts(folder)[2].unlink()  # the rest is judged from the compressed form, and noted as before
    assert read(folder) == true
    assert 0 < judged.total() < EPISODES / 2
    assert {file: file.read_bytes() for file in parts(folder)} == before


def test_a_compressed_run_gets_the_same_table(folder: Path, packed: Path) -> None:
    true = read(folder)
    found = read(packed)
    assert (found.runs, found.invalid) == (true.runs, true.invalid)
    assert [file.read_bytes() for file in parts(packed)] == [file.read_bytes() for file in parts(folder)]
    assert read(packed) == directly(packed)


def test_parts_of_other_bytes_are_not_used(folder: Path, packed: Path, judged: Counter[str]) -> None:
    read(packed)
    data = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(data.replace(b'"reason": "answered"', b'"reason": "crashed"'))
    list(compress_runs([folder]))
    shutil.copy(compressed_form(folder / RECORDS), compressed_form(packed / RECORDS))
    judged.clear()
    assert read(packed).runs == directly(folder).runs
    assert judged.total() >= EPISODES - 1


@pytest.mark.usefixtures("in_ranges")
def test_several_processes_judge_a_compressed_run(folder: Path, packed: Path) -> None:
    true = read(folder)
    assert read(packed).runs == true.runs
    assert [file.read_bytes() for file in parts(packed)] == [file.read_bytes() for file in parts(folder)]


def test_the_page_is_the_same_to_the_byte(folder: Path) -> None:
    for module in ("matplotlib", "jinja2"):
        pytest.importorskip(module, reason=needs.module(module))
    read(folder)
    true = list(shown(folder))
    list(compress_runs([folder]))
    assert list(shown(folder)) == true


def test_an_experiment_is_read_and_set_aside_with_its_records(tmp_path: Path) -> None:
    options = {"check": agents.fine, "inputs": ["order 17"]}
    first = experiment(agents.naive, out=tmp_path, **options)
    list(compress_runs([tmp_path]))
    assert read_experiment(tmp_path, []).rows == first.rows
    experiment(agents.careful, out=tmp_path, **options)
    assert read_experiment(tmp_path / "previous-1", []).rows == first.rows
    assert (tmp_path / RECORDS).exists()
    assert not compressed_form(tmp_path / RECORDS).exists()
