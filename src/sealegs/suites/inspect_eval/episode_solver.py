"""The solver around an eval's own: it opens the session of a sample and keeps its record.

What ended a sample from outside (the model's provider, the sandbox) is noted in the record, so that no agent is blamed
for it. The agent's final words are the sample's output, or, where a model plays the user, the last text of any other:
the role of its model names the user, or, where the eval's own model plays it too and what is known of the eval
says so, by being offered none of the agent's tools.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from inspect_ai._util.registry import registry_log_name
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.solver._chain import unroll
from inspect_ai.solver._task_state import set_sample_state
from inspect_ai.tool import ToolDef, ToolInfo
from inspect_ai.util import LimitExceededError, span

from sealegs.adapters.inspect import JSON_TEXT, AnswerText
from sealegs.adapters.inspect_seam import SampleSeam, in_sample, is_user_role
from sealegs.engines.inspect_ends import outside_cause
from sealegs.engines.inspect_runner import note_faults, note_record
from sealegs.faults.call import Layer
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock, Session
from sealegs.suites.inspect_eval.eval_marks import LASTING, OFFERED, SCHEMAS, TO_USER
from sealegs.traces import Recorder
from sealegs.traces.record import OUTSIDE

NO_FAULTS = Plan(name="clean")
NO_FAULTS_DIGEST = NO_FAULTS.digest()  # made once, because every clean sample notes it


@dataclass(frozen=True)
class EvalArm:
    """One mode of a run: what Inspect plays at once.

    Attributes:
        mode: its name.
        first: the epoch that Inspect's first one is.
        facts: what every record notes.
        plans: the faults by sample and epoch; none where nothing is to fail.
        specs: what is known of the tools.
        user_tools: those of a simulated user.
        has_user: whether a model is known to play a user.
        texts: how answers hold data.
        layers: makes the layers of a session.
        timeout: seconds of waiting after which a call is given up.
        done: called at the end of each sample.
        schemas: whether the records hold the schemas of the tools, not only their names.
        naming: the user's own plan: what it names is recorded without faults, too.
    """

    mode: str
    first: int
    facts: Mapping[str, Any]
    plans: Mapping[tuple[str, int], Plan] = field(default_factory=dict)
    specs: tuple[ToolSpec, ...] = ()
    user_tools: Collection[str] = ()
    has_user: bool = False
    texts: AnswerText = JSON_TEXT
    layers: Callable[[], list[Layer]] = list
    timeout: float = 60.0
    done: Callable[[], None] = lambda: None
    schemas: bool = False
    naming: Plan = NO_FAULTS


@solver
def played_under_faults(inner: Solver, arm: EvalArm) -> Solver:
    """The eval's own solver, in the session of the sample and epoch."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sample, epoch = str(state.sample_id), arm.first + state.epoch - 1
        plan = arm.plans.get((sample, epoch), NO_FAULTS)
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        name = episode_name(arm.facts, sample, epoch, arm.mode)
        digest = NO_FAULTS_DIGEST if plan is NO_FAULTS else plan.digest()
        lasting = [rule.id for rule in plan.rules if rule.persistence == "permanent"]
        about = {"mode": arm.mode, "sample": sample, "epoch": epoch, "plan": digest, LASTING: lasting}
        recorder.start(name, {**arm.facts, **about})
        layers = arm.layers()
        session = Session(
            plan, episode=name, specs=arm.specs, layers=layers, clock=clock, timeout=arm.timeout, watcher=recorder
        )
        seam = SampleSeam(session, arm.user_tools, arm.naming, layered=bool(layers), texts=arm.texts)
        try:
            with note_record(recorder, text=True, ours=False), _blamed(recorder, seam, arm.schemas):
                with in_sample(seam):
                    state = await _in_turn(inner, state, generate)
                recorder.note(_found(seam, arm.schemas))
                recorder.finish("answered", answer=final_words(state, arm))
        finally:
            arm.done()
        return state

    return solve


async def _in_turn(inner: Solver, state: TaskState, generate: Generate) -> TaskState:
    """Take the steps of the eval's solver as Inspect does; what they change is noted once, by the step around them.

    A span says where in the log a step begins; one step alone has that of the step around it.
    """
    steps = unroll(inner)
    if len(steps) == 1:
        return await steps[0](state, generate)
    for step in steps:
        before = state
        async with span(name=registry_log_name(step), type="solver"):
            state = await step(state, generate)
        set_sample_state(state, replacing=before)
        if state.completed:
            break
    return state


def episode_name(facts: Mapping[str, Any], sample: str, epoch: int, mode: str) -> str:
    """The name of an episode, which is part of the key of every random decision."""
    arguments = ",".join(f"{key}={value!r}" for key, value in sorted(facts["task_args"].items()))
    return f"{facts['task']}({arguments})/{sample}/{epoch}/{mode}"


def final_words(state: TaskState, arm: EvalArm) -> str:
    """Return the agent's last message."""
    spoken = [event for event in _model_events() if event.output.choices]
    # Where a model plays the user, the last output of the transcript may be the user's. Its role tells, or else its
    # tools.
    if any(is_user_role(event.role) for event in spoken):
        own = [event for event in spoken if not is_user_role(event.role)]
    elif arm.has_user and spoken:
        own = [event for event in spoken if any(tool.name not in arm.user_tools for tool in event.tools)]
    else:
        return state.output.completion
    completions = (event.output.completion for event in reversed(own))
    return next((text for text in completions if text.strip()), "")


def _model_events() -> list[ModelEvent]:
    """The transcript's events of models, told apart by their names: pydantic's classes answer `isinstance` slowly."""
    return [event for event in transcript().events if event.event == "model"]


@contextmanager
def _blamed(recorder: Recorder, seam: SampleSeam, schemas: bool) -> Iterator[None]:
    """Note whose fault it is that the block ends by an exception."""
    try:
        yield
    except LimitExceededError:
        recorder.note(_found(seam, schemas))
        raise
    except Exception as error:
        recorder.note({**_found(seam, schemas), **_outside(error)})
        raise


def _found(seam: SampleSeam, schemas: bool) -> dict[str, Any]:
    """Read from the transcript and the calls which tools a sample has, and whether its model could be called."""
    infos = {tool.name: tool for tool in seam.offered.values()}
    model_events = _model_events()
    own = {tool.name: tool for event in model_events if not is_user_role(event.role) for tool in event.tools}
    users = sorted({tool.name for event in model_events if is_user_role(event.role) for tool in event.tools})
    tools: dict[str, ToolInfo | ToolDef] = {**own, **infos}
    if not schemas:
        return {OFFERED: sorted(tools), TO_USER: users, **_outside(None)}
    described = {
        name: {"description": tool.description, "parameters": tool.parameters.model_dump(exclude_none=True)}
        for name, tool in sorted(tools.items())
    }
    return {OFFERED: sorted(tools), TO_USER: users, SCHEMAS: described, **_outside(None)}


def _outside(error: Exception | None) -> dict[str, str]:
    """The note of what ended the sample, where it was neither agent nor tool."""
    cause = outside_cause(error)
    return {OUTSIDE: cause} if cause else {}
