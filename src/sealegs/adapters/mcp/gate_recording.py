"""A gate whose episode is recorded in files."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sealegs.adapters.mcp.gate import Gate
from sealegs.faults.call import Layer
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.inject import Clock, RealClock
from sealegs.traces import Event, Recorder, Store, StoreError
from sealegs.traces.specs import TOOLS, spec_data
from sealegs.traces.store import line


@contextmanager
def recorded_gate(
    plan: Plan,
    *,
    episode: str = "",
    layers: Sequence[Layer] = (),
    timeout: float | None = None,
    records: Path | None = None,
    events: Path | None = None,
) -> Iterator[Gate]:
    """Yield a gate for one episode; write its record when the block is left.

    Args:
        plan: its faults.
        episode: its name.
        layers: between the client and the faults.
        timeout: seconds after which a call that a fault holds up is given up.
        records: a file that the whole record is appended to; None for none.
        events: a file that gets each event as it happens, and so outlives a process that is killed; None for none.

    Raises:
        UserError: a file cannot be written.
    """
    clock = RealClock()
    with _recorder(records, events, plan, episode, clock) as recorder:
        gc.freeze()  # what was loaded stays: looking through it again would hold a call up by milliseconds
        gate = Gate(plan, episode=episode, layers=layers, clock=clock, timeout=timeout, watcher=recorder)
        try:
            yield gate
        finally:
            if recorder is not None and gate.tools.specs:
                recorder.note({TOOLS: [spec_data(spec) for spec in gate.tools.specs.values()]})


@contextmanager
def _recorder(
    file: Path | None, live: Path | None, plan: Plan, episode: str, clock: Clock
) -> Iterator[Recorder | None]:
    """Yield the episode's recorder; None where no file is wanted."""
    if file is None and live is None:
        yield None
        return

    def at_once(event: Event) -> None:
        if stream is not None:
            stream.write(line(event).encode())

    store = stream = None
    try:
        stream = None if live is None else live.open("wb", buffering=0)
        store = None if file is None else Store(file)
    except (StoreError, OSError) as error:
        raise UserError(
            f"cannot write {file if stream or live is None else live}: {error}; name another file"
        ) from error
    recorder = Recorder(clock, at_once)
    recorder.start(episode, {"adapter": "mcp", "plan": plan.as_data()})
    try:
        yield recorder
    except BaseException as error:
        recorder.finish("crashed", detail=str(error))
        raise
    else:
        recorder.finish("answered")
    finally:
        if store is not None:
            store.append(recorder.events)
            store.close()
        if stream is not None:
            stream.close()
