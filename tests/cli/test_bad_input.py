"""What every command owes a user who gives it something wrong: one message, exit code 2, nothing left behind.

Most of it is the table in bad_inputs.txt; what follows here needs more than a line.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from sealegs.cli import MOST, app, main
from sealegs.faults.user_error import UserError
from sealegs.traces import EpisodeEnded, EpisodeStarted, OutcomeShown, Store, ToolCalled
from sealegs.traces.atomic_files import make_folder, write_atomically
from tests import needs
from tests.cli.warm import WarmCommand, warm_command

NEEDS = {"hunt": "hypothesis", "campaign run": "langchain", "campaign report": "langchain"}
NEEDS |= {
    "highwater build": "sqlglot",
    "proxy --url": "aiohttp",
    "proxy --http": "aiohttp",
    "run inspect": "inspect_ai",
    "report own.jsonl --html": "jinja2",
}
BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi"))
AGENT = """
import sys
from sealegs import tool
NUMBER = 1
@tool
def ask(): return 1
def run(): return ask()
def fails(): return ask() and missing
def leaves(): ask(); sys.exit(0)
def silent(): return 1
def needs(x): return ask()
def never(answer): return False
TOOLS = [ask]
"""
FILES = {
    "agent.py": AGENT,
    "agent_exits.py": "import sys\nsys.exit(0)\n",
    "agent_noimport.py": "import nothing_of_this_name\n",
    "agent_raises.py": "raise RuntimeError('no key')\n",
    "agent_syntax.py": "def run(:\n",
    "bad.campaign": "nonsense everywhere\n",
    "bad.jsonl": "not JSON\n",
    "bad_plan.yaml": "version: 1\nname: bad\nrules:\n- id: one\n  match: {tool: x}\n  fault: {kind: eror}\n",
    "binary": bytes(range(256)) * 8,
    "bomb.yaml": BOMB,
    "broken.json": "{",
    "broken.yaml": "a: [1\n",
    "deep.yaml": "[" * 1500,
    "doubled.yaml": "openapi: 3.0.0\npaths: {/a: {get: {operationId: get}}, /b: {get: {operationId: get}}}\n",
    "empty.json": "{}",
    "empty.jsonl": "",
    "empty.yaml": "",
    "empty_plan.yaml": "version: 1\nname: none\nrules: []\n",
    "latin.yaml": b"name: caf\xe9\n",
    "list.yaml": "- 1\n",
    "mcp.json": '{"mcpServers": {"shop": {"command": "x"}, "far": {"url": "https://x.example/mcp"}}}',
    "plan.yaml": "version: 1\nname: one\nrules: []\n",
    "proxied.json": '{"mcpServers": {"shop": {"command": "sealegs", "args": ["proxy", "--plan", "p", "--", "x"]}}}',
    "script.yaml": "turns:\n- say: hi\n",
    "sound_plan.yaml": "version: 1\nname: one\nrules:\n- id: one\n  match: {tool: '*'}\n  fault: {kind: timeout}\n",
    "swagger.yaml": "openapi: 3.1.0\npaths: {}\n",
    "tag.yaml": "!!python/object/apply:os.system ['touch hacked']\n",
    "text.txt": "hello\n",
}
EPISODE = [
    EpisodeStarted("one", {"suite": "maze"}),
    ToolCalled("call-1", "ask", {}),
    OutcomeShown("call-1", {"value": 1}),
    EpisodeEnded("answered"),
]


class BadInput(NamedTuple):
    """A line of the table."""

    line: str
    without: str
    says: str


def table() -> list[BadInput]:
    """The rows."""
    rows = []
    for line in (Path(__file__).parent / "bad_inputs.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            given, _, says = line.partition(" | ")
            command, _, without = re.sub(r" {2,}", "  ", given.strip()).partition("  - ")
            rows.append(BadInput(command, without, says.strip()))
    return rows


def verbs(command: Any, path: str = "") -> Iterator[str]:
    """The verbs of the app, each with the groups it is in."""
    if not hasattr(command, "list_commands"):
        yield path
        return
    for name in command.list_commands(None):
        yield from verbs(command.get_command(None, name), f"{path} {name}".strip())


@pytest.fixture(scope="module")
def sealegs() -> Iterator[WarmCommand]:
    with warm_command() as command:
        yield command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table's files, which every row finds as it was."""
    place = tmp_path_factory.mktemp("bad")
    (place / "folder").mkdir()
    for name, text in FILES.items():
        (place / name).write_bytes(text.encode() if isinstance(text, str) else text)
    for name, first in (("records.jsonl", EPISODE[0]), ("own.jsonl", EpisodeStarted("one", {}))):
        store = Store(place / name)
        store.append([first, *EPISODE[1:]])
        store.close()
    return place


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()} | {
        str(path.relative_to(folder)): b"" for path in folder.rglob("*") if path.is_dir()
    }


@pytest.mark.parametrize("row", table(), ids=lambda row: f"{row.line} {row.without}".strip())
def test_a_bad_input_is_one_message(row: BadInput, sealegs: WarmCommand, folder: Path) -> None:
    for start, module in NEEDS.items():
        if row.line.startswith(start) and not row.without:
            pytest.importorskip(module, reason=needs.module(module))
    before = contents(folder)
    ended = sealegs(shlex.split(row.line), folder, [row.without] if row.without else [])
    assert ended.code == 2, ended
    assert ended.out == ""
    assert contents(folder) == before
    # The box of a usage error breaks its text into lines.
    message = " ".join(line.strip("│ ") for line in ended.err.splitlines())
    assert row.says in message
    assert "Traceback" not in message
    ours = re.findall(r"^sealegs: ", ended.err, flags=re.MULTILINE)
    boxes = re.findall(r"^╭─ Error", ended.err, flags=re.MULTILINE)
    assert len(ours) + len(boxes) == 1, ended.err
    assert ended.err.startswith("sealegs: " if ours else "Usage: ")


def test_every_verb_has_a_row() -> None:
    lines = [f"{row.line} " for row in table()]
    found = set(verbs(typer.main.get_command(app)))
    assert {"hunt", "plan check", "run maze"} <= found
    assert not {verb for verb in found if not any(line.startswith(f"{verb} ") for line in lines)}


def test_no_row_is_there_twice() -> None:
    rows = [(row.line, row.without) for row in table()]
    assert len(rows) == len(set(rows)) >= 150


def error_message(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """The message of a command that must fail."""
    monkeypatch.setattr(sys, "argv", ["sealegs", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    message = capfd.readouterr().err
    assert end.value.code == 2, message
    assert "Traceback" not in message
    return message


FOLDERS = [
    ("run maze --agent oracle --limit 1 --out", "--out"),
    ("run highwater --agent oracle --limit 1 --interface calls --out", "--out"),
    ("run paladin --agent paladin/follower --limit 1 --out", "--out"),
    ("maze generate -n 1 --jobs 1 --out", "--out"),
    ("campaign run transient --out", "--out"),
]


@pytest.mark.parametrize(("command", "option"), FOLDERS)
@pytest.mark.parametrize("place", ["taken", "taken/below"])
def test_a_file_in_the_place_of_a_folder_is_reported(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    option: str,
    place: str,
) -> None:
    if command.startswith("campaign"):
        pytest.importorskip("langchain", reason=needs.module("langchain"))
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("mine", encoding="utf-8")
    message = error_message(capfd, monkeypatch, *command.split(), place)
    assert f"cannot make the folder {place}" in message
    assert f"with {option}" in message
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert Path("taken").read_text(encoding="utf-8") == "mine"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"cannot write .*folder: Is a directory; name another file"):
        write_atomically(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]
    write_atomically(tmp_path / "new" / "file", b"\xff")
    assert (tmp_path / "new" / "file").read_bytes() == b"\xff"
    with pytest.raises(UserError, match="a file of this name is there; name another"):
        make_folder(tmp_path / "new" / "file", "name another")


def test_an_unknown_domain_is_reported(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "unknown domain 'ships': choose from " in error_message(capfd, monkeypatch, "world", "list", "ships")


def test_a_suite_s_own_agents_are_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--agent paladin/follower" in error_message(capfd, monkeypatch, "run", "paladin")
    assert "--agent paladin/follower" in error_message(capfd, monkeypatch, "grade", "traces", "missing")
    assert "--agent planner" in error_message(capfd, monkeypatch, "run", "maze")


def test_of_very_many_mistakes_the_first_are_reported(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tasks.jsonl").write_text("{}\n" * 500, encoding="utf-8")
    lines = error_message(capfd, monkeypatch, "maze", "import", str(tmp_path)).splitlines()
    assert len(lines) == MOST + 1
    assert lines[-1] == "... and 1,460 lines more"


def test_a_full_disk_is_reported(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(domain: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sealegs.world.listing.corpus_lines", lambda corpus, domain: full(domain))
    assert "No space left on device; make room" in error_message(capfd, monkeypatch, "world", "list")


@pytest.mark.parametrize("pipe", ["input", "output"])
def test_the_proxy_wants_pipes(tmp_path: Path, pipe: str) -> None:
    (tmp_path / "file").write_text("{}\n", encoding="utf-8")
    with (tmp_path / "file").open("r+") as file:
        ends = (
            {"stdin": file, "stdout": subprocess.PIPE}
            if pipe == "input"
            else {"stdin": subprocess.PIPE, "stdout": file}
        )
        command = [sys.executable, "-m", "sealegs", "proxy", "--", "cat"]
        run = subprocess.run(command, **ends, stderr=subprocess.PIPE, text=True, check=False, timeout=1800)  # type: ignore[call-overload]
    assert run.returncode == 2
    assert f"standard {pipe} is not a pipe" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("command", ["plan schema", "world list"])
def test_a_reader_that_goes_ends_the_command_quietly(command: str) -> None:
    whole = [sys.executable, "-m", "sealegs", *command.split()]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
