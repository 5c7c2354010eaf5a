"""Every block of code on a page runs as it stands there, or says in its first line that it is a fragment, and why.

The blocks of a page run one after the other, in a folder and a namespace of their own:

- `python` runs; where its first line is `# NAME.py` it becomes that file, and is run as one.
- `text` below it is what it prints; where its first line is `# NAME.SUFFIX` it becomes that file.
- `yaml` is read by the code that it is for; where its first line is `# NAME.yaml` it becomes that file.
- `console` runs line by line in a shell, and prints what stands below each line; `...` is any number of lines.
- `sh` shows commands that need a model's key, a GPU or hours. Each command of Sealegs is held against the command line:
  its verb, arguments and options must be there.
- `json` and `toml` are parsed, and nothing more.

A block without a language is a listing. Any other language can only be a fragment.

A name of a model's provider that a page uses is served by `stand_in.py`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import needs
from tests.docs import stand_in
from tests.docs.pages import ROOT, Block, blocks, pages
from tests.sandbox.devices import devices
from tests.sandbox.places import place

SLOW = {"docs/campaign.md", "docs/data.md", "docs/sandbox.md"}  # half a minute or more each
# LangChain's own warnings are not ours
WARNS = {"README.md", "docs/check-your-agent.md", "docs/micro.md", "docs/start/ship.md"}
RUNS = {"python", "yaml", "console", "sh"}
PARSED: dict[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads}
VARIES = re.compile(r"\b\d+(\.\d+)? ?s\b|={3,}")  # seconds, and the rules that are as long as they leave room


def marked(page: str) -> Any:
    marks = [pytest.mark.slow] if page in SLOW else []
    marks += [pytest.mark.filterwarnings("default")] if page in WARNS else []
    return pytest.param(page, marks=marks)


@pytest.fixture
def models_of_the_stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model in place of OpenAI's. LangChain keeps the class that it once found, so it has to forget both."""
    from langchain.chat_models import base

    found: Any = getattr(base, "_get_chat_model_creator", None)
    forget = getattr(found, "cache_clear", lambda: None)
    monkeypatch.setitem(sys.modules, "langchain_openai", stand_in.langchain_openai())
    forget()
    yield
    forget()


WITH_CODE = [page for page in pages() if any(block.language in RUNS for block in blocks(page))]


@pytest.mark.parametrize("page", [marked(page) for page in WITH_CODE])
def test_the_blocks_of_a_page_run(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if page in WARNS:
        pytest.importorskip("langchain", reason=needs.module("langchain"))
        request.getfixturevalue("models_of_the_stand_in")
    if page == "docs/sandbox.md":
        place("bubblewrap")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    scope: dict[str, Any] = {"__name__": "page"}
    printed = None
    for block in blocks(page):
        if block.language == "text" and block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "text":
            assert printed is None or same(printed, block.text), f"{block}: it prints\n{printed}"
            printed = None
        elif block.language in RUNS and not block.fragment:
            assert not printed, (
                f"{page}: the block before line {block.line} prints what the page does not show:\n{printed}"
            )
            printed = run(block, scope, capsys)
    assert not printed, f"{page}: its last block prints what the page does not show:\n{printed}"


def run(block: Block, scope: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str | None:
    """Do what the block is for; what a program prints is returned."""
    if block.file and block.language in ("python", "yaml"):
        Path(block.file).write_text(block.text, encoding="utf-8")
    if block.language == "yaml":
        read_as_it_is_meant(block)
    elif block.language == "console":
        for command, shown in commands(block.text):
            with devices():  # which a command may look at
                done = subprocess.run(command, shell=True, capture_output=True, text=True, encoding="utf-8")
            assert same(done.stdout, shown) or same(done.stderr, shown), (
                f"{block}: {command} prints\n{done.stdout}{done.stderr}"
            )
    elif block.language == "sh":
        for words in sealegs_commands(block.text):
            parsed(words, block)
    elif block.file:
        if "test_" in block.file or block.file == "server.py":
            return None
        done = subprocess.run([sys.executable, block.file], capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, f"{block}: {done.stderr}"
        return done.stdout
    else:
        executed(block, scope)
        return capsys.readouterr().out
    return None


def executed(block: Block, scope: dict[str, Any]) -> None:
    """Run a block of Python, with the page's lines in tracebacks."""
    program = "\n" * (block.line - 1) + block.text
    try:
        exec(compile(program, str(ROOT / block.page), "exec"), scope)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("sealegs"):
            raise
        pytest.skip(needs.module(missing.name))


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a console, and what stands below it."""
    for one in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = one.partition("\n")
        yield command, shown


def same(printed: str, shown: str) -> bool:
    """Whether it was printed as shown, which may be nothing; blanks at the ends of lines do not count."""
    pattern = "\n".join(
        r"(?:.*\n)*?.*" if line.strip() == "..." else re.escape(plain(line)) for line in shown.strip().splitlines()
    )
    return not shown.strip() or re.fullmatch(pattern, "\n".join(map(plain, printed.strip().splitlines()))) is not None


def plain(line: str) -> str:
    return VARIES.sub("~", line.rstrip())


def read_as_it_is_meant(block: Block) -> None:
    """Have the data read by the code that it is for, which its fields show."""
    from sealegs.adapters.mock_model import script_from
    from sealegs.faults import plan_from
    from sealegs.recovery.bank import read_bank
    from sealegs.recovery.recovery_plan import read_recovery_plan
    from sealegs.training.data.data_recipe import read_data_recipe as read_data_recipe
    from sealegs.training.training_recipe import parse_training_recipe

    def in_file(read: Callable[[Path], Any]) -> Callable[[Any], Any]:
        def reading(data: Any) -> Any:
            path = Path(block.file or "block.yaml")
            path.write_text(block.text, encoding="utf-8")
            return read(path)

        return reading

    readers: dict[str, Callable[[Any], Any]] = {
        "continuation": in_file(lambda path: read_data_recipe(str(path))),
        "rules": plan_from,
        "fault": lambda rule: plan_from({"name": "block", "rules": [rule]}),
        "turns": script_from,
        "exemplars": in_file(read_bank),
        "policies": in_file(read_recovery_plan),
        "tools": in_file(read_recovery_plan),
        "lora": parse_training_recipe,
    }
    data = yaml.safe_load(block.text)
    for field, read in readers.items():
        if isinstance(data, dict) and field in data:
            read(data)
            return


def sealegs_commands(shell: str) -> Iterator[list[str]]:
    """The commands of Sealegs in a block, in words."""
    for line in shell.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        parts: list[list[str]] = [[]]
        for word in words:
            if word in ("&&", "|", ";"):
                parts.append([])
            else:
                parts[-1].append(word)
        yield from (part[1:] for part in parts if part and part[0].endswith("sealegs"))


def parsed(words: list[str], block: Block) -> None:
    """Hold a command against the command line, without running it."""
    import typer.main

    from sealegs.cli import app

    command: Any = typer.main.get_command(app)
    context = command.make_context("sealegs", list(words), resilient_parsing=True)
    left = list(words)
    while hasattr(command, "list_commands"):
        name = left.pop(0)
        assert name in command.list_commands(context), f"{block}: sealegs {shlex.join(words)}: there is no {name}"
        command = command.get_command(context, name)
    if left == ["--help"]:
        return
    try:
        command.make_context(command.name, left, parent=context)
    except Exception as error:
        raise AssertionError(f"{block}: sealegs {shlex.join(words)}: {error}") from error


def test_a_fragment_says_why() -> None:
    found = Counter(block.fragment for page in WITH_CODE for block in blocks(page) if block.language in RUNS)
    assert found[True] < found[False] / 5


@pytest.mark.parametrize("page", [page for page in pages() if any(block.language in PARSED for block in blocks(page))])
def test_data_can_be_parsed(page: str) -> None:
    for block in blocks(page):
        if block.language in PARSED and not block.fragment:
            try:
                PARSED[block.language](block.text)
            except ValueError as error:
                raise AssertionError(f"{block}: {error}") from error


def test_a_block_that_nothing_reads_says_why() -> None:
    read = {*RUNS, *PARSED, "text", ""}
    found = [block for page in pages() for block in blocks(page) if block.language not in read]
    assert [str(block) for block in found if not block.fragment] == []
