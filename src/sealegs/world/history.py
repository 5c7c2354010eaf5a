"""History tools: reads that show what the actions of this episode did.

After a call whose outcome is in doubt an agent can look: a request that is listed was carried out, with this result,
and one that is not listed had no effect. One history tool serves several actions of one service. They are beside the
corpus (`Corpus.histories`), so that its figures stay comparable.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, create_model

from sealegs.faults.invariants import Bounds, Counts, Echo
from sealegs.world.state import World
from sealegs.world.tool import Answer, SimulatedTool

LISTED = (
    "Lists the requests of one operation that were made today in this account, newest last, each with its arguments, "
    "its status and its whole result; `partial` means that only what stands under `done` has happened, and that an "
    "identical request completes the rest. A request that is not listed had no effect."
)


class Made(Answer):
    """A request that was made today."""

    operation: str = Field(description="What was asked for")
    request: dict[str, Any] = Field(description="Arguments of the request, defaults included")
    status: Literal["completed", "partial"] = Field(description="Whether all of it was done")
    done: list[str] = Field(description="What was done, in order")
    result: dict[str, Any] | None = Field(description="The whole answer; null where the request is partial")


class History(Answer):
    """Requests of one operation, which the answer repeats: an empty list would not tell what it is about."""

    operation: str = Field(description="Which requests these are")
    entries: list[Made] = Field(description="The requests that were carried out, newest last")
    count: int = Field(description="How many they are")


def history(name: str, *actions: SimulatedTool, shows: str) -> SimulatedTool:
    """Make a history tool for these actions of one domain.

    Args:
        name: what it is called; every one of the actions names it in `shown_by`.
        actions: what it shows the calls of.
        shows: its first sentence, which says what a person finds in it.

    Raises:
        ValueError: an action names another history tool, or the actions are of several domains.
    """
    strangers = [action.name for action in actions if action.shown_by != name]
    if strangers:
        raise ValueError(f"{name} shows actions that do not name it in shown_by: {', '.join(strangers)}")
    domains = sorted({action.domain for action in actions})
    if len(domains) != 1:
        raise ValueError(f"{name} shows the actions of one domain; got those of {', '.join(domains) or 'none'}")
    operations = tuple(action.name for action in actions)
    operation: Any = Literal[operations]
    return SimulatedTool(
        name=name,
        domain=domains[0],
        category="history",
        description=f"{shows} {LISTED}",
        parameters=create_model(
            f"{name}_parameters",
            __config__=ConfigDict(extra="forbid", frozen=True),
            operation=(operation, Field(description="Which requests to list")),
        ),
        answer=History,
        run=_listed,
        invariants=(
            Counts("count", "entries"),
            Bounds("count", 0),
            Echo("operation", "operation"),
            Echo("operation", "entries.operation"),
        ),
        examples=tuple({"operation": operation} for operation in operations),
        refusals=(({"operation": "everything"}, 422),),
    )


def _listed(world: World, operation: str) -> dict[str, Any]:
    entries = [entry.shown() for entry in world.journal if entry.operation == operation]
    return {"operation": operation, "entries": entries, "count": len(entries)}


def operations(tool: SimulatedTool) -> tuple[str, ...]:
    """The actions that a history tool shows."""
    return tuple(str(example["operation"]) for example in tool.examples)


__all__ = ["History", "Made", "history", "operations"]
