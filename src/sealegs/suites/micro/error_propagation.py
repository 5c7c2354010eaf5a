"""The way of an error between two agents: where it struck, what the inner one made of it, what the outer one then did.

Everything is read from the record, by value. A value is corrupt where a fault showed it and the tool had not;
what a tool then returns for arguments that hold a corrupt value is corrupt too, unless it was also returned honestly.
What it does not see: a wrong result that a model worked out in its head (then the answer is `wrong, untraced`), and
single digits, which turn up by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sealegs.scoring.taint import trusting
from sealegs.suites.micro.scripted_chat import assignment_for
from sealegs.suites.micro.workloads import Workload, load_workloads

Inner = Literal[
    "not touched",
    "absorbed",
    "passed on as an error",
    "passed on with a warning",
    "passed on silently",
    "wrong, untraced",
    "never answered",
]
Outer = Literal[
    "not touched", "right", "told a corrupt value", "said that it could not", "no answer", "wrong, untraced"
]
REFUSED = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable|not able|fail(?:ed|s|ure)?|unavailable|unreachable|refused"
    r"|no access)\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
NAME = re.compile(r"\b[^\W\d_]{4,}\b")


@dataclass(frozen=True, slots=True)
class Hop:
    """One question of the outer agent to the inner one.

    Attributes:
        call: the outer call.
        question: the question.
        struck_inside: the inner agent's calls that a fault was delivered on.
        struck_between: the faults that were delivered on the answer's way to the outer agent.
        inner: what the inner agent made of it.
        corrupt: the corrupt values in what the outer agent was shown.
    """

    call: str
    question: str
    struck_inside: tuple[str, ...]
    struck_between: tuple[str, ...]
    inner: Inner
    corrupt: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PropagationTrace:
    """An episode of two agents.

    Attributes:
        struck: where faults were delivered: `inner`, `outer`, or nowhere (empty).
        hops: every question, in order.
        asked_again: how many questions had been put before.
        outer: what the outer agent's final words came to.
        corrupt: the corrupt values in its final words.
    """

    struck: Literal["", "outer", "inner"]
    hops: tuple[Hop, ...]
    asked_again: int
    outer: Outer
    corrupt: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Return the trace as plain data."""
        return asdict(self)


def trace_propagation(workload: str, result: Mapping[str, Any]) -> PropagationTrace:
    """The way of an error through an episode.

    Args:
        workload: one with two agents.
        result: what `play_micro_episode` returned, or `summarize_cut_off`.
    """
    one = load_workloads()[workload]
    trail = _Trail(_values(one.prompt))
    calls: Sequence[Mapping[str, Any]] = result["calls"]
    hops = tuple(_hop(one, call, _inside(call, calls), trail) for call in calls if call["agent"] == "outer")
    questions = [hop.question for hop in hops]
    touched = any(hop.struck_inside or hop.struck_between for hop in hops)
    final = result["answer"]
    claimed = trail.claimed(final or "")
    return PropagationTrace(
        struck="inner" if any(hop.struck_inside for hop in hops) else "outer" if touched else "",
        hops=hops,
        asked_again=len(questions) - len(set(questions)),
        outer=_outcome(one, final, touched, claimed),
        corrupt=tuple(sorted(claimed)),
    )


def _outcome(workload: Workload, final: str | None, touched: bool, claimed: set[str]) -> Outer:
    if final is None:
        return "no answer"
    if workload.judge(final):
        return "right" if touched else "not touched"
    # A refusal outweighs a value that follows it; a corrupt value is not taken back by a refusal further on.
    if _refuses(final):
        return "said that it could not"
    if claimed:
        return "told a corrupt value"
    return "said that it could not" if REFUSED.search(final) else "wrong, untraced"


def _refuses(text: str) -> bool:
    """Return whether a text begins by saying that it has no answer."""
    return REFUSED.search(re.split(r"[.!?;:]\s|\n", text, maxsplit=1)[0]) is not None


class _Trail:
    """The values that are corrupt so far, and those that were returned honestly."""

    def __init__(self, honest: set[str]) -> None:
        self.honest = honest
        self.corrupt: set[str] = set()

    def take(self, call: Mapping[str, Any]) -> None:
        """Add the values of one call of a plain tool to the honest or the corrupt ones."""
        shown, returned = _values(call["shown"] or ""), _values(call["said"] or "")
        if call["failed"] or (call["shown"] or "").startswith("Error:"):
            return
        from_corrupt = self.holds(" ".join(map(str, call["arguments"].values())))
        # Honest before corrupt: what a faulted call also returned is right, and is not followed.
        if not from_corrupt:
            self.honest |= returned if not call["struck"] else returned & shown
        self.corrupt |= (shown if from_corrupt else shown - returned) - self.honest

    def holds(self, text: str) -> set[str]:
        """The corrupt values in a text; a number also where the text rounds it."""
        return (_values(text) & self.corrupt) | {known for known in self.corrupt if _rounded_in(text, known)}

    def claimed(self, text: str) -> set[str]:
        """The corrupt values that it states in a sentence that shows no distrust."""
        return {value for sentence in trusting(text) if not REFUSED.search(sentence) for value in self.holds(sentence)}


def _hop(workload: Workload, call: Mapping[str, Any], inside: Sequence[Mapping[str, Any]], trail: _Trail) -> Hop:
    question = " ".join(map(str, call["arguments"].values()))
    # Before its own calls are taken, which may make more values corrupt: the question was put without these.
    corrupt_question = bool(trail.holds(question))
    for one in inside:
        trail.take(one)
    faulted = tuple(one["id"] for one in inside if one["struck"])
    inner = _inner(workload, question, call["said"], bool(faulted) or corrupt_question, trail, bool(inside))
    shown, returned = call["shown"] or "", call["said"] or ""
    if not call["failed"]:
        trail.corrupt |= _values(shown) - _values(returned) - trail.honest
    return Hop(call["id"], question, faulted, tuple(call["struck"]), inner, tuple(sorted(trail.holds(shown))))


def _inner(workload: Workload, question: str, answer: str | None, touched: bool, trail: _Trail, worked: bool) -> Inner:
    if answer is None:
        return "never answered" if worked else "not touched"
    if not touched:
        return "not touched"
    # Before the judge: with a corrupt value beside it, even the right answer passes the error on.
    if trail.claimed(answer) and not _refuses(answer):
        return "passed on silently"
    assigned = assignment_for(workload, question)
    if assigned is not None and assigned[0].judge(answer):
        return "absorbed"
    if REFUSED.search(answer):
        return "passed on with a warning" if trail.holds(answer) else "passed on as an error"
    # A question in words of its own has no known answer. What is left here claims nothing corrupt.
    return "absorbed" if assigned is None else "wrong, untraced"


def _inside(outer: Mapping[str, Any], calls: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [call for call in calls if call["id"].startswith(f"{outer['id']}/")]


def _values(text: str) -> set[str]:
    """The telling values of a text: numbers of more than one digit, and words of four letters or more."""
    numbers = {float(found.replace(",", "")) for found in NUMBER.findall(text)}
    telling = {f"{value:.12g}" for value in numbers if abs(value) >= 10 or value < 0 or not value.is_integer()}
    return telling | {word.casefold() for word in NAME.findall(text)}


def _rounded_in(text: str, known: str) -> bool:
    """Return whether a text gives a number rounded, with a decimal at least or as a large one."""
    try:
        value = float(known)
    except ValueError:
        return False
    for found in NUMBER.findall(text):
        number, places = float(found.replace(",", "")), len(found.partition(".")[2])
        if (places or abs(number) >= 100) and abs(value - number) <= 0.5 * 10**-places + 1e-9:
            return True
    return False
