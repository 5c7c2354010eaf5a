"""A model as a teacher: it continues after a failure with the bank's nearest exemplars in its prompt, through Inspect.

Its calls are run in the world and its trajectory is kept only where the judge says success. Answers are cached by
Inspect, so a resumed run does not pay twice. A model that cannot be reached or says nothing loses the attempt.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from sealegs.agents import UseTool
from sealegs.faults.call import Call
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.bank.index import shipped_bank
from sealegs.recovery.forms import read_failure
from sealegs.recovery.forms.bodies import NO_CALL
from sealegs.recovery.signature import signature
from sealegs.training.data.trajectory_player import Message, ModelMessage, NoTrajectory, Teacher

EXEMPLARS = 3
LESSON = """\

A tool has just failed, or its answer cannot be right. Show how a careful assistant recovers. Begin what you write \
next with "Recovery:", say in one or two sentences what went wrong and what you do about it, and do it: the same call \
again, the call put right, or another tool. If the failed call may have changed something, first read whether it did, \
unless its tool says that a second identical call does nothing further. Then carry the request out to its end. If \
nothing is left to try, stop and say so, and invent nothing.

What helped in the nearest known cases:
{exemplars}
"""


def teacher(model: str | Model) -> Teacher:
    """A teacher that asks a model. Threads may call it at once.

    Raises:
        UserError: the model cannot be used.
    """
    try:
        resolved = model if isinstance(model, Model) else get_model(model)
    except Exception as error:
        raise UserError(f"the model {model!r} cannot be used: {' '.join(str(error).split())}") from error
    loop = asyncio.new_event_loop()  # the model's connections belong to one loop
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def answer(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelMessage:
        config = GenerateConfig(max_tokens=4_000)
        output = await resolved.generate(messages, tools=tools, config=config, cache=CachePolicy(expiry=None))
        calls = output.message.tool_calls or () if output.choices else ()
        uses = tuple(UseTool(call.function, call.arguments) for call in calls if call.parse_error is None)
        return ModelMessage(output.completion, uses)

    def teach(messages: list[Message], specs: tuple[ToolSpec, ...], failed: str) -> ModelMessage:
        prompt = inspect_messages(messages, lesson(failed, *_failed_call(messages, specs, failed)))
        try:
            return asyncio.run_coroutine_threadsafe(
                answer(prompt, [teacher_tool_info(spec) for spec in specs]), loop
            ).result()
        except Exception as error:  # whatever a provider raises is an answer that did not come
            raise NoTrajectory(f"the teacher gives no answer ({type(error).__name__})") from error

    return teach


def lesson(failed: str, call: Call = NO_CALL, spec: ToolSpec | None = None) -> str:
    """The context of the failure for the teacher: the nearest exemplars of the bank.

    Args:
        failed: the tool's message.
        call: what it answers.
        spec: the tool, where it is known: it decides which of the exemplars ask to look first.
    """
    reading = read_failure(failed) if failed.strip() else None
    seen = signature(call, reading.outcome, spec) if reading is not None else None
    if seen is None:
        return LESSON.format(exemplars="- none is near; check the answer against what was asked")
    near = shipped_bank().nearest(seen, None, EXEMPLARS)
    return LESSON.format(exemplars="\n".join(f"- {' '.join(match.exemplar.advice_on(seen).split())}" for match in near))


def _failed_call(messages: Sequence[Message], specs: Sequence[ToolSpec], failed: str) -> tuple[Call, ToolSpec | None]:
    """The call that was answered so, and its tool."""
    # Messages name calls by ids only, so the failed call is found by the answer that reports it.
    answer = next((one for one in messages if one["role"] == "tool" and one["content"] == failed), None)
    if answer is None:
        return NO_CALL, None
    called = (call for one in messages for call in one.get("tool_calls", ()))
    use = next(call["function"] for call in called if call["id"] == answer["tool_call_id"])
    return Call(use["name"], use["arguments"]), next((spec for spec in specs if spec.name == use["name"]), None)


def inspect_messages(messages: Sequence[Message], lesson_text: str) -> list[ChatMessage]:
    """The messages so far as Inspect has them, with the lesson in the system's."""
    found: list[ChatMessage] = []
    for message in messages:
        match message["role"]:
            case "system":
                found.append(ChatMessageSystem(content=message["content"] + "\n" + lesson_text, id="system"))
            case "user":
                found.append(ChatMessageUser(content=message["content"], id="user"))
            case "tool":
                found.append(
                    ChatMessageTool(
                        content=message["content"],
                        tool_call_id=message["tool_call_id"],
                        function=message["name"],
                        id=f"answer-{message['tool_call_id']}",
                    )
                )
            case _:
                found.append(_assistant(message, len(found)))
    return found


def _assistant(message: Message, place: int) -> ChatMessageAssistant:
    calls = [
        ToolCall(id=call["id"], function=call["function"]["name"], arguments=call["function"]["arguments"])
        for call in message.get("tool_calls", ())
    ]
    return ChatMessageAssistant(content=message["content"], tool_calls=calls or None, id=f"turn-{place}")


def teacher_tool_info(spec: ToolSpec) -> ToolInfo:
    """A tool as Inspect describes it to a model."""
    parameters = ToolParams.model_validate(json.loads(json.dumps(dict(spec.parameters), default=str)))
    return ToolInfo(name=spec.name, description=spec.description or spec.name, parameters=parameters)
