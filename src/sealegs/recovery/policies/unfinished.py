"""Alternatives that acted and did not answer: what they did, so that an equal call does not do it again.

As long as an alternative has not answered, an equal call of the session is taken for the same wish, and resumes it
where it stopped; of two side by side, one does. Once it has answered, an equal call is another wish. Nothing is resumed
where the step that failed may have acted and cannot be made twice, where a value has changed, or after another action
or an answer of the tool itself, which may have undone what was begun. Then no step is made, and the agent gets a note.
What the agent itself does about it with the tools of the steps is not followed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.faults.call import Call
from sealegs.faults.equal import CallKey
from sealegs.recovery.policies.alternative import Alternative

ANSWER = 200  # characters of a step's answer that the note quotes
ACTIONS = 64  # that are counted separately since an alternative was left


@dataclass(eq=False)
class UnfinishedAlternative:
    """An alternative under way, or left.

    Attributes:
        alternative: the declaration.
        answers: of the steps made, by their number.
        arguments: that steps were called with, by their number, less the keys.
        keys: the idempotency key that the doubtful step was made with, as an argument.
        doubtful: the number of the step that may have acted without an answer.
        harmless: the doubtful step can be made again.
        acting: the numbers of the steps that may have acted.
        again: the step under way is the doubtful one, made once more.
        since: the actions that the agent called meanwhile: tools, by the call's id.
        busy: it is being answered now.
    """

    alternative: Alternative
    answers: dict[int, Any] = field(default_factory=dict)
    arguments: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    keys: Mapping[str, Any] = field(default_factory=dict)
    doubtful: int | None = None
    harmless: bool = False
    acting: set[int] = field(default_factory=set)
    again: bool = False
    since: dict[str, str] = field(default_factory=dict)
    busy: bool = True

    @property
    def left_over(self) -> list[str]:
        """The tools of the steps that are still to be made."""
        return [step.tool for number, step in enumerate(self.alternative.steps) if number not in self.answers]

    @property
    def stuck(self) -> bool:
        """Whether a step may have acted without an answer, and cannot be made again."""
        return self.doubtful is not None and not self.harmless

    @property
    def settled(self) -> Mapping[int, Mapping[str, Any]]:
        """The arguments that must not change: of the steps that have acted or may have."""
        return {
            number: one for number, one in self.arguments.items() if number in self.answers or number in self.acting
        }

    def begins(self, number: int, arguments: Mapping[str, Any], *, acts: bool, harmless: bool) -> None:
        """Note a step before it is made, since the caller may leave in the middle of it."""
        self.arguments[number] = arguments
        self.again = number == self.doubtful
        if not self.again:
            self.keys = {}
        if acts and not self.again:
            self.doubtful, self.harmless = number, harmless
            self.acting.add(number)

    def ends(self, number: int, answer: Any) -> None:
        """Note that a step answered well."""
        self.answers[number], self.doubtful = answer, None

    def did_nothing(self, number: int) -> None:
        """Note that a step failed and certainly did nothing. What an earlier try of it may have done stays in doubt."""
        if not self.again:
            self.acting.discard(number)
            self.doubtful = None

    def was_keyed(self, key: str, call: Call) -> None:
        """Note the key that the doubtful step was made with: with the same one it can be made again."""
        self.keys, self.harmless = {key: call.arguments[key]}, True

    def summary(self) -> str:
        """A sentence for the agent on the steps that were done; empty where none was."""
        tools = [step.tool for step in self.alternative.steps]
        parts = [f"{tools[number]} answered {_short(answer)}" for number, answer in self.answers.items()]
        if self.doubtful is not None:
            parts.append(f"{tools[self.doubtful]} may have been done")
        return f"In place of {self.alternative.tool}, {' and '.join(parts)}." if parts else ""


class UnfinishedAlternatives:
    """Those of one session. Only those that may have acted stay."""

    def __init__(self) -> None:
        self._of: dict[CallKey, list[UnfinishedAlternative]] = {}
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another

    def __bool__(self) -> bool:
        return bool(self._of)

    def begin(self, key: CallKey, alternative: Alternative) -> UnfinishedAlternative:
        """Note that one begins for this call."""
        unfinished = UnfinishedAlternative(alternative)
        with self._lock:
            self._of.setdefault(key, []).append(unfinished)
        return unfinished

    def claim(self, key: CallKey) -> UnfinishedAlternative | None:
        """The first that an equal call left; no other call gets it until it is left again."""
        with self._lock:
            unfinished = next((one for one in self._of.get(key, ()) if not one.busy), None)
            if unfinished is not None:
                unfinished.busy = True
            return unfinished

    def leave(self, key: CallKey, unfinished: UnfinishedAlternative, *, answered: bool) -> None:
        """Note that it is not being answered any more."""
        with self._lock:
            unfinished.busy = False
            if answered or not unfinished.acting:
                self._of[key].remove(unfinished)
                if not self._of[key]:
                    del self._of[key]

    def note_action(self, tool: str, call: str, *, but_of: str = "") -> None:
        """Note that an action may be under way, which may undo what was begun.

        Args:
            tool: that acts.
            call: the id of the agent's call.
            but_of: the tool whose alternatives this does not concern.
        """
        with self._lock:
            for found in self._of.values():
                for unfinished in found:
                    if unfinished.alternative.tool != but_of and len(unfinished.since) < ACTIONS:
                        # The last entry has no call's id, so that it stays.
                        unfinished.since[call if len(unfinished.since) < ACTIONS - 1 else ""] = tool

    def forget_action(self, call: str) -> None:
        """Note that a call certainly did nothing."""
        with self._lock:
            for found in self._of.values():
                for unfinished in found:
                    unfinished.since.pop(call, None)


def _short(answer: Any) -> str:
    try:
        text = json.dumps(answer, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(answer)
    return text if len(text) <= ANSWER else f"{text[:ANSWER]} ..."
