"""A gate whose episode is recorded in files."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sealegs.adapters.mcp.gate import Gate
from sealegs.faults.call import Layer
from sealegs.faults.plan import Plan
from sealegs.inject import RealClock


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
    """Yield a gate for one episode, whose record is written as it happens.

    Args:
        plan: its faults.
        episode: its name.
        layers: between the client and the faults.
        timeout: seconds after which a call that a fault holds up is given up.
        records: a file that each event is appended to as it happens; None for none.
        events: a file that gets each event in place of what it held; None for none.

    Raises:
        UserError: a file cannot be written.
    """
    clock = RealClock()
    if records is None and events is None:
        gc.freeze()  # what was loaded stays: looking through it again would hold a call up by milliseconds
        yield Gate(plan, episode=episode, layers=layers, clock=clock, timeout=timeout)
        return

    from sealegs.traces.episode_file import recorded_episode
    from sealegs.traces.specs import TOOLS, spec_data

    about = {"adapter": "mcp", "plan": plan.as_data()}
    with recorded_episode(records, events, about, episode, clock) as recorder:
        gc.freeze()
        gate = Gate(plan, episode=episode, layers=layers, clock=clock, timeout=timeout, watcher=recorder)
        if recorder is not None:  # at once, since what a schema declares to be secret is never written

            def note_tools() -> None:
                recorder.note({TOOLS: [spec_data(spec) for spec in gate.tools.specs.values()]})

            gate.tools.on_new = note_tools
        try:
            yield gate
        finally:
            if recorder is not None and gate.ending:
                recorder.finish("crashed" if gate.crashed else "answered", detail=gate.ending)
