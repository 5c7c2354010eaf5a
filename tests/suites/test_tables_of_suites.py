"""The tables of verdicts of suites beside `maze`: what a report says is the same with a table and without."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from sealegs.cli.verbs.merge import join_folders
from sealegs.engines import table_parts
from sealegs.engines.compressing import compress_runs
from sealegs.faults.user_error import UserError
from sealegs.sandbox import find_isolation
from sealegs.suites import verdict_tables as table_of
from sealegs.suites.highwater.coder_table import FORM as HIGHWATER
from sealegs.suites.paladin.arm_table import FORM as PALADIN
from sealegs.suites.suite import AnySuite, suites
from sealegs.suites.verdict_tables import VerdictForm
from sealegs.traces import Record
from tests import needs
from tests.suites.test_verdict_table import CHANGES, in_ranges, parts, shown

__all__ = ["in_ranges"]  # a fixture
pq = pytest.importorskip("pyarrow.parquet", reason=needs.module("pyarrow"))
RECORDS = "episodes.jsonl"
EPISODES, LEAST, MOST = 16, 4, 6  # so that a whole run has parts of 6, 6 and 4 rows
RUNS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "paladin": ({"agent": "paladin/follows_prompt", "limit": 2}, {"agent": "vanilla/follower", "limit": 2}),
    "highwater": (
        {"agent": "planner", "limit": 8, "interface": "calls"},
        {"agent": "naive", "limit": 8, "interface": "calls"},
    ),
}
FORMS: Mapping[str, VerdictForm[Any, Any]] = {"paladin": PALADIN, "highwater": HIGHWATER}


def play(name: str, folder: Path, **given: Any) -> None:
    suite = suites()[name]
    suite.run_scripted(suite.options(**{"jobs": 1, **given}).checked(), folder, lambda *_: None)


@pytest.fixture(scope="module", params=RUNS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[AnySuite, Path]:
    """Two runs of a suite, the first with an invalid episode."""
    home = tmp_path_factory.mktemp("played")
    for number, given in enumerate(RUNS[request.param]):
        play(request.param, home / str(number), **given)
    file = home / "0" / RECORDS
    lines = file.read_text("utf-8").splitlines(keepends=True)
    first = json.loads(lines[0])
    first["about"]["outside"] = "the provider is gone"
    file.write_text("".join([json.dumps(first) + "\n", *lines[1:]]), "utf-8")
    return suites()[request.param], home


@pytest.fixture
def suite(played: tuple[AnySuite, Path]) -> AnySuite:
    return played[0]


@pytest.fixture
def runs(played: tuple[AnySuite, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(table_parts, "LEAST", LEAST)
    monkeypatch.setattr(table_parts, "MOST", MOST)
    return Path(shutil.copytree(played[1], tmp_path / "runs"))


@pytest.fixture
def asked(suite: AnySuite, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the judge was asked about each episode."""
    found: Counter[str] = Counter()
    judge = suite.judge

    @wraps(judge)
    def count(episode: Any, record: Any) -> Any:
        found[record.episode] += 1
        return judge(episode, record)

    monkeypatch.setattr(type(suite), "judge", staticmethod(count))
    return found


def read(suite: AnySuite, folder: Path) -> Any:
    """All that is read, with the record of each episode."""
    form = FORMS[suite.name]
    return table_of.read_with_table(folder, form, lambda _, one: (one[:-1], one.record()), suite.judge)


def directly(suite: AnySuite, folder: Path) -> Any:
    """The same by the records alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_of, "tables_usable", lambda: False)
        return read(suite, folder)


def said(suite: AnySuite, folder: Path, *, table: bool = True) -> list[Any]:
    """Rows, notes, text and page of a report, and the rows of a ranking."""
    with pytest.MonkeyPatch.context() as patch:
        if not table:
            patch.setattr(table_of, "tables_usable", lambda: False)
        return [*shown(folder, suite)]


@pytest.mark.parametrize("which", ["0", ""], ids=["one run", "two runs"])
def test_reports_and_rankings_say_the_same_to_the_byte(
    which: str, suite: AnySuite, runs: Path, asked: Counter[str]
) -> None:
    pytest.importorskip("matplotlib", reason=needs.module("matplotlib"))
    folder = runs / which
    true = said(suite, folder, table=False)
    assert not list(runs.rglob("verdicts-*"))
    asked.clear()
    assert said(suite, folder) == true
    assert asked.total() == EPISODES - 1 + EPISODES * (not which)  # the ranking has the table already
    asked.clear()
    assert said(suite, folder) == true
    assert not asked
    list(compress_runs([file.parent for file in folder.rglob(RECORDS)]))
    assert said(suite, folder) == true
    assert not asked


def test_a_table_gives_what_the_records_give(suite: AnySuite, runs: Path, asked: Counter[str]) -> None:
    true = directly(suite, runs)
    assert [len(own) for own in true.invalid.values()] == [1, 0]
    for folder in (runs / "0", runs / "1"):
        read(suite, folder)
        assert [pq.ParquetFile(file).metadata.num_rows for file in parts(folder)] == [6, 6, 4]
    asked.clear()
    assert read(suite, runs) == true
    assert not asked


def _crashed(lines: list[str]) -> list[str]:
    return [text.replace('"reason": "answered"', '"reason": "crashed"') for text in lines]


ALTERED: Mapping[str, tuple[Callable[[list[str]], list[str]], int]] = {  # and how many episodes are judged again
    "changed": (_crashed, EPISODES - 1),
    "cut short": (lambda lines: lines[: _ends(lines)[9] + 1], 4),
    "cut off in an episode": (lambda lines: lines[:-1], 3),
    "appended": (lambda lines: [*lines, *_crashed(lines[_ends(lines)[0] + 1 : _ends(lines)[1] + 1])], 1),
}


def _ends(lines: list[str]) -> list[int]:
    return [place for place, text in enumerate(lines) if text.startswith('{"type": "ended"')]


@pytest.mark.parametrize("how", ALTERED)
def test_a_table_of_other_records_is_not_believed(how: str, suite: AnySuite, runs: Path, asked: Counter[str]) -> None:
    folder = runs / "0"
    before = read(suite, folder)
    alter, again = ALTERED[how]
    file = folder / RECORDS
    file.write_text("".join(alter(file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    true = directly(suite, folder)
    assert true != before
    asked.clear()
    assert read(suite, folder) == true
    assert asked.total() == again
    assert read(suite, folder) == true


def test_other_code_judges_again(
    suite: AnySuite, runs: Path, asked: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = read(suite, runs)
    asked.clear()
    monkeypatch.setattr(table_parts, "source_digest", lambda _: "another version")
    assert read(suite, runs) == true
    assert asked.total() == 2 * EPISODES - 1


def test_a_run_leaves_the_table_that_its_records_give(
    suite: AnySuite, runs: Path, tmp_path: Path, asked: Counter[str]
) -> None:
    folder = tmp_path / "run"
    play(suite.name, folder, **RUNS[suite.name][0])
    left = [file.read_bytes() for file in parts(folder)]
    assert len(left) == 3
    asked.clear()
    found = read(suite, folder)
    assert not asked
    for file in parts(folder):
        file.unlink()
    assert read(suite, folder) == found == directly(suite, folder)
    assert [file.read_bytes() for file in parts(folder)] == left


def test_a_run_that_was_interrupted_has_no_wrong_table(
    suite: AnySuite, runs: Path, tmp_path: Path, asked: Counter[str]
) -> None:
    """Its records end in the middle of an episode of which the table has a row already, or not yet."""
    folder = tmp_path / "run"
    play(suite.name, folder, **RUNS[suite.name][0])
    file = folder / RECORDS
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    file.with_name(f"{RECORDS}.chain").unlink()
    assert read(suite, folder).runs == directly(suite, folder).runs
    play(suite.name, folder, **RUNS[suite.name][0])
    assert read(suite, folder) == directly(suite, folder)
    assert sum(map(len, read(suite, folder).runs.values())) == EPISODES


def test_shards_are_merged_without_their_tables(suite: AnySuite, runs: Path, tmp_path: Path) -> None:
    shards = [tmp_path / "first", tmp_path / "second"]
    for number, folder in enumerate(shards, 1):
        play(suite.name, folder, **RUNS[suite.name][0], shard=f"{number}/2")
        read(suite, folder)
    join_folders(shards, tmp_path / "whole")
    true = directly(suite, tmp_path / "whole")
    assert sum(map(len, true.runs.values())) == EPISODES
    for _ in range(2):
        assert read(suite, tmp_path / "whole") == true
    assert parts(tmp_path / "whole")


@pytest.mark.parametrize("written", [False, True], ids=["before it is there", "after"])
def test_a_killed_writer_leaves_nothing_wrong(
    written: bool, suite: AnySuite, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    folder, write = runs / "0", table_parts.write_atomically
    true = directly(suite, folder)

    def kill(path: Path, data: bytes, **more: Any) -> None:
        if written or not path.name.endswith("2.parquet"):
            write(path, data, **more)
        if path.name.endswith("2.parquet"):
            path.with_name(f".{path.name}.aside").write_bytes(data[:99])
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(table_parts, "write_atomically", kill)
        with pytest.raises(Killed):
            read(suite, folder)
    assert len(parts(folder)) == 1 + written
    assert read(suite, folder) == true
    assert read(suite, folder) == true


def test_a_folder_that_cannot_be_written_to_is_read(
    suite: AnySuite, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise UserError("permission denied")

    true = directly(suite, runs)
    monkeypatch.setattr(table_parts, "write_atomically", refused)
    assert read(suite, runs) == true
    assert not list(runs.rglob("verdicts-*"))


@pytest.mark.parametrize("change", ["whole", "with a damaged last line", "with an episode cut off in the middle"])
def test_several_processes_give_what_one_gives(
    change: str, suite: AnySuite, runs: Path, request: pytest.FixtureRequest
) -> None:
    folder = runs / "0"
    file = folder / RECORDS
    file.write_text("".join(CHANGES[change](file.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    expected = read(suite, folder)
    tables = [part.read_bytes() for part in parts(folder)]
    for part in parts(folder):
        part.unlink()
    request.getfixturevalue("in_ranges")
    assert read(suite, folder) == expected
    assert [part.read_bytes() for part in parts(folder)] == tables != []


def _never_right(episode: Any, record: Record) -> Any:
    raise AssertionError(f"{episode.id} was judged")


def test_another_judge_has_no_part_in_a_table(suite: AnySuite, runs: Path) -> None:
    read(suite, runs)
    with pytest.raises(AssertionError, match="was judged"):
        table_of.read_with_table(runs, FORMS[suite.name], lambda *_: None, _never_right)


STRONG = pytest.mark.skipif(not find_isolation().strong, reason=needs.STRONG)


@pytest.mark.filterwarnings("ignore")  # Inspect leaves streams open
@pytest.mark.parametrize("name", ["paladin", pytest.param("highwater", marks=STRONG)])
def test_a_log_of_inspect_has_a_table(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    monkeypatch.setattr(table_parts, "LEAST", LEAST)
    suite = suites()[name]
    given = {"agent": RUNS[name][0]["agent"], "limit": 2, "engine": "inspect"}
    suite.run_inspect(suite.options(**given).checked(), tmp_path)
    true = directly(suite, tmp_path)
    assert read(suite, tmp_path) == true
    assert list(tmp_path.rglob("*.verdicts-*.parquet"))
    with monkeypatch.context() as patch:
        patch.setattr(table_of, "judged_rows", None)
        assert read(suite, tmp_path) == true
