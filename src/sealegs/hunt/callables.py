"""A Python callable as a target: its tools find the session as the active one, or it takes the session as an argument.

The callable runs one whole episode on fresh state, sync or async, and returns whatever its check wants to see.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sealegs.faults.invariants import Bounds
from sealegs.faults.naming import import_callable, import_object
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.hunt.trial import Loop, Symptom, Trial, call_quietly, error_frames, error_line, own_code_of
from sealegs.inject import Session, VirtualClock
from sealegs.inject.limit import CallLimit
from sealegs.traces import Record, Recorder, build_record, doubled_effects
from sealegs.traces.events import Reason

EPISODE = "hunt"
ENDS: Mapping[str, Reason] = {"wrong": "answered", "endless": "steps", "crashed": "crashed"}


@dataclass(frozen=True)
class CallableTarget:
    """An agent that is a Python callable.

    Attributes:
        name: `module:function`.
        agent: runs one episode; may take an argument `session`.
        check: takes what the agent returned; fails by returning False or by raising. None: an agent that returns is
            right.
        check_name: `module:function`, or empty.
        known: specs that the user gave.
        known_name: `module:name` of them, or empty.
        assumed: specs of further tools, taken from what was seen.
        max_calls: calls after which an agent counts as endless.
        timeout: seconds (on the virtual clock) after which the agent's side gives up on one call.
    """

    name: str
    agent: Callable[..., Any]
    check: Callable[[Any], Any] | None = None
    check_name: str = ""
    known: Mapping[str, ToolSpec] = field(default_factory=dict)
    known_name: str = ""
    assumed: Mapping[str, ToolSpec] = field(default_factory=dict)
    max_calls: int = 50
    timeout: float = 30.0

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The known specs of the tools."""
        return {**self.assumed, **self.known}

    def assuming(self, specs: Mapping[str, ToolSpec]) -> CallableTarget:
        """The same target, with these specs assumed for further tools."""
        return replace(self, assumed=specs)

    def trial(self, plan: Plan) -> Trial:
        """One run, on a virtual clock."""
        clock = VirtualClock()
        recorder = Recorder(clock)
        recorder.start(EPISODE, {"agent": self.name, "plan": plan.digest()})
        limit, loop = CallLimit(self.max_calls), Loop(self.max_calls)
        session = Session(
            plan,
            episode=EPISODE,
            specs=self.specs.values(),
            layers=(limit, loop),
            clock=clock,
            timeout=self.timeout,
            watcher=recorder,
        )
        error: BaseException | None = None
        answer: Any = None
        try:
            answer = call_quietly(lambda: self._run(session))
        except KeyboardInterrupt:  # the user's, who ends the hunt
            raise
        except BaseException as raised:  # an agent that calls `sys.exit` has broken down too
            error = raised
        symptom = self._symptom(answer, error, limit, loop, {e.tool for e in recorder.events if e.type == "called"})
        recorder.finish(ENDS[symptom.kind] if symptom else "answered", detail=symptom.text if symptom else "")
        found = build_record(recorder.events)
        return Trial(plan, found, _twice(found, symptom) or symptom)

    def _run(self, session: Session) -> Any:
        with session:
            answer = self.agent(session=session) if _takes_session(self.agent) else self.agent()
            return asyncio.run(answer) if inspect.iscoroutine(answer) else answer

    def _symptom(
        self, answer: Any, error: BaseException | None, limit: CallLimit, loop: Loop, tools: set[str]
    ) -> Symptom | None:
        site = own_code_of(self.agent, tools)
        if limit.reached:  # also where the agent took the stop for an error of a tool
            return Symptom("endless", f"more than {limit.calls} calls", site.place(loop.frames()))
        if error is not None:
            return Symptom("crashed", error_line(error), site.place(error_frames(error)))
        if self.check is None:
            return None
        try:
            passed = call_quietly(lambda: self.check(answer))  # type: ignore[misc]
        except (Exception, SystemExit) as raised:
            return Symptom("wrong", error_line(raised), own_code_of(self.check).place(error_frames(raised)))
        return Symptom("wrong", f"the check answered False to {answer!r:.200}") if passed is False else None

    def head(self) -> Sequence[str]:
        """The lines that the tests begin with: imports, and the specs of the tools."""
        names = [name for name in (self.name, self.check_name, self.known_name) if name]
        lines = [f"from {module} import {', '.join(sorted(set(found)))}" for module, found in _by_module(names).items()]
        above = ["import asyncio", ""] if inspect.iscoroutinefunction(self.agent) else []
        ours = []
        if any(self.assumed.values()):
            ours = ["from sealegs.faults import ToolSpec", "from sealegs.faults.invariants import Bounds"]
        return [*above, "import pytest", "", *sorted([*lines, *ours]), "", f"SPECS = [{self._specs_source()}]"]

    def test(self, number: int, name: str, file: str, story: str) -> str:
        """The test of one finding."""
        agent = f"{_attribute(self.name)}({'session=faults.session' if _takes_session(self.agent) else ''})"
        if inspect.iscoroutinefunction(self.agent):
            agent = f"asyncio.run({agent})"
        body = agent if self.check is None else f"assert {_attribute(self.check_name)}({agent}) is not False"
        options = (
            f'specs=SPECS, episode="{EPISODE}", timeout={self.timeout}, clock="virtual", max_calls={self.max_calls}'
        )
        return (
            f'@pytest.mark.faults(\n    "{file}", {options}\n)\n'
            f"def test_{number}_{name}({'faults' if _takes_session(self.agent) else ''}):\n"
            f'    """{story}"""\n    {body}\n'
        )

    def _specs_source(self) -> str:
        parts = [f"*{_attribute(self.known_name)}"] if self.known_name else []
        for spec in self.assumed.values():
            bounds = [f"Bounds({i.field!r}, minimum={i.minimum})" for i in spec.invariants if isinstance(i, Bounds)]
            parts.append(f"ToolSpec({spec.name!r}, invariants=({', '.join(bounds)},))")
        return "".join(f"\n    {part}," for part in parts) + "\n" if parts else ""


def callable_target(
    agent: str, check: str = "", specs: str = "", *, max_calls: int = 50, timeout: float = 30.0
) -> CallableTarget:
    """The target that these names mean, each `module:name`; modules are looked for in the working directory too.

    Raises:
        UserError: one of them names nothing, or something of another kind.
    """
    known = import_object(specs) if specs else ()
    if not isinstance(known, (list, tuple)) or not all(isinstance(spec, ToolSpec) for spec in known):
        raise UserError(f"{specs} holds something other than ToolSpecs; give a list or tuple of them")
    return CallableTarget(
        agent,
        import_callable(agent),
        import_callable(check) if check else None,
        check,
        {spec.name: spec for spec in known},
        specs,
        max_calls=max_calls,
        timeout=timeout,
    )


def _twice(found: Record, symptom: Symptom | None) -> Symptom | None:
    """The symptom of an agent that finished and did something twice on its way."""
    repeated = doubled_effects(found)
    if not repeated or (symptom is not None and symptom.kind != "wrong"):
        return None
    check = f"; the check says: {symptom.text}" if symptom is not None else ""
    return Symptom("doubled", f"{repeated[0].says()}{check}")


def _takes_session(function: Callable[..., Any]) -> bool:
    return "session" in inspect.signature(function).parameters


def _attribute(name: str) -> str:
    return name.partition(":")[2]


def _by_module(names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        module, _, attribute = name.partition(":")
        found.setdefault(module, []).append(attribute)
    return found
