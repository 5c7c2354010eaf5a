"""The agent: LangChain's own ReAct agent, as `create_agent` makes it, and its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.inject import Session
from sealegs.suites.micro.workloads import Workload

SCRIPTED = "scripted/"
SCRIPTS = ("oracle", "naive", "retrier")


def model_mistake(name: str) -> str:
    """The mistake in a model's name; empty where it will do. Loads nothing and calls nothing."""
    if name.startswith(SCRIPTED):
        known = name.removeprefix(SCRIPTED) in SCRIPTS
        return (
            "" if known else f"is not a scripted model. There is {', '.join(SCRIPTED + script for script in SCRIPTS)}."
        )
    provider, mark, model = name.partition(":")
    if not (provider and mark and model) or name != name.strip():
        return "is not a model. Write PROVIDER:MODEL as LangChain's init_chat_model has it, or scripted/oracle."
    return ""


def chat_model(name: str, workload: Workload, *, inner: bool = False, settings: Mapping[str, Any] | None = None) -> Any:
    """The model of an agent.

    Args:
        name: `scripted/oracle`, `scripted/naive`, `scripted/retrier`, or `PROVIDER:MODEL` for `init_chat_model`.
        workload: what a scripted model knows.
        inner: whether it is the agent that the other one asks.
        settings: further arguments of `init_chat_model`, such as `temperature`.

    Raises:
        UserError: there is no such model, or what it needs is not installed.
    """
    wrong = model_mistake(name)
    if wrong:
        raise UserError(f"{name!r} {wrong}")
    if name.startswith(SCRIPTED):
        from sealegs.suites.micro.scripted_chat import ScriptedChat

        return ScriptedChat(way=name.removeprefix(SCRIPTED), workload=workload.name, inner=inner)
    return made_model(name, settings)


def made_model(name: str, settings: Mapping[str, Any] | None = None) -> Any:
    """A provider's model.

    Args:
        name: `PROVIDER:MODEL`.
        settings: further arguments of `init_chat_model`.

    Raises:
        UserError: there is no such model, or what it needs is not installed.
    """
    from langchain.chat_models import init_chat_model

    try:
        return init_chat_model(name, **(settings or {}))
    except Exception as error:  # a client that has no key says so in its own way
        raise UserError(f"the model {name!r} cannot be used: {' '.join(str(error).split())}") from error


def react_agent(model: Any, tools: Sequence[Any], session: Session | None, raised: bool = False) -> Any:
    """The agent.

    Args:
        model: a chat model.
        tools: LangChain tools.
        session: where faults are put between the agent and its tools; None where they are put elsewhere.
        raised: a failure of a tool ends the run, as LangChain has it; else the model is shown it.
    """
    from langchain.agents import create_agent

    from sealegs.adapters.langchain import Seam

    seams = [] if session is None else [Seam(session, "raised" if raised else "shown")]
    return create_agent(model, list(tools), middleware=seams)
