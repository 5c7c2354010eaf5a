"""tau2's gold actions as a script, with a user who says the request and ends the talk.

The eval's own initializers make the environment. The agent's conversation is kept where the eval's agent keeps it, so
that its scorers find the calls; actions of the user are made with the user's tools. At the end the agent says what the
task wants to be communicated. Assertions in natural language are left out, since they need a model to judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sealegs.suites.inspect_eval.reference_calls import STOPPED, ReferenceCall, ReferenceCaller

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.solver import Generate, Solver, TaskState
    from inspect_ai.tool import Tool

DOMAINS = {"AirlineAgent": "airline", "RetailAgent": "retail", "TelecomAgent": "telecom", "BankingAgent": "banking"}
TASKS = tuple(f"tau2_{domain}" for domain in DOMAINS.values())
AGENT_LISTS = {
    "airline": "all_airline_tools",
    "retail": "all_retail_tools",
    "telecom": "all_telecom_agent_tools",
    "banking": "all_banking_agent_tools",
}
USER_LISTS = {"telecom": "all_telecom_user_tools", "banking": "all_banking_user_tools"}
ENDED = "###STOP###"


@cache
def domain_tools(domain: str, by: str) -> tuple[Tool, ...]:
    """The tools of the agent or of the user in a domain."""
    if by == "user":
        module, name = f"inspect_evals.tau2.{domain}.user_tools", USER_LISTS.get(domain)
    else:
        module, name = f"inspect_evals.tau2.{domain}.tools", AGENT_LISTS[domain]
    if name is None:
        return ()
    made = getattr(import_module(module), name)
    if domain == "banking" and by == "agent":  # of the eval's default way to the knowledge base
        made = [*made, import_module(module).banking_grep]
    return tuple(one() for one in made)


def gold_actions(metadata: Mapping[str, Any]) -> tuple[ReferenceCall, ...]:
    """The gold actions of a sample, by the names that the tools have."""
    domain = DOMAINS[metadata["instance"]]
    actions = (metadata["task"]["evaluation_criteria"] or {}).get("actions") or ()
    return tuple(
        ReferenceCall(
            _tool_name(domain, one["name"], one["requestor"]),
            one["arguments"],
            "user" if one["requestor"] == "user" else "agent",
        )
        for one in actions
    )


def initializer(domain: str) -> Solver | None:
    """The solver that the eval itself runs before its agent; None where there is none."""
    if domain not in USER_LISTS:
        return None
    module = import_module(f"inspect_evals.tau2.{domain}.solver")
    made: Solver = getattr(module, f"{domain}_initializer")()
    return made


async def play_gold_actions(state: TaskState, generate: Generate, caller: ReferenceCaller) -> TaskState:
    """Have the user ask, the agent and the user act as the gold actions say, and the agent report."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    task, instance = state.metadata["task"], state.metadata["instance"]
    domain = DOMAINS[instance]
    begin = initializer(domain)
    if begin is not None:
        state = await begin(state, generate)
    talk = _agents_talk(instance)
    request = _request(task)
    state.messages.append(ChatMessageAssistant(content=request))
    talk.append(ChatMessageUser(content=request))
    reply = _report(task)
    for wanted in gold_actions(state.metadata):
        messages = state.messages if wanted.by == "user" else talk
        failure = await caller.call(wanted, domain_tools(domain, wanted.by), messages)
        if failure is not None:
            reply = STOPPED.format(tool=wanted.tool, why=failure.text)
            break
    talk.append(ChatMessageAssistant(content=reply))
    state.messages.append(ChatMessageUser(content=reply))
    state.messages.append(ChatMessageAssistant(content=ENDED))
    state.output = ModelOutput.from_content("reference", reply)  # the agent's last message, for the judge of its stop
    return state


def _agents_talk(instance: str) -> list[ChatMessage]:
    """The agent's conversation, where the eval's own agent keeps it."""
    from inspect_ai.util import store_as

    stored = import_module("inspect_evals.tau2.common.agents").StoredAgentState
    kept = store_as(stored, instance)
    kept.messages = []
    messages: list[ChatMessage] = kept.messages
    return messages


def _request(task: Mapping[str, Any]) -> str:
    instructions = task["user_scenario"]["instructions"]
    return str(instructions.get("reason_for_call") if isinstance(instructions, Mapping) else instructions)


def _report(task: Mapping[str, Any]) -> str:
    wanted: Sequence[str] = (task["evaluation_criteria"] or {}).get("communicate_info") or ()
    return " ".join(["Your request is completed.", *(f"{one}." for one in wanted)])


@cache
def _names(domain: str, by: str) -> frozenset[str]:
    from inspect_ai.tool import ToolDef

    return frozenset(ToolDef(tool).name for tool in domain_tools(domain, by))


def _tool_name(domain: str, action: str, requestor: str) -> str:
    """A tool's name: actions of some domains leave out what all its tools' names begin with."""
    by = "user" if requestor == "user" else "agent"
    return action if action in _names(domain, by) else f"{domain}_{action}"
