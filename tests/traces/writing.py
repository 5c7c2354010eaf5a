"""Writes episodes to a file until it is killed, and says after each that it is written."""

from __future__ import annotations

import sys
from pathlib import Path

from sealegs.traces import EpisodeEnded, EpisodeStarted, Event, OutcomeShown, Store, ToolCalled


def episode(name: str) -> list[Event]:
    """An episode whose lines are of many lengths."""
    calls = range(sum(map(ord, name)) % 7 + 1)
    events: list[Event] = [EpisodeStarted(name, {"padding": "x" * (len(calls) * 997)})]
    for index in calls:
        events += [
            ToolCalled(f"call-{index}", "tool", {"n": index}),
            OutcomeShown(f"call-{index}", {"value": "y" * 500 * index}),
        ]
    return [*events, EpisodeEnded("answered")]


def main(path: Path, prefix: str) -> None:
    """Write for ever."""
    store = Store(path)
    count = 0
    while True:
        store.append(episode(f"{prefix}-{count}"))
        count += 1
        print(count, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
