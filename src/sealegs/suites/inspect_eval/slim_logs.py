"""Logs of Inspect without the eval's state, for agents that are played thousands of times and whose calls say it all.

Inspect writes the whole state of a sample into its log several times: as changes of each step, and at the end. Where
an eval keeps its database there, as tau2 does, that costs seconds and megabytes a sample. Scorers see the state as it
is; the log of a sample holds its conversation, events and scores. Such a log cannot be scored once more
with `inspect score`. Where Inspect's internals have moved, the state is logged as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from inspect_ai._eval.task import run
from inspect_ai.log import _transcript as spans
from inspect_ai.solver import _transcript as steps
from inspect_ai.util import Store


@contextmanager
def state_out_of_logs() -> Iterator[None]:
    """Have Inspect leave each sample's store out of its log while the block is open."""
    with (
        _replaced(spans, "track_store_changes", lambda original: nullcontext),
        _replaced(steps, "state_jsonable", _without_store),
        sample_logging_replaced(_with_empty_store),
    ):
        yield


def sample_logging_replaced(made: Callable[[Any], Any]) -> AbstractContextManager[None]:
    """Have Inspect log its samples by what is made of its own function, while the block is open."""
    return _replaced(run, "create_eval_sample", made)


@contextmanager
def _replaced(module: Any, name: str, made: Callable[[Any], Any]) -> Iterator[None]:
    original = getattr(module, name, None)
    if original is None:
        yield
        return
    setattr(module, name, made(original))
    try:
        yield
    finally:
        setattr(module, name, original)


def _without_store(original: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A state as data, its store being nothing."""

    def jsonable(state: Any = None) -> dict[str, Any]:
        store = getattr(state, "_store", None)
        if store is None:
            return original(state)
        state._store = Store()
        try:
            return original(state)
        finally:
            state._store = store

    return jsonable


def _with_empty_store(original: Callable[..., Any]) -> Callable[..., Any]:
    """A sample of a log, its store being nothing."""

    def create(*args: Any, **kwargs: Any) -> Any:
        return original(*args, **kwargs).model_copy(update={"store": {}})

    return create
