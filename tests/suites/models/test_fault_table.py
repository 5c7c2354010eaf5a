"""The table of faults in `docs/models.md`, row by row, in all four suites: a local server, real clients, real verdicts.

In a suite that Inspect runs, one run meets every fault, each in a conversation of its own; in `micro` a campaign has a
model for each. That what is invalid is made again, and what the commands say of it, is tested beside this.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
pytest.importorskip("openai", reason=needs.module("openai"))

from sealegs.scoring.highwater_judge import TERMS as CODING_TERMS
from sealegs.suites.micro.campaign.campaign_results import read_folder
from tests.suites.models.faulty_provider import KEY, serving
from tests.suites.models.test_provider_faults import CAUSES, MODEL_ENDS, causes, command, ends, played, strong

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect leaves streams open
MODELS = Path(__file__).parents[3] / "docs" / "models.md"
UNREAD = "malformed"
FAULTS = (*CAUSES, *MODEL_ENDS, UNREAD)
MADE: dict[str, dict[str, Any]] = {  # each with more conversations than there are faults
    "maze": {"levels": "C1", "modes": "NP", "limit": len(FAULTS) + 1},
    # One after the other: in 3 of its 16 a corrupt answer precedes the malformed calls, and the verdict is `unaware`.
    "paladin": {"limit": 2, "arm": "vanilla", "connections": 1},
    "highwater": {"limit": len(FAULTS) + 1, "errors": "off"},
}
STEPS = 6


@dataclass(frozen=True)
class Met:
    """What became of the episodes of a run: the causes of the invalid ones, and how the others ended, with the term."""

    outside: tuple[str, ...]
    ends: tuple[tuple[str, str], ...]


@pytest.fixture(scope="module", autouse=True)
def left_open() -> Iterator[None]:
    yield
    gc.collect()  # what clients left open is found here, where its warnings are ignored


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], Met]]:
    """What a suite's run of all faults came to, in `micro` that with one of them; each is made once."""
    found: dict[str, Met] = {}

    async def at_once(seconds: float) -> None:
        pass

    with pytest.MonkeyPatch.context() as patch, serving() as provider:
        patch.setattr("inspect_ai.model._retry._sleep", at_once)
        patch.setenv("LOCAL_API_KEY", KEY)
        patch.setenv("INSPECT_DISPLAY", "none")
        patch.setenv("NO_PROXY", "127.0.0.1")

        def run(suite: str, fault: str) -> Met:
            if suite == "micro" and fault not in found:
                provider.begin(*FAULTS, by_model=True)
                found.update(campaign(provider.url, tmp_path_factory.mktemp(suite), patch))
            if suite != "micro" and suite not in found:
                folder = tmp_path_factory.mktemp(suite) / "run"
                provider.begin(*FAULTS)
                played(suite, folder, provider, max_steps=STEPS, **MADE[suite])
                assert set(provider.given.values()) == set(FAULTS), "each of them struck"
                found[suite] = Met(tuple(causes(suite, folder)), tuple(ends(suite, folder)))
            return found[fault if suite == "micro" else suite]

        yield run


def campaign(url: str, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, Met]:
    """What a campaign's run with each model came to; a model's name is the fault that it meets."""
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    pytest.importorskip("langchain_openai", reason=needs.module("langchain_openai"))
    patch.setenv("OPENAI_API_KEY", KEY)
    patch.setenv("OPENAI_BASE_URL", url)
    models = ",".join(f"openai:{fault}" for fault in FAULTS)
    (folder / "own.campaign").write_text(f"default model={models}\ntrivia unreachable\n", "utf-8")
    words = ["campaign", "run", str(folder / "own.campaign"), "--out", str(folder / "out"), "--max-invalid", "100"]
    assert command(patch, *words, "--jobs", "2", "--time-limit", "120") == 0
    runs = {run.model.partition(":")[2]: run for run in read_folder(folder / "out").runs}
    assert list(runs) == list(FAULTS)
    return {
        fault: Met((run.invalid,), ()) if run.invalid else Met((), (("", run.evidence.rule.rpartition(": ")[2]),))
        for fault, run in runs.items()
    }


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("suite", ["maze", "paladin", pytest.param("highwater", marks=strong), "micro"])
def test_each_fault_is_whose_it_should_be(suite: str, fault: str, met: Callable[[str, str], Met]) -> None:
    one = met(suite, fault)
    if fault in CAUSES:
        # Clients name the same error differently.
        words = CAUSES[fault].rpartition(": ")[2] if suite == "micro" else CAUSES[fault]
        assert any(words in cause for cause in one.outside), one.outside
        assert suite != "micro" or one.ends == ()
    elif fault in MODEL_ENDS:
        own = MODEL_ENDS[fault]
        alike = 1 if suite == "micro" else list(MODEL_ENDS.values()).count(own)
        assert [term for _, term in one.ends].count(own[1]) >= alike, one.ends
        assert suite == "micro" or own in one.ends, one.ends
    elif suite == "highwater":
        assert "malformed calls" not in CODING_TERMS, "the agent writes code and calls nothing in the provider's form"
    else:
        assert "malformed calls" in {term for _, term in one.ends}, one.ends


@pytest.mark.parametrize("suite", ["maze", "paladin", pytest.param("highwater", marks=strong)])
def test_no_fault_that_is_nobodys_is_in_a_verdict(suite: str, met: Callable[[str, str], Met]) -> None:
    one = met(suite, "")
    known = {*MODEL_ENDS.values(), ("answered", "malformed calls")}
    assert all(any(words in cause for words in CAUSES.values()) for cause in one.outside)
    others = [end for end in one.ends if end not in known]
    assert {reason for reason, _ in others} <= {"answered"}, "whatever was struck has its cause or its term"
    assert not {term for _, term in others} & {"crashed", "cut off"}


def test_every_row_of_the_page_is_one_of_these() -> None:
    table = MODELS.read_text("utf-8").partition("| term | the record ends by |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([a-z ]+) \| (?:`(\w+)`)? ?\|", table, re.MULTILINE)
    assert len(rows) == table.count("\n") - 1
    assert {(end, term) for term, end in rows} == {*MODEL_ENDS.values(), ("", "malformed calls")}
