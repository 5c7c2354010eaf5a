"""Each way in which a provider or a model fails, in each suite that runs models through Inspect, by a real client.

What is nobody's makes an episode invalid: counted, in no rate, made again by the same command. What the model did is
the model's, under a term of its own.
"""

from __future__ import annotations

import gc
import io
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
pytest.importorskip("openai", reason=needs.module("openai"))

from inspect_ai.model import Model

from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.cli import main
from sealegs.faults.user_error import UserError
from sealegs.sandbox import find_isolation
from sealegs.suites.highwater.highwater_logs import judge_highwater_episode, read_highwater_run
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.paladin.paladin_logs import read_paladin_run
from sealegs.suites.run_options import options_from
from sealegs.suites.suite import suite_named
from sealegs.suites.suite_reports import RunReport
from tests.suites.models.faulty_provider import KEY, MALFORMED, STOP, FaultyProvider, serving

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect leaves streams open
MODEL = "openai-api/local/poor"
SUITES: dict[str, dict[str, Any]] = {  # each with as many episodes, of different requests, as there are faults
    "maze": {"levels": "C1", "modes": "NP", "limit": 8},
    "paladin": {"limit": 1, "arm": "vanilla"},
    "highwater": {"limit": 8, "errors": "off"},
}
TINY = {"levels": "C1", "modes": "NP,P1", "limit": 1}
MODEL_ENDS = {
    "overflow": ("overflow", "context overflow"),
    "filter": ("filtered", "content filter"),
    "refusal": ("refused", "refusal"),
    "length": ("length", "length limit"),
    "blank": ("empty", "empty answer"),
    "empty": ("empty", "empty answer"),
}
CAUSES = {  # the message of each fault that is nobody's
    "401": "AuthenticationError: Error code: 401 - Incorrect API key",
    "403": "Error code: 403 - Your country",
    "404": "NotFoundError: Error code: 404 - The model `poor` does not exist",
    "quota": "RateLimitError: Error code: 429 - You exceeded your current quota",
    "429": "RateLimitError: Error code: 429 - Rate limit reached",
    "500": "InternalServerError: Error code: 500 - The server had an error",
    "400": "Error code: 400 - tools[0].function.parameters: unsupported",
    "reset": "APIConnectionError: Connection error",
}
strong = pytest.mark.skipif(not find_isolation().strong, reason=needs.STRONG)
EACH = ["maze", "paladin", pytest.param("highwater", marks=strong)]
WHOLE = [
    "maze",
    pytest.param("paladin", marks=pytest.mark.slow),
    pytest.param("highwater", marks=[pytest.mark.slow, strong]),
]


class Quiet:
    """Shows nothing."""

    @contextmanager
    def progress(self, label: str) -> Iterator[Any]:
        yield lambda done, total: None

    def note(self, message: str) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[FaultyProvider]:
    with serving() as provider:
        yield provider
    gc.collect()  # what Inspect left open is found here, where its warnings are ignored


@pytest.fixture
def provider(server: FaultyProvider, monkeypatch: pytest.MonkeyPatch) -> FaultyProvider:
    """The server without a fault, and a client that does not wait between its retries."""

    async def at_once(seconds: float) -> None:
        pass

    monkeypatch.setattr("inspect_ai.model._retry._sleep", at_once)
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server.begin()
    return server


def command(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the command in this process; its exit code."""
    monkeypatch.setattr("sys.argv", ["sealegs", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def played(suite: str, folder: Path, provider: FaultyProvider, **more: Any) -> RunReport:
    given = {"model": MODEL, "base_url": provider.url, "retries": 1, **SUITES[suite], **more}
    one = suite_named(suite)
    one.play(options_from(one.options, given).checked(), folder, Quiet())
    return one.report(folder)


def ends(suite: str, folder: Path) -> list[tuple[str, str]]:
    """How each valid episode ended, and its term."""
    if suite == "maze":
        maze = read_maze_run(folder)
        terms = [result.verdict.attribution for result in maze.results()]
        records = list(maze.records.values())
    elif suite == "paladin":
        arm = read_paladin_run(folder)
        terms = [result.verdict.attribution for result in arm.results()]
        records = list(arm.records.values())
    else:
        own = read_highwater_run(folder).records
        terms = [judge_highwater_episode(one, record).verdict.term for one, record in own.items()]
        records = list(own.values())
    return [(record.end.reason, term) for record, term in zip(records, terms, strict=True)]


def causes(suite: str, folder: Path) -> list[str]:
    """Why each invalid episode is."""
    found = {"maze": read_maze_run, "paladin": read_paladin_run, "highwater": read_highwater_run}[suite](folder)
    return list(found.invalid.values())


@pytest.mark.parametrize("suite", WHOLE)
def test_what_is_nobodys_is_invalid_and_made_again(suite: str, provider: FaultyProvider, tmp_path: Path) -> None:
    provider.begin(*CAUSES)
    run = tmp_path / "run"
    found = played(suite, run, provider)
    total = found.validity.played
    assert found.validity.invalid == total == len(causes(suite, run)) >= len(CAUSES)
    text = "\n".join(causes(suite, run))
    assert [fault for fault, words in CAUSES.items() if words not in text] == [], text
    assert all(cause.startswith(f"the model {MODEL} could not be called: ") for cause in causes(suite, run))
    assert all(row["n"] == 0 or row["metric"] == "invalid" for row in found.rows), "it is in a figure"
    shares = [row["value"] for row in found.rows if row["metric"] == "invalid"]
    assert set(shares) == {100}
    assert found.warnings[0].startswith(f"{total} episodes are invalid and in no rate; the same command")
    assert not any("run resumes" in warning for warning in found.warnings), "they were played"
    found.show(Console(file=io.StringIO()))
    assert "invalid and in no rate" in found.page(), "a page of nothing else says so"
    provider.begin()
    again = played(suite, run, provider)
    assert (again.validity.invalid, again.validity.played) == (0, total)
    assert {reason for reason, _ in ends(suite, run)} == {"answered"}
    provider.begin()
    assert played(suite, run, provider).rows == again.rows
    assert provider.requests == [], "what is finished is not made again"


@pytest.mark.parametrize("suite", EACH)
def test_what_the_model_did_is_the_models(suite: str, provider: FaultyProvider, tmp_path: Path) -> None:
    provider.begin(*MODEL_ENDS)
    found = played(suite, tmp_path / "run", provider, max_steps=3)
    assert found.validity.invalid == 0
    assert set(ends(suite, tmp_path / "run")) == set(MODEL_ENDS.values())
    assert set(provider.given.values()) == set(MODEL_ENDS), "each of them struck"
    provider.begin()
    played(suite, tmp_path / "run", provider, max_steps=3)
    assert provider.requests == []


@pytest.mark.parametrize("suite", WHOLE)
def test_odd_replies_and_what_a_retry_mends_end_no_episode(
    suite: str, provider: FaultyProvider, tmp_path: Path
) -> None:
    provider.begin(*MALFORMED, first=0)
    found = played(suite, tmp_path / "odd", provider)
    assert found.validity.invalid == 0
    assert {reason for reason, _ in ends(suite, tmp_path / "odd")} == {"answered"}
    assert set(provider.given.values()) == set(MALFORMED)
    if suite == "maze":
        assert [term for _, term in ends(suite, tmp_path / "odd")].count("malformed calls") == 1
    provider.begin("429", "500", "reset", times=1)
    found = played(suite, tmp_path / "mended", provider, retries=3)
    assert set(provider.faulted.values()) == {1}
    assert found.validity.invalid == 0
    assert {reason for reason, _ in ends(suite, tmp_path / "mended")} == {"answered"}


FIRST = ["401", "quota"]
LATER = ["403", "404", "500", "reset"]


@pytest.mark.parametrize("fault", [*FIRST, *(pytest.param(fault, marks=pytest.mark.slow) for fault in LATER)])
@pytest.mark.parametrize("suite", WHOLE)
def test_a_first_question_that_fails_stops_the_run_with_one_line(
    suite: str,
    fault: str,
    provider: FaultyProvider,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider.begin(fault, first=0)
    words = ["run", suite, "--model", MODEL, "--base-url", provider.url, "--out", str(tmp_path / "run")]
    words += [word for name, value in SUITES[suite].items() for word in (f"--{name}", str(value))]
    assert command(monkeypatch, *words) == 2
    captured = capsys.readouterr()
    assert len(captured.err.strip().splitlines()) == 1
    assert f"the model '{MODEL}' cannot be called, and nothing was run: {CAUSES[fault]}" in captured.err
    assert captured.out == ""
    assert not (tmp_path / "run").exists()


def test_a_wrong_key_is_named_even_where_a_run_is_resumed(
    provider: FaultyProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.begin("400")
    played("maze", tmp_path / "run", provider, **TINY)
    before = sorted(file.name for file in (tmp_path / "run").iterdir())
    monkeypatch.setenv("LOCAL_API_KEY", "wrong")
    with pytest.raises(UserError, match="401"):
        played("maze", tmp_path / "run", provider, **TINY)
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == before


def test_a_run_with_too_many_invalid_episodes_says_so_first_and_ends_with_3(
    provider: FaultyProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.begin("400", times=1)  # both modes ask the same, so that one of the two is struck
    run, rows_file, page = tmp_path / "run", tmp_path / "rows.json", tmp_path / "page.html"
    words = ["run", "maze", "--model", MODEL, "--base-url", provider.url, "--out", str(run), "--json", str(rows_file)]
    words += ["--levels", "C1", "--modes", "NP,P1", "--limit", "1", "--connections", "1"]
    # In a process of its own: what Inspect prints depends on who was the first to use it in one.
    ended = subprocess.run([sys.executable, "-m", "sealegs", *words], capture_output=True, text=True)
    assert ended.returncode == 3
    estimated, *lines = [line for line in ended.stderr.splitlines() if not re.match(r"\d of 2 episodes", line)]
    assert estimated.startswith(f"{MODEL}: 2 episodes, ")  # printed before anything is played
    assert lines[0] == "too many invalid episodes: 1 of 2 (50.0 %), and --max-invalid allows 5 %"
    rows = json.loads(rows_file.read_text("utf-8"))["rows"]
    whole = {row["metric"]: row for row in rows if (row["level"], row["mode"]) == ("all", "all")}
    assert (whole["invalid"]["value"], whole["invalid"]["n"]) == (50, 2)
    assert whole["tsr"]["n"] == 1
    assert command(monkeypatch, "report", str(run), "--html", str(page)) == 3
    assert "invalid and in no rate" in page.read_text("utf-8")
    assert command(monkeypatch, "report", str(run), "--html", str(page), "--max-invalid", "50") == 0
    assert command(monkeypatch, *words) == 0, "the same command makes the lost one again"


def test_the_first_example_of_a_model_works_with_what_bench_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ScriptServer(script_from({"turns": [{"say": STOP}]})) as scripted:
        words = ["run", "maze", "--model", "openai/gpt-5", "--base-url", scripted.url, "--levels", "C1", "--limit", "1"]
        words += ["--modes", "NP", "--reasoning-effort", "low"]
        assert command(monkeypatch, *words, "--out", str(tmp_path / "run")) == 0
        first, *_, last = (request.body for request in scripted.requests)
    assert first["model"] == last["model"] == "gpt-5"
    assert last["reasoning"]["effort"] == "low"
    extras = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    assert any(one.startswith("openai") for one in extras["project"]["optional-dependencies"]["bench"])


def held_models() -> list[Model]:
    """The models that something refers to."""
    gc.collect()
    return [one for one in gc.get_objects() if type(one) is Model]


def test_several_models_play_in_folders_of_their_own(
    provider: FaultyProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "models.txt").write_text("# two\nopenai-api/local/other  # the second\n", "utf-8")
    words = ["run", "maze", "--model", MODEL, "--models", str(tmp_path / "models.txt"), "--base-url", provider.url]
    words += ["--out", str(tmp_path / "runs"), "--levels", "C1", "--modes", "NP", "--limit", "1", "--top-p", "0.5"]
    words += ["--temperature", "0.25", "--model-seed", "7", "--max-tokens", "99"]
    others = held_models()  # of tests before this one
    assert command(monkeypatch, *words, "--json", "-") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    whole = {(row["model"], row["metric"]): row for row in rows if row["level"] == row["mode"] == "all"}
    assert {model for model, _ in whole} == {MODEL, "openai-api/local/other"}
    assert whole[MODEL, "tokens"]["value"] == 220, "two requests of 110 each"
    held = [one.name for one in held_models() if not any(one is other for other in others)]
    assert "local/poor" not in held, "the first model's connections are closed when the second begins"
    own = [body for body in provider.requests if body.get("tools")]
    assert {(one["temperature"], one["top_p"], one["seed"], one["max_tokens"]) for one in own} == {(0.25, 0.5, 7, 99)}
    folders = sorted(folder.name for folder in (tmp_path / "runs").iterdir())
    assert folders == [
        f"maze-openai-api-local-{name}-C1-NP-limit1-temperature0.25-top-p0.5-model-seed7-max-tokens99"
        for name in ("other", "poor")
    ]
    provider.begin("404", first=0)
    words[words.index(MODEL)] = "openai-api/local/third"
    assert command(monkeypatch, *words) == 2
    assert "'openai-api/local/third' cannot be called" in capsys.readouterr().err
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_budget_stops_a_run_between_episodes_and_a_larger_one_resumes_it(
    provider: FaultyProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "maze", "--model", MODEL, "--base-url", provider.url, "--out", str(tmp_path / "run")]
    words += ["--levels", "C1", "--modes", "NP", "--limit", "5", "--connections", "1", "--budget-tokens"]
    assert command(monkeypatch, *words, "500") == 0
    message = capsys.readouterr().err
    assert "the run's budget is spent (660 tokens were used)" in message, "three episodes of 220 tokens"
    assert "3 of 5 episodes are finished, and these alone are counted" in message
    provider.begin()
    assert command(monkeypatch, *words, "660") == 0
    assert provider.requests == []
    capsys.readouterr()
    assert command(monkeypatch, *words, "5000") == 0
    assert len(read_maze_run(tmp_path / "run").records) == 5
    assert "budget" not in capsys.readouterr().err
    assert len([body for body in provider.requests if body.get("tools")]) == 4, "two episodes of two requests"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--models", "none.txt"], "--models none.txt cannot be read"),
        (["--models", "empty.txt"], "--models empty.txt names no model; write one per line"),
        (["--model", MODEL, "--cost-limit", "1"], "--cost-limit needs prices: give --prices FILE"),
        (["--model", MODEL, "--prices", "none.yaml"], "--prices none.yaml: there is no such file"),
        (["--model", MODEL, "--reasoning-effort", "hig"], "unknown reasoning effort 'hig': did you mean high?"),
        (["--model", MODEL, "--temperature", "-1"], "--temperature"),
    ],
)
def test_bad_input_is_one_message(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.txt").write_text("# none\n", "utf-8")
    assert command(monkeypatch, "run", "maze", *words) == 2
    assert message in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["empty.txt"]
