"""What an agent did twice because it did not know that it was done: the ledger of tools that keep none.

A call took effect where its tool ran, not dry, and answered. Its answer is lost where the agent was shown something
that no run answered: a failure, other data, or nothing. Whoever then makes an equal call, before an equal one has
answered truly, has the effect a second time. Nothing is doubled where a second call has no effect: where the tool is
idempotent, or both calls carry one idempotency key; two keys do not make two calls different. All of it is taken from
the record: what the tools answered, what the agent was shown, and what was noted of the tools.

Equal arguments may be written in different ways (`faults.equal`). What it does not cover: repetitions in other words
(another amount, another tool), and calls that were made while the first was still under way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome, render
from sealegs.faults.equal import arguments_key
from sealegs.faults.spec import ToolSpec
from sealegs.traces.record import Record, Turn
from sealegs.traces.specs import noted_specs

LONGEST = 200  # characters of arguments, or of an answer, in a sentence


@dataclass(frozen=True, slots=True)
class Repetition:
    """A call that took effect again after an equal one whose answer was lost.

    Attributes:
        first: the call whose answer was lost.
        second: the next one that took effect; `second.by` names the recovery policy that made it, if one did.
        declared: whether the tool is known to have effects. Undeclared, it may have some.
    """

    first: Turn
    second: Turn
    declared: bool

    def says(self) -> str:
        """The repetition as a sentence."""
        first, second = self.first.call, self.second.call
        what = f"{first.tool}({_cut(_arguments(first))})"
        by = f", which recovery made ({self.second.by})" if self.second.by else ""
        was = "took effect twice" if self.declared else "ran twice, and may have effects (nobody declared it)"
        return f"{what} {was}: {first.id}, whose answer was lost ({_shown(self.first.shown)}), and {second.id}{by}"


def doubled_effects(record: Record, specs: Iterable[ToolSpec] = ()) -> tuple[Repetition, ...]:
    """The effects that happened twice, of tools that are declared to have effects; see `repetitions`."""
    return tuple(found for found in repetitions(record, specs) if found.declared)


def repetitions(record: Record, specs: Iterable[ToolSpec] = ()) -> tuple[Repetition, ...]:
    """The calls that took effect again after an equal one whose answer was lost, in the order they were made.

    Args:
        record: a finished episode.
        specs: what is known of the tools; it counts before what the record notes.
    """
    known = {spec.name: spec for spec in (*noted_specs(record.about), *specs)}
    found: list[Repetition] = []
    last: dict[tuple[str, str], list[Turn]] = {}  # the turns that took effect, by tool and arguments without the key
    for turn in record.turns:
        spec = known.get(turn.call.tool) or ToolSpec(turn.call.tool)
        if spec.effects is False or spec.idempotent or not turn.worked:
            continue
        earlier = last.setdefault((spec.name, arguments_key(turn.call.arguments, spec)), [])
        first = next((one for one in reversed(earlier) if not _one_key(one.call, turn.call, spec)), None)
        if first is not None and first.lost and _before(first, turn):
            found.append(Repetition(first, turn, spec.effects is True))
        earlier.append(turn)
    return tuple(found)


def _before(first: Turn, second: Turn) -> bool:
    """Whether whoever made the second call had been told of the first one, or had given it up."""
    same = (second.of or second.call.id) == (first.of or first.call.id)
    return same or first.shown is None or second.began > first.over


def _one_key(first: Call, second: Call, spec: ToolSpec) -> bool:
    """Whether both calls carry the same idempotency key."""
    key = first.arguments.get(spec.key)
    return bool(spec.key) and key is not None and key == second.arguments.get(spec.key)


def _arguments(call: Call) -> str:
    return ", ".join(f"{name}={_json(value)}" for name, value in call.arguments.items())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown(outcome: Outcome | None) -> str:
    if outcome is None:
        return "the caller had given up"
    text = outcome.message if isinstance(outcome, Failure) else render(outcome)
    status = f"{outcome.status} " if isinstance(outcome, Failure) and outcome.status else ""
    return f"it was shown {_cut(status + text)}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
