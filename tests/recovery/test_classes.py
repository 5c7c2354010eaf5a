"""The published assignment is kept to the letter, and every failure of the published tables has a class and a cause."""

from __future__ import annotations

import csv
import time
from importlib import resources

import pytest

from sealegs.faults.call import Call
from sealegs.faults.catalogue import explicit_responses, implicit_corruptions
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.causes import cause, causes
from sealegs.recovery.classes import CLASSES, classify, meanings, published_classes, published_signature
from sealegs.recovery.forms import read_failure
from sealegs.recovery.signature import Signature

OURS = {
    "DNS Resolution Error": "Re-entrant Failures",
    "NoSuchToolError": "Tool Hallucination",
    "ModuleNotFoundError": "Tool Hallucination",
    "BadGatewayError": "Re-entrant Failures",
    "AttributeError": "Invalid Intermediate Reasoning",
    "KeyError": "Argument Hallucination",
    "400": "Argument Hallucination",
    "404": "Argument Hallucination",
    "408": "Re-entrant Failures",
    "500": "Invalid Tool Invocation",
    "429": "Re-entrant Failures",
    "503": "Re-entrant Failures",
    "507": "Partial Execution",
    "FileNotFoundError": "Argument Hallucination",
    "QuotaExceeded": "Invalid Tool Invocation",
    "RuntimeError": "Invalid Tool Invocation",
    "TypeError": "Invalid Intermediate Reasoning",
    "Malformed JSON": "Output Hallucination",
    "BrokenPipeError": "Re-entrant Failures",
}


def test_the_table_is_the_published_one() -> None:
    assert len(published_classes()) == 58
    assert set(published_classes().values()) == set(CLASSES) == set(meanings())
    text = resources.files("sealegs.recovery").joinpath("data", "toolscan_classes.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert {row["failure"]: row["class"] for row in rows} == published_classes()


@pytest.mark.parametrize("failure", published_classes())
def test_a_published_failure_has_its_class(failure: str) -> None:
    found = classify(published_signature(failure))
    assert found is not None
    assert found.failure_class == published_classes()[failure]
    assert found.cause
    assert found.ours == OURS.get(failure, found.ours)
    assert bool(found.because) == (found.ours != found.failure_class)


def test_every_cause_follows_a_published_failure() -> None:
    for one in causes().values():
        assert one.like in published_classes()
        assert one.failure_class == published_classes()[one.like]
        assert one.ours in CLASSES
        assert bool(one.because) == (one.ours != one.failure_class)
    assert {one.failure_class for one in causes().values()} == set(CLASSES)
    assert {one.ours for one in causes().values()} == set(CLASSES)


def test_no_status_says_two_things() -> None:
    sure = [status for one in causes().values() for status in one.sure]
    likely = [status for one in causes().values() for status in one.likely]
    assert len(set(sure + likely)) == len(sure + likely)


@pytest.mark.parametrize(
    "error", explicit_responses("P1") + explicit_responses("P2"), ids=lambda error: f"{error.status} {error.type}"
)
def test_explicit_responses_of_the_catalogue_have_a_cause(error: object) -> None:
    status, type, message = (getattr(error, name) for name in ("status", "type", "message"))
    assert classify(Signature(status, type, message)) is not None


@pytest.mark.parametrize("family", implicit_corruptions())
def test_implicit_corruptions_are_output_hallucinations(family: str) -> None:
    found = classify(Signature(invariants=(family,)))
    assert found is not None
    assert (found.failure_class, found.by) == ("Output Hallucination", "answer")


def test_what_does_not_exist_may_be_the_tool_or_what_it_was_given() -> None:
    signature = Signature(type="ToolError", message="function ledger_of not found")
    tool = classify(signature, Call("ledger_of", {}))
    given = classify(signature, Call("describe", {"name": "ledger_of"}))
    assert tool is not None
    assert given is not None
    assert (tool.cause, given.cause) == ("unknown_tool", "no_such_record")


def test_where_rules_are_silent_the_nearest_exemplar_speaks_and_without_a_bank_the_words() -> None:
    signature = Signature(type="ToolError", message="so many bytes read, and more expected")
    assert cause(signature) is None
    alone = classify(signature)
    assert alone is not None
    assert (alone.by, alone.cause) == ("likeness", "truncated")
    found = classify(signature, bank=shipped_bank())
    assert found is not None
    assert (found.by, found.cause, found.exemplar) == ("exemplar", "truncated", "broken-off")
    assert found.distance is not None
    assert found.distance <= shipped_bank().floor


def test_of_nonsense_nothing_is_known() -> None:
    assert classify(Signature(type="ToolError", message="zyx wvu"), bank=shipped_bank()) is None


@pytest.mark.parametrize(
    "chunk", ["a", "a ", "tool ", "tool of ", "first ", "requests per ", "1 of 2 ", "((((", "not "]
)
def test_no_message_is_slow(chunk: str) -> None:
    """Patterns that try again and again would take seconds here, not milliseconds."""
    text = chunk * (600 // len(chunk))
    start = time.process_time()
    cause(Signature(type="ToolError", message=text))
    read_failure(text * 20)
    assert time.process_time() - start < 1
