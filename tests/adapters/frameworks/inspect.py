"""Inspect AI: an evaluation of the `react` agent. Errors read as its provider for OpenAI's chat sends them."""

from __future__ import annotations

import tempfile
from typing import Any

from inspect_ai import Task, eval_async
from inspect_ai.agent import react, run
from inspect_ai.dataset import Sample
from inspect_ai.event import ToolEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolDef, ToolError, ToolInfo
from inspect_ai.util import time_limit
from inspect_ai.util._display import init_display_type

from sealegs.adapters.conformance import FINAL, ConformanceCase, Harness
from sealegs.adapters.inspect import wrap

init_display_type("none")


class Inspect(Harness):
    framework = "Inspect AI react"
    package = "inspect_ai"
    modes = ("async",)
    complaint = ToolError

    def play(self, case: ConformanceCase) -> None:
        raise NotImplementedError("Inspect's tools are async")

    async def play_async(self, case: ConformanceCase) -> None:
        ended: list[BaseException] = []
        with tempfile.TemporaryDirectory() as folder:
            task = Task(dataset=[Sample("What is the weather?")], solver=_played(case, ended))

            await eval_async(task, model=model(case), log_dir=folder, log_level="critical", log_realtime=False)
        if ended:
            raise ended[0]

    def progress(self, text: str) -> None:
        transcript().info(text)


@solver
def _played(case: ConformanceCase, ended: list[BaseException]) -> Solver:
    """Runs the agent in a sample, and tells what it ended by."""
    tools = [ToolDef(function, parallel=True) for function in case.tools.values()]
    if case.armed:
        tools = wrap(tools, case.session, "shown" if case.shows else "raised")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        limits: list[Any] = [] if case.patience is None else [time_limit(case.patience)]
        before = len(transcript().events)
        try:
            found, limit = await run(react(tools=tools, submit=False, prompt=None), state.messages, limits=limits)
            if limit is not None:
                raise limit
            state.messages = found.messages
        except BaseException as error:
            ended.append(error)
            raise
        finally:
            for event in transcript().events[before:]:
                detail = event.function if isinstance(event, ToolEvent) else getattr(event, "data", "")
                case.note(f"{event.event} {detail}")
        return state

    return solve


def model(case: ConformanceCase) -> Any:
    """A model that does what the script says."""

    def output(messages: list[ChatMessage], tools: list[ToolInfo], *_: Any) -> ModelOutput:
        results = {str(m.tool_call_id): _text(m) for m in messages if isinstance(m, ChatMessageTool)}
        texts = [tool.model_dump_json() for tool in tools]
        asks = case.script.turn("\n".join([*texts, *results.values()]), results)
        made = ModelOutput.from_content("scripted", "" if asks else FINAL)
        made.usage = ModelUsage()
        made.message.tool_calls = [ToolCall(a.id, a.tool, dict(a.arguments)) for a in asks] or None
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def _text(message: ChatMessageTool) -> str:
    return message.text if message.error is None else f"Error: {message.error.message}"
