"""Agents that know a task's graph and plan over it after every answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sealegs.agents.scripted_agent import Briefing, Say, ScriptedAgent, UseTool, error_body, parse_tool_message
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies.switch import done_by_another
from sealegs.tasks import Persistence, State, next_calls, next_looks, recovery_cost


class Planner(ScriptedAgent):
    """Knows the graph, not the faults.

    It checks every answer against what the tool declares, tries a failing tool once more, then counts it as broken and
    takes another way, and stops when there is none.
    """

    tries = 2

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.specs = briefing.specs
        self.failures: dict[str, int] = {}
        self.reasons: dict[str, str] = {}
        self.kept: set[str] = set()  # steps that failed and were done all the same

    @property
    def broken(self) -> frozenset[str]:
        """Tools that failed too often."""
        return frozenset(tool for tool, count in self.failures.items() if count >= self.tries)

    def state(self) -> State:
        """The state of the task."""
        return State(done=frozenset(self.answers), broken=self.broken, kept=frozenset(self.kept))

    def act(self) -> UseTool | Say:
        """The first call of a shortest way to the end."""
        return self.planned(self.state())

    def planned(self, state: State) -> UseTool | Say:
        """The first call of a shortest way from this state to the end."""
        calls = next_calls(self.graph, state)
        if calls:
            # First what has failed: whether it is broken decides which way is the shortest.
            again = [id for id in calls if self.graph.steps[id].tool in self.failures]
            return self.use(self.graph.steps[(again or calls)[0]])
        if recovery_cost(self.graph, state) == 0:
            return self.finished()
        return self.stopped(" ".join(f"{tool} {self.reasons[tool]}." for tool in sorted(self.broken)))

    def observe(self, use: UseTool, text: str) -> None:
        """Keep a sound answer; count anything else as a failure of the tool."""
        data = parse_tool_message(text)
        problem = self.problem(use, text, data)
        if problem is None:
            self.answers[self.graph.step_of[use.tool].id] = data
            self.failures.pop(use.tool, None)
        else:
            self.failures[use.tool] = self.failures.get(use.tool, 0) + 1
            self.reasons[use.tool] = problem

    def keep(self, step: str, answer: Any) -> None:
        """Take the answer of a step that was done although it failed."""
        self.answers[step] = answer
        self.kept.add(step)

    def problem(self, use: UseTool, text: str, data: object) -> str | None:
        """The problem of an answer, as far as one can see. `data`: what the text says."""
        error = error_body(data)
        if error is not None:
            return f"failed with {error.get('status', error.get('type'))}: {error.get('message')}"
        # What another tool did lacks some of what this one declares; to distrust it would be to act a second time.
        found = () if done_by_another(data) else self.specs[use.tool].violations_in_message(use.arguments, text, data)
        return f"gave an answer that cannot be right ({found[0].reason})" if found else None


class Verifier(Planner):
    """Plans as the planner does, and looks before it repeats an action.

    A history tool shows whether the action was done; where it was, its answer is taken from there.
    """

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.doubtful: UseTool | None = None

    def act(self) -> UseTool | Say:
        """A look where an action is in doubt, else as planned."""
        return super().act() if self.doubtful is None else look(self.doubtful, self.specs)

    def observe(self, use: UseTool, text: str) -> None:
        """Take what a history shows; of an action that failed, doubt that it was not done."""
        faulted, self.doubtful = self.doubtful, None
        if faulted is not None and use.tool == self.specs[faulted.tool].shown_by:
            found = found_done(faulted, self.specs[faulted.tool], parse_tool_message(text))
            if found is not None:
                self.keep(self.graph.step_of[faulted.tool].id, found)
                self.failures.pop(faulted.tool, None)
            return
        super().observe(use, text)
        if use.tool in self.failures and self.specs[use.tool].shown_by in self.specs:
            self.doubtful = use


class Oracle(Planner):
    """Knows the graph, where the faults strike and what they leave behind, and plays the cheapest safe course."""

    tries = 1

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.pending = dict(briefing.slots)
        self.risks = briefing.risks
        self.doubtful: dict[str, UseTool] = {}

    def state(self) -> State:
        """The state of the task, with the faults that are still to come.

        A step that will fail for good cannot be planned around, so the way goes up to it as if it would recover.
        """
        ahead: dict[str, Persistence] = {
            id: kind if self.graph.by_id[id] in self.graph.groups else "transient" for id, kind in self.pending.items()
        }
        done, doubtful, kept = frozenset(self.answers), frozenset(self.doubtful), frozenset(self.kept)
        return State(done, self.broken, ahead, self.risks, doubtful, kept)

    def act(self) -> UseTool | Say:
        """A look where that is best, else as planned; with a key where the tool takes one."""
        state = self.state()
        looks = next_looks(self.graph, state) if self.doubtful else ()
        act = look(self.doubtful[looks[0]], self.specs) if looks else self.planned(state)
        spec = self.specs.get(act.tool) if isinstance(act, UseTool) else None
        # One key for all tries of an action: that is what makes the second one harmless.
        if isinstance(act, UseTool) and spec is not None and spec.key:
            return UseTool(act.tool, {**act.arguments, spec.key: f"{self.task.id}:{act.tool}"})
        return act

    def observe(self, use: UseTool, text: str) -> None:
        """A first touch is known to have failed, whatever it shows; every other answer is known to be right."""
        for id, faulted in list(self.doubtful.items()):
            if use.tool == self.specs[faulted.tool].shown_by:
                del self.doubtful[id]
                found = found_done(faulted, self.specs[faulted.tool], parse_tool_message(text))
                if found is not None:
                    self.keep(id, found)
                return
        step = self.graph.step_of[use.tool]
        slot = self.graph.home[step.id][0].id if step.id in self.graph.home else step.id
        # Taken out, since only the first call of a slot meets the fault that was planned for it.
        persistence = self.pending.pop(slot, None)
        if persistence is None:
            self.answers[step.id] = parse_tool_message(text)
            self.doubtful.pop(step.id, None)
            return
        if persistence == "permanent":
            self.failures[use.tool] = self.tries
            self.reasons[use.tool] = "will not work again"
        if step.id in self.risks:
            self.doubtful[step.id] = use


def look(faulted: UseTool, specs: Mapping[str, ToolSpec]) -> UseTool:
    """The call of the history tool that shows whether a faulted action was done."""
    return UseTool(specs[faulted.tool].shown_by, {"operation": faulted.tool})


def found_done(faulted: UseTool, spec: ToolSpec, data: Any) -> Any:
    """The answer of a faulted action as its history shows it; None where it was not done, or not wholly.

    An entry is that of the call where its request equals the arguments, defaults filled in. If the call had no
    idempotency key, the entry may have any: a recovery layer gives one to a call without.
    """
    fields = spec.parameters.get("properties", {})
    defaults = {name: field["default"] for name, field in fields.items() if "default" in field}
    keyless = bool(spec.key) and not faulted.arguments.get(spec.key)

    def compared(request: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: value for name, value in request.items() if not (keyless and name == spec.key)}

    wanted = compared({**defaults, **faulted.arguments})
    entries = data.get("entries", ()) if isinstance(data, Mapping) else ()
    done = [one for one in entries if one["status"] == "completed" and same_request(compared(one["request"]), wanted)]
    return done[-1]["result"] if done else None


def same_request(left: Any, right: Any) -> bool:
    """Return whether two sets of arguments are equal as JSON, numbers by their value."""
    return bool(left == right) or json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
