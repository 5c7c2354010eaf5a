"""All that the verbs print goes through one module, which shows every sign."""

import io
import re
from pathlib import Path

from rich.table import Table
from rich.text import Text

import sealegs.cli
from sealegs.cli.consoles import VisibleConsole

CLI = Path(sealegs.cli.__file__).parent
EVIL = "a\x1b[2J\u202eb[/x]"
SEEN = "a\\x1b[2J\\u202eb[/x]"


def test_whatever_is_printed_can_be_seen() -> None:
    out = io.StringIO()
    console = VisibleConsole(file=out, width=100)
    table = Table("name")
    table.add_row(EVIL)
    for one in (EVIL, Text(EVIL, style="bold"), table):
        console.print(one)
    assert out.getvalue().count(SEEN) == 2
    assert "a\\x1b[2J" in out.getvalue().split("name")[1]  # a cell may be shortened, in a way that shows
    assert "\x1b" not in out.getvalue()


def test_no_verb_prints_past_it() -> None:
    for file in CLI.rglob("*.py"):
        if file.name != "terminal.py":
            text = file.read_text("utf-8")
            assert not re.search(r"typer\.(?:s?echo)\b|\bprint\(.*file=|(?<![\w.])print\(|(?<!\w)Console\(", text), file
            assert not re.search(r"std(?:out|err)\.write\((?!text\))", text), file
