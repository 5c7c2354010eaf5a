"""What a report of a run says beside its figures: what is missing, what is invalid, what looks broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from sealegs.suites.inspect_eval.eval_logs import read_eval_logs
from sealegs.suites.inspect_eval.eval_runner import EvalRunner
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.suite import SUITE
from tests.suites.inspect_eval.played import play, values


def test_a_provider_that_fails_is_in_no_rate_and_is_asked_again(tmp_path: Path) -> None:
    logs = play(tmp_path, "plain", "broken", modes="P1", limit=4)
    metrics = values(tmp_path)
    broken = [key for key, one in logs.played.items() if one.invalid]
    assert {key.mode for key in broken} == {"P1"}
    assert len(broken) == 4
    assert all("could not be called" in logs.played[key].invalid for key in broken)
    assert metrics["P1", "invalid"] == 100
    assert metrics["P1", "faulted"] is None
    assert any("4 episodes are invalid" in note for note in SUITE.report(tmp_path).warnings)
    before = len(list(tmp_path.glob("*.eval")))
    play(tmp_path, "plain", "broken", modes="P1", limit=4)
    assert len(list(tmp_path.glob("*.eval"))) == before + 1, "the invalid ones alone are played again"


def test_a_faulted_episode_without_a_clean_one_is_not_reported_as_resumed(tmp_path: Path) -> None:
    """A clean sample that the scorer fails is invalid: then its faulted episodes cannot be drawn."""
    (tmp_path / "moody.py").write_text(
        "import json\n"
        "from inspect_ai import Task, task\n"
        "from inspect_ai.scorer import Score, accuracy, scorer\n"
        "from inspect_ai.solver import generate, use_tools\n"
        "from tests.suites.inspect_eval.evals.shop import look_up, order, samples\n\n\n"
        "@scorer(metrics=[accuracy()])\n"
        "def moody():\n"
        "    async def score(state, target):\n"
        "        if state.sample_id == 's1':\n"
        "            raise RuntimeError('the scorer is moody')\n"
        "        return Score(value='C')\n"
        "    return score\n\n\n"
        "@task\ndef eval_of_moods():\n"
        "    return Task(dataset=samples(3), solver=[use_tools(look_up(), order()), generate()], scorer=moody())\n"
    )
    options = InspectOptions(
        task=f"{tmp_path / 'moody.py'}@eval_of_moods", model="shopclerk/patient", modes="P1"
    ).checked()
    EvalRunner(options, tmp_path / "run").play(lambda done, total: None)
    notes = SUITE.report(tmp_path / "run").warnings
    assert any("1 episode is invalid" in note and "the scorer is moody" in note for note in notes)
    assert "P1: 1 of 3 episodes were not played, because their clean sample is invalid" in notes
    assert not any("resumes it" in note for note in notes)


def test_a_mode_that_was_not_begun_is_named(tmp_path: Path) -> None:
    play(tmp_path, "plain", modes="P1", limit=2)
    (faulted,) = [log for log in tmp_path.glob("*.eval") if {key.mode for key in read_eval_logs(log).played} == {"P1"}]
    faulted.unlink()
    assert any("P1: 0 of 2 episodes are finished" in note for note in SUITE.report(tmp_path).warnings)


def test_an_eval_whose_own_code_fails_everywhere_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from inspect_ai import Task, task\n"
        "from inspect_ai.solver import solver\n"
        "from tests.suites.inspect_eval.evals.shop import look_up, right_orders, samples\n\n\n"
        "@solver\ndef failing():\n"
        "    async def solve(state, generate):\n"
        "        state.tools = [look_up()]\n"
        "        state = await generate(state)\n"
        "        raise KeyError('price')\n"
        "    return solve\n\n\n"
        "@task\ndef broken():\n"
        "    return Task(dataset=samples(2), solver=failing(), scorer=right_orders())\n"
    )
    options = InspectOptions(task=f"{tmp_path / 'broken.py'}@broken", model="shopclerk/patient", modes="NP").checked()
    EvalRunner(options, tmp_path / "run").play(lambda done, total: None)
    (note,) = [one for one in SUITE.report(tmp_path / "run").warnings if "own code" in one]
    assert note.startswith("NP: every sample ended in an exception of the eval's own code and counts as not solved")
    assert "KeyError: 'price'" in note
    assert values(tmp_path / "run")["NP", "clean"] == 0
    working = play(tmp_path / "works", "plain", modes="NP", limit=2)
    assert working.modes == ("NP",)
    assert not [one for one in SUITE.report(tmp_path / "works").warnings if "own code" in one]
