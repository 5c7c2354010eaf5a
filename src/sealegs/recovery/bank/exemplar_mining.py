"""Exemplars from recorded recoveries: a failure, and the turns after which the same need was met.

A need is met when the same tool answers well to the same arguments, or to corrected ones (most of them the same), or
when another tool that was not used before answers well to a call that takes a value of the failed one. Only episodes
that ended with an answer count, and only failures whose cause is clear. What comes out is a proposal: steps say what
was done, not that it was wise, so a person has to say yes to each. What it does not see: thoughts, and waits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call, Failure, Value
from sealegs.recovery.bank.adding import known_already
from sealegs.recovery.bank.exemplar import Exemplar
from sealegs.recovery.bank.index import Bank
from sealegs.recovery.causes import causes
from sealegs.recovery.classes import classify
from sealegs.recovery.completeness import is_partial
from sealegs.recovery.forms.failure_reading import PARTIAL
from sealegs.recovery.signature import Signature, signature
from sealegs.traces.record import Record, Turn

LOOK = 200  # characters of a message that an exemplar keeps
WITHIN = 12  # turns after a failure that are looked at


@dataclass(frozen=True, slots=True)
class ExemplarProposal:
    """A proposal.

    Attributes:
        exemplar: as it would appear in the bank.
        episode: where it was found.
        failed: the call that failed.
        done: the calls after it, up to the one that met the need.
    """

    exemplar: Exemplar
    episode: str
    failed: Call
    done: tuple[Call, ...]


def mine_exemplars(records: Iterable[Record], bank: Bank, notes: list[str] | None = None) -> list[ExemplarProposal]:
    """The exemplars that recorded recoveries teach, each kind of failure and way out once.

    Args:
        records: finished episodes.
        bank: tells the cause where the rules are silent; what it holds already is not proposed.
        notes: gets a sentence for each recovery that is left out.
    """
    note = (notes if notes is not None else []).append
    found: list[ExemplarProposal] = []
    for record in records:
        if record.end.reason != "answered":
            continue
        for one in _of_episode(record, bank, note):
            # Found ones count as well: records of one agent repeat the same recovery, and names must stay unique in the
            # bank.
            names = {other.exemplar.name for other in found} | {other.name for other in bank.exemplars}
            proposal = ExemplarProposal(_named(one.exemplar, names), one.episode, one.failed, one.done)
            known = known_already(proposal.exemplar, [*bank.exemplars, *(other.exemplar for other in found)])
            if not known:
                found.append(proposal)
    return found


def _of_episode(record: Record, bank: Bank, note: Any) -> Iterator[ExemplarProposal]:
    turns = record.own  # what recovery did by itself teaches it nothing
    for place, turn in enumerate(turns):
        wrong = _signature(turn)
        if wrong is None:
            continue
        way = _way_out(turns, place)
        if way is None:
            continue
        diagnosis = classify(wrong, turn.call, bank)
        if diagnosis is None or not diagnosis.cause:
            note(f"{record.episode}: it is unclear what was wrong with {turn.call.tool}; left out")
            continue
        exemplar = _exemplar(record.episode, turn, wrong, diagnosis.cause, way)
        yield ExemplarProposal(exemplar, record.episode, turn.call, tuple(other.call for other in way))


def _signature(turn: Turn) -> Signature | None:
    """The signature of a failure that the agent saw, as the tool gave it: without words of recovery's."""
    if isinstance(turn.seen, Failure):
        return signature(turn.call, turn.shown if isinstance(turn.shown, Failure) else turn.seen)
    if isinstance(turn.seen, Value) and is_partial(turn.seen.value):
        return PARTIAL
    return None


def _way_out(turns: Sequence[Turn], place: int) -> tuple[Turn, ...] | None:
    """The turns from the failure to the one that met its need; None where none did."""
    failed = turns[place].call
    # A tool that was in use before may be called again for its own sake, and its answer then replaces nothing.
    before = {turn.call.tool for turn in turns[: place + 1]}
    for end in range(place + 1, min(len(turns), place + 1 + WITHIN)):
        turn = turns[end]
        well = isinstance(turn.seen, Value) and not is_partial(turn.seen.value)
        if not well:
            continue
        same_need = turn.call.tool == failed.tool and _corrected(failed.arguments, turn.call.arguments)
        instead = turn.call.tool not in before and _shares(failed.arguments, turn.call.arguments)
        if same_need or instead:
            return tuple(turns[place + 1 : end + 1])
    return None


def _corrected(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether a call is the same once more, or with some arguments changed."""
    if not old or not new:
        return True
    kept = sum(name in new and new[name] == value for name, value in old.items())
    # A call with a single argument has no other that could have stayed the same.
    return kept >= len(old) / 2 or (len(old) == 1 and set(old) == set(new))


def _shares(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    mine = {repr(value) for value in old.values() if value not in (None, "", True, False)}
    return bool(mine & {repr(value) for value in new.values()})


def _exemplar(episode: str, turn: Turn, wrong: Signature, cause: str, way: Sequence[Turn]) -> Exemplar:
    tool = turn.call.tool
    steps, specific = _steps(turn.call, way)
    slug = re.sub(r"[^a-z0-9]+", "-", f"{tool} {cause}".lower()).strip("-")[:50].strip("-")
    return Exemplar(
        name=slug or "mined",
        cause=cause,
        status=(wrong.status,) if wrong.status is not None else (),
        types=(wrong.type,) if wrong.type else (),
        looks=((wrong.message or wrong.type or cause)[:LOOK],),
        tools=(tool,) if specific else (),
        diagnosis=_capital(f"{causes()[cause].meaning} ({tool})")[:200],
        steps=steps,
        stop="it fails once more after that",
        mined=episode,
    )


def _steps(failed: Call, way: Sequence[Turn]) -> tuple[tuple[str, ...], bool]:
    """The steps that were taken, as orders, and whether they are for this tool alone."""
    steps: list[str] = []
    last = way[-1].call
    for turn in way[:-1]:
        step = f"Call {turn.call.tool}." if turn.call.tool != failed.tool else "Make the call again."
        if step not in steps:
            steps.append(step)
    if last.tool != failed.tool:
        steps.append(f"Call {last.tool} in its place, with the same values.")
        # An exemplar holds five steps; the last ones are those that met the need.
        return tuple(steps[-5:]), True
    changed = sorted(
        name for name in {*failed.arguments, *last.arguments} if failed.arguments.get(name) != last.arguments.get(name)
    )
    if not changed:
        steps.append("Make the same call again.")
        others = len(steps) > 1 and any(turn.call.tool != failed.tool for turn in way)
        return tuple(dict.fromkeys(steps))[-5:], others
    steps.append(f"Change {', '.join(changed)[:120]} as the message says, and make the call again.")
    return tuple(steps[-5:]), True


def _named(one: Exemplar, taken: set[str]) -> Exemplar:
    name, number = one.name, 2
    while name in taken:
        name, number = f"{one.name}-{number}", number + 1
    return one.changed(name=name)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
