"""The first chunks of an answer that breaks off, for the kinds of fault that let some of it through."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from sealegs.faults.call import Call, Failure, Outcome, PartialResult, Wait


def run_to_chunk(call: Call, after: int, beyond: int = 0) -> Generator[Call | Wait, Outcome, Outcome | None]:
    """Have the tool give so many chunks.

    Args:
        call: the call, for its whole answer or for chunks of it.
        after: how many chunks are shown.
        beyond: how many more the tool may give, so that it does its work; see `Call.beyond`.

    Returns:
        What the agent is shown in place of the fault; None where the answer breaks off there.
    """
    if call.buffered:  # by a fault outside this one, so nothing of it has been shown
        call = replace(call, chunks=None, buffered=False)
    if call.chunks is not None and call.chunks < after:  # a fault outside this one breaks off sooner
        return (yield call)
    truth = yield call if call.chunks is None else replace(call, chunks=after, beyond=beyond)
    # A failure of the tool's own has nothing left to break off, and neither has an answer of no more chunks.
    if isinstance(truth, Failure) or (call.chunks is not None and not isinstance(truth.value, PartialResult)):
        return truth
    return None
