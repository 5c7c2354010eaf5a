"""Facts that explain a step of the expert's, each in few words, taken from the row itself."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sealegs.agents import Say, UseTool
from sealegs.agents.scripted_agent import format_value
from sealegs.faults.spec import ToolSpec
from sealegs.tasks.graph import Field, Group, Step, UserInput
from sealegs.training.data.bad_messages import BadMessage, LookResult, Repetition
from sealegs.training.data.expert import Doing, Expert
from sealegs.training.data.slips import CallMistake

LONGEST = 44  # characters of a value that is shown
NAMED = 3  # values or tools that a sentence lists
# How descriptions that are not orders begin; whatever a third-party tool's description begins with is quoted.
_NO_NOUNS = frozenset(
    {"at", "available", "back", "by", "c", "closes", "desired", "free", "from", "in", "kept", "km", "kwh", "left", "on"}
    | {"opens", "out", "refunded", "reported", "spent", "taken", "to", "until", "up", "wanted"}
)
_STOPS = re.compile(r"[?!;,]|[.:](?=\s|$)")  # in a value: it is quoted then
_ORDER = re.compile(
    r"^(?!Lowest|Sunrise|Weather|Distance|A |An |The |All |This |These )[A-Z][a-z]+ (?!for\b|of\b|and\b)"
)


@dataclass(frozen=True)
class StepContext:
    """A step of the expert, and what is known when it is taken.

    Attributes:
        doing: what the act is.
        draw: of its words.
        held_out: whether the forms that are kept apart are to be used.
        spec: the tool that is called; None at the end.
        slots: facts by the name under which forms take them; missing facts are left out.
        trouble: the last bad message, where it is still to be dealt with.
        fresh: whether that message has just come.
        again: what a repetition of the call that failed would do.
        found: what a look has just shown.
        seen: what the last look showed.
        slip: what was wrong with the agent's own call.
        begins: whether it is the first call.
        lasting: whether the failure is known to stay.
    """

    doing: Doing
    draw: random.Random
    held_out: bool = False
    spec: ToolSpec | None = None
    slots: Mapping[str, str] = field(default_factory=dict)
    trouble: BadMessage | None = None
    fresh: bool = False
    again: Repetition = "reads"
    found: LookResult | None = None
    seen: LookResult | None = None
    slip: CallMistake | None = None
    begins: bool = False
    lasting: bool = False


def context_of_step(
    expert: Expert, act: UseTool | Say, draw: random.Random, held_out: bool, slip: CallMistake | None, *, fresh: bool
) -> StepContext:
    """The context of an act.

    Args:
        expert: who acts.
        act: what it is about to do.
        draw, held_out: of the words.
        slip: what was wrong with the call before, if it was the agent's own fault.
        fresh: whether the message before was a bad one.
    """
    spec = expert.specs.get(act.tool) if isinstance(act, UseTool) else None
    step = expert.graph.step_of.get(act.tool) if isinstance(act, UseTool) else None
    slots = dict(_step_facts(expert, step, act)) if step is not None and isinstance(act, UseTool) else {}
    if spec is not None:
        slots |= _tool_facts(spec)
        if isinstance(act, UseTool) and spec.key and act.arguments.get(spec.key):
            slots["key"] = spec.key
    trouble = expert.trouble
    done = [expert.graph.steps[id].tool for id in expert.answers]
    if done:
        slots["done"] = join_names(done[-NAMED:])
    if trouble is not None:
        slots["failed"] = trouble.spec.name
        if trouble.spec.shown_by:
            slots["history"] = trouble.spec.shown_by
        if expert.found is not None and expert.found.status == "completed":
            slots["fact"] = _fact(expert.found.entry["result"], trouble.spec.used)
    return StepContext(
        doing=expert.doing,
        draw=draw,
        held_out=held_out,
        spec=spec,
        slots=slots,
        trouble=trouble,
        fresh=fresh,
        again=expert.again if trouble is not None else "reads",
        found=expert.found,
        seen=expert.seen,
        slip=slip,
        # A first call that failed has left nothing done, but it was the first call.
        begins=not done and not expert.wrong,
        lasting=expert.lasting,
    )


def _tool_facts(spec: ToolSpec) -> dict[str, str]:
    """Its name, and what it is for: as an order where its description is one, else quoted."""
    first = re.split(r"\n|(?<=[\w)%])\.\s|[:;] | \(", spec.description.strip())[0].rstrip(". ")
    found = {"tool": spec.name}
    if first and _ORDER.match(first):
        found["purpose"] = _main_clause(first[:1].lower() + first[1:])
    elif first:
        found["quoted"] = first
    return found


def _main_clause(order: str) -> str:
    """An order up to its first comma, unless that is in a list of words."""
    head, comma, rest = order.partition(", ")
    listing = len(re.split(r", | (?:or|and) ", rest)[0].split()) < 3
    return order if not comma or listing or len(head.split()) < 5 or head.startswith("have ") else head


def _step_facts(expert: Expert, step: Step, act: UseTool) -> Iterable[tuple[str, str]]:
    given: list[str] = []
    taken: list[str] = []
    for name, binding in step.arguments.items():
        value = act.arguments.get(name)
        match binding:
            case UserInput() if known := _value(name, value):
                given.append(known)
            case Field() if text := short_value(value):
                taken.append(f"{_held(binding.path, text)} from {_giver(expert, binding)}")
    if given:
        yield "given", join_names(given[:NAMED])
    if taken:
        # One of them: a sentence names a single origin.
        yield "taken", taken[0]
    labels = [d.label for d in expert.task.deliverables if _gives(expert, step, d.source)]
    if labels:
        yield "label", labels[0]
    # The first step that needs this answer and may still be made: a reason must not name one that is done or given up.
    for later in expert.graph.walk():
        field = next((need for need in later.needs if _gives(expert, step, need)), None)
        if field is not None and later.id not in expert.answers and later.tool not in expert.broken:
            yield "later", later.tool
            yield "field", path_in_words(field.path)
            return


def _gives(expert: Expert, step: Step, source: Field) -> bool:
    """Return whether a field is one of the answer of this step."""
    node = expert.graph.by_id.get(source.node)
    if isinstance(node, Group):
        return any(branch.exports[source.path].node == step.id for branch in node.branches)
    return source.node == step.id


def _giver(expert: Expert, source: Field) -> str:
    """The tool whose answer a field was taken from."""
    node = expert.graph.by_id.get(source.node)
    if isinstance(node, Group):
        exports = [branch.exports[source.path].node for branch in node.branches]
        return next((expert.graph.steps[id].tool for id in exports if id in expert.answers), node.id)
    return expert.graph.steps[source.node].tool


def _value(name: str, value: Any) -> str:
    """A value as a sentence states it: a number with the name of its parameter."""
    if isinstance(value, str):
        return short_value(value)
    text = short_value(value)
    return f"{text} ({name if _verbal(name) else path_in_words(name)})" if text else ""


def short_value(value: Any) -> str:
    """A value in one short line; empty where it does not fit one."""
    if isinstance(value, (list, tuple, Mapping)) or value is None:
        return ""
    text = " ".join(format_value(value).split())
    if not text or len(text) > LONGEST or set(text) & set('()[]{}“”"'):
        return ""
    return f"“{text}”" if _STOPS.search(text) else text


def path_in_words(path: str) -> str:
    """The last name of a path, in words: `value of departs_at` where it does not end in a noun."""
    name = _last(path)
    return f"value of {name}" if _verbal(name) else name.replace("_", " ")


def _held(path: str, text: str) -> str:
    """A field and its value: `the total 12.5`, `departs_at = 10:15`."""
    name = _last(path)
    return f"{name} = {text}" if _verbal(name) else f"the {path_in_words(name)} {text}"


def _last(path: str) -> str:
    return next((part for part in reversed(path.split(".")) if not part.isdigit()), path)


def _verbal(name: str) -> bool:
    return name.rpartition("_")[2] in _NO_NOUNS


def join_names(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def quoted(value: Any) -> str:
    """A value between quotation marks, cut where it is long."""
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    text = text.replace("“", "'").replace("”", "'")
    return f"“{text if len(text) <= LONGEST else text[: LONGEST - 3] + '...'}”"


def _fact(result: Mapping[str, Any], used: Iterable[str]) -> str:
    """The words that name an entry: a value that later steps use, otherwise its first id, otherwise its first value."""
    texts = {name: text for name, value in result.items() if (text := short_value(value))}
    ids = [name for name in texts if name.endswith(("_id", "_number", "_code")) or name == "id"]
    name = next((name for name in (*used, *ids, *texts) if name in texts), None)
    return _held(name, texts[name]) if name is not None else "its whole result"
