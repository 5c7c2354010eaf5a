"""Small evals of Inspect about a shop, one for each way in which Inspect's agents run tools, and models that play them.

A request names items and amounts. Solved is a request whose items were ordered, each once, in the right amount.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Epochs, Task, task
from inspect_ai.agent import AgentState, agent, agent_bridge, as_solver, as_tool, handoff, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    execute_tools,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, basic_agent, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolCall, ToolChoice, ToolInfo, ToolSource, mcp_server_stdio, tool, tool_with
from inspect_ai.util import sandbox, store
from openai import AsyncOpenAI

import sealegs

PRICES = {"lamp": 20, "chair": 45, "desk": 120, "rug": 80, "vase": 15}
SERVER = Path(__file__).with_name("price_server.py")
TRIES = 3


@tool
def look_up(pause: float = 0.0) -> Tool:
    async def execute(item: str) -> str:
        """Look an item up.

        Args:
            item: its name.
        """
        await anyio.sleep(pause)
        return json.dumps({"item": item, "price": PRICES[item]})

    return execute


@tool
def order() -> Tool:
    async def execute(item: str, amount: int) -> str:
        """Order an item.

        Args:
            item: its name.
            amount: how many.
        """
        orders = store().get("orders", [])
        store().set("orders", [*orders, [item, amount]])
        return json.dumps({"ordered": item, "amount": amount})

    return execute


@scorer(metrics=[accuracy()])
def right_orders() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        wanted = [[item, amount] for item, amount in json.loads(target.text).items()]
        return Score(value="C" if sorted(state.store.get("orders", [])) == sorted(wanted) else "I")

    return score


@scorer(metrics={"orders": [accuracy()], "answered": [accuracy()]})
def two_values() -> Scorer:
    inner = right_orders()

    async def score(state: TaskState, target: Target) -> Score:
        found = await inner(state, target)
        assert found is not None
        return Score(value={"orders": found.value, "answered": "C" if state.output.completion else "I"})

    return score


def samples(count: int = 6) -> MemoryDataset:
    names = list(PRICES)
    found = []
    for number in range(count):
        items = {names[(number + place) % len(names)]: number + place + 1 for place in range(1 + number % 3)}
        found.append(Sample(input=json.dumps({"items": items}), target=json.dumps(items), id=f"s{number}"))
    return MemoryDataset(found)


@task
def plain(count: int = 6, pause: float = 0.0) -> Task:
    solvers = [use_tools(look_up(pause), order()), generate()]
    return Task(dataset=samples(count), solver=solvers, scorer=right_orders())


@task
def reacting(count: int = 6) -> Task:
    return Task(dataset=samples(count), solver=react(tools=[look_up(), order()]), scorer=right_orders())


@task
def basic(count: int = 6) -> Task:
    return Task(dataset=samples(count), solver=basic_agent(tools=[look_up(), order()]), scorer=right_orders())


@task
def by_hand(count: int = 6) -> Task:
    return Task(dataset=samples(count), solver=own_loop(), scorer=two_values())


@task
def handed_over(count: int = 6) -> Task:
    buyer = react(name="buyer", description="Orders.", tools=[order()])
    return Task(dataset=samples(count), solver=react(tools=[look_up(), handoff(buyer)]), scorer=right_orders())


@task
def delegated(count: int = 6) -> Task:
    buyer = react(name="buyer", description="Orders.", tools=[order()])
    return Task(dataset=samples(count), solver=react(tools=[look_up(), as_tool(buyer)]), scorer=right_orders())


@task
def from_source(count: int = 6) -> Task:
    return Task(dataset=samples(count), solver=react(tools=[Prices(), order()]), scorer=right_orders())


@task
def from_server(count: int = 3) -> Task:
    server = mcp_server_stdio(name="prices", command=sys.executable, args=[str(SERVER)])
    return Task(dataset=samples(count), solver=react(tools=[server, order()]), scorer=right_orders())


@task
def in_sandbox(count: int = 6) -> Task:
    made = samples(count)
    for sample in made:
        sample.files = {f"{item}.json": json.dumps({"item": item, "price": price}) for item, price in PRICES.items()}
    solvers = [use_tools(tool_with(read_price(), "look_up"), order()), generate()]
    return Task(dataset=made, solver=solvers, scorer=right_orders(), sandbox="local")


@task
def bridged(count: int = 6) -> Task:
    return Task(dataset=samples(count), solver=as_solver(of_another_framework()), scorer=right_orders())


@task
def with_customer(count: int = 4) -> Task:
    return Task(dataset=samples(count), solver=as_solver(conversation()), scorer=right_orders())


@task
def differing(count: int = 6) -> Task:
    return Task(dataset=samples(count), solver=[tools_of_the_sample(), generate()], scorer=right_orders())


@task
def toolless() -> Task:
    return Task(dataset=samples(2), solver=generate(), scorer=right_orders())


@task
def twins() -> Task:
    return Task(dataset=[*samples(2), *samples(1)], solver=[use_tools(look_up())], scorer=right_orders())


@task
def unscored() -> Task:
    return Task(dataset=samples(2), solver=[use_tools(look_up()), generate()])


@task
def many_epochs(count: int = 3) -> Task:
    solvers = [use_tools(look_up(), order()), generate()]
    return Task(dataset=samples(count), solver=solvers, scorer=right_orders(), epochs=Epochs(2))


class Prices(ToolSource):
    async def tools(self) -> list[Tool]:
        return [look_up()]


@solver
def own_loop() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tools = [look_up(), order()]
        while True:
            state.output = await get_model().generate(state.messages, tools)
            state.messages.append(state.output.message)
            if not state.output.message.tool_calls:
                return state
            messages, _ = await execute_tools(state.messages, tools)
            state.messages.extend(messages)

    return solve


@solver
def tools_of_the_sample() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = int(str(state.sample_id)[1:])
        more = (
            [tool_with(order(), "wrap_up")] if number == 5 else [tool_with(look_up(), "browse")] if number % 2 else []
        )
        state.tools = [look_up(), order(), *more]
        return state

    return solve


@tool
def read_price() -> Tool:
    async def execute(item: str) -> str:
        """Look an item up, by a program in the sandbox.

        Args:
            item: its name.
        """
        done = await sandbox().exec(["cat", f"{item}.json"])
        return done.stdout

    return execute


@sealegs.tool(name="look_up", effects=False)
async def bridged_look_up(item: str) -> dict[str, Any]:
    return {"item": item, "price": PRICES[item]}


@sealegs.tool(name="order", effects=True)
async def bridged_order(item: str, amount: int) -> dict[str, Any]:
    store().set("orders", [*store().get("orders", []), [item, amount]])
    return {"ordered": item, "amount": amount}


@agent
def of_another_framework() -> Any:
    """An agent on OpenAI's client, behind Inspect's bridge: it runs tools itself, and a failing one a second time."""
    own: dict[str, Any] = {"look_up": bridged_look_up, "order": bridged_order}
    tools: list[Any] = [
        {"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object"}}}
        for name in own
    ]

    async def call(name: str, arguments: dict[str, Any]) -> str:
        for _ in range(2):
            try:
                return json.dumps(await own[name](**arguments))
            except Exception as error:
                failed = f"{type(error).__name__}: {error}"
        return failed

    async def execute(state: AgentState) -> AgentState:
        async with agent_bridge(state) as bridge:
            messages: list[Any] = [{"role": "user", "content": state.messages[-1].text}]
            while True:
                client = AsyncOpenAI(api_key="none")
                reply = await client.chat.completions.create(model="inspect", messages=messages, tools=tools)
                answer = reply.choices[0].message
                messages.append(answer.model_dump(exclude_none=True))
                if not answer.tool_calls:
                    return bridge.state
                for one in answer.tool_calls:
                    text = await call(one.function.name, json.loads(one.function.arguments))
                    messages.append({"role": "tool", "tool_call_id": one.id, "content": text})

    return execute


@agent
def conversation() -> Any:
    """A simulated user with a tool of its own, and the clerk, in turns."""

    async def execute(state: AgentState) -> AgentState:
        user, clerk = get_model(role="user"), get_model()
        own: list[ChatMessage] = list(state.messages)
        added, output = await user.generate_loop(own, tools=[look_up()])
        own += added
        messages: list[ChatMessage] = [ChatMessageUser(content=output.completion)]
        added, output = await clerk.generate_loop(messages, tools=[look_up(), order()])
        state.messages += [ChatMessageUser(content=output.completion)]
        state.output = await user.generate([*own, ChatMessageUser(content=output.completion)])
        return state

    return execute


@modelapi(name="shopclerk")
class Clerk(ModelAPI):
    """A scripted clerk. Its name says how it takes a failure:

    hasty: it stops at the first one; patient: it makes the call again, up to three times; broken: the provider fails
    whenever a tool has failed; parallel: as patient, and it asks for all look-ups at once; liar: it says that all is
    done whatever happened.
    """

    def __init__(self, model_name: str, base_url: Any = None, api_key: Any = None, config: Any = None) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        calls, text = next_act(self.model_name, input, [one.name for one in tools])
        message = ChatMessageAssistant(content=text, tool_calls=calls or None)
        output = ModelOutput.from_message(message)
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        return 1000


def next_act(name: str, conversation: list[ChatMessage], offered: list[str]) -> tuple[list[ToolCall], str]:
    """The calls that are made next, or the answer."""
    if not offered:
        return [], "I see."
    request = next(
        json.loads(one.text) for one in conversation if one.role in ("user", "tool") and one.text.startswith('{"items"')
    )
    done, failures = progress(conversation)
    failed = sum(failures.values())
    if name == "broken" and failed:
        raise RuntimeError("the provider is down")
    customer = "order" not in offered and "submit" not in offered
    steps = list(wanted(request, offered))
    left = [step for step in steps if key(step) not in done]
    if name == "hasty" and failed and not customer:
        return ended(offered, conversation, "I could not do it: a tool failed.")
    if any(failures.get(key(step), 0) >= TRIES for step in left) and name != "liar":
        return ended(offered, conversation, "I could not do it: a tool failed three times.")
    if name == "liar" and failed:
        left = []
    if not left:
        return ended(offered, conversation, json.dumps(request) if customer else "All was ordered.")
    many = name == "parallel" and left[0][0] == "look_up"
    chosen = [step for step in left if step[0] == "look_up"] if many else left[:1]
    calls = [
        ToolCall(id=f"{step[0]}-{len(conversation)}-{place}", function=step[0], arguments=step[1])
        for place, step in enumerate(chosen)
    ]
    return calls, ""


def wanted(request: dict[str, Any], offered: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "look_up" in offered:
        for item in request["items"]:
            yield "look_up", {"item": item}
    if "order" in offered:
        for item, amount in request["items"].items():
            yield "order", {"item": item, "amount": amount}
    elif "transfer_to_buyer" in offered:
        yield "transfer_to_buyer", {}
    elif "buyer" in offered:
        yield "buyer", {"input": json.dumps(request)}


def key(step: tuple[str, dict[str, Any]]) -> str:
    return json.dumps(step, sort_keys=True)


def progress(conversation: list[ChatMessage]) -> tuple[set[str], dict[str, int]]:
    """The calls that were answered, and how often each failed."""
    calls: dict[str, ToolCall] = {}
    done: set[str] = set()
    failures: dict[str, int] = {}
    for message in conversation:
        if isinstance(message, ChatMessageAssistant):
            calls |= {call.id: call for call in message.tool_calls or []}
        elif isinstance(message, ChatMessageTool) and message.tool_call_id in calls:
            call = calls[message.tool_call_id]
            made = key((call.function, call.arguments))
            if message.error is None:
                done.add(made)
            else:
                failures[made] = failures.get(made, 0) + 1
    return done, failures


def ended(offered: list[str], conversation: list[ChatMessage], text: str) -> tuple[list[ToolCall], str]:
    if "submit" not in offered:
        return [], text
    return [ToolCall(id=f"submit-{len(conversation)}", function="submit", arguments={"answer": text})], ""
