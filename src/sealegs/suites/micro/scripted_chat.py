"""Scripted chat models: they call tools, read what comes back, and answer from it.

A model is a way of going about an assignment: a generator that asks tools and is sent their replies. At each turn it is
played from the beginning over the conversation so far, so nothing is known but what it contains. `naive` believes
everything; `retrier` repeats a call that failed; `oracle` knows what every step should say: it checks, asks again, goes
another way, works a sum out itself, or says that it cannot tell. It never answers with a value that it was not given.
It has no language: a question in words other than the workload's is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from sealegs.suites.micro.calculator import BadExpression, evaluate_expression
from sealegs.suites.micro.tools import Toolbox
from sealegs.suites.micro.workloads.workload import (
    PLACE,
    RESEARCH,
    Assignment,
    ScriptedStep,
    Workload,
    filled,
    load_workloads,
)

TRIES = 3
Values = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool call of the model's."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer of a tool, as the model reads it."""

    text: str
    failed: bool


Steps = Generator[ToolRequest, ToolAnswer, ToolAnswer]
Course = Generator[ToolRequest, ToolAnswer, str]
Known = Mapping[str, tuple[str, ...]]
Way = Callable[[Assignment, Values, Callable[[], Known]], Course]


def naive(task: Assignment, values: Values, known: Callable[[], Known]) -> Course:
    """Believes everything, and reports a failure as it comes."""
    return (yield from _straight(task, values, tries=1))


def retrier(task: Assignment, values: Values, known: Callable[[], Known]) -> Course:
    """Repeats a call that failed, and believes everything else."""
    return (yield from _straight(task, values, tries=TRIES))


def oracle(task: Assignment, values: Values, known: Callable[[], Known]) -> Course:
    """Takes only what is right; else asks again, goes another way, or says that it cannot tell."""
    right = known()
    for step in task.steps:
        found = yield from _sure(step, values, right.get(step.id, ()))
        if found is None:
            return f"I cannot answer this: {step.tool} gave no {step.id} that I could trust, and I know no other way."
        values[step.id] = found
    return str(filled(task.answer, values))


WAYS: Mapping[str, Way] = {"oracle": oracle, "naive": naive, "retrier": retrier}


def _straight(task: Assignment, values: Values, tries: int) -> Course:
    for step in task.steps:
        ask = _tool_request(step, values)
        for _ in range(tries):
            reply = yield ask
            if not reply.failed:
                break
        if reply.failed:
            return f"I cannot answer this: {ask.tool} failed ({reply.text})."
        found = step.read(reply.text)
        if found is None:
            return f"{ask.tool} says: {reply.text}"
        values[step.id] = found
    return str(filled(task.answer, values))


def _sure(
    step: ScriptedStep, values: Values, right: tuple[str, ...]
) -> Generator[ToolRequest, ToolAnswer, tuple[str, ...] | None]:
    for way in (step, *step.otherwise):
        for _ in range(TRIES):
            reply = yield _tool_request(way, values)
            found = None if reply.failed else way.read(reply.text)
            if found == right:
                return found
    return _in_the_head(step, values)


def _in_the_head(step: ScriptedStep, values: Values) -> tuple[str, ...] | None:
    if "expression" not in step.arguments:
        return None
    try:
        return (str(evaluate_expression(filled(step.arguments["expression"], values))),)
    except BadExpression:
        return None


def _tool_request(step: ScriptedStep, values: Values) -> ToolRequest:
    return ToolRequest(step.tool, {name: _argument(text, values) for name, text in step.arguments.items()})


def _argument(text: Any, values: Values) -> Any:
    """An argument with its places filled; a whole number where it is nothing but one."""
    given = filled(text, values)
    alone = isinstance(text, str) and PLACE.fullmatch(text) and re.fullmatch(r"-?\d{1,9}", given)
    return int(given) if alone else given


def assignment_for(workload: Workload, question: str | None) -> tuple[Assignment, Values] | None:
    """The assignment that a question sets: the workload's own request where it is None, else one of its research.

    The second part holds what the question says (`asked`).
    """
    if question is None:
        return workload.task, {}
    for task in workload.research:
        found = re.fullmatch(task.prompt, question.strip())
        if found is not None:
            return task, {"asked": found.groups()}
    return None


@cache
def right_values(workload: str, question: str | None = None) -> Known:
    """The values that each step of an assignment gives when no tool fails."""
    one = load_workloads()[workload]
    assigned = assignment_for(one, question)
    if assigned is None:
        return {}
    task, values = assigned
    values = dict(values)
    _played(naive(task, values, dict), lambda ask: _clean(one, ask))
    return values


def right_words(workload: str, question: str) -> str:
    """The research agent's answer to a question when no tool fails."""
    one = load_workloads()[workload]
    assigned = assignment_for(one, question)
    if assigned is None:
        return "I do not understand the question."
    return _played(naive(assigned[0], dict(assigned[1]), dict), lambda ask: _clean(one, ask))


def _clean(workload: Workload, ask: ToolRequest) -> ToolAnswer:
    if ask.tool == RESEARCH:
        return ToolAnswer(right_words(workload.name, ask.arguments["question"]), False)
    text = str(Toolbox().functions()[ask.tool](**ask.arguments))
    return ToolAnswer(text, text.startswith("Error:"))


def _played(course: Course, answer: Callable[[ToolRequest], ToolAnswer]) -> str:
    try:
        ask = next(course)
        while True:
            ask = course.send(answer(ask))
    except StopIteration as stop:
        return str(stop.value)


class ScriptedChat(BaseChatModel):
    """Return a way of going about a workload as a chat model; `inner`: as the agent that the other one calls."""

    way: str
    workload: str
    inner: bool = False

    @property
    def _llm_type(self) -> str:
        return "sealegs-scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> ScriptedChat:
        """The model itself: it knows the tools by their names."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _next(self, messages: Sequence[BaseMessage]) -> AIMessage:
        question = next(message.text for message in messages if isinstance(message, HumanMessage))
        assigned = assignment_for(load_workloads()[self.workload], question if self.inner else None)
        if assigned is None:
            return AIMessage("I do not understand the question.")
        task, values = assigned
        course = WAYS[self.way](
            task, dict(values), lambda: right_values(self.workload, question if self.inner else None)
        )
        try:
            ask = next(course)
            count = 0
            for message in messages:
                if isinstance(message, ToolMessage):
                    count += 1
                    failed = message.status == "error" or message.text.startswith(("Error:", "I cannot answer"))
                    ask = course.send(ToolAnswer(message.text, failed))
        except StopIteration as stop:
            return AIMessage(str(stop.value))
        return AIMessage("", tool_calls=[{"name": ask.tool, "args": dict(ask.arguments), "id": f"ask-{count + 1}"}])
