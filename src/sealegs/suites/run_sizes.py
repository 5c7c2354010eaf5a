"""Lengths of a suite's episodes, by the needs of scripted agents that play a few of them.

Two agents bound the range: one that takes the shortest way and one that takes a long one. The text that a model would
be sent is added up from their records: a first message with the tools, and with every request the whole conversation so
far.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from sealegs.engines.logs import LogSchema, read_judged
from sealegs.engines.run_estimate import SizeRange, Span
from sealegs.faults.call import render
from sealegs.faults.spec import ToolSpec
from sealegs.traces import Record

FEW = 2  # base tasks, of each level where there are levels
HEAD = 60  # letters that a provider's form adds to a message or a call


def opening_letters(texts: Iterable[str], specs: Iterable[ToolSpec]) -> int:
    """The number of letters that a model is sent with its first question."""
    tools = [{"name": s.name, "description": s.description, "parameters": dict(s.parameters)} for s in specs]
    return sum(len(text) + HEAD for text in texts) + len(json.dumps(tools))


def scripted_sizes(
    options: Any,
    agents: tuple[str, str],
    play: Callable[[Any, Path, Callable[[int, int], None]], None],
    schema: LogSchema[Any],
    opening: Callable[[Any], int],
) -> SizeRange:
    """Play a few episodes with two scripted agents, and say how long they were.

    Args:
        options: of the run.
        agents: one that makes few calls, and one that makes many.
        play: plays a scripted agent's run into a folder.
        schema: of the records.
        opening: how many letters the model is sent first in an episode.
    """
    few = min(FEW, options.limit or FEW)
    # One process and no shard: the few episodes are over sooner than a worker starts, and all of them are needed here.
    changed = {"model": "", "engine": "direct", "limit": few, "epochs": 1, "shard": "", "jobs": 1}
    found: list[list[tuple[int, int, int]]] = []
    for agent in agents:
        with tempfile.TemporaryDirectory() as folder:
            logs = Path(folder) / "run"
            play(options.model_copy(update={**changed, "agent": agent}), logs, lambda done, total: None)
            kept = read_judged(logs, schema, lambda episode, record: _letters(record, opening(episode)))
        found.append([one for run in kept.runs.values() for one in run.values()])
    few_calls, many_calls = ([mean(part) for part in zip(*sizes, strict=True)] for sizes in found)
    questions, sent, written = (Span(min(ends), max(ends)) for ends in zip(few_calls, many_calls, strict=True))
    names = " and ".join(agents)
    return SizeRange(questions, sent, written, f"what the scripted agents {names} need for {len(found[0]):,} of them")


def _letters(record: Record, opening: int) -> tuple[int, int, int]:
    """Questions, letters that are sent in all, and letters that the model writes."""
    conversation, sent, written = opening, 0, 0
    for turn in record.own:
        sent += conversation
        call = len(turn.call.tool) + len(json.dumps(dict(turn.call.arguments), default=str)) + HEAD
        answer = len(render(turn.shown)) + HEAD if turn.shown is not None else HEAD
        conversation, written = conversation + call + answer, written + call
    return len(record.own) + 1, sent + conversation, written + len(record.answer or "")
