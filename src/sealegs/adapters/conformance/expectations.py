"""Comparison of two cases: the framework itself is the judge of how an outcome must look to the model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sealegs.adapters.conformance.case_runner import CaseResult

# A traceback's frames differ between a tool that fails by itself and one that is made to; `invisible` looks at these.
FRAME = re.compile(r'^[ \t]*File "[^"\n]*", line \d+, in .*\n(?:[ \t]{4,}.*\n)*', re.MULTILINE)
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
DESK = re.compile(r"desk_\d+")
LONGEST = 300  # characters of a text that a report quotes


class CheckFailed(Exception):
    """A check has failed; the text says what was expected and what came."""


def expect(truth: object, message: str) -> None:
    """Fail with this text unless so.

    Raises:
        CheckFailed: not so.
    """
    if not truth:
        raise CheckFailed(message)


def expect_alike(expected: CaseResult, found: CaseResult, *, runs: bool = True) -> None:
    """The two must be alike in all that the model reads and in what the run ended with.

    Args:
        expected: of the framework alone, with a tool that does by itself what the fault says.
        found: of the adapter.
        runs: whether the tools must have run equally often, too.

    Raises:
        CheckFailed: they are not; the message names the first difference.
    """
    expect(not found.stuck, "the run did not end")
    ended, wanted = found.surface[1], expected.surface[1]
    expect(
        comparable_text(ended) == comparable_text(wanted),
        f"the run should end with {_quoted(wanted)}; it ended with {_quoted(ended)}",
    )
    _same_texts(expected.shown, found.shown)
    _same_prompts(expected.prompts, found.prompts)
    expect(found.finished == expected.finished, "the run ended before the model had its last words")
    if runs:
        began = (sorted(expected.weather.begun), sorted(found.weather.begun))
        expect(began[0] == began[1], f"the tools should have run {began[0]}; they ran {began[1]}")


def comparable_text(text: str) -> str:
    """The text without what differs from run to run: frames of tracebacks, addresses, the number of the tools' file."""
    return DESK.sub("desk", ADDRESS.sub("0x", FRAME.sub("", text)))


def _same_texts(expected: Mapping[str, str], found: Mapping[str, str]) -> None:
    for id, text in expected.items():
        expect(id in found, f"the model should read {_quoted(text)} as the result of {id}; it read none")
        same = comparable_text(found[id]) == comparable_text(text)
        expect(same, f"the model should read {_quoted(text)} as the result of {id}; it read {_quoted(found[id])}")
    more = sorted(set(found) - set(expected))
    expect(not more, f"the model read results that it should not have: {more}")


def _same_prompts(expected: Sequence[str], found: Sequence[str]) -> None:
    expect(
        len(expected) == len(found),
        f"the model should be called {len(expected)} times; it was called {len(found)} times",
    )
    for number, (one, other) in enumerate(zip(map(comparable_text, expected), map(comparable_text, found)), start=1):
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
            around = slice(max(0, at - 40), at + 120)
            raise CheckFailed(f"prompt {number} should have {_quoted(one[around])}; it has {_quoted(other[around])}")


def _quoted(text: str) -> str:
    if not text:
        return "nothing"
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")
