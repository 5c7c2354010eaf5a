"""Records of episodes: typed events, the recorder, the file format, and the view that judges read.

What works on finished episodes is in separate modules, which are loaded only when they are named: `replay` plays one
again, `sources` and `fitting` read and fit what was seen in production, `spans` needs OpenTelemetry.
"""

from sealegs.traces.events import (
    VERSION,
    AnswerGiven,
    EffectHappened,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultStruck,
    LayerActed,
    MessageWritten,
    OutcomeShown,
    TimePassed,
    ToolCalled,
    ToolRan,
    decode_event,
    encode_event,
    outcome_data,
    outcome_from,
)
from sealegs.traces.record import Record, Turn, build_record
from sealegs.traces.recorder import Recorder
from sealegs.traces.repeated_calls import Repetition, doubled_effects, repetitions
from sealegs.traces.store import Store, StoreError, read_episodes
from sealegs.traces.watchers import Watchers

__all__ = [
    "VERSION",
    "AnswerGiven",
    "EffectHappened",
    "EpisodeEnded",
    "EpisodeStarted",
    "Event",
    "FaultStruck",
    "LayerActed",
    "MessageWritten",
    "OutcomeShown",
    "Record",
    "Recorder",
    "Repetition",
    "Store",
    "StoreError",
    "TimePassed",
    "ToolCalled",
    "ToolRan",
    "Turn",
    "Watchers",
    "build_record",
    "decode_event",
    "doubled_effects",
    "encode_event",
    "outcome_data",
    "outcome_from",
    "read_episodes",
    "repetitions",
]
