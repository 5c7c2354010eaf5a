"""A first draft of what is known of an eval's tools, from their schemas and a run without faults.

A name and a description do not say what a tool does to its world, so the draft declares nothing: every tool is
`acts: unknown`, and what seems likely, or was seen in every answer, is in comments for whoever knows. The draft loads
as it is. It does not know which tools a simulated user calls, since those calls are not recorded.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

from sealegs.faults.call import Value
from sealegs.suites.inspect_eval.eval_marks import OFFERED, SCHEMAS
from sealegs.suites.inspect_eval.knowledge_answers import AnswerForm, read_answer
from sealegs.traces import Record, Turn

if TYPE_CHECKING:
    from inspect_ai import Task

READS = ("calculate", "check", "count", "describe", "fetch", "find", "get", "grep", "list", "look", "query", "read",
         "search", "show", "view")  # fmt: skip
ACTS = ("add", "append", "apply", "approve", "book", "buy", "cancel", "change", "close", "create", "delete", "disable",
        "edit", "enable", "exchange", "execute", "invite", "make", "modify", "move", "open", "order", "pay", "post",
        "put", "remove", "rename", "reschedule", "reserve", "reset", "return", "run", "schedule", "send", "set",
        "share", "submit", "suspend", "toggle", "transfer", "update", "upload", "write")  # fmt: skip
PLAIN = re.compile(r"[A-Za-z_][\w-]*")
WORDS = frozenset({"true", "false", "null"})  # names that YAML would not read as text
WIDE = 110
LONGEST = 400  # characters of an example's arguments
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
HEAD = """\
# What is known of the tools of {task}: a draft, from {runs} without faults. It declares nothing yet.
#
# For each tool say what you know, and delete the comments:
#   acts: true or false       whether a call changes the eval's environment
#   again: refused, no effect or done again       what a second identical call does
#   shown_by: {{tool: ..., arguments: ..., done: ...}}       the read that shows that a call was done
#   returns: and invariants:       what holds of every right answer; only then are implicit faults (P3, P4) made
# Tools that a simulated user calls belong under `simulated_user:`, in the same form. docs/inspect-evals.md has more.
"""


def describe_eval(task: Task, records: Sequence[Record]) -> str:
    """The draft, as YAML.

    Args:
        task: the eval.
        records: of its clean samples.
    """
    name = getattr(task, "registry_name", None) or task.name
    schemas: dict[str, Mapping[str, Any]] = {}
    for record in records:
        # Names first and schemas over them: a tool that was offered without a schema is listed all the same.
        schemas |= {tool: {} for tool in record.about.get(OFFERED, ())}
    for record in records:
        schemas |= record.about.get(SCHEMAS, {})
    called: dict[str, list[Turn]] = defaultdict(list)
    for record in records:
        for turn in record.own:
            called[turn.call.tool].append(turn)
    names = sorted(schemas.keys() | called.keys())
    runs = f"{len(records)} sample{'s' if len(records) != 1 else ''}"
    form = _form(turn for turns in called.values() for turn in turns)
    lines = [HEAD.format(task=_one_line(name), runs=runs), f"tasks: [{json.dumps(name)}]", f"answers: {form}", ""]
    lines.append("tools:" if names else "tools: {}")
    for tool in names:
        lines += _tool(tool, schemas.get(tool, {}), [(turn, _answer(turn, form)) for turn in called[tool]])
    return "\n".join(lines) + "\n"


def _form(turns: Iterable[Turn]) -> AnswerForm:
    """The form of most answers that hold data: without a file, JSON alone was read and YAML is still text."""
    values = [turn.seen.value for turn in turns if isinstance(turn.seen, Value)]
    in_yaml = sum(isinstance(value, str) and not isinstance(read_answer(value, "yaml"), str) for value in values)
    return "yaml" if in_yaml > sum(not isinstance(value, str) for value in values) else "json"


def _answer(turn: Turn, form: AnswerForm) -> Any:
    """The data of a tool's answer, as a file with this form has it read; None of a failure."""
    if not isinstance(turn.seen, Value):
        return None
    value = turn.seen.value
    return read_answer(value, form) if isinstance(value, str) else value


def _tool(name: str, schema: Mapping[str, Any], calls: Sequence[tuple[Turn, Any]]) -> Iterator[str]:
    """The lines of one tool, from its calls with what they were answered."""
    yield f"  {_key(name)}:"
    for line in wrap(_one_line(str(schema.get("description", ""))), WIDE)[:3]:
        yield f"    # {line}"
    # The guess stays a comment: a name proves nothing, and `unknown` declares nothing until a person decides.
    yield f"    acts: unknown  # {_guess(name)}"
    answered = [(turn, answer) for turn, answer in calls if isinstance(turn.seen, Value)]
    answers = [answer for _, answer in answered]
    shape = _shape(answers)
    if shape is not None:
        yield f"    # in all {len(answers)} answers: returns: {shape}"
    echoes = _echoes(answered)
    if echoes:
        yield "    # in all of them:"
        yield from (f"    #   - echo: {{argument: {_json(one)}, field: {_json(one)}}}" for one in echoes)
    if not calls:
        yield "    # no sample called it; give arguments by which it can be tried"
    example = next((text for turn, _ in calls if _short_enough(text := _json(turn.call.arguments))), None)
    if example is not None:
        yield f"    examples: [{{arguments: {example}}}]"


def _guess(name: str) -> str:
    """The guess from a tool's name of whether it changes something, as a question."""
    words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    for word in words:
        if word in READS:
            return f"false? ({word} seems to change nothing; confirm)"
        if word in ACTS:
            return f"true? ({word} seems to change something; confirm, and say what happens `again`)"
    return "true or false? (the name does not tell; confirm)"


def _shape(answers: Sequence[Any]) -> str | None:
    """The schema that all answers keep, in one line; None where not all of them are objects, or nothing is shared."""
    if not answers or not all(isinstance(answer, Mapping) for answer in answers):
        return None
    # Required fields are those that an implicit fault may empty: one that is empty in a right answer is none.
    shared = [
        key
        for key in answers[0]
        if all(key in answer and answer[key] is not None and answer[key] != "" for answer in answers)
    ]
    kinds = {key: {TYPES.get(type(answer[key])) for answer in answers} for key in shared}
    # A field whose type varies is required all the same, of no type.
    properties = {
        key: {"type": kind} for key, found in kinds.items() if len(found) == 1 and (kind := next(iter(found)))
    }
    return json.dumps({"type": "object", "required": shared, "properties": properties}) if shared else None


def _echoes(answered: Iterable[tuple[Turn, Any]]) -> list[str]:
    """The arguments that every answer repeats in a field of the same name."""
    found: set[str] | None = None
    for turn, answer in answered:
        if not isinstance(answer, Mapping):
            return []
        same = {name for name, value in turn.call.arguments.items() if name in answer and answer[name] == value}
        # Of all answers: what one of them repeats may be chance.
        found = same if found is None else found & same
    return sorted(found or ())


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _short_enough(text: str) -> bool:
    return len(text) <= LONGEST and text.isprintable()


def _key(name: str) -> str:
    return name if PLAIN.fullmatch(name) and name.lower() not in WORDS else _json(name)


def _one_line(text: str) -> str:
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return shorten(shown, 3 * WIDE, placeholder=" ...")
