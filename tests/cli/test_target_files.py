"""What an option such as `--json` may name beside a plain file: a link, a pipe, an open file of the shell, a device."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sealegs.cli.target_files import check_file_target, write_target
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import check_appendable, is_stream
from tests import needs

POWER = "power --rates 60,80 --task-counts 20"  # one that measures, and needs no run before it


def shell(line: str, place: Path) -> str:
    """What a line of bash writes to standard output, where `sealegs` is this one."""
    command = f'sealegs() {{ {shlex.quote(sys.executable)} -m sealegs "$@"; }}\n{line}'
    done = subprocess.run(["bash", "-c", command], cwd=place, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(text: str) -> list[object]:
    found: list[object] = json.loads(text)["rows"]
    return found


def test_open_files_of_the_shell_are_written_to(tmp_path: Path) -> None:
    wanted = rows(shell(f"sealegs {POWER} --json -", tmp_path))
    assert wanted
    assert rows(shell(f"sealegs {POWER} --json /dev/stderr 2>&1 >/dev/null | cat", tmp_path)) == wanted
    assert (
        rows(shell(f"sealegs {POWER} --json >(cat >substituted) >/dev/null; wait $!; cat substituted", tmp_path))
        == wanted
    )
    shell(f"sealegs {POWER} --json /dev/stderr >/dev/null 2>kept", tmp_path)  # a plain file, by the shell's own name
    assert rows((tmp_path / "kept").read_text()) == wanted
    assert Path("/dev/stderr").is_symlink()


def test_what_is_printed_afterwards_overwrites_nothing(tmp_path: Path) -> None:
    """Standard output that is a plain file, by its name: the table, the JSON and what follows all stay."""
    table = shell(f"sealegs {POWER}", tmp_path)
    wanted = shell(f"sealegs {POWER} --json -", tmp_path)
    shell(f"(sealegs {POWER} --json /dev/stdout; echo after) >kept", tmp_path)
    kept = (tmp_path / "kept").read_text()
    assert kept.endswith("after\n")
    at = kept.index("{")
    found, end = json.JSONDecoder().raw_decode(kept[at:])
    assert found["rows"] == rows(wanted)
    assert kept[:at].strip() + kept[at + end :].removesuffix("after\n").strip() == table.strip()


def test_a_pipe_is_written_to_although_standard_error_is_closed(tmp_path: Path) -> None:
    assert rows(shell(f"sealegs {POWER} --json >(cat >piped) >/dev/null 2>&-; wait $!; cat piped", tmp_path))


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_file_that_is_there_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "file.json"
    file.touch()
    file.chmod(mode)
    write_target(file, "text")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("text", mode)


def test_a_link_to_what_is_not_there_yet_stays_one(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("later")
    check_appendable(link, "name another file")
    assert [*tmp_path.iterdir()] == [link]
    assert link.is_symlink()


def test_what_a_link_names_is_checked(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere/file.json")
    with pytest.raises(UserError, match=r"cannot write --json .*link: the folder .*nowhere does not exist"):
        check_file_target("--json", str(tmp_path / "link"))
    (tmp_path / "nowhere").mkdir()
    assert check_file_target("--json", str(tmp_path / "link"))


def unread(line: str, place: Path) -> None:
    """Run a command whose standard output nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "sealegs", *line.split()]
    with os.fdopen(writing, "wb") as output:
        subprocess.run(command, cwd=place, stdout=output, stderr=subprocess.PIPE, timeout=120)


def test_files_are_written_though_nobody_reads_the_tables(tmp_path: Path) -> None:
    shell("sealegs run maze --agent oracle --levels C1 --modes NP,P1 --limit 1 --out run", tmp_path)
    verbs = (POWER, "report run --html r.html", "report run --verify", "rank run --csv r.csv")
    verbs = (*verbs, "replay run/episodes.jsonl --records r.jsonl", "run maze --agent oracle --limit 1 --out again")
    for number, line in enumerate(verbs):
        unread(f"{line} --json {number}.json", tmp_path)
        assert rows((tmp_path / f"{number}.json").read_text("utf-8")), line
    assert all((tmp_path / name).stat().st_size for name in ("r.html", "r.csv", "r.jsonl"))


def test_a_named_pipe_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert rows(shell(f"cat pipe >read & sealegs {POWER} --json pipe >/dev/null; wait; cat read", tmp_path))
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["pipe", "read"]


def test_a_named_pipe_is_not_tried_beforehand(tmp_path: Path) -> None:
    """Its reader would take the attempt for the end; where nobody reads yet, it would wait."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_appendable(pipe, "name another file")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_one(tmp_path: Path) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        device.write_bytes(b"")
    except OSError:
        pytest.skip(needs.reason("a user who may make devices", "run as root"))
    write_target(device, "text")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.read_bytes() == b""
    assert list(tmp_path.iterdir()) == [device]


def test_a_full_device_is_one_message() -> None:
    with pytest.raises(UserError, match=r"cannot write /dev/full: No space left on device; name another file"):
        write_target(Path("/dev/full"), b"text")


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one(tmp_path: Path, there: bool) -> None:
    real, link = tmp_path / "real" / "file.json", tmp_path / "link.json"
    real.parent.mkdir()
    if there:
        real.write_text("before")
    link.symlink_to("real/file.json")
    write_target(link, "after")
    assert link.is_symlink()
    assert real.read_text() == "after"
    assert sorted(one.name for one in (tmp_path, real.parent) for one in one.iterdir()) == [
        "file.json",
        "link.json",
        "real",
    ]


def test_links_in_a_circle_are_one_message(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert not is_stream(tmp_path / "a")
    with pytest.raises(UserError, match="symbolic links form a loop"):
        write_target(tmp_path / "a", "text")
