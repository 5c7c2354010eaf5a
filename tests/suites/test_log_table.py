"""The table beside a log of Inspect's: it gives what the log gives, and the log alone is believed."""

from __future__ import annotations

import shutil
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines import table_parts
from sealegs.engines.logs import LogError, known_episodes, read_logs, read_run_files
from sealegs.suites import verdict_tables as table_of
from sealegs.suites.maze.maze_logs import SCHEMA
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.verdict_table import FORM, read_maze_verdicts
from sealegs.suites.verdict_tables import known_with_table
from sealegs.traces import inspect_logs
from tests import needs
from tests.suites.test_verdict_table import directly, read, shown

pq = pytest.importorskip("pyarrow.parquet", reason=needs.module("pyarrow"))
pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
EPISODES, LEAST, MOST = 8, 3, 3  # so that a whole log has parts of 3, 3 and 2 rows


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from sealegs.suites.maze.maze_eval import run_maze_in_inspect

    folder = tmp_path_factory.mktemp("played") / "planner"
    settings = MazeOptions(agent="planner", engine="inspect", limit=1, modes=("NP", "P1"))
    run_maze_in_inspect(settings, folder, display="none")
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(table_parts, "LEAST", LEAST)
    monkeypatch.setattr(table_parts, "MOST", MOST)
    return Path(shutil.copytree(played, tmp_path / "run"))


def log_in(folder: Path) -> Path:
    (log,) = folder.rglob("*.eval")
    return log


def part_sizes(folder: Path) -> list[int]:
    found = sorted(folder.rglob(f"{log_in(folder).stem}.verdicts-*.parquet"))
    return [pq.ParquetFile(file).metadata.num_rows for file in found]


def changed_log(log: Path, keep: int, *, directory: bool = True) -> None:
    """Leave so many samples in a log; without the directory at its end, as a kill leaves it."""
    with zipfile.ZipFile(log) as archive:
        entries = [(one.filename, inspect_logs.log_entries(log, [], one.filename.__eq__)) for one in archive.infolist()]
        contents = {name: next(found)[1] for name, found in entries}
    names = [name for name in contents if name.startswith("samples/")]
    with zipfile.ZipFile(log, "w") as archive:
        for name, content in contents.items():
            if name not in names[keep:]:
                archive.writestr(name, content)
        end = archive.fp.tell() if archive.fp else 0
    if not directory:
        with log.open("r+b") as file:
            file.truncate(end)


def test_a_table_gives_what_the_log_gives(folder: Path, judged: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    true = directly(folder)
    assert sum(map(len, true.runs.values())) == EPISODES
    judged.clear()
    assert read(folder) == true
    assert judged.total() == EPISODES
    assert part_sizes(folder) == [3, 3, 2]
    judged.clear()
    assert read(folder) == true
    assert not judged
    # The last part says that nothing follows, so the log is hashed and not even opened as the archive that it is.
    monkeypatch.setattr(inspect_logs.zipfile, "ZipFile", None)
    assert read_maze_verdicts(folder, lambda _, one: one.result).runs


def test_the_episodes_alone_are_known_from_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = read_run_files(folder, SCHEMA, partial(known_episodes, form=SCHEMA))
    read(folder)
    monkeypatch.setattr(inspect_logs.zipfile, "ZipFile", None)  # after the last part nothing follows
    assert read_run_files(folder, SCHEMA, partial(known_with_table, form=FORM)) == true


def test_records_are_those_of_the_log(folder: Path) -> None:
    read(folder)
    found = read_maze_verdicts(folder, lambda _, one: one.record())
    assert found.runs == read_logs(folder, SCHEMA).runs


def test_report_and_rank_say_the_same_to_the_byte(folder: Path, judged: Counter[str]) -> None:
    pytest.importorskip("matplotlib", reason=needs.module("matplotlib"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_of, "tables_usable", lambda: False)
        true = list(shown(folder))
    read(folder)
    judged.clear()
    assert list(shown(folder)) == true
    assert not judged


@pytest.mark.parametrize("keep", [7, 6, 4, 2])
def test_another_log_in_its_place_is_judged(folder: Path, judged: Counter[str], keep: int) -> None:
    read(folder)
    changed_log(log_in(folder), keep)
    true = directly(folder)
    assert sum(map(len, true.runs.values())) == keep
    assert any(f"{keep} of {EPISODES}" in one for one in true.warnings)
    judged.clear()
    assert read(folder) == true
    assert judged.total() == keep
    judged.clear()
    assert read(folder) == true  # the sentence on missing episodes, too
    assert judged.total() == (keep if keep < LEAST else 0)


def test_what_was_cut_off_has_no_table(folder: Path, judged: Counter[str]) -> None:
    changed_log(log_in(folder), 7, directory=False)
    true = directly(folder)
    assert any("cut off" in one for one in true.warnings)
    for _ in range(2):
        judged.clear()
        assert read(folder) == true
        assert judged.total() == 7
    assert part_sizes(folder) == []


def test_an_unfinished_table_is_continued(folder: Path, judged: Counter[str]) -> None:
    true = read(folder)
    log = log_in(folder)
    log.with_name(f"{log.stem}.verdicts-00003.parquet").unlink()
    judged.clear()
    assert read(folder) == true
    assert judged.total() == 2
    assert part_sizes(folder) == [3, 3, 2]


def test_interrupted_samples_are_passed_over(folder: Path) -> None:
    """Their places are counted, so that what follows them is found again."""
    log = log_in(folder)
    with pytest.MonkeyPatch.context() as patch:
        seen = [0]

        def third(_: Any) -> bool:
            seen[0] += 1
            return seen[0] == 3

        patch.setattr(inspect_logs, "_interrupted", third)
        numbers = [number for number, _, _ in inspect_logs.placed_samples(log, [])]
    assert numbers == [1, 2, *range(4, EPISODES + 1)]
    whole = [sample["id"] for sample, _ in inspect_logs.samples(log, [])]
    for after in range(EPISODES):
        rest = [(number, sample["id"]) for number, sample, _ in inspect_logs.placed_samples(log, [], after)]
        assert rest == list(enumerate(whole, 1))[after:]
        assert inspect_logs.sample_after(log, after)[0]["id"] == whole[after]
    with pytest.raises(inspect_logs.StoreError, match="no sample after 8"):
        inspect_logs.sample_after(log, EPISODES)


def test_no_file_is_written_into_a_folder_that_is_no_run(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "logs"
    other.mkdir()
    log = Path(shutil.copy(log_in(folder), other))
    assert read(other).runs == directly(folder).runs
    assert [*other.iterdir()] == [log]


def test_a_log_that_cannot_be_read_is_called_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest is taken first, and must not speak for the reading."""
    log, whole = log_in(folder), Path.open

    def refused(path: Path, *given: Any, **named: Any) -> Any:
        if path == log:
            raise PermissionError(13, "Permission denied", str(path))
        return whole(path, *given, **named)

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(LogError, match=r"\.eval cannot be read \(Permission denied\); name another file"):
        read_maze_verdicts(folder, lambda _, one: one.result)
