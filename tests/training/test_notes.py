"""The bank's notes in training rows are those that the recovery layer shows of the same failures."""

from __future__ import annotations

import pytest

from sealegs.agents import UseTool
from sealegs.faults import Plan, Rule
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.fault import Fault
from sealegs.faults.kinds import Error, MissingRequiredFields, Timeout
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Tool
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.bank.exemplar import WARNING
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Advise
from sealegs.training.data.bad_messages import AdviceNote, advice_note
from sealegs.training.data.task_sources import DataSources, all_base_tasks, task_variant
from sealegs.training.data.trajectory_player import TrajectoryOrder, TrajectoryPlayer

FAULTS = [Error(status=status) for status in (400, 404, 409, 429, 500, 503)] + [
    Timeout(seconds=1.0),
    MissingRequiredFields(),
]
BASES = list(all_base_tasks(DataSources()).values())


def steps() -> list[tuple[str, UseTool, ToolSpec]]:
    """A read, an action that acts again, one that does not, and one with a key; each with a call of it."""
    found: dict[tuple[bool | None, bool, bool], tuple[str, UseTool, ToolSpec]] = {}
    for base in BASES:
        for step in base.task.graph.walk():
            spec = base.specs[step.tool]
            example = next(iter(spec.examples), None)
            if example is not None:
                case = spec.effects, spec.idempotent, bool(spec.key)
                key = {spec.key: "one"} if spec.key else {}  # without one the layer would give one
                found.setdefault(case, (base.id, UseTool(step.tool, {**example, **key}), spec))
    return list(found.values())


def in_a_row(base_id: str, use: UseTool, spec: ToolSpec, fault: Fault) -> Outcome:
    """The failure as a row shows it."""
    base = next(one for one in BASES if one.id == base_id)
    variant = task_variant(base, 0, 0)
    assert variant is not None
    plan = Plan(name="noted", rules=(Rule(match=Tool(use.tool), fault=fault, moment="after"),))
    order = TrajectoryOrder(variant, (spec,), "", None, "P1", None, plan, True, ("noted",))
    player = TrajectoryPlayer(order)
    outcome = player.call(use)
    player.made.at = 0
    return player._noted(outcome, use)


def behind_the_layer(use: UseTool, spec: ToolSpec, seen: Outcome) -> Outcome:
    """The same failure of a tool that is known by the same spec, behind a layer that only advises."""
    session = Session(specs=[spec], layers=[RecoveryLayer(Advise(shipped_bank()))], clock=VirtualClock())
    return session.call(use.tool, use.arguments, lambda call: seen)


def note_of(outcome: Outcome) -> AdviceNote | None:
    return advice_note({"error": {"message": outcome.message}} if isinstance(outcome, Failure) else outcome.value)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind}-{getattr(fault, 'status', '')}")
def test_a_note_is_the_layers(fault: Fault) -> None:
    noted = 0
    for base_id, use, spec in steps():
        shown = in_a_row(base_id, use, spec, fault)
        bare = shown
        if isinstance(shown, Failure):
            bare = Failure(shown.message.partition("\n\nRecovery:")[0], shown.type, shown.status, shown.retry_after)
        elif note_of(shown) is not None:
            bare = Value(_plain(shown.value))
        assert note_of(shown) == note_of(behind_the_layer(use, spec, bare))
        noted += note_of(shown) is not None
    assert noted


def _plain(value: object) -> object:
    if isinstance(value, str):
        return value.partition("\n\nRecovery:")[0]
    assert isinstance(value, dict)
    rest = {name: one for name, one in value.items() if name != "recovery_note"}
    return rest["answer"] if rest.keys() == {"answer"} else rest


def test_a_look_is_asked_for_before_the_repetition_of_an_action_alone() -> None:
    warned = {}
    for base_id, use, spec in steps():
        note = note_of(in_a_row(base_id, use, spec, Error(status=503)))
        assert note is not None
        warned[spec.effects, spec.idempotent, bool(spec.key and use.arguments.get(spec.key))] = WARNING in note.text
    assert warned.pop((True, False, False))
    assert not any(warned.values())
    assert len(warned) >= 2
