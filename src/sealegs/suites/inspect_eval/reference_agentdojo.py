"""AgentDojo's ground truth as a script: the calls of the sample's user task, then its ground-truth output.

The eval's setup makes the environment and says which task it is. An injection task is passed over: what counts is the
user's task. Tasks in a sandbox, whose ground truth runs commands there as any other call, are not supported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sealegs.suites.inspect_eval.reference_calls import STOPPED, ReferenceCall, ReferenceCaller

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, TaskState

TASKS = ("agentdojo",)


def ground_truth_calls(user_task: Any, environment: Any) -> tuple[ReferenceCall, ...]:
    """The calls of a user task in its environment."""
    calls: Sequence[Any] = user_task.ground_truth(environment)
    return tuple(ReferenceCall(call.function, call.arguments) for call in calls)


async def play_ground_truth(state: TaskState, generate: Generate, caller: ReferenceCaller) -> TaskState:
    """Make the calls of the sample's user task, and give its expected reply."""
    from inspect_ai.model import ModelOutput

    task = state.metadata["user_task"]
    reply = task.GROUND_TRUTH_OUTPUT or "Done."
    for wanted in ground_truth_calls(task, state.metadata["pre_environment"]):
        failure = await caller.call(wanted, state.tools, state.messages)
        if failure is not None:
            reply = STOPPED.format(tool=wanted.tool, why=failure.text)
            break
    state.output = ModelOutput.from_content("reference", reply)
    state.messages.append(state.output.message)
    return state
