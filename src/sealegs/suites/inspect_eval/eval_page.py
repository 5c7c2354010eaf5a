"""Episodes that the page of a run shows: those that faults lost, with their calls."""

from __future__ import annotations

from collections.abc import Sequence

from sealegs.scoring.eval_metrics import EvalResult
from sealegs.scoring.suite_metrics import EpisodeResult
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode, EvalLogs
from sealegs.traces import Record


def page_episodes(logs: EvalLogs, results: Sequence[EvalResult]) -> list[tuple[EpisodeResult, Record]]:
    """The valid episodes with their records, in the form of the page of suites."""
    found = []
    for result in results:
        played = logs.played.get(EvalEpisode(result.mode, result.sample, result.epoch))
        if played is None or played.record is None or not result.counts:
            continue
        shown = EpisodeResult(
            result.sample,
            ", ".join(result.kinds) or "none",
            result.mode,
            result.epoch,
            success=result.solved,
            exposed=result.exposed,
            repeated=result.doubled,
            calls=len(played.record.own),
            reason=result.reason,
        )
        found.append((shown, played.record))
    return found
