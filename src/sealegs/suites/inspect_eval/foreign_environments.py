"""An eval's own environment outside a run: a fresh one for each sample, its tools, and a digest of its state.

The environment is made as the eval makes it (its setup, its initializers) in a store of its own, and tools are called
by Inspect's `execute_tools`, as an agent's calls are. Sandboxes, and evals that come with no solution, are not
supported.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_core import to_json, to_jsonable_python

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval import reference_agentdojo, reference_tau2
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge
from sealegs.suites.inspect_eval.knowledge_answers import read_answer
from sealegs.suites.inspect_eval.reference_calls import ReferenceCall

if TYPE_CHECKING:
    from inspect_ai.tool import Tool
    from inspect_ai.util import Store

LONG = 50_000_000  # bytes of an answer, so that none is cut short
SUITES = ("banking", "slack", "travel", "workspace")


@dataclass(frozen=True)
class SolvedSample:
    """A sample and the calls that solve it."""

    id: str
    calls: tuple[ReferenceCall, ...]
    source: Any


class ForeignEval(Protocol):
    """An eval whose environment can be made outside a run."""

    def samples(self) -> Sequence[SolvedSample]:
        """The samples with their solutions."""

    def tools(self, by: str) -> Sequence[Tool]:
        """The tools of the `agent` or of the `user`."""

    async def prepare(self, sample: SolvedSample) -> None:
        """Make a sample's environment in the store that is in force."""

    def settle(self) -> None:
        """Have what a call leaves to the next one be done."""


class OpenEnvironment:
    """A sample's environment.

    Args:
        foreign: the eval.
        known: says how answers are written, and what of the state is bookkeeping.
        store: where the environment is.
    """

    def __init__(self, foreign: ForeignEval, known: EvalKnowledge, store: Store) -> None:
        self._foreign = foreign
        self._known = known
        self._store = store

    async def call(self, wanted: ReferenceCall) -> Outcome:
        """Make a call; an answer is data as far as its text holds data."""
        from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, execute_tools
        from inspect_ai.tool import ToolCall

        request = ToolCall(id="check", function=wanted.tool, arguments=copy.deepcopy(dict(wanted.arguments)))
        message = ChatMessageAssistant(content="", tool_calls=[request])
        try:
            messages, _ = await execute_tools([message], list(self._foreign.tools(wanted.by)), LONG)
        except Exception as error:  # a tool that breaks down would end a sample
            return Failure(str(error), type=type(error).__name__)
        answer = next(one for one in messages if isinstance(one, ChatMessageTool))
        if answer.error is not None:
            return Failure(answer.error.message, type=answer.error.type)
        return Value(read_answer(answer.text, self._known.answers))

    def digest(self) -> str:
        """The digest of the environment's state, less its bookkeeping."""
        self._foreign.settle()
        return hashlib.sha256(to_json(self.state(), fallback=repr)).hexdigest()

    def state(self) -> Mapping[str, Any]:
        """The environment's state, less its bookkeeping; not a copy."""
        return without_bookkeeping(self._store._data, self._known)

    def snapshot(self) -> Mapping[str, Any]:
        """The state, for `restore`."""
        kept: Mapping[str, Any] = copy.deepcopy(self._store._data)
        return kept

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take the state back to a snapshot, which is used up."""
        self._store._data.clear()
        self._store._data.update(kept)


def without_bookkeeping(state: Mapping[str, Any], known: EvalKnowledge) -> Mapping[str, Any]:
    """An environment's state, less what is known of it to be bookkeeping."""
    if not known.bookkeeping:
        return state
    plain: dict[str, Any] = to_jsonable_python(state, fallback=repr)
    for path in known.bookkeeping:
        _left_out(plain, path.split("."))
    return plain


async def open_environment(foreign: ForeignEval, known: EvalKnowledge, sample: SolvedSample) -> OpenEnvironment:
    """A fresh environment of a sample, in the store that is in force from here on in this task."""
    from inspect_ai.util import Store
    from inspect_ai.util._store import init_subtask_store

    store = Store()
    init_subtask_store(store)
    await foreign.prepare(sample)
    return OpenEnvironment(foreign, known, store)


class Tau2Domain:
    """A domain of tau2."""

    def __init__(self, domain: str) -> None:
        self._domain = domain

    def samples(self) -> Sequence[SolvedSample]:
        """The samples with their gold actions."""
        task = getattr(import_module("inspect_evals.tau2.tau2"), f"tau2_{self._domain}")(shuffle=False)
        return [
            SolvedSample(str(one.id), reference_tau2.gold_actions(one.metadata), SimpleNamespace(metadata=one.metadata))
            for one in task.dataset
        ]

    def tools(self, by: str) -> Sequence[Tool]:
        """The tools of the agent or of the user."""
        return reference_tau2.domain_tools(self._domain, by)

    async def prepare(self, sample: SolvedSample) -> None:
        """Make the environment as the eval's initializer or its first call does."""
        begin: Any = reference_tau2.initializer(self._domain)
        if begin is not None:
            await begin(sample.source, None)
            return
        module = import_module(f"inspect_evals.tau2.{self._domain}.tools")
        getattr(module, f"get_{self._domain}_tools")()

    def settle(self) -> None:
        """Bring telecom's network and phone into agreement, which every next call would do first."""
        if self._domain == "telecom":
            import_module("inspect_evals.tau2.telecom.environment").get_environment()


class AgentDojoSuite:
    """A suite of AgentDojo, without injections and sandboxes."""

    def __init__(self, suite: str) -> None:
        self._data = import_module("inspect_evals.agentdojo.dataset")
        self._suite = self._data.TASK_SUITES[suite]
        self._name = suite

    def samples(self) -> Sequence[SolvedSample]:
        """The samples with the ground truth of their user tasks."""
        found = self._data.load_dataset(with_sandbox_tasks="no", task_suite=self._name, with_injections=False)
        made = []
        for one in found:
            task = self._suite.user_tasks[int(one.metadata["task_id"])]
            calls = reference_agentdojo.ground_truth_calls(task, self._suite.load_and_inject_default_environment({}))
            made.append(SolvedSample(str(one.id), calls, one))
        return made

    def tools(self, by: str) -> Sequence[Tool]:
        """The tools of the agent; no user acts."""
        return () if by == "user" else list(self._suite.tools)

    async def prepare(self, sample: SolvedSample) -> None:
        """Run the eval's own setup."""
        from inspect_ai.util import store

        state = SimpleNamespace(metadata=dict(sample.source.metadata), store=store(), tools=[])
        await self._data.setup_environment(injections="")(state, None)

    def settle(self) -> None:
        """Do nothing: each call does all of its work."""


def foreign_eval(name: str) -> ForeignEval:
    """The eval that a shipped file of knowledge is about, by the file's name.

    Raises:
        UserError: there is none of this name.
    """
    if name in reference_tau2.TASKS:
        return Tau2Domain(name.removeprefix("tau2_"))
    if name.removeprefix("agentdojo_") in SUITES:
        return AgentDojoSuite(name.removeprefix("agentdojo_"))
    known = ", ".join((*reference_tau2.TASKS, *(f"agentdojo_{suite}" for suite in SUITES)))
    raise UserError(f"the environment of {name!r} cannot be made here; choose from {known}")


def _left_out(state: Any, path: Sequence[str]) -> None:
    """Take what a path names out of a state's copy."""
    for place in _places(state, path[:-1]):
        if isinstance(place, dict):
            place.pop(path[-1], None)


def _places(state: Any, path: Sequence[str]) -> Iterator[Any]:
    if not path:
        yield state
    elif isinstance(state, dict) and path[0] in state:
        yield from _places(state[path[0]], path[1:])
