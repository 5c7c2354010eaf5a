"""A campaign's records: sealed however its runs end, without secrets, and nobody's to read but their owner's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sealegs.traces.record_chain import chain_file
from tests import needs
from tests.cli.warm import Ended, WarmCommand, warm_command

pytest.importorskip("langchain", reason=needs.module("langchain"))
TEXT = "tip unreachable,hang model=scripted/naive\n"
ARGUMENT = r'"arguments": \{"(\w+)": "([^"]+)"\}'
RUN = ["campaign", "run", "small.campaign", "--time-limit", "3", "--jobs", "2", "--out", "out"]


@pytest.fixture(scope="module")
def sealegs() -> Iterator[WarmCommand]:
    with warm_command() as command:
        yield command


@pytest.fixture(scope="module")
def ran(sealegs: WarmCommand, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign: a run without a fault, one that fails, and one that hangs and is killed."""
    home = tmp_path_factory.mktemp("records")
    (home / "small.campaign").write_text(TEXT, encoding="utf-8")
    done = sealegs(RUN, home)
    assert done.code == 0, done.err
    return home / "out"


@pytest.fixture
def folder(ran: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(ran, tmp_path / "out"))


def traces(folder: Path) -> list[Path]:
    """The traces, the longest first."""
    return sorted((folder / "traces").glob("*.jsonl"), key=lambda file: -file.stat().st_size)


def verified(sealegs: WarmCommand, folder: Path) -> Ended:
    return sealegs(["report", str(folder), "--verify"], folder.parent)


def hung(folder: Path) -> Path:
    """The trace of the run that was killed: it has no end."""
    (found,) = [file for file in traces(folder) if '"type": "ended"' not in file.read_text("utf-8")]
    return found


def test_every_file_is_whole_also_that_of_a_run_that_was_killed(sealegs: WarmCommand, ran: Path) -> None:
    done = verified(sealegs, ran)
    assert done.code == 0, done.out
    lines = done.out.splitlines()
    assert len(lines) == 4
    assert all(re.search(r": whole, \d+ lines$", line) for line in lines), lines
    assert hung(ran).name in done.out
    assert {file.stat().st_mode & 0o777 for file in ran.rglob("*") if file.is_file()} == {0o600}


@pytest.mark.parametrize("which", ["journal", "trace"])
@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda lines: [lines[0], lines[1].replace(b"{", b'{"new": 1, ', 1), *lines[2:]], "altered: line 2"),
        (lambda lines: lines[:-1], "cut: 1 line missing at the end"),
        (lambda lines: lines[1:], "cut: 1 line missing behind line 0"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "reordered: lines 1 to 2"),
        (lambda lines: [*lines, lines[0]], "added: line"),
    ],
)
def test_a_change_is_named_with_its_file(
    sealegs: WarmCommand, folder: Path, which: str, how: Callable[[list[bytes]], list[bytes]], said: str
) -> None:
    file = folder / "journal.jsonl" if which == "journal" else traces(folder)[0]
    file.write_bytes(b"".join(how(file.read_bytes().splitlines(keepends=True))))
    done = verified(sealegs, folder)
    assert done.code == 1
    (found,) = [line for line in done.out.splitlines() if line.startswith(f"{file}: ")]
    assert f": {said}" in found


def test_a_trace_in_anothers_place_is_found_though_it_is_whole(sealegs: WarmCommand, folder: Path) -> None:
    longest, *_, shortest = traces(folder)
    shutil.copy(longest, shortest)
    shutil.copy(chain_file(longest), chain_file(shortest))
    done = verified(sealegs, folder)
    assert done.code == 1
    assert f"{shortest.name}: altered: it is not the trace that the journal names" in done.out


@pytest.mark.parametrize("chain_too", [False, True])
def test_a_trace_that_is_gone_is_found(sealegs: WarmCommand, folder: Path, chain_too: bool) -> None:
    gone = hung(folder)
    gone.unlink()
    if chain_too:
        chain_file(gone).unlink()
    done = verified(sealegs, folder)
    assert done.code == 1
    assert [line for line in done.out.splitlines() if f"{gone.name}: cut: all of it is missing" in line] != []


def test_a_trace_whose_run_has_no_end_is_not_sealed(sealegs: WarmCommand, folder: Path) -> None:
    shutil.copy(traces(folder)[0], folder / "traces" / "0123456789abcdef.jsonl")
    done = verified(sealegs, folder)
    assert done.code == 1
    assert "0123456789abcdef.jsonl: it is not sealed" in done.out


def test_the_same_command_continues_the_chain(sealegs: WarmCommand, folder: Path) -> None:
    """The journal ends in the middle of a line, and a run's trace and its entry are lost."""
    (folder.parent / "small.campaign").write_text(TEXT, encoding="utf-8")
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join([*lines[:2], lines[2][:40]]))
    entries = chain_file(folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    chain_file(folder / "journal.jsonl").write_bytes(b"".join(entries[:4]))  # a header, and an entry for each line
    done = sealegs(RUN, folder.parent)
    assert done.code == 0, done.err
    assert verified(sealegs, folder).code == 0


def test_the_same_command_seals_what_a_kill_left_open(sealegs: WarmCommand, folder: Path) -> None:
    """All runs had ended, and the process was killed before it closed the journal's chain."""
    chain = chain_file(folder / "journal.jsonl")
    *entries, _ = chain.read_bytes().splitlines(keepends=True)
    chain.write_bytes(b"".join(entries))
    assert "journal.jsonl: it is not sealed" in verified(sealegs, folder).out
    (folder.parent / "small.campaign").write_text(TEXT, encoding="utf-8")
    again = sealegs(RUN, folder.parent)
    assert again.code == 0, again.err
    assert "journal.jsonl: whole" in verified(sealegs, folder).out


def test_secrets_are_in_no_file_and_equal_ones_have_one_mark(sealegs: WarmCommand, tmp_path: Path) -> None:
    """What the agent passes to its tool is declared secret: in the trace, and in the run's result in the journal."""
    (tmp_path / "small.campaign").write_text("tip unreachable model=scripted/naive\n", encoding="utf-8")
    plain = sealegs(RUN, tmp_path)
    assert plain.code == 0, plain.err
    (argument,) = {call for file in traces(tmp_path / "out") for call in re.findall(ARGUMENT, file.read_text("utf-8"))}
    shutil.rmtree(tmp_path / "out")
    environment = {**os.environ, "SEALEGS_REDACT_NAMES": argument[0]}
    command = [sys.executable, "-m", "sealegs", *RUN]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    files = [*(tmp_path / "out").rglob("*.jsonl")]
    marks = {mark for file in files for mark in re.findall(r"\[redacted:\w+\]", file.read_text("utf-8"))}
    assert len(marks) == 1
    assert not [file for file in files if argument[1] in file.read_text("utf-8")]
    assert verified(sealegs, tmp_path / "out").code == 0
