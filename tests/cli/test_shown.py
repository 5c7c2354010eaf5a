"""What verbs show: names whole in tables, -h, shell completion, where a file was written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from rich.console import Console

import sealegs
from sealegs.cli import app
from sealegs.faults.call import Value
from sealegs.recovery.bank.bank_queries import check_bank_file, print_bank_check
from sealegs.reports.failure_tables import print_failures
from sealegs.reports.grader_tables import print_grades
from sealegs.reports.replays import print_replays
from sealegs.reports.tables import print_pairs
from sealegs.scoring.metric import Row
from sealegs.traces.fitting import fit_tools
from sealegs.traces.observed import Observation, Trace
from sealegs.traces.trace_replay import replay_trace
from tests.cli.test_bad_input import verbs
from tests.cli.warm import warm_command

LONG = "search_the_policies_of_every_department_by_keyword_and_date"
SPANS = Path(__file__).parents[1] / "traces" / "data" / "langchain.jsonl"
ANSWER = Value({"price": 3.0, "currency": "EUR", "comment": "x" * 90})
TRACE = Trace("one", (Observation(LONG, 0.0, 0.1, {"item": "y" * 90}, ANSWER, ANSWER),))
TABLES = {
    "bank": lambda console: print_bank_check(check_bank_file(None), console),
    "failures": lambda console: print_failures(fit_tools([TRACE], False), console),
    "grades": lambda console: print_grades([Row(metric=LONG, value=1.0, low=0.5, high=1.0, n=3)], console),
    "pairs": lambda console: print_pairs([(LONG, "z" * 60, "z" * 60)], console),
    "replays": lambda console: print_replays([replay_trace(TRACE)], console),
}
NAMES = {"bank": "unparsed_plan"}


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("table", TABLES)
def test_the_name_of_a_row_is_never_cut(table: str, width: int) -> None:
    """It may be broken into lines: its characters, in order, are those of one column."""
    show: Callable[[Console], object] = TABLES[table]
    file = StringIO()
    show(Console(file=file, width=width))
    lines = file.getvalue().splitlines()
    name = NAMES.get(table, LONG)
    columns = range(width)
    assert any(name in "".join(line[start:end].strip() for line in lines) for start in columns[:30] for end in columns)


def test_a_pipe_gets_wide_tables(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "sealegs", "bank", "check"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert max(map(len, done.stdout.splitlines())) > 100
    assert "…" not in done.stdout


def test_every_verb_and_group_has_a_short_option_for_its_help(tmp_path: Path) -> None:
    found = sorted(verbs(typer.main.get_command(app)))
    groups = {verb.split()[0] for verb in found if " " in verb}
    with warm_command() as command:
        for verb in ["", *found, *groups]:
            ended = command([*verb.split(), "-h"], tmp_path)
            assert ended.code == 0, (verb, ended)
            assert f"Usage: sealegs {verb}".strip() in " ".join(ended.out.split()), verb
            assert not _broken_early(ended.out), verb


def _broken_early(help_text: str) -> list[tuple[str, str]]:
    """The lines of what a verb says of itself that end although the next one's first word had room."""
    lines = help_text.splitlines()
    box = next((number for number, line in enumerate(lines) if line.startswith("╭")), len(lines))
    width = max(map(len, lines))
    texts = [line.strip() for line in lines[:box]]
    pairs = [(one, other) for one, other in pairwise(texts) if one and other]
    return [(one, other) for one, other in pairs if len(one) + 1 + len(other.split()[0]) <= width - 2]


def test_a_shell_completes_verbs_suites_and_options(tmp_path: Path) -> None:
    def completed(words: str) -> list[str]:
        variables = {
            "_SEALEGS_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        command = [sys.executable, "-c", "import sys; sys.argv[0] = 'sealegs'; from sealegs.cli import main; main()"]
        done = subprocess.run(command, env={**os.environ, **variables}, cwd=tmp_path, capture_output=True, text=True)
        return done.stdout.split()

    assert completed("sealegs ru") == ["run"]
    assert completed("sealegs run ma") == ["maze"]
    assert completed("sealegs hunt --ch") == ["--check"]


def test_from_traces_says_where_it_wrote(tmp_path: Path) -> None:
    with warm_command() as command:
        ended = command(["plan", "from-traces", str(SPANS), "--out", "fitted.yaml"], tmp_path)
    assert ended.code == 0
    assert ended.err == "The plan, 2 rule(s), is in fitted.yaml.\n"
    assert (tmp_path / "fitted.yaml").exists()


def test_both_clocks_are_at_hand() -> None:
    from sealegs.inject import RealClock, VirtualClock

    assert (sealegs.RealClock, sealegs.VirtualClock) == (RealClock, VirtualClock)
    assert {"RealClock", "VirtualClock"} <= set(sealegs.__all__)
