"""`--on ray` with a URL: the shards of a real cluster are kept and joined on a server that speaks S3."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.traces.object_store import ObjectStore
from sealegs.traces.remote_fetch import fetch_folder
from tests import needs
from tests.cli.test_spread import RUN, Nodes, contents, nodes, sealegs
from tests.s3_server import s3_server, use_server

__all__ = ["nodes"]
# The command, handing over what is new all the time.
DRIVER = """
from sealegs.traces import remote_folder
remote_folder.EVERY = remote_folder.LOOK = 0.1
from sealegs.cli import main
main()
"""


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an empty bucket."""
    for name in ("fsspec", "moto", "s3fs"):
        pytest.importorskip(name, reason=needs.S3)
    with s3_server() as server:
        yield use_server(server, monkeypatch)


def archives(url: str) -> set[str]:
    """The shards that are on the store."""
    return {name for name in ObjectStore(f"{url}.parts").sizes() if name.endswith("-of-8.zip")}


def test_a_killed_command_keeps_the_shards_on_the_store(nodes: Nodes, bucket: str, tmp_path: Path) -> None:
    assert sealegs(*RUN, "--jobs", "1", "--out", "by-one", place=tmp_path).returncode == 0
    url = f"{bucket}/by-many"
    words = [*RUN, "--on", "ray", "--out", url]
    environment = {**os.environ, "RAY_ADDRESS": nodes.address}
    with subprocess.Popen([sys.executable, "-c", DRIVER, *words], cwd=tmp_path, env=environment) as driver:
        while driver.poll() is None and len(archives(url)) < 2:
            time.sleep(0.05)
        assert driver.poll() is None
        driver.kill()
    kept = archives(url)
    assert 2 <= len(kept) < 8
    assert not [name for name in ObjectStore(url).sizes() if not name.startswith(".")], "nothing is joined yet"

    again = sealegs(*words, place=tmp_path, RAY_ADDRESS=nodes.address)
    assert again.returncode == 0, again.stderr
    made = tmp_path / "fetched"
    made.mkdir()
    fetch_folder(ObjectStore(url), made)
    assert contents(made) == contents(tmp_path / "by-one")
    assert archives(url) == set(), "joined shards go"
    assert not [name for name in ObjectStore(f"{url}.parts").sizes() if not name.startswith(".")]
    assert str(tmp_path) not in again.stdout, "the URL is named"

    last = sealegs(*words, place=tmp_path, RAY_ADDRESS="127.0.0.1:1")
    assert last.returncode == 0, last.stderr
    assert f"note: {url} is there already" in last.stderr
    assert last.stdout == again.stdout
