"""What an agent said last, where a model plays the user too and has the last word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from sealegs.suites.inspect_eval.eval_judging import judged_episodes
from sealegs.suites.inspect_eval.eval_logs import EvalLogs
from tests.suites.inspect_eval.played import OUTAGE, play

STOPPED, USERS = "I could not do it: a tool failed.", "I see."


def answers(logs: EvalLogs) -> set[str | None]:
    return {one.record.answer for key, one in logs.played.items() if key.mode == "plan" and one.record is not None}


@pytest.mark.parametrize(
    ("role", "known", "words"),
    [
        (True, None, STOPPED),
        (False, "simulated_user: {}\n", STOPPED),
        (False, "", USERS),  # nothing says that a model plays the user
    ],
)
def test_a_stop_is_judged_by_the_agents_own_words(role: bool, known: str | None, words: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE + "  persistence: permanent\n  moment: before\n")
    more: dict[str, Any] = {"model_roles": ("user=shopclerk/patient",)} if role else {}
    if known is not None:
        file = tmp_path / "known.yaml"
        file.write_text(f"tasks: [with_customer]\n{known}tools:\n  look_up: {{acts: false}}\n  order: {{acts: true}}\n")
        more["knowledge"] = str(file)
    logs = play(tmp_path / "run", "with_customer", "hasty", plan=str(plan), limit=2, **more)
    assert answers(logs) == {words}
    faulted = [one for one in judged_episodes(logs) if one.mode == "plan"]
    assert [one.exposed for one in faulted] == [True, True]
    assert [one.right_stop for one in faulted] == [words == STOPPED] * 2
    assert not any(one.early_stop for one in faulted)
