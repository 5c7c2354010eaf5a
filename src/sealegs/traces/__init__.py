"""Records of episodes: typed events, the recorder, the file format, and the view that judges read.

What works on finished episodes stands in modules of its own, which are loaded where they are named: `replay` plays one
again, `sources` and `fitting` read and fit what was seen in production, `spans` needs OpenTelemetry.
"""

from sealegs.traces.doubling import Repetition, doubled, repetitions
from sealegs.traces.events import (
    VERSION,
    Acted,
    Answered,
    Called,
    Effected,
    Ended,
    Event,
    Ran,
    Shown,
    Started,
    Struck,
    Waited,
    Wrote,
    decoded,
    encoded,
    outcome_data,
    outcome_from,
)
from sealegs.traces.record import Record, Turn, record
from sealegs.traces.recorder import Recorder
from sealegs.traces.store import Store, StoreError, read
from sealegs.traces.watchers import Watchers

__all__ = [
    "VERSION",
    "Acted",
    "Answered",
    "Called",
    "Effected",
    "Ended",
    "Event",
    "Ran",
    "Record",
    "Recorder",
    "Repetition",
    "Shown",
    "Started",
    "Store",
    "StoreError",
    "Struck",
    "Turn",
    "Waited",
    "Watchers",
    "Wrote",
    "decoded",
    "doubled",
    "encoded",
    "outcome_data",
    "outcome_from",
    "read",
    "record",
    "repetitions",
]
