"""`sealegs highwater build` and `check`: a run of each, and what they say to bad input."""

import gzip
import json
from pathlib import Path

from sealegs.world.sql.function_library import TABLE, Library
from tests.cli.test_run import sealegs
from tests.world.sql.test_library import PAIRS, write_pairs
from tests.world.sql.toy import write_toy


def test_build(tmp_path: Path) -> None:
    write_toy(tmp_path)
    write_pairs(tmp_path).joinpath("pairs.json").rename(tmp_path / "mine.json")
    done = sealegs("highwater", "build", ".", "--pairs", "mine.json", "--out", "out", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    library = Library.open(tmp_path / "out")
    assert found["functions"] == len(library.functions) == sum(found["functions_by_arguments"].values())
    assert (found["questions"], found["problems"]) == (9, len(library.problems))
    assert 0 < found["seconds"] < 100
    ours = {row["metric"]: row["value"] for row in found["rows"] if row["agent"] == "sealegs"}
    theirs = {row["metric"]: row["value"] for row in found["rows"] if row["agent"] == "published"}
    assert ours["functions"] == found["functions"]
    assert theirs["functions"] == 4450
    assert all(
        set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"} for row in found["rows"]
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("left out: ")]
    assert len(lines) == found["left_out"] == 10
    assert "left out: pair 11 (toy): the answer is empty (its functions are kept)" in lines
    assert f"left out: pair {len(PAIRS) + 1} (elsewhere): there is no such database" in lines


def test_build_prints_beside_the_published(tmp_path: Path) -> None:
    write_toy(tmp_path)
    write_pairs(tmp_path, PAIRS[:3])
    done = sealegs("highwater", "build", ".", "--out", "out", "--variants", "0", "--jobs", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "4,450" in done.stdout
    assert "2 problems in out" in done.stdout


def test_bad_input_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "pairs.json").write_text('[{"question": "a"}]', encoding="utf-8")
    for arguments, message in (
        ((".", "--out", "out"), "pair 1: query, db_id missing or no text"),
        (("nowhere", "--out", "out"), "there is no folder nowhere"),
        ((".", "--pairs", "none.json", "--out", "out"), "there is no file none.json"),
    ):
        done = sealegs("highwater", "build", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_check_finds_what_is_wrong_with_a_library(tmp_path: Path) -> None:
    write_toy(tmp_path)
    write_pairs(tmp_path, PAIRS[:3])
    assert sealegs("highwater", "build", ".", "--out", "out", "--jobs", "1", cwd=tmp_path).returncode == 0
    done = sealegs("highwater", "check", "out", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sound"]
    assert {row["metric"]: row["value"] for row in found["rows"]}["way_round_printed"] == 0
    table = tmp_path / "out" / TABLE
    text = gzip.decompress(table.read_bytes()).decode()
    (average,) = (line for line in text.splitlines() if '"The average age over students. Data: toy."' in line)
    recipe = text.replace("is greater than the average among", "is greater than (the average age over students), of")
    assert average in recipe
    table.write_bytes(gzip.compress(recipe.encode()))
    done = sealegs("highwater", "check", "out", cwd=tmp_path)
    assert done.returncode == 1
    assert "its documentation prints the text of fn_" in done.stderr
    assert "documentation prints a function of a way round it" in done.stderr
