"""Records of episodes: typed events, the recorder, the file format, and the view that judges read.

What works on finished episodes is in separate modules, which are loaded only when they are named: `replay` plays one
again, `sources` and `fitting` read and fit what was seen in production, `spans` needs OpenTelemetry.
"""

from typing import TYPE_CHECKING

from sealegs.lazy_names import lazy_names

if TYPE_CHECKING:
    from sealegs.traces.events import (
        VERSION,
        AnswerGiven,
        EffectHappened,
        EpisodeEnded,
        EpisodeStarted,
        Event,
        FaultInjected,
        LayerActionTaken,
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

_HOMES = {
    "AnswerGiven": "sealegs.traces.events",
    "EffectHappened": "sealegs.traces.events",
    "EpisodeEnded": "sealegs.traces.events",
    "EpisodeStarted": "sealegs.traces.events",
    "Event": "sealegs.traces.events",
    "FaultInjected": "sealegs.traces.events",
    "LayerActionTaken": "sealegs.traces.events",
    "MessageWritten": "sealegs.traces.events",
    "OutcomeShown": "sealegs.traces.events",
    "Record": "sealegs.traces.record",
    "Recorder": "sealegs.traces.recorder",
    "Repetition": "sealegs.traces.repeated_calls",
    "Store": "sealegs.traces.store",
    "StoreError": "sealegs.traces.store",
    "TimePassed": "sealegs.traces.events",
    "ToolCalled": "sealegs.traces.events",
    "ToolRan": "sealegs.traces.events",
    "Turn": "sealegs.traces.record",
    "VERSION": "sealegs.traces.events",
    "Watchers": "sealegs.traces.watchers",
    "build_record": "sealegs.traces.record",
    "decode_event": "sealegs.traces.events",
    "doubled_effects": "sealegs.traces.repeated_calls",
    "encode_event": "sealegs.traces.events",
    "outcome_data": "sealegs.traces.events",
    "outcome_from": "sealegs.traces.events",
    "read_episodes": "sealegs.traces.store",
    "repetitions": "sealegs.traces.repeated_calls",
}
__all__ = [
    "VERSION",
    "AnswerGiven",
    "EffectHappened",
    "EpisodeEnded",
    "EpisodeStarted",
    "Event",
    "FaultInjected",
    "LayerActionTaken",
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
__getattr__ = lazy_names(__name__, _HOMES)
