"""Agents of real frameworks under real instrumentations, with a scripted model: what their spans look like.

`python -m tests.traces.instrumented NAME FILE`, in an environment that has the framework, writes FILE anew; so were the
files in `data/` made, with Pydantic AI 2.68, LangChain 1.4.7 with OpenInference 0.1.80, and FastMCP 4.1.2. The agent
searches twice and buys; the shop is too slow to sell.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

STEPS = [("search", {"q": "lamp"}), ("search", {"q": "table", "page": 2}), ("buy", {"id": 7})]
NEEDS = {
    "pydantic_ai": "pydantic_ai",
    "langchain": "openinference.instrumentation.langchain",
    "fastmcp": "fastmcp",
}
BULKY = ("llm.", "metadata", "exception.stacktrace", "pydantic_ai.all_messages", "gen_ai.system_instructions")


def search(q: str, page: int = 1) -> list[dict[str, Any]]:
    """Articles."""
    return [{"id": 7, "q": q, "page": page}]


def buy(id: int) -> str:
    """Buy an article."""
    raise TimeoutError("the shop is slow")


def pydantic_ai(provider: Any) -> None:
    from pydantic_ai import Agent, InstrumentationSettings
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def model(messages: Any, info: Any) -> Any:
        done = sum(isinstance(message, ModelResponse) for message in messages)
        parts = [ToolCallPart(*STEPS[done])] if done < len(STEPS) else [TextPart("done")]
        return ModelResponse(parts=parts)

    agent = Agent(FunctionModel(model), tools=[search, buy])
    agent.instrument = InstrumentationSettings(tracer_provider=provider)
    with suppress(TimeoutError):
        agent.run_sync("buy a lamp")


def langchain(provider: Any) -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from openinference.instrumentation.langchain import LangChainInstrumentor

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, *tools: Any, **more: Any) -> Any:
            return self

    LangChainInstrumentor().instrument(tracer_provider=provider)
    calls = [{"name": name, "args": given, "id": f"c{n}"} for n, (name, given) in enumerate(STEPS)]
    messages = [AIMessage(content="", tool_calls=[call]) for call in calls]
    with suppress(TimeoutError):
        create_agent(Scripted(messages=iter(messages)), [search, buy]).invoke({"messages": [("user", "buy a lamp")]})


def fastmcp(provider: Any) -> None:
    from fastmcp import Client, FastMCP
    from fastmcp.exceptions import ToolError
    from opentelemetry import trace

    trace.set_tracer_provider(provider)
    server = FastMCP("shop")
    server.tool(search)
    server.tool(buy)

    async def play() -> None:
        async with Client(server) as client:
            with trace.get_tracer("agent").start_as_current_span("agent"):
                for name, given in STEPS:
                    with suppress(ToolError):
                        await client.call_tool(name, given)

    asyncio.run(play())


AGENTS = {"pydantic_ai": pydantic_ai, "langchain": langchain, "fastmcp": fastmcp}


def write(name: str, path: Path) -> None:
    """The spans of one agent, as OpenTelemetry's exporter writes them."""
    from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    path.unlink(missing_ok=True)
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
    AGENTS[name](provider)
    provider.shutdown()


def thin(path: Path) -> None:
    """Take out what is long and read by nobody here."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for span in (s for r in line["resourceSpans"] for scope in r["scopeSpans"] for s in scope["spans"]):
            for holder in (span, *span.get("events", ())):
                given = holder.get("attributes", [])
                holder["attributes"] = [
                    one for one in given if not one["key"].startswith(BULKY) and len(json.dumps(one)) < 1000
                ]
            if "message" in span["status"]:
                span["status"]["message"] = span["status"]["message"][:100]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))
    thin(Path(sys.argv[2]))
