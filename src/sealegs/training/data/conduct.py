"""Lapses that a row must not teach, found in the row itself by its tools' declarations and by its task.

Five things are looked for. A tool's spec says whether a call changes anything and what a second one does, its own check
says whether arguments were wrong, and the task's graph says what could still have been done. Not covered: a model's own
words about advice; only the expert's answers to it can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sealegs.agents import UseTool
from sealegs.agents.scripted_agent import error_body, parse_tool_message
from sealegs.faults.call import Failure
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.causes import cause
from sealegs.recovery.classes import classify
from sealegs.recovery.signature import Signature
from sealegs.scoring.task_progress import node_of
from sealegs.training.data.bad_messages import AdviceNote, advice_note, looked_up, repetition, strip_advice_note
from sealegs.training.data.exporters import row_reader
from sealegs.training.data.exporters.exporter import Row, RowTurn
from sealegs.training.data.rest import still_possible
from sealegs.training.data.slips import ARGUMENTS
from sealegs.training.data.task_sources import BaseTask

BLIND = "an action of unknown outcome is repeated, replaced or given up without a look"
TRAINED = "a wrong call of the agent's own is trained"
CAUSELESS = "arguments are refused that are not wrong, or are answered by the same ones"
EARLY = "it stops before all is done that can be"
UNHEEDED = "advice in a tool's message is neither followed nor answered"
KINDS = (BLIND, TRAINED, CAUSELESS, EARLY, UNHEEDED)
PLANNER = "planner"  # who continues where no model does
OF_ARGUMENTS = ("bad_arguments", "attribute")  # causes that speak of the arguments
_ANSWERED = re.compile(r"\bnote\b|\badvice\b|\badvise", re.IGNORECASE)
_NEEDLESS = re.compile(r"\bneedless\b", re.IGNORECASE)
_HARMLESS = re.compile(r"\bharm", re.IGNORECASE)


@dataclass
class RowWithTools:
    """One row and what is known of its tools."""

    row: Row
    base: BaseTask

    @cached_property
    def turns(self) -> list[RowTurn]:
        """Its calls, in whichever form it has them."""
        return list(row_reader(self.row).turns(self.row))

    @property
    def closing(self) -> str | None:
        """The last text of the row; None where the row is cut."""
        return row_reader(self.row).last_words(self.row)

    def spec(self, tool: str) -> ToolSpec | None:
        """The spec of a tool that is offered."""
        if tool not in self.row["offered"]:
            return None
        return self.base.specs.get(tool) or self.base.corpus.spec(tool)

    def wrong(self, turn: RowTurn) -> bool:
        """Return whether a call is wrong in itself: no such tool, or arguments that it cannot take."""
        if self.spec(turn.use.tool) is None:
            return True
        corpus = self.base.corpus
        tool = corpus.tools.get(turn.use.tool) or corpus.histories[turn.use.tool]
        return isinstance(tool.arguments(turn.use.arguments), Failure)

    def bad(self, turn: RowTurn) -> bool:
        """Return whether an answer is an error, or that of the tool that was struck and cannot be right."""
        data = parse_tool_message(turn.answer)
        if error_in(data) is not None:
            return True
        spec = self.spec(turn.use.tool)
        faulted = spec is not None and turn.use.tool == self.row["step_tool"]
        return faulted and bool(spec and spec.violations(turn.use.arguments, strip_advice_note(response_data(data))))

    def problems(self) -> Iterator[str]:
        """The lapses in the row, one of `KINDS` for each place."""
        yield from self._trained()
        yield from self._causeless()
        if self.row["failing"]:
            yield from self._blind()
            yield from self._early()
            if self.row["expert"] == PLANNER:
                yield from self._unheeded()

    def _blind(self) -> Iterator[str]:
        graph = self.base.task.graph
        open_call: UseTool | None = None
        for turn in self.turns:
            spec = self.spec(turn.use.tool)
            if open_call is not None and self._settles(open_call, turn.use):
                open_call = None
                continue
            step, faulted = graph.step_of.get(turn.use.tool), graph.step_of.get(open_call.tool) if open_call else None
            if open_call is not None and step is not None and faulted is not None:
                # To continue elsewhere is not blind yet; to do the same again, or in another way, is.
                other_way = step is not faulted and node_of(step, graph) == node_of(faulted, graph)
                if other_way or (step is faulted and not self._harmless(open_call, turn.use)):
                    yield BLIND
                    open_call = None
            acts = spec is not None and spec.effects is not False and not self.wrong(turn)
            if acts and self.bad(turn):
                open_call = turn.use
            elif open_call is not None and turn.use.tool == open_call.tool:
                open_call = None
        # An answer while an action is still in doubt says more than is known.
        if open_call is not None and self.closing is not None:
            yield BLIND

    def _settles(self, call: UseTool, look: UseTool) -> bool:
        spec = self.spec(call.tool)
        return spec is not None and look.tool == spec.shown_by and look.arguments.get("operation") == call.tool

    def _harmless(self, first: UseTool, second: UseTool) -> bool:
        spec = self.spec(first.tool)
        same = dict(first.arguments) == dict(second.arguments)
        return same and spec is not None and repetition(spec, second.arguments) != "acts"

    def _trained(self) -> Iterator[str]:
        yield from (TRAINED for turn in self.turns if turn.trained and self.wrong(turn))

    def _causeless(self) -> Iterator[str]:
        for place, turn in enumerate(self.turns):
            labelled = self.row["failure_class"] == ARGUMENTS and place + 1 == self.row["step"]
            if not (labelled or is_argument_error(parse_tool_message(turn.answer))):
                continue
            after = next((later for later in self.turns[place + 1 :] if later.use.tool == turn.use.tool), None)
            # A refusal teaches its cause only if the arguments were wrong and the next call of the tool, if there is
            # one, has them right.
            if not self.wrong(turn) or (after is not None and self.wrong(after)):
                yield CAUSELESS

    def _early(self) -> Iterator[str]:
        if self.row["outcome"] != "right stop":
            return
        graph, faulted = self.base.task.graph, self.row["step_tool"]
        done = {graph.step_of[t.use.tool].id for t in self.turns if t.use.tool in graph.step_of and not self.bad(t)}
        done |= {graph.step_of[tool].id for tool in self._shown_as_done()}
        if still_possible(graph, done, {faulted}):
            yield EARLY

    def _shown_as_done(self) -> Iterator[str]:
        for look in self.turns:
            tool = str(look.use.arguments.get("operation", ""))
            spec = self.spec(tool)
            if spec is not None and look.use.tool == spec.shown_by:
                made = [turn.use for turn in self.turns if turn.use.tool == tool]
                found = [
                    looked_up(look.use.tool, spec, use, response_data(parse_tool_message(look.answer))) for use in made
                ]
                if any(one.status == "completed" for one in found):
                    yield tool

    def _unheeded(self) -> Iterator[str]:
        for place, turn in enumerate(self.turns):
            note = advice_note(response_data(parse_tool_message(turn.answer)))
            after = self.turns[place + 1] if place + 1 < len(self.turns) else None
            next_text = after.text if after is not None else self.closing
            if note is not None and next_text is not None and not self._heeded(note, turn, after, next_text):
                yield UNHEEDED

    def _heeded(self, note: AdviceNote, turn: RowTurn, after: RowTurn | None, next_text: str) -> bool:
        looked = after is not None and self._settles(turn.use, after.use)
        again = after is not None and after.use == turn.use
        if note.looks and not looked and not _NEEDLESS.search(next_text):
            return False
        if note.forbids and again and not _HARMLESS.search(next_text):
            return False
        return bool(looked or _ANSWERED.search(next_text))


def response_data(data: Any) -> Any:
    """The answer of a tool, also where ToolBench's form has it as an error and a response."""
    if isinstance(data, Mapping) and data.keys() == {"error", "response"}:
        return {"error": parse_tool_message(data["error"])} if data["error"] else parse_tool_message(data["response"])
    return data


def error_in(data: Any) -> Mapping[str, Any] | None:
    """The error that a tool reported."""
    return error_body(response_data(data))


def is_argument_error(data: Any) -> bool:
    """Return whether an error says that the arguments are wrong, by its published class or by its cause."""
    error = error_in(data)
    if error is None:
        return False
    message = str(error.get("message", "")).partition("\n\nRecovery:")[0]
    seen = Signature(error.get("status"), str(error.get("type", "")), message)
    recognised, found = cause(seen), classify(seen)
    named = recognised[0].name if recognised is not None else ""
    return named in OF_ARGUMENTS or (found is not None and found.failure_class == ARGUMENTS)
