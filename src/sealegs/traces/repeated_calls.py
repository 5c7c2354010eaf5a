"""Deeds that an agent did twice as it did not know that they were done: the ledger of tools that keep none.

A call took effect where its tool ran, not dry, and answered. Its answer is lost where the agent was shown something
that no run answered: a failure, other data, or nothing. Whoever then makes an equal call, before an equal one has
answered truly, has the effect a second time.

A tool with effects that fails by itself may have had them before it failed. An equal call after that is in doubt,
unless the tool was never entered, its own status says that it refused, or something was read meanwhile: the tool that
shows its effects, where one is declared, else any that is declared to change nothing. Where the tool's code reports
what it did (`report_effect`), there is no doubt: a deed that both calls report was done twice, and nothing else was.

The ledger also shows a deed that was done again by a call with other arguments (another note, another tool): it is
doubled where the answer to the call that did it last was lost. Who knows that it is done may want it twice.

Nothing is doubled where a second call has no effect: where the tool is idempotent, or both calls carry one idempotency
key; two keys do not make two calls different. All of it is taken from the record: what the tools answered, what the
agent was shown, and what was noted of the tools.

Equal arguments may be written in different ways (`faults.equal`). It does not see repetitions in other words (another
amount, another tool) that no ledger shows, calls that were made while the first was still under way, and what an agent
made of what it read: a look counts, whatever it showed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call, Effect, Failure, Outcome, render
from sealegs.faults.equal import arguments_key
from sealegs.faults.refused_statuses import REFUSED_STATUSES
from sealegs.faults.spec import ToolSpec
from sealegs.traces.record import Record, Turn
from sealegs.traces.specs import noted_specs

LONGEST = 200  # characters of arguments, or of an answer, in a sentence


@dataclass(frozen=True, slots=True)
class Repetition:
    """A call that took effect again, or may have, after an equal one of which nobody knew that it was done.

    Attributes:
        first: the call whose answer was lost, or whose tool failed by itself.
        second: the next one that took effect; `second.by` names the recovery policy that made it, if one did.
        declared: whether the tool is known to have effects, by its declaration or its reports; else it may have some.
        certain: whether it is known that both calls were done; else one of them failed by itself.
        deed: the entry that both left in the ledger, where their arguments differ; else None.
    """

    first: Turn
    second: Turn
    declared: bool
    certain: bool = True
    deed: Effect | None = None

    @property
    def proven(self) -> bool:
        """Whether an effect was had twice beyond doubt."""
        return self.declared and self.certain

    def says(self) -> str:
        """The repetition as a sentence."""
        first, second = self.first, self.second
        what = _call(first)
        by = f", which recovery made ({second.by})" if second.by else ""
        shown = _shown(first.shown)
        lost = f"whose answer was lost ({shown})" if first.lost else f"which failed after its work ({shown})"
        if self.deed is not None:
            calls = f"by {first.call.id}: {what}, {lost}, and by {second.call.id}: {_call(second)}{by}"
            return f"{_deed(self.deed)} happened twice: {calls}"
        if self.certain:
            was = "took effect twice" if self.declared else "ran twice, and may have effects (nobody declared it)"
            return f"{what} {was}: {first.call.id}, {lost}, and {second.call.id}{by}"
        one = f"whose answer was lost ({shown})" if first.lost else f"which failed by itself, done or not ({shown})"
        other = "" if second.worked else ", which failed by itself, done or not"
        calls = f"{first.call.id}, {one}, and {second.call.id}{other}{by}"
        return f"{what} may have taken effect twice: {calls}; nothing was read between"


def doubled_effects(record: Record, specs: Iterable[ToolSpec] = ()) -> tuple[Repetition, ...]:
    """The effects that happened twice beyond doubt, of tools that are declared to have effects; see `repetitions`."""
    return tuple(found for found in repetitions(record, specs) if found.proven)


def repetitions(record: Record, specs: Iterable[ToolSpec] = ()) -> tuple[Repetition, ...]:
    """The calls that took effect again, or may have, after an equal one that nobody knew to be done, in their order.

    Args:
        record: a finished episode.
        specs: what is known of the tools; it counts before what the record notes.
    """
    # Later entries replace earlier ones, so what the caller knows counts more.
    known = {spec.name: spec for spec in (*noted_specs(record.about), *specs)}
    reporting = {turn.call.tool for turn in record.turns if turn.effects}
    found: list[Repetition] = []
    # Without the key, since two keys do not make two calls different.
    last: dict[tuple[str, str], list[int]] = {}  # places of what took effect, by tool and arguments without the key
    deeds: dict[tuple[str, str, str], list[Turn]] = {}  # the calls that did each deed of the ledger
    for place, turn in enumerate(record.turns):
        spec = known.get(turn.call.tool) or ToolSpec(turn.call.tool)
        # A read, or a tool that does nothing a second time, doubles nothing; neither does a call that surely failed.
        if spec.effects is False or spec.idempotent or not (_done(turn) or _in_doubt(turn, spec, reporting)):
            continue
        earlier = last.setdefault((spec.name, arguments_key(turn.call.arguments, spec)), [])
        other = (at for at in reversed(earlier) if not _one_key(record.turns[at].call, turn.call, spec))
        before = next(other, None)
        earlier.append(place)
        silent = turn.call.tool in reporting and not turn.effects  # it says of others what it did, and nothing of this
        if before is not None and not silent and _repeats(record.turns[before : place + 1], spec, known):
            first = record.turns[before]
            acts = spec.effects is True or bool(turn.effects)
            found.append(Repetition(first, turn, acts, _done(first) and _done(turn)))
        elif again := _deed_again(turn, deeds, spec):
            found.append(again)
        for effect in turn.effects:
            deeds.setdefault(_deed_key(effect), []).append(turn)
    return tuple(found)


def _deed_again(turn: Turn, deeds: Mapping[tuple[str, str, str], Sequence[Turn]], spec: ToolSpec) -> Repetition | None:
    """The repetition of a deed whose maker did not know that it was done; None where the call repeats none."""
    for effect in turn.effects:
        # Two entries of one call were not made by its caller: the tool or a fault (`duplicate`) did that.
        other = [one for one in deeds.get(_deed_key(effect), ()) if not repeats_safely(one, turn, spec)]
        if other and _unknown(other[-1], turn):
            return Repetition(other[-1], turn, declared=True, deed=effect)
    return None


def repeats_safely(first: Turn, second: Turn, spec: ToolSpec) -> bool:
    """Return whether two calls of one tool have one effect: it is idempotent, or they carry one idempotency key.

    Args:
        first: the earlier call.
        second: the later one.
        spec: what is known of its tool.
    """
    return first.call.tool == second.call.tool and (bool(spec.idempotent) or _one_key(first.call, second.call, spec))


def count_unproven(repeated: Iterable[Repetition]) -> dict[str, dict[str, int]]:
    """Counts, by tool, of what may have been done twice: nothing is declared of the tool, or it failed by itself."""
    unproven = [one for one in repeated if not one.proven]
    return {
        "perhaps": dict(Counter(one.second.call.tool for one in unproven if one.certain)),
        "in doubt": dict(Counter(one.second.call.tool for one in unproven if not one.certain)),
    }


def describe_unproven(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The sentences about what `count_unproven` counted, each with what would settle it; none for no counts."""
    perhaps, doubt = (
        ", ".join(f"{tool} {count}" for tool, count in counts[kind].items()) for kind in ("perhaps", "in doubt")
    )
    lines = []
    if perhaps:
        lines.append(f"called again after a lost answer: {perhaps}; say by @tool(effects=...) whether that does harm")
    if doubt:
        lines.append(
            f"called again after a failure of its own: {doubt}; it may have been done before it failed: read first, or "
            "have the tool report what it did (sealegs.report_effect)"
        )
    return lines


def _repeats(turns: Sequence[Turn], spec: ToolSpec, known: Mapping[str, ToolSpec]) -> bool:
    """Return whether the last of these turns repeats the first, or may: its maker did not know what was done."""
    first, second = turns[0], turns[-1]
    if not _unknown(first, second):
        return False
    # Both certainly ran; reading in between cannot undo that.
    if first.worked and second.worked:
        return True
    if _done(first) and _done(second):
        return _same_deed(first, second)
    return not any(_shows(one, spec, known) for one in turns[1:-1])


def _unknown(first: Turn, second: Turn) -> bool:
    """Return whether the second call was made after the first, by one who was not told that the first was done."""
    return (first.lost or not first.worked) and _before(first, second)


def _done(turn: Turn) -> bool:
    """Return whether it is known that the call had an effect: its tool answered, or reported one."""
    return turn.worked or bool(turn.effects)


def _in_doubt(turn: Turn, spec: ToolSpec, reporting: Collection[str]) -> bool:
    """Return whether a tool with effects, none of which it reports, failed by itself: no proof that it did nothing."""
    failed = [one for one in turn.answers if isinstance(one, Failure) and not one.unsent]
    refused = spec.statuses == "own" and all(one.status in REFUSED_STATUSES for one in failed)
    return spec.effects is True and bool(failed) and not refused and turn.call.tool not in reporting


def _same_deed(first: Turn, second: Turn) -> bool:
    """Return whether both calls report a deed of equal action, subject and details."""
    return not {_deed_key(one) for one in first.effects}.isdisjoint(map(_deed_key, second.effects))


def _deed_key(effect: Effect) -> tuple[str, str, str]:
    """A key that is equal for equal entries of a ledger."""
    return effect.action, effect.subject, arguments_key(effect.details)


def _shows(turn: Turn, spec: ToolSpec, known: Mapping[str, ToolSpec]) -> bool:
    """Return whether a call read something by which the effect of a tool may be seen."""
    if spec.shown_by:
        return turn.worked and turn.call.tool == spec.shown_by
    read = known.get(turn.call.tool)
    return turn.worked and read is not None and read.effects is False


def _before(first: Turn, second: Turn) -> bool:
    """Return whether whoever made the second call had seen the answer to the first one, or had given it up."""
    same = (second.of or second.call.id) == (first.of or first.call.id)
    # Attempts that recovery made for one call follow one another, so each knew of the one before.
    return same or first.shown is None or second.began > first.over


def _one_key(first: Call, second: Call, spec: ToolSpec) -> bool:
    """Return whether both calls carry the same idempotency key."""
    key = first.arguments.get(spec.key)
    return bool(spec.key) and key is not None and key == second.arguments.get(spec.key)


def _call(turn: Turn) -> str:
    return f"{turn.call.tool}({_cut(_named(turn.call.arguments))})"


def _deed(effect: Effect) -> str:
    details = f"({_cut(_named(effect.details))})" if effect.details else ""
    return " ".join(part for part in (effect.action, effect.subject, details) if part)


def _named(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_json(value)}" for name, value in values.items())


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
