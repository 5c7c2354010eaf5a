"""Whatever is done to records or to their chain is found; kills, resuming and full disks do nothing to them."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.faults.user_error import UserError
from sealegs.inject import VirtualClock
from sealegs.traces import Recorder, Store
from sealegs.traces.chain_check import check_chain, check_chains
from sealegs.traces.record_chain import chain_file, write_chain

EPISODES, LINES = 4, 3  # lines of an episode


def written(file: Path, first: int = 0, count: int = EPISODES) -> Path:
    """The file with these episodes appended."""
    store = Store(file)
    for number in range(first, first + count):
        recorder = Recorder(VirtualClock())
        recorder.start(f"episode-{number}", {})
        recorder.finish("answered", answer=f"answer {number}")
        store.append(recorder.events)
    store.close()
    return file


def changed(file: Path, how: Callable[[list[bytes]], list[bytes]]) -> str:
    """The problems of the file after this was done to its lines."""
    file.write_bytes(b"".join(how(file.read_bytes().splitlines(keepends=True))))
    found = check_chain(file)
    assert found.state == "changed"
    return "; ".join(found.problems)


def test_what_was_written_is_whole(tmp_path: Path) -> None:
    found = check_chain(written(tmp_path / "a.jsonl"))
    assert (found.state, found.lines) == ("whole", EPISODES * LINES)
    assert chain_file(tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o600


def test_the_records_are_the_same_as_without_and_chunks_do_not_matter(tmp_path: Path) -> None:
    one, two = written(tmp_path / "a.jsonl"), tmp_path / "b.jsonl"
    for number in range(EPISODES):
        written(two, number, 1)
    assert one.read_bytes() == two.read_bytes()
    assert check_chain(two).state == "whole"
    before = chain_file(one).read_bytes()
    write_chain(one)
    assert chain_file(one).read_bytes() == before


@pytest.mark.parametrize(
    ("how", "problems"),
    [
        (lambda lines: lines[:5] + lines[6:], "cut: 1 line missing behind line 5"),
        (lambda lines: lines[:-1], "cut: 1 line missing at the end, behind line 11"),
        (lambda lines: lines[LINES:], "cut: 3 lines missing behind line 0"),
        (lambda lines: [], "cut: 12 lines missing at the end, behind line 0"),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], "reordered: lines 4 to 5"),
        (lambda lines: lines[LINES:] + lines[:LINES], "reordered: lines 1 to 11"),
        (lambda lines: [*lines, lines[-1]], "added: line 13"),
        (lambda lines: [*lines[:4], b"{}\n", *lines[4:]], "added: line 5"),
        (lambda lines: [*lines[:7], b"{}\n", *lines[8:]], "altered: line 8"),
        (lambda lines: [b"{}\n", *lines[1:-1], b"{}\n"], "altered: 2 of lines 1 to 12"),
        (lambda lines: [*lines[:2], b"{}\n", *lines[6:]], "altered: line 3, in place of 4 lines"),
        (lambda lines: [*lines[:-1], lines[-1][:-1]], "altered: line 12"),
    ],
)
def test_changes_to_the_lines_are_reported(
    tmp_path: Path, how: Callable[[list[bytes]], list[bytes]], problems: str
) -> None:
    assert changed(written(tmp_path / "a.jsonl"), how) == problems


@pytest.mark.parametrize("which", ["records", "chain"])
def test_one_altered_byte_is_found_wherever_it_is(tmp_path: Path, which: str) -> None:
    """Every byte of an episode, and of every kind of entry: the header, lines, and the seal."""
    file = written(tmp_path / "a.jsonl", count=2)
    target = file if which == "records" else chain_file(file)
    data = target.read_bytes()
    for place in range(len(data)):
        target.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert check_chain(file).state == "changed", place
    target.write_bytes(data)
    assert check_chain(file).state == "whole"


def test_a_file_that_ends_early_anywhere_is_found(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", count=2)
    data = file.read_bytes()
    for size in range(len(data)):
        file.write_bytes(data[:size])
        assert check_chain(file).state == "changed", size


def test_a_chain_that_ends_early_is_never_whole(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", count=2)
    chain = chain_file(file).read_bytes()
    for size in range(len(chain)):
        chain_file(file).write_bytes(chain[:size])
        assert check_chain(file).state != "whole", size


def test_both_ends_cut_off_together_show_by_the_missing_seal(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl")
    lines, entries = file.read_bytes().splitlines(True), chain_file(file).read_bytes().splitlines(True)
    file.write_bytes(b"".join(lines[:LINES]))
    chain_file(file).write_bytes(b"".join(entries[:2]))
    assert check_chain(file).state == "open"


def test_records_without_a_chain_are_reported_as_such(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl")
    chain_file(file).unlink()
    assert check_chain(file).state == "none"
    written(file, EPISODES, 1)  # and appending makes none for what nobody can vouch for
    assert check_chain(file).state == "none"


def test_who_has_no_key_cannot_make_a_chain_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.jsonl"
    monkeypatch.setenv("SEALEGS_RECORD_KEY", "ours")
    written(file)
    assert check_chain(file).state == "whole"
    assert check_chain(file, b"").problems == ("a.jsonl.chain is keyed; give its key in SEALEGS_RECORD_KEY",)
    assert check_chain(file, b"other").state == "changed"
    file.write_bytes(file.read_bytes().replace(b"answer 1", b"answer 9"))
    monkeypatch.setenv("SEALEGS_RECORD_KEY", "theirs")
    write_chain(file)
    assert check_chain(file, b"ours").problems == ("a.jsonl.chain was made with another key, or altered",)
    monkeypatch.delenv("SEALEGS_RECORD_KEY")
    write_chain(file)
    assert check_chain(file).state == "whole", "without a key, both can be made anew"
    assert check_chain(file, b"ours").problems == ("a.jsonl.chain is not keyed, though a key is given",)


def test_what_a_killed_process_left_is_continued_and_whole(tmp_path: Path) -> None:
    """Its entry is written before its lines: with none, a part or all of these, the next process goes on."""
    file = written(tmp_path / "whole.jsonl", count=3)
    data, chain = file.read_bytes(), chain_file(file).read_bytes()
    third = sum(map(len, data.splitlines(True)[: 2 * LINES]))
    entries = list(itertools.accumulate(map(len, chain.splitlines(True))))  # header, three episodes, seal
    for size in (third, third + 1, len(data) - 1, len(data)):
        for length in (entries[2], entries[2] + 9, entries[3], len(chain) - 1):
            if size > third and length < entries[3]:
                continue  # the lines came after their entry
            left = tmp_path / f"{size}-{length}.jsonl"
            left.write_bytes(data[:size])
            chain_file(left).write_bytes(chain[:length])
            written(left, 2 if size < len(data) else 3, 1)
            assert check_chain(left).state == "whole", (size, length)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_no_chain(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]);"
        "from tests.traces.test_chain import written; written(Path(sys.argv[1]), 0, 100_000)"
    )
    root = str(Path(__file__).parents[2])
    file = tmp_path / "a.jsonl"
    for _ in range(2):
        start = file.stat().st_size if file.exists() else 0
        process = subprocess.Popen([sys.executable, "-c", code, str(file), root])
        while not file.exists() or file.stat().st_size < start + random.Random(start).randint(1, 50_000):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert check_chain(file).state in ("open", "changed")  # an entry may be ahead of its lines
    written(file, 0, 1)
    assert check_chain(file).state == "whole"


def test_a_kill_within_the_first_line_of_the_chain_loses_nothing(tmp_path: Path) -> None:
    Store(tmp_path / "a.jsonl").close()
    header, _ = chain_file(tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    for size in range(len(header) + 1):
        file = tmp_path / f"{size}.jsonl"
        file.touch()
        chain_file(file).write_bytes(header[:size])
        assert check_chain(written(file)).state == "whole", size


def test_an_end_that_was_cut_off_shows_after_the_run_was_resumed(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl")
    file.write_bytes(b"".join(file.read_bytes().splitlines(True)[: 2 * LINES]))
    store = Store(file)
    assert "the records end before its entries do" in store.notice
    store.close()
    written(file, 9, 1)
    assert check_chain(file).problems == ("cut behind line 6, and continued later",)


def test_lines_that_were_added_show_after_the_run_was_resumed(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl")
    lines = file.read_bytes().splitlines(True)
    file.write_bytes(b"".join([*lines, *lines[:LINES]]))
    written(file, 9, 1)
    assert check_chain(file).problems == ("added: lines 13 to 15",)


def test_an_entry_without_room_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "a.jsonl")
    before, chain = file.read_bytes(), chain_file(file).read_bytes()
    store = Store(file)

    def full(target: object, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    for place in ("sealegs.traces.record_chain.write_all", "sealegs.traces.store.write_all"):
        monkeypatch.setattr(place, full)
        with pytest.raises(OSError, match="No space"):
            store.append_lines(["{}\n"])
        monkeypatch.undo()
        assert (file.read_bytes(), chain_file(file).read_bytes()) == (before, chain)
    store.close()
    assert check_chain(file).state == "whole"


def test_the_command_says_what_is_whole_and_what_not(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl")
    (tmp_path / "other.jsonl").write_text("{}\n", "utf-8")  # no records
    run = CliRunner().invoke(app, ["report", str(tmp_path), "--verify"])
    assert (run.exit_code, run.output) == (0, f"{file}: whole, 12 lines\n")
    assert not (tmp_path / "report.html").exists()
    changed(file, lambda lines: lines[1:])
    run = CliRunner().invoke(app, ["report", str(file), "--verify", "--json", str(tmp_path / "rows.json")])
    assert (run.exit_code, run.output) == (1, f"{file}: cut: 1 line missing behind line 0\n")
    (row,) = json.loads((tmp_path / "rows.json").read_text("utf-8"))["rows"]
    assert (row["metric"], row["value"], row["n"]) == ("whole", 0, 11)
    chain_file(file).unlink()
    run = CliRunner().invoke(app, ["report", str(file), "--verify"])
    assert (run.exit_code, "has no chain" in run.output) == (1, True)
    with pytest.raises(UserError, match="cannot be read"):
        check_chains(tmp_path / "nothing")


def test_a_device_gets_no_chain() -> None:
    store = Store(Path(os.devnull))
    store.close()
    assert not chain_file(Path(os.devnull)).exists()
