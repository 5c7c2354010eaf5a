"""A model that answers each stage from a base task, well or badly."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.generate.staged import stage_prompts
from sealegs.scenarios.task_sets import base_tasks
from sealegs.tasks import Task
from sealegs.tasks.graph import Binding, Constant, Field, Group, Step, UserInput
from sealegs.world.corpus import load_corpus

STAGES = {
    "architect": stage_prompts.ARCHITECT,
    "meaning": stage_prompts.MEANING,
    "specification": stage_prompts.SPECIFICATION,
    "request": stage_prompts.REQUEST,
    "reverse": stage_prompts.REVERSE,
}
Answers = Callable[[str, int], str | None]


def model(task: Task, own: Answers = lambda stage, number: None) -> Model:
    """A model that answers rightly, but where `own` gives another text for the n-th question of a stage."""
    counts: dict[str, int] = dict.fromkeys(STAGES, 0)

    def reply(
        input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        stage = next(name for name, prompt in STAGES.items() if prompt == input[0].text)
        text = own(stage, counts[stage])
        counts[stage] += 1
        if text == "raise":
            raise TimeoutError("the provider is away")
        output = ModelOutput.from_content("scripted", right(task)[stage] if text is None else text)
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def right(task: Task) -> dict[str, str]:
    """The right answer of each stage."""
    return {
        "architect": f"Here it is:\n```json\n{json.dumps(proposal(task))}\n```",
        "meaning": '{"wrong": []}',
        "specification": "To be done: " + ", ".join(map(str, task.inputs.values())),
        "request": task.request,
        "reverse": json.dumps({"calls": calls(task)}),
    }


def proposal(task: Task) -> dict[str, Any]:
    groups = load_corpus().groups
    steps = []
    for node in task.graph.nodes:
        given = node.arguments if isinstance(node, Step) else groups[node.pattern].bindings(node)
        named = {"tool": node.tool} if isinstance(node, Step) else {"group": node.pattern}
        steps.append({"id": node.id, **named, "arguments": {name: source(b) for name, b in given.items()}})
    wanted = [{"label": d.label, "step": d.source.node, "field": d.source.path} for d in task.deliverables]
    return {"inputs": dict(task.inputs), "steps": steps, "deliverables": wanted}


def source(binding: Binding) -> dict[str, Any]:
    if isinstance(binding, UserInput):
        return {"user": binding.name}
    return (
        {"constant": binding.value} if isinstance(binding, Constant) else {"step": binding.node, "field": binding.path}
    )


def calls(task: Task) -> list[dict[str, Any]]:
    """Every call of the first way, with the tools whose answers it needs."""
    graph = task.graph

    def tool(field: Field) -> str:
        node = graph.by_id.get(field.node)
        return graph.steps[node.branches[0].exports[field.path].node if isinstance(node, Group) else field.node].tool

    steps = [s for node in graph.nodes for s in (node.branches[0].steps if isinstance(node, Group) else [node])]
    return [{"tool": step.tool, "needs": sorted({tool(need) for need in step.needs})} for step in steps]


def base(name: str) -> Task:
    return base_tasks()[name]
