"""Agents that call `sys.exit`: a breakdown as any other, whatever the code, and never the end of the command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sealegs import tool
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.traces.observed import Trace
from sealegs.traces.trace_replay import replay_trace
from tests import needs

pytest.importorskip("hypothesis", reason=needs.module("hypothesis"))

from sealegs.hunt.callables import CallableTarget
from sealegs.hunt.fault_sites import chosen_kinds
from sealegs.hunt.hunt_report import failure_story
from sealegs.hunt.plan_search import HuntLimits, HuntResult, hunt
from tests.cli.warm import warm_command

DOWN = {"name": "down", "rules": [{"id": "one", "match": {"tool": "ask"}, "fault": {"kind": "error", "status": 500}}]}
CODES: list[tuple[Any, str]] = [
    (0, "SystemExit: 0"),
    (3, "SystemExit: 3"),
    ("out of luck", "SystemExit: out of luck"),
    (None, "SystemExit"),
]


@tool
def ask() -> int:
    """The tool of these agents."""
    return 1


def quitter(code: Any) -> Callable[[], int]:
    """An agent that exits where its tool fails."""

    def agent() -> int:
        try:
            return ask()
        except Exception:
            sys.exit(code)

    return agent


def hunted(agent: Callable[..., Any], check: Callable[[Any], Any] | None = None) -> HuntResult:
    return hunt(CallableTarget("tests:agent", agent, check), HuntLimits(chosen_kinds("error"), runs=100))


@pytest.mark.parametrize(("code", "text"), CODES)
def test_an_exit_under_a_fault_is_a_finding(code: Any, text: str) -> None:
    found = hunted(quitter(code))
    (finding,) = found.findings
    assert (finding.symptom.kind, finding.symptom.text) == ("crashed", text)
    assert "in agent" in finding.symptom.place
    assert f"The agent breaks down with {text} (test_exits.py:" in failure_story(found, 1).story


def test_so_is_one_in_an_async_agent() -> None:
    async def agent() -> int:
        return quitter(0)()

    (finding,) = hunted(agent).findings
    assert (finding.symptom.kind, finding.symptom.text) == ("crashed", "SystemExit: 0")


def test_a_check_that_exits_has_failed() -> None:
    def agent() -> int:
        try:
            return ask()
        except Exception:
            return 0

    def check(answer: int) -> None:
        if not answer:
            sys.exit(0)

    (finding,) = hunted(agent, check).findings
    assert (finding.symptom.kind, finding.symptom.text) == ("wrong", "SystemExit: 0")


def test_an_exit_without_a_fault_is_reported() -> None:
    def agent() -> None:
        ask()
        sys.exit(0)

    with pytest.raises(UserError, match=r"^tests:agent exits without any fault \(SystemExit: 0, test_exits.py:\d+ in"):
        hunted(agent)


def test_a_user_s_interrupt_is_not_the_agent_s_end() -> None:
    def agent() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hunted(agent)
    with pytest.raises(KeyboardInterrupt):
        replay_trace(Trace("one", (), {}), Plan.model_validate(DOWN), lambda session: agent())


@pytest.mark.parametrize(("code", "text"), CODES)
def test_a_replay_tells_the_exit_as_the_agent_s_end(code: Any, text: str) -> None:
    found = replay_trace(Trace("one", (), {}), Plan.model_validate(DOWN), lambda session: quitter(code)())
    assert (found.record.end.reason, found.record.end.detail) == ("crashed", text)


def test_a_message_with_a_full_stop_ends_with_one() -> None:
    def agent() -> int:
        try:
            return ask()
        except Exception:
            raise RuntimeError("No price.") from None

    found = hunted(agent)
    story = failure_story(found, 1).story
    assert ".." not in story
    assert "RuntimeError: No price (test_exits.py:" in story


def test_the_commands_end_with_1(tmp_path: Path) -> None:
    source = "import sys\nfrom sealegs import tool\n@tool\ndef ask(): return 1\ndef run(session):\n"
    source += "    try: ask()\n    except Exception: sys.exit(0)\n"
    (tmp_path / "agent.py").write_text(source, encoding="utf-8")
    (tmp_path / "down.yaml").write_text(Plan.model_validate(DOWN).to_yaml(), encoding="utf-8")
    with warm_command() as sealegs:
        ended = sealegs(["hunt", "agent:run", "--kinds", "error", "--out", "here"], tmp_path)
        assert (ended.code, ended.err) == (1, "found: ask error 500\n")
        (tmp_path / "records.jsonl").write_text(RECORD, encoding="utf-8")
        ended = sealegs(["replay", "records.jsonl", "--plan", "down.yaml", "--agent", "agent:run"], tmp_path)
        assert ended.code == 1
        assert "ended: crashed (SystemExit: 0)" in ended.out
        assert sealegs(["replay", "records.jsonl", "--agent", "agent:run"], tmp_path).code == 0


RECORD = """{"type": "started", "episode": "one", "about": {}, "version": 1}
{"type": "called", "call": "call-1", "tool": "ask", "arguments": {}, "at": 0.0}
{"type": "shown", "call": "call-1", "outcome": {"value": 1}, "runs": 1, "true": true, "at": 0.0}
{"type": "ended", "reason": "answered", "answer": null, "detail": "", "at": 0.0}
"""
