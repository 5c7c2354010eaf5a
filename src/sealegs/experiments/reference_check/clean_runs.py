"""The good calls of a clean run, each known by the step that it makes.

A step is a tool, or a tool with its arguments where a run calls it with several. Reads that were repeated alike count
once; a call that failed is not a step. Answers that are JSON in a text are read as data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sealegs.experiments.reference_check.learned_reference import LearnedTool
from sealegs.faults.call import Outcome, Value
from sealegs.faults.equal import arguments_key
from sealegs.faults.user_error import UserError
from sealegs.scoring.run_evidence import answered, parsed_json
from sealegs.traces import Record, Turn


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A good call.

    Attributes:
        step: what it makes.
        tool, arguments, answer: of the call.
        began, over: its place among the events of the run.
        after: steps that act and were made between this call and one alike that was answered otherwise.
        text: whether the answer is a text, which may hold JSON.
    """

    step: str
    tool: str
    arguments: Mapping[str, Any]
    answer: Any
    began: int
    over: int
    after: tuple[str, ...] = ()
    text: bool = False


@dataclass(frozen=True, slots=True)
class CleanRun:
    """A run without faults: its good calls in their order, its answer, and what failed in it."""

    calls: tuple[SeenCall, ...]
    answer: str
    failed: tuple[str, ...] = ()

    @property
    def by_step(self) -> dict[str, SeenCall]:
        """The calls by their steps."""
        return {call.step: call for call in self.calls}


def plain_outcome(outcome: Outcome | None) -> Outcome | None:
    """An outcome with JSON in a text read as data."""
    if isinstance(outcome, Value) and isinstance(outcome.value, str):
        data = parsed_json(outcome.value)
        return outcome if data is None else replace(outcome, value=data)
    return outcome


def clean_runs(records: Sequence[Record], tools: Mapping[str, LearnedTool]) -> list[CleanRun]:
    """The good calls of each run, with the same steps in all of them.

    Raises:
        UserError: a run has no answer, calls a tool that was not given, or acts twice alike.
    """
    steps: dict[tuple[str, str], str] = {}
    several = {tool for record in records for tool in _called_with_several(record, tools)}
    return [_clean_run(record, tools, several, steps) for record in records]


def _called_with_several(record: Record, tools: Mapping[str, LearnedTool]) -> set[str]:
    """The tools that the run called with several different arguments."""
    seen: dict[str, set[str]] = {}
    for turn in record.turns:
        if answered(turn.shown):
            seen.setdefault(turn.call.tool, set()).add(_key(turn, tools))
    return {tool for tool, keys in seen.items() if len(keys) > 1}


def _key(turn: Turn, tools: Mapping[str, LearnedTool]) -> str:
    known = tools.get(turn.call.tool)
    return arguments_key(turn.call.arguments, None if known is None else known.spec)


def _clean_run(
    record: Record, tools: Mapping[str, LearnedTool], several: set[str], steps: dict[tuple[str, str], str]
) -> CleanRun:
    if record.answer is None or record.end.reason != "answered":
        why = f": {record.end.detail}" if record.end.detail else ""
        raise UserError(f"the agent gave no answer in a run without faults ({record.end.reason}{why}); fix that first")
    strangers = sorted({turn.call.tool for turn in record.turns} - set(tools))
    if strangers:
        raise UserError(f"the agent called {', '.join(strangers)}, which is not among the tools; give all that it has")
    found: dict[str, SeenCall] = {}
    acted: list[str] = []
    for turn in record.turns:
        shown = plain_outcome(turn.shown)
        if not answered(shown) or not isinstance(shown, Value):
            continue
        tool = turn.call.tool
        step = steps.setdefault((tool, _key(turn, tools) if tool in several else ""), _new_id(tool, steps))
        before = found.get(step)
        # An action that a clean run does twice is a mistake of the agent's, and would be learned as right.
        if before is not None and tools[tool].effects:
            raise UserError(
                f"in a run without faults the agent did {tool}({dict(turn.call.arguments)}) twice; fix that first, or "
                "declare that the tool changes nothing"
            )
        # A read that is repeated and answered alike counts once, where it was made first.
        if before is not None and before.answer == shown.value:
            continue
        found.pop(step, None)  # answered otherwise now: it is made after what acted in between
        after = tuple(acted) if before is not None else ()
        text = isinstance(turn.shown, Value) and isinstance(turn.shown.value, str)
        found[step] = SeenCall(step, tool, turn.call.arguments, shown.value, turn.began, turn.over, after, text)
        if tools[tool].effects is not False and step not in acted:
            acted.append(step)
    failed = tuple(dict.fromkeys(turn.call.tool for turn in record.turns if not answered(plain_outcome(turn.shown))))
    return CleanRun(tuple(found.values()), record.answer, failed)


def _new_id(tool: str, steps: Mapping[tuple[str, str], str]) -> str:
    number = 1 + sum(known == tool for known, _ in steps)
    return tool if number == 1 else f"{tool}#{number}"
