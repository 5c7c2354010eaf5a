"""`[tool.sealegs]` in `pyproject.toml`: defaults of every verb's options, which the command line overrides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.cli import PROJECT_FILE
from sealegs.engines.logs import SETTINGS
from sealegs.experiments.project_settings import FILE
from tests.cli.warm import Ended, WarmCommand, warm_command

AGENT = """
from sealegs import tool

@tool(effects=False)
def find(number):
    return {"number": number}

def run(request=""):
    for _ in range(3):
        try:
            return f"{request}: {find(1)['number']}"
        except Exception as error:
            last = error
    raise last

def fine(answer):
    return "1" in answer
"""


@pytest.fixture(scope="module")
def sealegs() -> Iterator[WarmCommand]:
    with warm_command() as command:
        yield command


def given(sealegs: WarmCommand, folder: Path, settings: str, *words: str) -> Ended:
    (folder / "my_agent.py").write_text(AGENT, encoding="utf-8")
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    return sealegs(words, folder)


TEST = """
[tool.sealegs]
seed = 9

[tool.sealegs.test]
agent = "my_agent:run"
check = "my_agent:fine"
runs = 3
fail-under = 0.4
contracts = ["same_call_at_most:4"]
input = ["a", "b"]
all = true
max_calls = 7
"""


def test_an_experiment_takes_its_options_from_there(sealegs: WarmCommand, tmp_path: Path) -> None:
    ended = given(sealegs, tmp_path, TEST, "test")
    assert ended.code in (0, 3), ended
    written = json.loads((tmp_path / "sealegs-test" / "my_agent-run" / SETTINGS).read_text("utf-8"))
    expected = {
        "agent": "my_agent:run",
        "check": "my_agent:fine",
        "runs": 3,
        "fail_under": 0.4,
        "contracts": ["same_call_at_most:4"],
        "inputs": ["a", "b"],
        "settle": False,
        "max_calls": 7,
        "seed": 9,
    }
    assert {name: written[name] for name in expected} == expected


def test_the_command_line_wins(sealegs: WarmCommand, tmp_path: Path) -> None:
    ended = given(sealegs, tmp_path, TEST, "test", "--runs", "2", "--input", "c", "--seed", "4", "--out", "out")
    assert ended.code in (0, 3), ended
    written = json.loads((tmp_path / "out" / SETTINGS).read_text("utf-8"))
    assert (written["runs"], written["inputs"], written["seed"], written["fail_under"]) == (2, ["c"], 4, 0.4)


def test_verbs_in_groups_have_tables_too(sealegs: WarmCommand, tmp_path: Path) -> None:
    settings = '[tool.sealegs.run.maze]\nagent = "planner"\nlimit = 1\nout = "logs"\ntemperature = 0.5\n'
    # The temperature is for models: typed beside a scripted agent, it would be refused.
    ended = given(sealegs, tmp_path, settings, "run", "maze", "--json", "-")
    assert ended.code == 0, ended
    assert (tmp_path / "logs").is_dir()
    assert {row["agent"] for row in json.loads(ended.out)["rows"]} == {"planner"}


def test_help_and_other_folders_need_no_settings(sealegs: WarmCommand, tmp_path: Path) -> None:
    assert given(sealegs, tmp_path, "[tool.sealegs]\nnonsense = 1\n", "test", "--help").code == 0
    assert given(sealegs, tmp_path, "[project]\nname = 'x'\n", "plan", "schema").code == 0


@pytest.mark.parametrize(
    ("settings", "words", "says"),
    [
        ("[tool.sealegs\n", "plan schema", "cannot be read"),
        ("[tool]\nsealegs = 3\n", "plan schema", "make it a table"),
        ("[tool.sealegs.tset]\nruns = 3\n", "plan schema", "unknown key 'tset'; did you mean test?"),
        ("[tool.sealegs]\nruns = 3\n", "plan schema", "[tool.sealegs] has an unknown key 'runs'"),
        ("[tool.sealegs]\ntest = 3\n", "plan schema", "make it a table, [tool.sealegs.test]"),
        ("[tool.sealegs.test]\nrnus = 3\n", "test my_agent:run", "unknown key 'rnus'; did you mean runs?"),
        ("[tool.sealegs.test]\nfail_undr = 3\n", "test my_agent:run", "did you mean fail-under?"),
        ("[tool.sealegs.run.mase]\nagent = 1\n", "run maze", "unknown key 'mase'; did you mean maze?"),
        ("[tool.sealegs.test]\nruns = 'many'\n", "test my_agent:run", "runs of `sealegs test` cannot be used"),
        ("[tool.sealegs.test]\nruns = 0\n", "test my_agent:run", "runs of `sealegs test` cannot be used"),
        ("[tool.sealegs.test]\nruns = [1]\n", "test my_agent:run", "is a list, and takes one value"),
        ("[tool.sealegs.test]\ninputs = ['x']\n", "test my_agent:run", "input takes a list"),
        ("[tool.sealegs.test]\nruns = {a = 1}\n", "test my_agent:run", "is a table; give a value"),
        ("[tool.sealegs.test]\nall = 'yes'\n", "test my_agent:run", "give true or false"),
        ("[tool.sealegs.test]\nruns = 3\n", "test", "Missing argument 'agent'"),
    ],
)
def test_what_is_wrong_there_is_one_message(
    sealegs: WarmCommand, tmp_path: Path, settings: str, words: str, says: str
) -> None:
    ended = given(sealegs, tmp_path, settings, *words.split())
    assert ended.code == 2, ended
    assert ended.out == ""
    assert says in " ".join(line.strip("│ ") for line in ended.err.splitlines())
    assert "Traceback" not in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my_agent.py", "pyproject.toml"]


def test_the_command_looks_for_the_file_that_is_read() -> None:
    assert PROJECT_FILE == FILE
