"""A trajectory as a row: in TRL's conversational tool-calling form, in ToolBench's, or in both.

`messages` and `tools` are what TRL and chat templates read (`tools` as JSON text, which both take); an assistant's
message says in `recovery` whether it is a corrective segment, and in `train` whether it is learned, which the agent's
own wrong calls are not. `conversations` is thought, action and action input as text, with lists of the places of
corrective segments and of wrong calls beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from sealegs.agents.arms.toolbench_arm import finishing, tool_entry, written_step
from sealegs.faults.spec import ToolSpec
from sealegs.suites.paladin.toolbench.toolbench_format import SYSTEM
from sealegs.tasks import State, recovery_cost
from sealegs.training.data.trajectory_player import Message, Trajectory, TrajectoryOrder

Form = Literal["trl", "toolbench", "both"]
FORMS: tuple[Form, ...] = get_args(Form)
Row = dict[str, Any]


def row(order: TrajectoryOrder, made: Trajectory, about: Mapping[str, Any], form: Form, continuation: str) -> Row:
    """A trajectory with its labels.

    Args:
        order, made: what was ordered, and what came.
        about: `id`, `split`, `seed` and `expert`.
        form: which forms it holds.
        continuation: who went on after the failure.
    """
    kind, step = order.kind, order.step
    best, cost = costs(order, made)
    told: Row = {
        **about,
        "base_task": order.asked.base.id,
        "variant": order.asked.number,
        "level": order.asked.task.level,
        "failing": kind is not None,
        "failure_class": kind.klass if kind else None,
        "failure_kind": kind.name if kind else None,
        "mode": order.mode or "NP",
        "step": made.at + 1 if made.at is not None else None,
        "step_tool": step.tool if step else None,
        "moment": failure_moment(made),
        "strategy": strategy(made),
        "optimal_cost": best,
        "cost": cost if continuation != "none" else None,
        "outcome": trajectory_outcome(order, made, continuation),
        "exemplar": made.exemplar or None,
        "calls": sum(message["role"] == "tool" for message in made.messages),
        "offered": [spec.name for spec in order.specs],
        "plan": json.dumps(order.plan.as_data(), ensure_ascii=False) if order.plan.rules else None,
    }
    if form in ("trl", "both"):
        told["messages"] = made.messages
        told["tools"] = json.dumps(offered_tools(order.specs), ensure_ascii=False)
    if form in ("toolbench", "both"):
        gave_up = told["outcome"] == "right stop"
        told["conversations"] = toolbench_conversation(made.messages, order.specs, gave_up=gave_up)
        told["recovery_turns"] = [place for place, m in enumerate(made.messages) if m.get("recovery")]
        told["unlearned_turns"] = [place for place, m in enumerate(made.messages) if m.get("train") is False]
    return told


def failure_moment(made: Trajectory) -> str | None:
    """When the failure struck: before the tool's work, after it, or during it; None where the tool changes nothing."""
    strikes = made.found.turns[made.at].strikes if made.found is not None and made.at is not None else ()
    return next((strike.moment for strike in strikes if strike.moment), None)


def strategy(made: Trajectory) -> str | None:
    """What the recovery came to, in order: `retry`, `correct`, `look`, `switch`, `stop`, joined by `then`."""
    names = {"tries again": "retry", "mends its call": "correct", "looks": "look", "stops": "stop"}
    names |= {"switches": "switch", "prepares": "switch"}
    return " then ".join(dict.fromkeys(names[doing] for doing in made.doings if doing in names)) or None


def offered_tools(specs: Sequence[ToolSpec]) -> tuple[dict[str, Any], ...]:
    """Tools as TRL and chat templates take them."""
    return tuple({"type": "function", "function": tool_entry(spec)} for spec in specs)


def toolbench_conversation(
    messages: Sequence[Message], specs: Sequence[ToolSpec], *, gave_up: bool
) -> list[dict[str, str]]:
    """Messages as ToolBench has them: one turn each."""
    tools = json.dumps([tool_entry(spec) for spec in specs], ensure_ascii=False)
    texts: list[dict[str, str]] = []
    for message in messages:
        if message["role"] == "system":
            texts.append({"from": "system", "value": f"{message['content']}\n{SYSTEM.format(tools=tools)}"})
        elif message["role"] == "user":
            texts.append({"from": "user", "value": f"\n{message['content']}\nBegin!\n"})
        elif message["role"] == "tool":
            texts.append({"from": "function", "value": toolbench_observation(message["content"])})
        else:
            texts.append({"from": "assistant", "value": "\n" + _step(message, gave_up=gave_up)})
    return texts


def toolbench_observation(text: str) -> str:
    """A tool's text as an observation: an error and a response, one of them empty."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    error = data.get("error") if isinstance(data, dict) else None
    told = (
        {"error": json.dumps(error, ensure_ascii=False), "response": ""} if error else {"error": "", "response": text}
    )
    return json.dumps(told, ensure_ascii=False)


def _step(message: Message, *, gave_up: bool) -> str:
    for call in message.get("tool_calls", ()):
        return written_step(message["content"], call["function"]["name"], call["function"]["arguments"])
    thought = message["content"].split("\n")[0] if message["recovery"] else "All that was asked for is there."
    return finishing(thought, message["content"], gave_up=gave_up)


def costs(order: TrajectoryOrder, made: Trajectory) -> tuple[int | None, int | None]:
    """c* and the trajectory's own cost: calls from the one that failed to the end, both counted, as the judge does."""
    if made.at is None or made.found is None:
        return None, None
    own = len(made.found.turns) - made.at
    if order.kind is not None and order.kind.slip:
        done = {m["name"] for m in made.messages[: _place_of(made)] if m["role"] == "tool"}
        graph = order.asked.task.graph
        state = State(done=frozenset(graph.step_of[name].id for name in done))
        further = recovery_cost(graph, state)
        return (1 if further is None else 1 + further), own
    return made.judged.best, own


def _place_of(made: Trajectory) -> int:
    """The place of the message with which the call that failed was made."""
    places = [place for place, m in enumerate(made.messages) if m["role"] == "assistant"]
    return places[made.at or 0]


def trajectory_outcome(order: TrajectoryOrder, made: Trajectory, continuation: str) -> str:
    """`success`, `right stop`, or `cut`."""
    if order.kind is not None and continuation == "none":
        return "cut"
    return "success" if made.judged.solvable else "right stop"
