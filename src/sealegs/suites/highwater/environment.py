"""Calls that an episode's code may make: search, documentation and the functions, each on the seam of the episode.

Whatever calls (a kernel's stubs, a scripted agent in this process), the databases and the faults stay on the host, and
the record is made here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import NO_DRY_RUN, Session
from sealegs.inject.clock import Clock
from sealegs.scoring.highwater_judge import SEARCH
from sealegs.suites.highwater.function_search import MOST, Finder, finder
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode
from sealegs.traces import Recorder
from sealegs.world.sql.function_library import SqlFunction
from sealegs.world.sql.value_hints import near_values

INFO = "get_info"
CALL_TIMEOUT = 60.0
NAME = re.compile(r"\bfn_\w+")
SEARCHING = ToolSpec(
    SEARCH,
    "Find functions by what they do. Returns a list of {name, description}, the best first.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what the function should do, in words"},
            "num_results": {"type": "integer", "minimum": 1, "maximum": MOST, "description": f"at most {MOST}"},
        },
        "required": ["query"],
    },
    effects=False,
)
TELLING = ToolSpec(
    INFO,
    "The whole documentation of a function: name, description, parameters, returns.",
    {"type": "object", "properties": {"tool_name": {"type": "string"}}, "required": ["tool_name"]},
    effects=False,
)


class Environment:
    """One episode's functions.

    Args:
        episode: what is played.
        recorder: of the episode.
        clock: of the episode.
        find: gives the functions of a folder, as they are found.
    """

    def __init__(
        self, episode: HighwaterEpisode, recorder: Recorder, clock: Clock, find: Callable[[str], Finder] = finder
    ) -> None:
        self._episode = episode
        self._manner = episode.style
        self._find = find
        self._specs = {spec.name: spec for spec in ((SEARCHING, TELLING) if episode.setting == "open" else ())}
        self._specs |= {function.name: self._tool(function) for function in episode.offered}
        self._session = Session(
            episode.plan,
            episode=episode.id,
            specs=self._specs.values(),
            clock=clock,
            timeout=CALL_TIMEOUT,
            watcher=recorder,
        )

    @property
    def specs(self) -> list[ToolSpec]:
        """The tools that the agent knows of from the start."""
        return list(self._specs.values())

    def named(self, text: str) -> list[ToolSpec]:
        """Functions that a text names and that were not named before: from now on they are known."""
        names = [name for name in dict.fromkeys(NAME.findall(text)) if self._episode.callable(name)]
        return self._learned(self._tool(self._episode.library.functions[name]) for name in names)

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Make a call in this thread."""
        self.named(tool)
        return self._session.call(tool, arguments, self._run)

    async def answer_async(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Make a call in this task."""
        self.named(tool)

        async def run(call: Call) -> Outcome:
            return self._run(call)

        return await self._session.call_async(tool, arguments, run)

    def _learned(self, specs: Iterable[ToolSpec]) -> list[ToolSpec]:
        new = {spec.name: spec for spec in specs if spec.name not in self._specs}
        if new:
            self._specs |= new
            self._session.know(new.values())
        return list(new.values())

    def _run(self, call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        if call.tool not in self._specs:
            return Failure(f"There is no function {call.tool!r}.", type="UnknownFunction", status=404)
        if call.tool == SEARCH:
            return self._found(**call.arguments)
        if call.tool == INFO:
            return self._show_documentation(**call.arguments)
        return self._rows(self._episode.library.functions[call.tool], call.arguments)

    def _rows(self, function: SqlFunction, arguments: Mapping[str, Any]) -> Outcome:
        """The answer of a function, in the manner of the episode."""
        outcome = self._episode.library.call(function.name, arguments)
        if isinstance(outcome, Failure):
            return outcome
        if self._manner.empty_hint and not outcome.value:
            hint = near_values(self._episode.library, function, arguments)
            if hint:
                return Value(hint)
        return Value(function.as_records(outcome.value)) if self._manner.rows == "records" else outcome

    def _tool(self, function: SqlFunction) -> ToolSpec:
        return function.tool_in(self._manner.rows)

    def _found(self, query: Any = None, num_results: Any = MOST, **others: Any) -> Outcome:
        problems = [f"there is no argument {name!r}" for name in others]
        if not isinstance(query, str) or not query.strip():
            problems.append(f"query must be a text of words, got {query!r:.60}")
        if isinstance(num_results, bool) or not isinstance(num_results, int) or not 1 <= num_results <= MOST:
            problems.append(f"num_results must be a whole number from 1 to {MOST}, got {num_results!r:.60}")
        if problems:
            return Failure(f"{SEARCH}: {'; '.join(problems)}", type="InvalidArguments", status=422)
        found = self._find(self._episode.data).find(query, num_results)
        return Value([{"name": one.name, "description": one.description} for one in found])

    def _show_documentation(self, tool_name: Any = None, **others: Any) -> Outcome:
        if others or not isinstance(tool_name, str):
            return Failure(f"{INFO} takes one name of a function: tool_name", type="InvalidArguments", status=422)
        if tool_name not in self._episode.library.functions:
            return Failure(f"There is no function {tool_name!r}.", type="UnknownFunction", status=404)
        return Value(self._episode.library.functions[tool_name].spec_in(self._manner.rows))
