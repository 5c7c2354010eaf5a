"""A model of Inspect and the tools of an episode in turns, and a scripted agent in place of the model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolDef

from sealegs.adapters.inspect import tool_def, tool_info
from sealegs.agents import Say, UseTool
from sealegs.engines.inspect_ends import finish_by_model
from sealegs.engines.turns import ActingAgent
from sealegs.faults.call import Call, Failure, Outcome, no_such_tool, render
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session
from sealegs.traces import Recorder
from sealegs.traces.record import UNREADABLE

METADATA = "sealegs"  # of a request: the facts of its episode


async def take_turns_in_inspect(
    state: TaskState,
    offered: Sequence[ToolSpec],
    session: Session,
    run: Callable[[Call], Outcome],
    recorder: Recorder,
    max_steps: int,
) -> None:
    """Let the sample's model act until it answers; the record gets its end.

    Args:
        state: of the sample; messages and output are kept in it.
        offered: the tools that the model may call.
        session: carries each call.
        run: runs one of them.
        recorder: of the episode.
        max_steps: the most calls of the model.
    """
    names = {spec.name for spec in offered}

    async def run_offered(call: Call) -> Outcome:
        if call.tool not in names:
            return no_such_tool(call)
        return run(call)

    infos = [tool_info(spec) for spec in offered]
    model = get_model()
    for _ in range(max_steps):
        state.output = await model.generate(state.messages, tools=infos)
        # Some providers refuse a conversation that holds an empty message.
        if not state.output.empty:
            state.messages.append(state.output.message)
        calls = [] if state.output.empty else state.output.message.tool_calls or []
        if not calls:
            finish_by_model(recorder, state.output)
            return
        # Definitions for what was asked for, offered or not: the answer to an unknown name is recorded as the other
        # engines record it.
        called = dict.fromkeys(call.function for call in calls)
        tools = [tool_def(name, name, session, run_offered) for name in called]
        state.messages += await _executed(state, tools, recorder)
    recorder.finish("steps", detail=f"no answer within {max_steps} steps")


def tell_facts(state: TaskState, facts: Mapping[str, Any]) -> None:
    """Change what the request's metadata says of its episode: a scripted model knows it by that alone.

    A sample says it of the first round of Inspect's own epochs, and each round is an episode of its own.

    Args:
        state: of the sample; its messages are changed.
        facts: that are others in this round.
    """
    for place, message in enumerate(state.messages):
        metadata = message.metadata or {}
        if METADATA in metadata:
            changed = {**metadata, METADATA: {**metadata[METADATA], **facts}}
            state.messages[place] = message.model_copy(update={"metadata": changed})


async def _executed(state: TaskState, tools: list[ToolDef], recorder: Recorder) -> list[Any]:
    """Run the tools and return their messages. A call that Inspect itself refuses (bad arguments) has one too."""
    messages, _ = await execute_tools(state.messages, tools)
    calls = {call.id: call for call in state.output.message.tool_calls or []}
    for place, message in enumerate(messages):
        if isinstance(message, ChatMessageTool) and message.error is not None:
            # Inspect refused it before any layer of ours saw the call: the record would lack it, and the model would
            # read its failure in other words than all others.
            failure = Failure(message.error.message, type=UNREADABLE)
            call = calls[message.tool_call_id or ""]
            recorder.refused(Call(call.function, call.arguments, call.id), failure)
            messages[place] = message.model_copy(update={"content": render(failure), "error": None})
    return messages


def scripted_output(name: str, agent: ActingAgent, conversation: list[ChatMessage]) -> ModelOutput:
    """The next reply of a scripted agent in a conversation, in a model's form.

    Each request to a model holds the whole conversation, so the agent is new and shown everything that it saw.

    Args:
        name: the agent's.
        agent: a new one.
        conversation: so far.
    """
    calls: dict[str, UseTool] = {}
    for message in conversation:
        if isinstance(message, ChatMessageAssistant):
            calls |= {call.id: UseTool(call.function, call.arguments) for call in message.tool_calls or []}
        elif isinstance(message, ChatMessageTool):
            text = message.text if message.error is None else json.dumps({"error": {"message": message.error.message}})
            agent.observe(calls[message.tool_call_id or ""], text)
    act = agent.act()
    if isinstance(act, Say):
        return ModelOutput.from_content(name, act.text)
    # The conversation grows with every reply, so its length makes an id that no other call in it has.
    return ModelOutput.for_tool_call(name, act.tool, dict(act.arguments), f"use-{len(conversation)}")
