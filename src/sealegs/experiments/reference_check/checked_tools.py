"""The tools of a check: their declarations, their calls under a session, and their calls by themselves.

Taken are functions (plain, or marked with `@sealegs.tool`), tools of LangChain, and for tools that cannot be called
from here a `ToolSpec` or a name. Not covered: calling a framework's tool other than LangChain's by itself, which only
a declared alternative that no clean run called needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sealegs.adapters.python import wrap
from sealegs.adapters.python.tool_listing import known_tool
from sealegs.experiments.agent_under_test import awaited
from sealegs.faults.naming import import_object
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import Session
from sealegs.inject.session import ACTIVE
from sealegs.traces.json_data import to_json_data


@dataclass(frozen=True)
class CheckedTool:
    """A tool of the agent under check.

    Attributes:
        spec: what is known of it.
        given: what the user gave; None for a name or a spec.
    """

    spec: ToolSpec
    given: Any = None

    def under(self, session: Session) -> Any:
        """The tool with every call going through the session.

        Raises:
            UserError: it was given as a name, so there is nothing to call.
        """
        if self.given is None:
            raise UserError(f"the agent takes its tools, and {self.spec.name} is only named; give the function itself")
        if hasattr(self.given, "invoke"):
            from sealegs.adapters.langchain import wrap as wrap_langchain

            return wrap_langchain(self.given, session, errors="shown")
        return wrap(self.given, session, name=self.spec.name)

    @property
    def callable_here(self) -> bool:
        """Whether it can be called by itself."""
        return callable(self.given) or hasattr(self.given, "invoke")

    def answer_to(self, arguments: Mapping[str, Any]) -> Any:
        """The tool's answer to a call by itself, outside every session; what it raises is raised."""
        with ACTIVE.apart():
            if hasattr(self.given, "invoke"):
                returned = self.given.invoke(dict(arguments))
            else:
                returned = self.given(**arguments)
                returned = awaited(returned) if inspect.isawaitable(returned) else returned
        return to_json_data(returned)


def read_tools(
    given: str | Iterable[Any], specs: Iterable[ToolSpec], effects: Sequence[str] | None
) -> list[CheckedTool]:
    """The tools that a user gives or names.

    Args:
        given: the tools, or `module:name` of a list of them.
        specs: what is declared of them besides.
        effects: the names of those that change something; then the others only read. None: each says so itself.

    Raises:
        UserError: something is not a tool, two have one name, or a declaration names none or contradicts another.
    """
    found: Any = import_object(given) if isinstance(given, str) else given
    if not isinstance(found, Iterable) or isinstance(found, str):
        kind = given if isinstance(given, str) else type(found).__name__
        raise UserError(f"tools is {kind}, which is not a list of tools; give all tools of the agent in a list")
    names = [str(name) for name in found] if isinstance(found, Mapping) else []
    tools: dict[str, CheckedTool] = {}
    for number, thing in enumerate(found.values() if isinstance(found, Mapping) else found):
        tool = _tool(thing)
        tool = replace(tool, spec=replace(tool.spec, name=names[number])) if names else tool
        if tools.setdefault(tool.spec.name, tool) is not tool:
            raise UserError(f"two tools are named {tool.spec.name!r}; give each its own name")
    if not tools:
        raise UserError("no tool is given; give the functions that the agent calls")
    _require_known("specs", (spec.name for spec in specs), tools)
    _require_known("effects", effects or (), tools)
    for declared in specs:
        # What the user says counts before what the tool's own signature says.
        tools[declared.name] = replace(tools[declared.name], spec=declared.with_declared(tools[declared.name].spec))
    return [_with_effects(tool, effects) for tool in tools.values()]


def _tool(thing: Any) -> CheckedTool:
    if isinstance(thing, str):
        return CheckedTool(ToolSpec(thing))
    spec = known_tool(thing).spec
    fields = getattr(thing, "args", None)  # LangChain's
    if not spec.parameters and isinstance(fields, Mapping):
        spec = replace(spec, parameters={"type": "object", "properties": dict(fields)})
    return CheckedTool(spec, None if isinstance(thing, ToolSpec | Mapping) else thing)


def _require_known(what: str, names: Iterable[str], tools: Mapping[str, CheckedTool]) -> None:
    strangers = [name for name in names if name not in tools]
    if strangers:
        raise UserError(f"{what} names {', '.join(strangers)}, which is not among the tools: {', '.join(tools)}")


def _with_effects(tool: CheckedTool, effects: Sequence[str] | None) -> CheckedTool:
    if effects is None:
        return tool
    acts = tool.spec.name in effects
    if tool.spec.effects not in (None, acts):
        claim = "does" if acts else "does not"
        raise UserError(
            f"effects says that {tool.spec.name} {claim} change something, and its own declaration says otherwise; "
            "correct one of them"
        )
    return replace(tool, spec=replace(tool.spec, effects=acts))


def takes_tools(agent: Any) -> bool:
    """Return whether an agent is a function that has an argument `tools`."""
    try:
        return callable(agent) and "tools" in inspect.signature(agent).parameters
    except (TypeError, ValueError):
        return False


Reset = Callable[[], Any]


def do_reset(reset: Reset | None) -> None:
    """Put the user's world back to its beginning.

    Raises:
        UserError: that failed.
    """
    if reset is None:
        return
    try:
        found = reset()
        if inspect.isawaitable(found):
            awaited(found)
    except Exception as error:
        raise UserError(f"reset failed: {type(error).__name__}: {error}; fix it, or leave it out") from error
