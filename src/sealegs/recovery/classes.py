"""The seven classes of ToolScan: what a failure counts as in published tables, and where another class is truer.

The published assignment of 58 failures (`data/toolscan_classes.csv`) is kept as it is, for comparability: a failure
whose status or error name is listed there has the class given there. Any other has the class of the published failure
that is nearest to its cause (`causes`). `ours` is the class that the meaning of the classes gives, with a reason where
it differs. Rules come first; where they are silent, the nearest exemplar's cause is taken, and where none is near, the
likeliest by the words (`likeness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Literal, Protocol, cast, get_args

from sealegs.faults.call import Call
from sealegs.faults.csv_tables import table_rows
from sealegs.recovery.cause_classifier import MARGIN, shipped_cause_counts
from sealegs.recovery.causes import By, Cause, cause, causes, error_basename
from sealegs.recovery.signature import Signature

FailureClass = Literal[
    "Tool Hallucination",
    "Argument Hallucination",
    "Invalid Tool Invocation",
    "Partial Execution",
    "Output Hallucination",
    "Invalid Intermediate Reasoning",
    "Re-entrant Failures",
]
CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)


@dataclass(frozen=True, slots=True)
class NearExemplar:
    """An exemplar near a failure.

    Attributes:
        name: its name.
        cause: what was wrong there.
        distance: how far it is, 0 to 1.
    """

    name: str
    cause: str
    distance: float


class Retriever(Protocol):
    """A finder of exemplars (the bank)."""

    def near(self, signature: Signature, call: Call | None = None) -> NearExemplar | None:
        """The nearest exemplar; None where none is near enough to be believed."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The class and the cause that a failure is taken to have.

    Attributes:
        failure_class: by the published assignment.
        ours: by the meaning of the classes.
        because: why the two differ; empty where they do not.
        cause: what is wrong.
        by: what it was inferred from: a status, words, the answer itself, the nearest exemplar, the published table
            alone, or the likeness of the words to those of labelled failures, which is a guess.
        exemplar: that exemplar; empty where a rule decided.
        distance: how far the exemplar is.
    """

    failure_class: FailureClass
    ours: FailureClass
    because: str
    cause: str
    by: By | Literal["published", "exemplar", "likeness"]
    exemplar: str = ""
    distance: float | None = None


def classify(signature: Signature, call: Call | None = None, bank: Retriever | None = None) -> Diagnosis | None:
    """The diagnosis of a failure; None where nothing is known of it.

    Args:
        signature: of the failure.
        call: the call that failed; it tells the name of a missing tool from that of a missing thing.
        bank: where the rules are silent.
    """
    found = cause(signature)
    if found is not None:
        one, by = found
        # "Not found" can mean a tool or a record; what the message names decides which.
        if one.name == "unknown_tool" and call is not None and not _names_the_tool(signature, call):
            one = causes()["no_such_record"]
        return _diagnosis(signature, one, by)
    near = bank.near(signature, call) if bank is not None else None
    if near is not None:
        one = causes()[near.cause]
        named = _diagnosis(signature, one, "words")
        return Diagnosis(named.failure_class, named.ours, named.because, one.name, "exemplar", near.name, near.distance)
    # The table knows names and statuses of which no cause is known here; it is exact, so it counts before a likeness.
    published_class = _published_class(signature)
    if published_class:
        return Diagnosis(published_class, published_class, "", "", "published")
    like = None if signature.silent else shipped_cause_counts().likeliest(signature)
    if like is None or like[1] < MARGIN:
        return None
    guessed = _diagnosis(signature, causes()[like[0]], "words")
    return replace(guessed, by="likeness")


def _names_the_tool(signature: Signature, call: Call) -> bool:
    """Return whether the thing said not to exist may be the tool, rather than a text among the call's arguments."""
    text = signature.message.casefold()
    # Texts of one or two letters are in any message by chance.
    given = [str(value).casefold() for value in call.arguments.values() if isinstance(value, str) and len(value) > 2]
    return call.tool.casefold() in text or not any(value in text for value in given)


def _diagnosis(signature: Signature, one: Cause, by: By) -> Diagnosis:
    failure_class = _published_class(signature) or cast(FailureClass, one.failure_class)
    ours = cast(FailureClass, one.ours)
    because = one.because if ours != failure_class else ""
    if ours != failure_class and not because:
        because = f"{one.meaning}: {ours} by the meaning of the classes"
    return Diagnosis(failure_class, ours, because, one.name, by)


def _published_class(signature: Signature) -> FailureClass | None:
    known = published_classes()
    if signature.status is not None and str(signature.status) in known:
        return known[str(signature.status)]
    return known.get(error_basename(signature.type))


@cache
def published_classes() -> Mapping[str, FailureClass]:
    """The published class of each of the 58 failures, by status or name."""
    return {row["failure"]: cast(FailureClass, row["class"]) for row in _rows()}


@cache
def meanings() -> Mapping[str, str]:
    """The meaning of each class, as published."""
    return {row["class"]: row["meaning"] for row in _rows()}


def published_signature(failure: str) -> Signature:
    """The signature of one of the 58 failures as its name gives it."""
    return Signature(status=int(failure)) if failure.isdigit() else Signature(type=failure)


def _rows() -> tuple[dict[str, str], ...]:
    text = resources.files("sealegs.recovery").joinpath("data", "toolscan_classes.csv").read_text(encoding="utf-8")
    return tuple(table_rows(text))
