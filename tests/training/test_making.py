"""A whole set: the same bytes however it is made, split without leaks, refused where something leaks."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.faults.user_error import UserError
from sealegs.tasks.similarity import jaccard, tools_of
from sealegs.training.data import UNSEEN
from sealegs.training.data.data_command import check_data_set, data_set_request, make_data_set
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.dividing import ALIKE, division
from sealegs.training.data.files import check_format, parts, read_row_files
from sealegs.training.data.row_blocks import JOURNAL
from sealegs.training.data.set_checks import Leak, check_leaks, read_row_contents
from sealegs.training.data.task_sources import DataSources
from tests import needs
from tests.training.made import making

N = 60


def quiet(done: int, total: int) -> None: ...


def made(out: Path, n: int = N, recipe: str = "default", jobs: int = 1, **more: Any) -> Path:
    settings = {
        "seed": 0,
        "row_format": "trl",
        "file_format": "jsonl",
        "tasks": [],
        "toolbench": [],
        "shipped": True,
        "teacher": "",
    }
    make_data_set(data_set_request(recipe, n, out=out, **{**settings, **more}), out, quiet, jobs)
    return out


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("sets") / "one")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def lines(folder: Path) -> list[dict[str, Any]]:
    return [row for files in parts(folder).values() for row in read_row_files(files)]


def test_any_number_of_workers_makes_the_same_bytes(one: Path, tmp_path: Path) -> None:
    assert contents(made(tmp_path / "two", jobs=2)) == contents(one)


def test_another_seed_makes_another_set(one: Path, tmp_path: Path) -> None:
    assert contents(made(tmp_path / "other", n=25, seed=-1)) != contents(one)
    assert check_data_set(tmp_path / "other", 5)[1] == []


def test_a_killed_command_goes_on(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "sealegs", "data", "make", "default"]
    command += ["--n", str(N), "--out", str(out), "--jobs", "1"]
    for entries in (1, 2):  # the settings alone, then one block more each time
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while process.poll() is None and blocks(out) < entries:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not (out / "README.md").exists()
        with pytest.raises(UserError, match="the same command finishes"):
            check_data_set(out, 0)
    with (out / JOURNAL).open("ab") as journal:
        journal.write(b'{"rows": {"tr')  # as a kill in the middle of a write leaves it
    assert contents(made(out)) == contents(one)


def blocks(out: Path) -> int:
    journal = out / JOURNAL
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def test_a_part_without_its_entry_is_made_anew(one: Path, tmp_path: Path) -> None:
    out = made(tmp_path / "cut")
    journal = out / JOURNAL
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    for file in (out / "data").glob("train-00001.*"):
        file.write_text("half of a ro")
    assert contents(made(out)) == contents(one)


def test_another_set_is_not_overwritten(one: Path) -> None:
    before = contents(one)
    with pytest.raises(UserError, match="seed was 0, is 5"):
        made(one, seed=5)
    assert contents(one) == before


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(UserError, match="not empty"):
        made(tmp_path)
    with pytest.raises(UserError, match="cannot make"):
        made(tmp_path / "letter.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_the_default_is_rich_in_failures(one: Path) -> None:
    assert abs(sum(row["failing"] for row in lines(one)) / N - 0.8) < 0.1
    places = [making(1000).place(number) for number in range(1000)]
    for split, share in DataRecipe(name="any").splits.parts().items():
        of = [failing for found, failing in places if found == split]
        assert abs(len(of) - 1000 * share) < 10
        assert abs(sum(of) - 0.8 * len(of)) < 5


def test_splits_are_disjoint(one: Path) -> None:
    found = lines(one)
    known = [row for row in found if row["split"] != UNSEEN]
    unseen = [row for row in found if row["split"] == UNSEEN and row["failing"]]
    assert unseen
    for row in found:
        for other in found:
            if row["split"] != other["split"]:
                assert row["base_task"] != other["base_task"]
                if row["failing"] and other["failing"]:
                    assert (row["failure_class"], row["step_tool"]) != (other["failure_class"], other["step_tool"])
    assert not {row["step_tool"] for row in unseen} & {tool for row in known for tool in row["offered"]}
    assert not {row["failure_kind"] for row in unseen} & {row["failure_kind"] for row in known}


def test_every_task_is_of_one_split_at_most() -> None:
    divided = division(DataSources(), DataRecipe(name="any"), 0)
    tasks = [base.id for of in divided.tasks.values() for base in of]
    assert len(tasks) == len(set(tasks)) == 400
    known = {tool for split, of in divided.tasks.items() if split != UNSEEN for base in of for tool in base.specs}
    assert divided.tools
    assert not divided.tools & known


@pytest.mark.parametrize("seed", range(3))
def test_tasks_that_are_much_alike_stay_together(seed: int) -> None:
    divided = division(DataSources(), DataRecipe(name="any"), seed)
    homes = [(split, tools_of(base.task)) for split, of in divided.tasks.items() for base in of]
    alike = [(one, two) for (one, own), (two, others) in combinations(homes, 2) if jaccard(own, others) > ALIKE]
    assert alike
    assert all(one == two for one, two in alike)


DIVIDED = """
from sealegs.training.data.dividing import division
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.task_sources import DataSources
found = division(DataSources(), DataRecipe(name="any"), 0)
print([[base.id for base in of] for of in found.tasks.values()], sorted(found.tools))
"""


def test_no_process_divides_otherwise() -> None:
    def divided(hashed: str) -> bytes:
        command = [sys.executable, "-c", DIVIDED]
        return subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": hashed}, stdout=subprocess.PIPE, check=True
        ).stdout

    assert len({divided(hashed) for hashed in "123"}) == 1


PLANTED = {
    "base task": {"base_task": None},
    "pair of class and step": {"failure_class": None, "step_tool": None},
    "tool struck in generalisation": {"offered": None},
    "kind of failure": {"failure_kind": None},
}


@pytest.mark.parametrize("noun", PLANTED)
def test_a_planted_leak_is_found(one: Path, tmp_path: Path, noun: str) -> None:
    out = tmp_path / "leaking"
    found = lines(one)
    giver = next(row for row in found if row["split"] == UNSEEN and row["failing"])
    taker = next(row for row in found if row["split"] == "train" and row["failing"])
    stolen = {name: giver[name] for name in PLANTED[noun]}
    write(out, [{**row, **stolen} if row is taker else row for row in found])
    with pytest.raises(Leak, match=noun):
        check_leaks(out, 0.95)


def test_a_row_that_stands_twice_is_found(one: Path, tmp_path: Path) -> None:
    found = lines(one)
    write(tmp_path / "twice", [*found, {**found[0], "id": "again"}])
    with pytest.raises(Leak, match="the same text as another: again"):
        check_leaks(tmp_path / "twice", 0.95)
    words = [{**m, "content": "So."} if m["role"] == "assistant" else m for m in found[0]["messages"]]
    write(tmp_path / "near", [*found, {**found[0], "id": "again", "messages": words}])
    with pytest.raises(Leak, match="nearly the same"):
        check_leaks(tmp_path / "near", 0.95)


def write(out: Path, found: list[dict[str, Any]]) -> None:
    (out / "data").mkdir(parents=True)
    for split in {row["split"] for row in found}:
        of = [json.dumps(row) + "\n" for row in found if row["split"] == split]
        (out / "data" / f"{split}-00000.jsonl").write_text("".join(of))


def test_a_set_with_a_leak_gets_no_card(one: Path, tmp_path: Path) -> None:
    out = made(tmp_path / "leaking", n=25)
    part = next((out / "data").glob("test-*.jsonl"))
    stolen = json.loads(next((out / "data").glob("train-*.jsonl")).read_text().splitlines()[0])
    with part.open("a") as file:
        file.write(json.dumps({**stolen, "split": "test"}) + "\n")
    with pytest.raises(Leak, match="base task"):
        made(out, n=25)
    assert not (out / "README.md").exists()
    _, problems = check_data_set(out, 5)
    assert len(problems) == 2  # the leak, and the file that was changed


def test_the_card_counts_what_is_there(one: Path) -> None:
    card, found = (one / "README.md").read_text(), lines(one)
    manifest = json.loads((one / "dataset.json").read_text())
    assert f"# {len(found)} trajectories" in card
    assert f"| train | {sum(row['split'] == 'train' for row in found)} |" in card
    assert f"| P2 | {sum(row['mode'] == 'P2' for row in found)} |" in card
    assert manifest["sha256"] in card
    assert f"{len(read_row_contents(one, 0.95).requests)} different requests" in card
    assert "apache-2.0" in card


def test_parquet_holds_the_same(one: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason=needs.module("pyarrow"))
    assert lines(made(tmp_path / "parquet", file_format="parquet")) == lines(one)


def test_parquet_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sealegs.training.data.files.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"sealegs\[train-data\]"):
        check_format("parquet")


def test_the_commands(tmp_path: Path) -> None:
    out = tmp_path / "set"
    runner = CliRunner()
    run = runner.invoke(app, ["data", "make", "default", "-n", "25", "--out", str(out), "--jobs", "1", "--json", "-"])
    assert run.exit_code == 0, run.output
    assert sum(row["value"] for row in json.loads(run.stdout)["rows"]) == 25
    run = runner.invoke(app, ["data", "check", str(out), "--sample", "10"])
    assert run.exit_code == 0, run.output
    assert "25 rows checked for leaks, 10 played and judged again, 0 problems" in run.stdout


def test_every_mistake_of_a_command_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        made(tmp_path / "none", recipe="nowhere", row_format="prose", file_format="csv", tasks=[tmp_path / "empty"])
    for word in ("nowhere", "prose", "csv", "empty"):
        assert word in str(caught.value)
    assert not (tmp_path / "none").exists()
