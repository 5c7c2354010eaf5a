"""`--on ray`: shards made by a real cluster of several nodes, one of which is killed midway."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sealegs.cli import spread
from sealegs.cli.verbs import run
from sealegs.engines import ray_cluster
from sealegs.engines.ray_cluster import check_cluster_address, packed_folder, unpack_folder
from sealegs.engines.shards import Shard
from sealegs.faults.user_error import UserError
from sealegs.suites.suite import suite_named
from tests import needs

RUN = ["run", "maze", "--agent", "planner", "--limit", "12", "--levels", "C1,C2"]
DATA = ["data", "make", "default", "-n", "40", "--seed", "3"]
TASKS = ["maze", "generate", "-n", "3", "--levels", "C1", "--seed", "3"]


def sealegs(*words: str, place: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sealegs", *words],
        cwd=place,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def contents(folder: Path) -> dict[str, bytes]:
    """What is in the files of a folder, by their paths."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


class Nodes:
    """A cluster of nodes on this machine: raylets of their own, as on several."""

    def __init__(self, cluster: Any) -> None:
        self.cluster = cluster
        self.workers = [cluster.add_node(num_cpus=1) for _ in range(2)]
        cluster.wait_for_nodes()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def kill_one(self) -> None:
        """End a node as a lost machine would: its processes get no word."""
        node = self.workers.pop()
        for found in node.all_processes.values():
            for one in found:
                os.kill(one.process.pid, signal.SIGKILL)
        self.cluster.remove_node(node, allow_graceful=False)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    pytest.importorskip("ray", reason=needs.module("ray"))
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        yield Nodes(cluster)
    finally:
        cluster.shutdown()


@pytest.mark.parametrize("words", [RUN, DATA, TASKS], ids=["run", "data make", "maze generate"])
def test_a_cluster_makes_what_one_process_makes(words: list[str], nodes: Nodes, tmp_path: Path) -> None:
    alone = sealegs(*words, "--jobs", "1", "--out", "by-one", place=tmp_path)
    assert alone.returncode == 0, alone.stderr
    spread = sealegs(*words, "--on", "ray", "--out", "by-many", place=tmp_path, RAY_ADDRESS=nodes.address)
    assert spread.returncode == 0, spread.stderr
    assert contents(tmp_path / "by-many") == contents(tmp_path / "by-one")
    assert spread.stdout == alone.stdout.replace("by-one", "by-many")
    assert not (tmp_path / "by-many.parts").exists()
    again = sealegs(*words, "--on", "ray", "--out", "by-many", place=tmp_path, RAY_ADDRESS="127.0.0.1:1")
    assert again.returncode == 0, again.stderr
    assert "what is left to do is done here" in again.stderr


def test_a_lost_node_is_made_good(nodes: Nodes, tmp_path: Path) -> None:
    assert sealegs(*RUN, "--jobs", "1", "--out", "by-one", place=tmp_path).returncode == 0
    words = [sys.executable, "-m", "sealegs", *RUN, "--on", "ray", "--out", "by-many"]
    with subprocess.Popen(
        words, cwd=tmp_path, env={**os.environ, "RAY_ADDRESS": nodes.address}, stderr=subprocess.PIPE
    ) as driver:
        parts = tmp_path / "by-many.parts"
        while driver.poll() is None and len(list(parts.glob("[0-9]*-of-8.zip"))) < 2:
            time.sleep(0.05)
        assert driver.poll() is None, driver.stderr and driver.stderr.read()
        nodes.kill_one()
        assert len(list(parts.glob("[0-9]*-of-8.zip"))) < 8, "the node was killed when nothing was left to do"
        driver.communicate(timeout=600)
    assert driver.returncode == 0
    assert contents(tmp_path / "by-many") == contents(tmp_path / "by-one")


def test_a_killed_command_keeps_finished_shards(nodes: Nodes, tmp_path: Path) -> None:
    assert sealegs(*RUN, "--jobs", "1", "--out", "by-one", place=tmp_path).returncode == 0
    words = [sys.executable, "-m", "sealegs", *RUN, "--on", "ray", "--out", "by-many"]
    environment = {**os.environ, "RAY_ADDRESS": nodes.address}
    parts = tmp_path / "by-many.parts"
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL) as driver:
        while driver.poll() is None and len(list(parts.glob("[0-9]*-of-8.zip"))) < 2:
            time.sleep(0.05)
        driver.kill()
    kept = {one.name: one.stat().st_mtime_ns for one in parts.glob("[0-9]*-of-8.zip")}
    assert 2 <= len(kept) < 8
    nodes.workers.append(nodes.cluster.add_node(num_cpus=1))  # another size divides nothing anew
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as driver:
        while driver.poll() is None and len(list(parts.glob("[0-9]*-of-8.zip"))) < 8:
            assert all((parts / name).stat().st_mtime_ns == made for name, made in kept.items() if parts.exists())
            time.sleep(0.05)
        driver.communicate(timeout=600)
    assert driver.returncode == 0
    assert contents(tmp_path / "by-many") == contents(tmp_path / "by-one")


def test_a_mistake_in_a_shard_is_reported_once(nodes: Nodes, tmp_path: Path) -> None:
    words = ["maze", "generate", "--method", "model", "--model", "openai/gpt-5", "--out", "made"]
    done = sealegs(*words, "--on", "ray", place=tmp_path, RAY_ADDRESS=nodes.address)
    assert done.returncode == 2
    assert done.stderr.count("--shard") == 1
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "made").exists()


def test_shards_of_another_command_are_refused(nodes: Nodes, tmp_path: Path) -> None:
    (tmp_path / "made.parts").mkdir()
    (tmp_path / "made.parts" / "1-of-8.zip").write_bytes(packed_folder(tmp_path / "made.parts"))
    (tmp_path / "made.parts" / "command.json").write_text("{}")
    done = sealegs(*RUN, "--on", "ray", "--out", "made", place=tmp_path, RAY_ADDRESS=nodes.address)
    assert done.returncode == 2
    assert "holds shards of another command" in done.stderr


@pytest.mark.parametrize("words", [["--", "default"], ["default"]])
def test_options_of_a_shard_come_before_what_is_none(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["sealegs", "data", "make", "--out", "x", "--on", "ray", *words])
    monkeypatch.setenv("SEALEGS_REDACT_NAMES", "patient")
    made = spread._shard_command(Shard(1, 2), ("--jobs", "1"))
    given = [*made.args, "--out", "y", *made.rest]
    options = given[: given.index("--")] if "--" in given else given
    assert options[-2:] == ["--out", "y"] or "--" not in words
    assert options[options.index("--shard") + 1] == "1/2"
    assert made.settings["SEALEGS_REDACT_NAMES"] == "patient"


def test_a_suite_without_processes_gets_no_jobs(tmp_path: Path) -> None:
    done = sealegs("run", "inspect", "--task", "x.py@t", "--on", "", "--shard", "1/4", "--json", "", place=tmp_path)
    assert "--jobs" not in done.stderr
    assert "jobs" not in dict(run._fields(suite_named("inspect")))
    assert "jobs" in dict(run._fields(suite_named("maze")))


def test_without_a_cluster_one_line_says_so(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason=needs.module("ray"))
    done = sealegs(*RUN, "--on", "ray", "--out", "made", place=tmp_path, RAY_ADDRESS="127.0.0.1:1")
    assert done.returncode == 2
    assert "no cluster answers" in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r'pip install "sealegs\[ray\]"'), ray_cluster.connected_cluster("ray"):
        pass


def test_a_shard_and_a_cluster_contradict_each_other(tmp_path: Path) -> None:
    done = sealegs(*RUN, "--on", "ray", "--shard", "1/2", "--out", "made", place=tmp_path)
    assert done.returncode == 2
    assert "leave one of them out" in done.stderr


@pytest.mark.parametrize("address", ["", "ray", "ray://10.0.0.1:10001"])
def test_an_address_is_taken(address: str) -> None:
    assert check_cluster_address(address) == address


@pytest.mark.parametrize("address", ["slurm", "ray:", "ray://", "RAY"])
def test_another_address_is_refused(address: str) -> None:
    with pytest.raises(UserError, match="write --on ray"):
        check_cluster_address(address)


def test_a_folder_comes_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "one" / "inner" / "empty").mkdir(parents=True)
    (tmp_path / "one" / "a.jsonl").write_bytes(b"\x00\xff")
    (tmp_path / "one" / "inner" / "b").write_bytes(b"")
    (tmp_path / "one.zip").write_bytes(packed_folder(tmp_path / "one"))
    unpack_folder(tmp_path / "one.zip", tmp_path / "other")
    assert contents(tmp_path / "other") == contents(tmp_path / "one")
    assert (tmp_path / "other" / "inner" / "empty").is_dir()


@pytest.mark.parametrize("cut", [0, 10, 200])
def test_a_damaged_archive_is_one_line(cut: int, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.jsonl").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "one.zip").write_bytes(packed_folder(tmp_path / "one")[:cut])
    with pytest.raises(UserError, match=r"one\.zip is damaged"):
        unpack_folder(tmp_path / "one.zip", tmp_path / "other")
