"""What judging keeps has a bound: neither caches nor rows nor ranges under way grow with the episodes of a file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines import judging_ahead, table_parts
from sealegs.engines.judging_ahead import judging_jobs
from sealegs.engines.table_parts import PartWriter
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.verdict_table import FORM
from sealegs.suites.verdict_tables import episodes_in
from sealegs.tasks import value_matching
from sealegs.tasks.value_matching import contains_value
from tests import needs

EPOCHS, OF_EPOCH = 6, 20
RECORDS = "episodes.jsonl"
JOBS = 2
LARGEST = 16_384  # entries of a cache of what judging found in texts


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "planner"
    run_scripted_agent(MazeOptions(agent="planner", limit=1, epochs=EPOCHS), folder, lambda *_: None, jobs=1)
    return folder


@pytest.fixture
def file(played: Path, tmp_path: Path) -> Path:
    """A file of records without a table beside it."""
    (folder := tmp_path / "run").mkdir()
    for name in (RECORDS, "run.json"):
        shutil.copy(played / name, folder)
    return folder / RECORDS


def caches() -> Iterator[tuple[str, _lru_cache_wrapper[Any]]]:
    """Each cache of a function or method of ours."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "sealegs":
            continue
        for own in list(vars(module).values()):
            of_class = list(vars(own).values()) if isinstance(own, type) else []
            for one in (own, *of_class):
                if isinstance(one, _lru_cache_wrapper):
                    yield f"{one.__module__}.{one.__qualname__}", one


def sizes() -> Mapping[str, int]:
    return {name: one.cache_info().currsize for name, one in caches()}


def grown_without_bound(file: Path) -> set[str]:
    """The caches without a bound, or with a vast one, that grow while the epochs after the first are judged."""
    for name, one in caches():
        if one.cache_info().maxsize is not None and name.startswith(("sealegs.tasks", "sealegs.scoring")):
            one.cache_clear()  # others may have judged the same
    judged = episodes_in(file, [], FORM, FORM.judge)
    for _ in range(OF_EPOCH):
        next(judged)
    before = sizes()
    assert len(list(judged)) == (EPOCHS - 1) * OF_EPOCH
    grown = [(name, one) for name, one in caches() if one.cache_info().currsize > before.get(name, 0)]
    assert grown  # or what is looked at is not what judging keeps
    bounds = [(name, one.cache_info().maxsize) for name, one in grown]
    return {name for name, bound in bounds if bound is None or bound > LARGEST}


def test_no_cache_without_a_bound_grows_with_the_episodes(file: Path) -> None:
    assert grown_without_bound(file) == set()


def test_a_cache_without_a_bound_is_found(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_matching, "_plain", cache(value_matching._plain.__wrapped__))
    assert grown_without_bound(file) == {"sealegs.tasks.value_matching._plain"}


def test_of_a_moment_no_form_is_kept_that_joins_day_and_hour() -> None:
    value_matching._all_forms.cache_clear()
    assert contains_value("It leaves on March 4th, 2026 at 2:30 pm.", "2026-03-04T14:30Z")
    assert not contains_value("It leaves on March 4th, 2026 at 2:31 pm.", "2026-03-04T14:30Z")
    days, clocks, others = value_matching._all_forms("2026-03-04t14:30z")
    assert len(others) == 1
    joined = [form for day in days for form in value_matching._moments(day, clocks)]
    assert len(joined) > 10 * (len(days) + len(clocks))
    # Days and hours are kept once each, however many moments are made of them.
    assert value_matching._all_forms("2026-03-04t09:00z")[0] is days
    assert value_matching._all_forms("2026-11-30t14:30z")[1] is clocks


def test_few_ranges_are_under_way(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    divide = judging_ahead.divide_records

    def counted(*given: Any) -> Iterator[Any]:
        for found in divide(*given):
            begun.append(found[0])
            yield found

    monkeypatch.setattr(judging_ahead, "divide_records", counted)
    monkeypatch.setattr(judging_ahead, "LEAST", 0)
    monkeypatch.setattr(judging_ahead, "EPISODES", 1)
    with judging_jobs(JOBS):
        ahead = [len(begun) - done for done, _ in enumerate(episodes_in(file, [], FORM, FORM.judge))]
    assert len(ahead) == len(begun) == EPOCHS * OF_EPOCH
    # One for each process, one that waits for a process, and the one that was just found.
    assert max(ahead) == JOBS + 2


def test_no_more_rows_are_held_than_a_part_has(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason=needs.module("pyarrow"))
    held = []
    add = PartWriter.add

    def counted(writer: PartWriter, *given: Any) -> None:
        add(writer, *given)
        held.append(len(writer._rows))

    monkeypatch.setattr(PartWriter, "add", counted)
    monkeypatch.setattr(table_parts, "LEAST", 1)
    monkeypatch.setattr(table_parts, "MOST", 8)
    for _ in episodes_in(file, [], FORM, FORM.judge):
        pass
    assert held == [(row + 1) % 8 for row in range(EPOCHS * OF_EPOCH)]


@pytest.mark.parametrize("size", [1, 7, EPOCHS * OF_EPOCH])
def test_a_part_does_not_show_how_many_rows_are_encoded_at_a_time(
    file: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason=needs.module("pyarrow"))
    monkeypatch.setattr(table_parts, "LEAST", 1)
    made = set()
    for encoded in (size, 10**6):
        monkeypatch.setattr(table_parts, "ENCODED", encoded)
        for _ in episodes_in(file, [], FORM, FORM.judge):
            pass
        (part,) = file.parent.glob("verdicts-*")
        made.add(part.read_bytes())
        part.unlink()
    assert len(made) == 1
