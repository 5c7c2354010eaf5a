"""Each way in which a provider or a model fails, in campaigns of `micro`, whose models are LangChain's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))
pytest.importorskip("langchain_openai", reason=needs.module("langchain_openai"))

from sealegs.suites.micro.episode import play_micro_episode
from sealegs.traces.record import OUTSIDE
from tests.suites.models.faulty_provider import KEY, FaultyProvider, serving
from tests.suites.models.test_provider_faults import CAUSES, MODEL_ENDS, command

CAMPAIGN = "default model=openai:poor\ntrivia unreachable\n"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProvider]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


def played(provider: FaultyProvider, fault: str, first: int = 1) -> dict[str, object]:
    provider.begin(fault, first=first)
    settings = {"max_retries": 0}
    return play_micro_episode({"workload": "trivia", "model": "openai:poor", "settings": settings, "max_steps": 6})


@pytest.mark.parametrize("fault", CAUSES)
def test_what_is_nobodys_is_invalid(fault: str, provider: FaultyProvider) -> None:
    found = played(provider, fault)
    assert (found["ended"], found["answer"]) == (OUTSIDE, None)
    assert str(found["error"]).startswith("the model openai:poor could not be called: ")
    assert CAUSES[fault].rpartition(": ")[2] in str(found["error"])


@pytest.mark.parametrize("fault", MODEL_ENDS)
def test_what_the_model_did_is_the_models(fault: str, provider: FaultyProvider) -> None:
    assert played(provider, fault)["ended"] == MODEL_ENDS[fault][0]


@pytest.mark.parametrize("verb", [("campaign", "run"), ("run", "micro", "--campaign")], ids=" ".join)
def test_a_campaign_counts_them_and_makes_them_again(
    verb: tuple[str, ...],
    provider: FaultyProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "own.campaign").write_text(CAMPAIGN, "utf-8")
    out, rows_file = tmp_path / "out", tmp_path / "rows.json"
    words = [*verb, str(tmp_path / "own.campaign"), "--out", str(out), "--json", str(rows_file)]
    provider.begin("401", first=0)
    assert command(monkeypatch, *words) == 2
    captured = capsys.readouterr()
    assert "the model openai:poor could not be called" in captured.err
    assert "and nothing was run" in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert not out.exists()
    provider.begin("401")
    assert command(monkeypatch, *words) == 3
    captured = capsys.readouterr()
    assert "too many invalid episodes: 1 of 1 (100.0 %), and --max-invalid allows 5 %" in captured.err
    found = json.loads(rows_file.read_text("utf-8"))["rows"]
    whole = {row["metric"]: row for row in found if (row["level"], row["mode"]) == ("all", "all")}
    assert (whole["invalid"]["value"], whole["invalid"]["n"]) == (100, 1)
    assert {whole[rate]["n"] for rate in ("tsr", "hr", "tr", "cr", "er")} == {0}
    provider.begin()
    assert command(monkeypatch, *words) == 0
    found = json.loads(rows_file.read_text("utf-8"))["rows"]
    whole = {row["metric"]: row for row in found if (row["level"], row["mode"]) == ("all", "all")}
    assert whole["invalid"]["value"] == 0
    provider.begin()
    assert command(monkeypatch, *words) == 0
    assert provider.requests == []
