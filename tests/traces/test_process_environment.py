"""The session that the environment of a process asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from sealegs.faults import Failure, Value
from sealegs.faults.user_error import UserError
from sealegs.traces.environment_names import PLAN, RECORDS, TIMEOUT
from sealegs.traces.process_environment import environment_session

SLOW = """
name: slow
rules:
  - match: {tool: look}
    fault: {kind: hang}
"""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    (tmp_path / "plan.yaml").write_text(SLOW)
    monkeypatch.setenv(PLAN, str(tmp_path / "plan.yaml"))
    monkeypatch.delenv(RECORDS, raising=False)
    return monkeypatch


def test_without_a_plan_there_is_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLAN, raising=False)
    with environment_session() as session:
        assert session is None


@pytest.mark.parametrize(("given", "argument"), [("0.01", None), ("600", 0.01)])
def test_a_call_is_given_up_after_the_seconds_that_are_asked_for(
    environment: pytest.MonkeyPatch, given: str, argument: float | None
) -> None:
    environment.setenv(TIMEOUT, given)
    with environment_session(timeout=argument) as session:
        assert session is not None
        shown = session.call("look", {}, lambda call: Value(1))
    assert isinstance(shown, Failure)
    assert "0.01" in str(shown.message), shown


@pytest.mark.parametrize("given", ["soon", "-1", "0", "nan", "inf"])
def test_what_is_no_number_of_seconds_is_refused(environment: pytest.MonkeyPatch, given: str) -> None:
    environment.setenv(TIMEOUT, given)
    with pytest.raises(UserError, match=f"SEALEGS_TIMEOUT='{given}' is not a number of seconds"), environment_session():
        pass
