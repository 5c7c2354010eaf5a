"""Advice on failures as libraries print them: it speaks of what is the matter, or not at all.

`advice.jsonl` holds texts that really failing libraries printed and texts in the forms of others, some not English,
each with the causes whose advice helps (`right`) and those whose advice does no harm (`weak`).
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from sealegs.faults.call import Failure, Outcome
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.causes import causes
from sealegs.recovery.failure_diagnosis import diagnose_failure
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Advise
from sealegs.recovery.undeclared_tools import UndeclaredTool, find_undeclared_tools
from tests.recovery.stage import BUSY, GONE, Stage

CASES = [json.loads(line) for line in Path(__file__).with_name("advice.jsonl").read_text(encoding="utf-8").splitlines()]
OF = {one.name: one.cause for one in shipped_bank().exemplars}
LOOK = "took effect"


class StatusError(Exception):
    """What an HTTP client raises: the status of some request that the tool made."""

    def __init__(self, status: int) -> None:
        self.status_code = status


def advised(failure: Failure, spec: ToolSpec | None) -> str:
    """What the agent sees of the failure of a tool `pay` that is known by this alone."""
    scene = Stage(RecoveryLayer(Advise(shipped_bank())), {"pay": [failure]}, () if spec is None else (spec,))
    shown = scene.call("pay")
    assert isinstance(shown, Failure)
    return shown.message


@pytest.mark.parametrize("case", CASES, ids=[f"{place}-{case['text'][:30]}" for place, case in enumerate(CASES)])
def test_advice_speaks_of_what_is_the_matter_or_not_at_all(case: dict[str, list[str]]) -> None:
    found = diagnose_failure(str(case["text"]))
    if found.advice:
        assert found.match is not None
        assert OF[found.match.exemplar.name] in (*case["right"], *case["weak"])


def test_most_of_them_are_advised() -> None:
    advised = [bool(diagnose_failure(str(case["text"])).advice) for case in CASES]
    assert sum(advised) / len(advised) > 0.6


def test_a_look_is_asked_for_only_where_there_may_be_an_effect() -> None:
    for case in CASES:
        found = diagnose_failure(str(case["text"]))
        if LOOK in found.advice:
            assert found.match is not None
            assert not causes()[OF[found.match.exemplar.name]].checked
    assert LOOK not in diagnose_failure('sqlite3.OperationalError: near "selec": syntax error').advice


@pytest.mark.parametrize(("effects", "looks"), [(None, True), (True, True), (False, False)])
def test_what_is_declared_decides_whether_a_look_is_asked_for(effects: bool | None, looks: bool) -> None:
    scene = Stage(RecoveryLayer(Advise(shipped_bank())), {"price": [BUSY]}, (ToolSpec("price", effects=effects),))
    shown = scene.call("price")
    assert isinstance(shown, Failure)
    assert (LOOK in shown.message) is looks


INNER = (
    Failure("payment booked, then HTTP 400 Bad Request from the webhook", "RuntimeError"),
    Failure("400 Bad Request for url 'https://hooks/notify'", "HookError", exception=StatusError(400)),
    Failure("transfer done; 404 Not Found: audit log", "RuntimeError"),
    Failure("card charged; then 401 Unauthorized from the mail server", "RuntimeError"),
    Failure("order placed; NOT NULL constraint failed: audit.id", "RuntimeError"),
    Failure("booked; audit log: No route to host", "OSError"),
    Failure('near "selec": syntax error', "OperationalError"),
)


@pytest.mark.parametrize("failure", INNER, ids=lambda failure: failure.message[:30])
@pytest.mark.parametrize(
    ("spec", "looks"),
    [
        (None, True),
        (ToolSpec("pay"), True),
        (ToolSpec("pay", effects=True), True),
        (ToolSpec("pay", effects=False), False),
    ],
    ids=["unknown", "undeclared", "effects", "none"],
)
def test_a_refusal_in_words_proves_nothing_of_a_tool_that_may_have_effects(
    failure: Failure, spec: ToolSpec | None, looks: bool
) -> None:
    shown = advised(failure, spec)
    assert "Recovery:" in shown
    assert (LOOK in shown) is looks


@pytest.mark.parametrize(
    ("failure", "spec", "looks"),
    [
        (Failure("Bad Request", "BadRequest", 400), ToolSpec("pay", effects=True), True),
        (Failure("Bad Request", "BadRequest", 400), ToolSpec("pay", effects=True, statuses="own"), False),
        (Failure("Bad Request", "BadRequest", 400, unsent=True), ToolSpec("pay", effects=True), False),
        (Failure("Bad Request", "BadRequest", 400, unsent=True), None, False),
        # A corrected call is not the call that was made, so idempotency does not cover it.
        (Failure("Bad Request", "BadRequest", 400), ToolSpec("pay", effects=True, idempotent=True), True),
        (BUSY, ToolSpec("pay", effects=True, idempotent=True), False),
        (Failure("Calls are held back: the circuit is open", "CircuitOpen"), ToolSpec("pay", effects=True), False),
    ],
    ids=["inner-400", "own-400", "unsent", "unsent-unknown", "idempotent-400", "idempotent-503", "circuit-open"],
)
def test_a_look_is_left_out_only_with_a_proof(failure: Failure, spec: ToolSpec | None, looks: bool) -> None:
    shown = advised(failure, spec)
    assert "Recovery:" in shown
    assert (LOOK in shown) is looks


LOCALISED = (
    "la autentificación password falló para el usuario «bob»",
    "la autenticación con contraseña falló para el usuario «app»",
    "authentification par mot de passe échouée pour l'utilisateur « app »",
    "Passwort-Authentifizierung für Benutzer »app« fehlgeschlagen",
    "no existe la base de datos «x»",
    "la base de données « x » n'existe pas",
    "el usuario está bloqueado",
)


@pytest.mark.parametrize("severity", ["FATAL", "ERROR", "PANIC"])
@pytest.mark.parametrize("text", LOCALISED)
def test_a_severity_is_no_cause(severity: str, text: str) -> None:
    assert diagnose_failure(f"{severity}:  {text}").advice == ""


@pytest.mark.parametrize(
    "text",
    [
        "strict mode violation: getByRole('button') resolved to 2 elements",
        "Error: strict mode violation: getByRole('button') resolved to 2 elements",
        "playwright._impl._errors.Error: Locator.click: Error: strict mode violation: locator resolved to 2 elements",
        "foreign key check passed but payment provider failed",
        "column already exists check failed",
    ],
)
def test_words_that_an_exemplar_shares_by_chance_are_no_evidence(text: str) -> None:
    assert diagnose_failure(text).advice == ""


@pytest.mark.parametrize(
    ("text", "exemplar"),
    [
        ("FOREIGN KEY constraint failed", "reference-missing"),
        ("Cannot add or update a child row: a foreign key constraint fails (`a`.`b`)", "reference-missing"),
        ('The INSERT statement conflicted with the FOREIGN KEY constraint "FK_a"', "reference-missing"),
        ('column "a" of relation "b" already exists', "done-already"),
        ("NOT NULL constraint failed: orders.id", "value-required"),
    ],
)
def test_what_a_database_says_of_its_constraints_is_advised_on(text: str, exemplar: str) -> None:
    found = diagnose_failure(text)
    assert found.advice
    assert found.match is not None
    assert found.match.exemplar.name == exemplar


def test_words_say_what_a_severity_does_not() -> None:
    assert "All connections" in diagnose_failure("FATAL:  sorry, too many clients already").advice
    assert "caller is not known" in diagnose_failure('FATAL:  password authentication failed for user "app"').advice


def test_what_was_left_alone_for_want_of_a_declaration_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    scripts: dict[str, list[Outcome]] = {name: [BUSY] for name in ("get_fare", "get it", "act")}
    scene = Stage(RecoveryLayer(), {**scripts, "gone": [GONE]}, (ToolSpec("act", effects=True),))
    with caplog.at_level(logging.WARNING, "sealegs.recovery"):
        for tool in ("get_fare", "get_fare", "get it", "act", "gone"):
            scene.call(tool)
    found = find_undeclared_tools([scene.recorder.events])
    assert found == (UndeclaredTool("get_fare", 2), UndeclaredTool("get it", 1))
    assert found[0].remedy == "tools: {get_fare: {effects: false}}"
    assert found[1].remedy == 'tools: {"get it": {effects: false}}'
    messages = [record.getMessage() for record in caplog.records if "nobody said" in record.getMessage()]
    assert len(messages) == 2
    details = [event.detail for event in scene.recorder.events if event.type == "acted" and event.policy == "safety"]
    assert all("tools: {" in detail for detail in details)
