"""The prompts of the models."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sealegs.tasks import Pattern
from sealegs.tasks.levels import SIZES
from sealegs.world.tool import SimulatedTool

ARCHITECT = """You design tasks for an assistant that calls tools. Given tool specifications, propose one graph of tool
calls that a real person would want done, each call for a reason, later ones using what earlier ones answered.

Answer with JSON alone:
{"inputs": {NAME: VALUE}, "steps": [{"id": ID, "tool": TOOL or "group": GROUP, "arguments": {ARGUMENT: SOURCE}}],
 "deliverables": [{"label": WORDS, "step": ID, "field": FIELD}]}
SOURCE is {"user": NAME} (a value that the person says), {"step": ID, "field": FIELD} (a field of an earlier answer;
of a group, one of its exports) or {"constant": VALUE}. Units and meaning must match, not only types. Use values that
the specifications show as examples. No tool twice. Every step's answer is used by a later step or is a deliverable.
Two to four deliverables."""

SHAPES = {
    "C1": "a line: each step uses the answer of the one before it; no group",
    "C2": "with one group, neither first nor last: it uses an earlier answer, and a later step uses an export of it",
    "C3": "with one group, neither first nor last: it uses an earlier answer, and a later step uses an export of it",
    "C4": "with two or three groups, none first or last, at least two of which do not wait for one another",
}

MEANING = """You check the flow of data between tool calls. Each line says what a value is and what it is used as. Name
the lines where the value is not what is needed: another unit, another kind of thing, net for gross, a count for an
amount.
Answer with JSON alone: {"wrong": [{"line": NUMBER, "why": WORDS}]}, empty where all is right."""

SPECIFICATION = """You turn a graph of tool calls into a plain specification in English: what is to be found or done, in
which order, with which of the user's values, and what is reported. Name no tool and no field; write values exactly
as given, dates may be written out. Answer with the specification alone."""

REQUEST = """You write the message in which a person asks an assistant for what a specification says. Write as people
do: a reason, a voice of your own, 50 to 150 words (up to 200 for long ones), no list, no mention of tools or fields.
Every value of the specification must be there, and every thing that is to be reported must be asked for.
Answer with the message alone."""

REVERSE = """You are given a person's message and a list of tools. Work out which tools an assistant must call, and for
each which other calls' answers it needs. Use as few calls as do the job. Answer with JSON alone:
{"calls": [{"tool": TOOL, "needs": [TOOL, ...]}]} in an order in which they can be made."""


RESTORE = """You are shown the calls that an assistant made for a person, with their answers, and the names of the
results that it reported. Write the message with which the person asked for all of that: every value that the calls use
and no answer gives must be in it, and every result must be asked for. Do not say what the answers say. Name no tool and
no field. Answer with the message alone."""

SAME = """You are shown two messages of a person to an assistant, A and B, and the calls that an assistant made for A.
Say whether B asks for the same: whoever carries out B must make the same calls with the same values, and report the
same results. Other words, a reason or an order of telling make no difference; a value, a condition, a choice or a
result that only one of them has does.
Answer with JSON alone: {"same": true or false, "differences": [WORDS, ...]}."""


def reverse_question(request: str, tools: Sequence[SimulatedTool]) -> str:
    """The text that the model which works out the calls is shown."""
    return f"Message:\n{request}\n\nTools:\n{join_texts([short_text(tool) for tool in tools])}"


def level_words(level: str) -> str:
    """The demands of a level on a graph, in words."""
    least, most = SIZES[level]
    return f"{least} to {most} steps (a group counts as one), {SHAPES[level]}"


def tool_text(tool: SimulatedTool) -> str:
    """A tool's specification for a prompt."""
    facts = {"arguments": tool.spec.parameters, "answer": tool.spec.returns, "example": dict(tool.examples[0])}
    return f"tool {tool.name}: {' '.join(tool.description.split())}\n{json.dumps(facts, ensure_ascii=False)}"


def short_text(tool: SimulatedTool) -> str:
    """A tool in one line."""
    names = ", ".join(tool.spec.parameters.get("properties", {}))
    return f"{tool.name}({names}): {' '.join(tool.description.split())}"


def group_text(pattern: Pattern) -> str:
    """A group's specification for a prompt."""
    ways = "; or ".join(" + ".join(way.calls) for way in pattern.ways)
    example = json.dumps(dict(pattern.examples[0]), ensure_ascii=False)
    inputs, exports = ", ".join(pattern.inputs), ", ".join(pattern.exports)
    return (
        f"group {pattern.name}: {pattern.purpose} Arguments: {inputs}. Exports: {exports}. Ways: {ways}. E.g. {example}"
    )


def join_texts(texts: Sequence[str]) -> str:
    """Texts under one another."""
    return "\n".join(texts)
