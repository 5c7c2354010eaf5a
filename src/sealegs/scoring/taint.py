"""Following poison: which values were corrupt when they were shown, and where they turned up again.

A value is followed by what it is. A corrupt value that happens to equal a right one looks the same and is not
followed. What it does not see: a wrong result that an agent worked out in its head.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Value
from sealegs.scoring.case import Case
from sealegs.scoring.matching import Values, close
from sealegs.tasks.value_matching import KEPT, contains_value
from sealegs.traces.events import outcome_from
from sealegs.traces.record import Record, Turn

DISTRUST = re.compile(
    r"\b(?:implausibl|impossibl|invalid|wrong|incorrect|error|fail|cannot be|can't be|could not|couldn't|inconsisten"
    r"|suspicious|suspect|corrupt|contradict|nonsens|unreliabl|untrust|not trust|doubt|malform|reject|discard|ignor"
    r"|unusabl|unreasonabl|faulty|bogus|negative|missing|not available|unavailable|broken|does not|doesn't"
    r"|did not|didn't|not match|mismatch|retr(?:y|ied)|again\b|repeat|initially"
    r"|(?:first|second|earlier) (?:\w+ )?(?:call|try"
    r"|attempt|answer|lookup|response|result|returned|gave|said)|instead|replaced|inaccura|out of range|glitch"
    r"|strange|unexpected|too (?:high|low|large|small|much|little|many|few)|rather than|discrepan)",
    re.IGNORECASE,
)


DISTRUST_ELSEWHERE = re.compile(  # in German, Spanish and Chinese
    r"\b(?:unplausib|unmöglich|ungültig|falsch|fehler|kann nicht stimmen|stimmt nicht|stimmte nicht|widerspr|unsinn"
    r"|zweifel|unbrauchbar|verworfen|verwerfe|ignorier|wiederhol|noch einmal|noch mal|nochmals|erneut|zunächst|statt"
    r"|passt nicht|ungewöhnlich|negativ"
    r"|imposible|inválid|incorrect|erróne|equivocad|falló|no puede ser|contradi|incoheren|inconsisten|sospechos|absurd"
    r"|dudos|descart[éaó]|repet[ií]|repito|de nuevo|otra vez|nuevamente|en lugar de|en vez de|volví a"
    r"|no coincid|no cuadra)"
    r"|不可能|无效|错误|有误|不对|不合理|可疑|矛盾|不一致|不符|忽略|丢弃|重试|再次|重新|又查|异常|而不是|不可信",
    re.IGNORECASE,
)


def corrupt_values(record: Record, case: Case) -> list[tuple[int, Any]]:
    """Each value that was shown corrupt, with the position of the call that showed it.

    Values that are also right somewhere are left out: those of the reference, of honest answers before (a later one may
    only echo the poison), and what the request or a deliverable's name says.
    """
    changed = [_changed(turn) for turn in record.turns]
    if not any(changed):
        return []
    # A corrupt value that is right elsewhere cannot be traced: an agent that uses it may have it from there.
    right = Values(value for expected in case.reference.steps.values() for _, value in paths.leaves(expected.output))
    right.add(value for _, value in paths.leaves(dict(case.task.inputs)))
    words = "\n".join([case.task.request, *(deliverable.label for deliverable in case.task.deliverables)])
    found: list[tuple[int, Any]] = []
    for position, turn in enumerate(record.turns):
        fresh = [v for v in changed[position] if v not in right and not contains_value(words, v)]
        found += [(position, value) for value in fresh]
        # Only until the first corrupt value: a later answer may be made of it, as where a tool echoes what it was
        # given.
        if turn.said == turn.shown and not found:
            right.add(_shown_values(turn))
    return found


def _shown_values(turn: Turn) -> list[Any]:
    return [value for _, value in paths.leaves(turn.shown.value)] if isinstance(turn.shown, Value) else []


def _changed(turn: Turn) -> list[Any]:
    values: list[Any] = []
    for injection in turn.injections:
        if not (injection.implicit and injection.delivered) or injection.shown is None:
            continue
        shown = outcome_from(injection.shown)
        returned = outcome_from(injection.said) if injection.said is not None else None
        before = dict(paths.leaves(returned.value)) if isinstance(returned, Value) else {}
        after = dict(paths.leaves(shown.value)) if isinstance(shown, Value) else {}
        values += [value for path, value in after.items() if before.get(path) != value and _followed(value)]
    return values


def _followed(value: Any) -> bool:
    """Return whether a value is distinctive enough to be recognised: not a truth value, empty or a single digit."""
    if isinstance(value, bool) or value is None:
        return False
    return (
        abs(value) >= 10 or not float(value).is_integer() or value < 0
        if isinstance(value, (int, float))
        else len(value) > 2
    )


def tainted_turns(record: Record, corrupt: list[tuple[int, Any]]) -> tuple[int, ...]:
    """Positions of the calls whose arguments hold a value shown corrupt before."""
    return tuple(
        position
        for position, turn in enumerate(record.turns)
        if any(
            shown_at < position
            and any(_holds(argument, value) for _, argument in paths.leaves(dict(turn.call.arguments)))
            for shown_at, value in corrupt
        )
    )


def _holds(argument: Any, value: Any) -> bool:
    if isinstance(argument, str) and isinstance(value, str):
        return value.casefold() in argument.casefold()
    return close(argument, value) or (isinstance(argument, str) and contains_value(argument, value))


def _distrusted(sentence: str) -> bool:
    return any(words.search(sentence) for words in (DISTRUST, DISTRUST_ELSEWHERE))


@lru_cache(maxsize=KEPT)
def trusting(answer: str) -> tuple[str, ...]:
    """The lines and sentences of an answer that show no distrust in what they state."""
    return tuple(
        sentence for sentence in re.split(r"\n|(?<=[.!?;])\s|(?<=[。！？；])", answer) if not _distrusted(sentence)
    )


def claims(answer: str, value: Any) -> bool:
    """Return whether the answer states the value, unchanged, as if it were true: in a line that shows no distrust."""
    return any(contains_value(sentence, value) for sentence in trusting(answer))


def claimed_corrupt(answer: str, corrupt: list[tuple[int, Any]]) -> list[Any]:
    """Corrupt values that the answer states as if they were true."""
    return [value for _, value in corrupt if claims(answer, value)]
