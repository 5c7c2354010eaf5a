"""OpenAI Agents SDK: `Runner` with wrapped function tools and the SDK's own scripted model."""

from __future__ import annotations

import json
from typing import Any

from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from agents import Agent, FunctionTool, RunConfig, Runner, function_tool
from sealegs.adapters.conformance import ConformanceCase, Harness
from sealegs.adapters.openai_agents import wrap

QUIET = RunConfig(tracing_disabled=True)
MOST_TURNS = 1000


class OpenAIAgents(Harness):
    framework = "OpenAI Agents SDK"
    package = "openai-agents"
    absent = {
        "hang_timed_out (sync)": "the SDK has a timeout for async tools only",
        "hang_timed_out (mixed)": "the SDK has a timeout for async tools only",
    }

    def agent(self, case: ConformanceCase) -> Agent[Any]:
        tools: list[Any] = [function_tool(function, timeout=case.patience) for function in case.tools.values()]
        if case.armed:
            tools = wrap(tools, case.session)
        return Agent("desk", tools=tools, model=model(case))

    def play(self, case: ConformanceCase) -> None:
        for item in Runner.run_sync(self.agent(case), "What is the weather?", run_config=QUIET).new_items:
            case.note(item.type)

    async def play_async(self, case: ConformanceCase) -> None:
        run = Runner.run_streamed(self.agent(case), "What is the weather?", run_config=QUIET)
        async for event in run.stream_events():
            case.note(getattr(event, "name", event.type))


def model(case: ConformanceCase) -> ScriptedModel:
    def turn(call: ModelCall) -> ModelStep:
        items = call.input if isinstance(call.input, list) else [{"role": "user", "content": call.input}]
        results = {str(item["call_id"]): str(item["output"]) for item in items if "output" in item}
        declared = [
            f"{tool.name}: {tool.description} {json.dumps(tool.params_json_schema)}"
            for tool in call.tools
            if isinstance(tool, FunctionTool)
        ]
        asks = case.script.turn("\n".join([*declared, *map(str, items)]), results)
        calls = [function_call(ask.tool, ask.arguments, call_id=ask.id) for ask in asks]
        return ModelStep(output=calls or [assistant_message(case.script.last_words)])

    return ScriptedModel([ModelStep(responder=turn) for _ in range(MOST_TURNS)])
