"""Recorded recoveries become proposals; failures that nothing came of do not."""

from __future__ import annotations

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.bank import Bank, Exemplar, shipped_bank
from sealegs.recovery.bank.exemplar_mining import ExemplarProposal, mine_exemplars
from sealegs.traces import Recorder
from sealegs.traces.events import Reason
from sealegs.traces.record import Record, build_record

GONE = Failure("The old index of parts was taken down", "OldIndexGone", 410)
MUST = Failure("count must be below twelve dozen", "CountTooHigh", 422)
BUSY = Failure("The mill grinds at its limit", "MillBusy", 503)
FINE = Value({"price": 2.5})
ALONE = Bank([one for one in shipped_bank().exemplars if one.name == "cancelled"])


def episode(*calls: tuple[str, dict[str, object], Outcome], end: Reason = "answered") -> Record:
    recorder = Recorder(VirtualClock())
    recorder.start("one", {})
    session = Session(clock=VirtualClock(), watcher=recorder)
    for tool, arguments, outcome in calls:
        session.call(tool, arguments, lambda call, outcome=outcome: outcome)  # type: ignore[misc]
    recorder.finish(end, answer="done")
    return build_record(recorder.events)


def only(*records: Record) -> Exemplar:
    (found,) = mine_exemplars(records, ALONE)
    assert isinstance(found, ExemplarProposal)
    return found.exemplar


def test_another_tool_with_the_same_value() -> None:
    one = only(episode(("price", {"part": "A-7"}, GONE), ("list", {}, FINE), ("quote", {"item": "A-7"}, FINE)))
    assert one.steps == ("Call list.", "Call quote in its place, with the same values.")
    assert (one.cause, one.status, one.types, one.tools) == ("not_supported", (410,), ("OldIndexGone",), ("price",))
    assert one.mined == "one"
    assert one.text.startswith("Recovery: ")


def test_the_same_call_again_is_for_every_tool() -> None:
    one = only(episode(("price", {"part": "A-7"}, BUSY), ("price", {"part": "A-7"}, FINE)))
    assert (one.steps, one.tools, one.cause) == (("Make the same call again.",), (), "unavailable")


def test_a_mended_argument_is_named() -> None:
    one = only(episode(("buy", {"part": "A", "count": 200}, MUST), ("buy", {"part": "A", "count": 20}, FINE)))
    assert one.steps == ("Change count as the message says, and make the call again.",)
    assert (one.cause, one.tools) == ("bad_arguments", ("buy",))


def test_what_was_mined_is_found_and_not_mined_again() -> None:
    one = episode(("price", {"part": "A-7"}, GONE), ("quote", {"item": "A-7"}, FINE))
    (found,) = mine_exemplars([one, one], ALONE)
    bank = Bank([*ALONE.exemplars, found.exemplar])
    assert not mine_exemplars([one], bank)
    failed = one.turns[0]
    assert isinstance(failed.shown, Failure)
    from sealegs.recovery.signature import signature

    seen = signature(failed.call, failed.shown)
    assert seen is not None
    advice = bank.advice(failed.call, seen)
    assert advice is not None
    assert (advice.exemplar, round(advice.distance, 6)) == (found.exemplar.name, 0)


def test_nothing_is_learnt_where_the_need_was_not_met() -> None:
    failed: tuple[str, dict[str, object], Outcome] = ("price", {"part": "A-7"}, GONE)
    assert not mine_exemplars([episode(failed)], ALONE)
    assert not mine_exemplars([episode(failed, ("quote", {"item": "B-9"}, FINE))], ALONE)
    assert not mine_exemplars([episode(failed, ("quote", {"item": "A-7"}, BUSY))], ALONE)
    assert not mine_exemplars([episode(failed, ("quote", {"item": "A-7"}, FINE), end="limit")], ALONE)
    assert not mine_exemplars([episode(("price", {"part": "A"}, FINE), ("quote", {"part": "A"}, FINE))], ALONE)


def test_a_failure_that_nothing_is_known_of_is_reported() -> None:
    odd = Failure("zyx wvu", "Odd")
    notes: list[str] = []
    assert not mine_exemplars([episode(("price", {"part": "A"}, odd), ("price", {"part": "A"}, FINE))], ALONE, notes)
    assert "it is unclear what was wrong" in notes[0]
