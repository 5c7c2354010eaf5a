"""Records of episodes: typed events, the recorder, the file format, and the view that judges read."""

from sealegs.traces.events import (
    VERSION,
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
    decoded,
    encoded,
    outcome_data,
    outcome_from,
)
from sealegs.traces.record import Record, Turn, record
from sealegs.traces.recorder import Recorder
from sealegs.traces.store import Store, StoreError, read

__all__ = [
    "VERSION",
    "Answered",
    "Called",
    "Effected",
    "Ended",
    "Event",
    "Ran",
    "Record",
    "Recorder",
    "Shown",
    "Started",
    "Store",
    "StoreError",
    "Struck",
    "Turn",
    "Waited",
    "decoded",
    "encoded",
    "outcome_data",
    "outcome_from",
    "read",
    "record",
]
