"""End states of an eval's own environment: what they show of effects does not depend on any record.

A solution whose calls are each made at most once, in their order, can leave only as many states as it has calls, and
the first one. A faulted sample that ends in another state did something more: an effect twice, or one that is not in
the solution. This holds for agents that play the eval's solution; the state where a model ends may be right in many
ways.

A state is identified by the digest of each of its parts: scorers and agents put parts of their own beside those of the
environment. The time at which a call was made is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from sealegs.engines.logs import OF_SUITE, log_files
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode
from sealegs.suites.inspect_eval.foreign_environments import (
    ForeignEval,
    SolvedSample,
    open_environment,
    without_bookkeeping,
)
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge
from sealegs.suites.inspect_eval.slim_logs import sample_logging_replaced
from sealegs.traces.inspect_logs import SUFFIX, samples

END_STATE = "sealegs_end_state"  # in the metadata of a logged sample
NOW = re.compile(rb'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}"')  # no time of an eval's data has microseconds
StateDigests = Mapping[str, str]  # of each part of a state, by its name


@contextmanager
def end_states_in_logs(known: EvalKnowledge) -> Iterator[None]:
    """Have every sample that Inspect logs while the block is open note the digests of the state in which it ended."""

    def noting(original: Callable[..., Any]) -> Callable[..., Any]:
        def create(start_time: float | None, sample: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
            logged = original(start_time, sample, state, *args, **kwargs)
            ended = state_digests(without_bookkeeping(state.store._data, known))
            return logged.model_copy(update={"metadata": {**logged.metadata, END_STATE: ended}})

        return create

    with sample_logging_replaced(noting):
        yield


def logged_end_states(folder: Path) -> dict[EvalEpisode, StateDigests]:
    """The end states that the logs of a run note, by episode; of one that was played again the last."""
    found = {}
    for file in log_files(folder):
        if file.suffix != SUFFIX:
            continue
        for sample, started in samples(file, [], fields=("id", "epoch", "metadata")):
            noted = started["metadata"][OF_SUITE]
            key = EvalEpisode(noted["mode"], str(sample["id"]), noted["first"] + sample["epoch"] - 1)
            if END_STATE in sample["metadata"]:
                found[key] = sample["metadata"][END_STATE]
    return found


async def solution_states(foreign: ForeignEval, known: EvalKnowledge, sample: SolvedSample) -> list[StateDigests]:
    """The states of a sample's environment before the first call of its solution, and after each."""
    environment = await open_environment(foreign, known, sample)
    states = [state_digests(environment.state())]
    for wanted in sample.calls:
        await environment.call(wanted)
        states.append(state_digests(environment.state()))
    return states


def ended_elsewhere(folder: Path, states: Callable[[str], Iterable[StateDigests]]) -> set[EvalEpisode]:
    """The episodes of a run that ended in none of the states of their solution.

    Args:
        folder: of the run, whose logs note end states.
        states: gives the states of a sample's solution, by its id.
    """
    return {key for key, ended in logged_end_states(folder).items() if not _is_among(ended, states(key.sample))}


def _is_among(ended: StateDigests, states: Iterable[StateDigests]) -> bool:
    # Parts that the environment does not have are scorers' and agents', and not compared.
    return any(all(ended.get(part) == digest for part, digest in state.items()) for state in states)


def state_digests(state: Mapping[str, Any]) -> StateDigests:
    """The SHA-256 of each part of a state as JSON, with one word for every time of the machine's clock."""
    return {
        part: hashlib.sha256(NOW.sub(b'"now"', to_json(content, fallback=repr))).hexdigest()
        for part, content in state.items()
    }
