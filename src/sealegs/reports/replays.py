"""Printed replays: every call, the source of its answer, and the faults on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.faults.call import render
from sealegs.reports.tables import keep_names_whole
from sealegs.traces import Turn
from sealegs.traces.archive import ServedRun
from sealegs.traces.repeated_calls import repetitions
from sealegs.traces.trace_replay import ReplayResult

SHORT = 48  # characters of arguments and answers that are printed
COLUMNS = ("call", "tool", "arguments", "record", "faults", "shown")


def replay_rows(replayed: Iterable[ReplayResult]) -> list[dict[str, Any]]:
    """One row a call: {episode, call, tool, arguments, record, why, faults, struck, shown}.

    `record` is where the tool's answer came from: `recorded`, `repeated` or `missing`; null where a fault kept the tool
    from being asked. `faults` are those that fired: {rule, kind, delivered, moment}.
    """
    return [_row(one, turn) for one in replayed for turn in one.record.turns]


def print_replays(replayed: Iterable[ReplayResult], console: Console) -> None:
    """Print every replayed episode: a table of its calls, and what came of it."""
    for one in replayed:
        table = Table(*COLUMNS, box=SIMPLE_HEAD, title=Text(one.trace.name), title_justify="left")
        keep_names_whole(table, 2)
        for row in replay_rows([one]):
            faults = ", ".join(
                f"{fault['kind']}{'' if fault['delivered'] else ' (undelivered)'}" for fault in row["faults"]
            )
            cells = (_short(row["arguments"]), row["record"] or "–", faults, row["shown"])
            table.add_row(Text(row["call"]), Text(row["tool"]), *(Text(_cut(str(cell))) for cell in cells))
        console.print(table)
        console.print(Text("\n".join(_outcome(one))))


def _row(one: ReplayResult, turn: Turn) -> dict[str, Any]:
    runs = [each for each in one.served if each.call == turn.call.id]
    served = _worst([each for each in runs if not each.dry] or runs)  # a fault may have asked for more
    return {
        "episode": one.trace.name,
        "call": turn.call.id,
        "tool": turn.call.tool,
        "arguments": dict(turn.call.arguments),
        "record": served.source if served else None,
        "why": served.why if served else "",
        "faults": [
            {"rule": s.rule, "kind": s.kind, "delivered": s.delivered, "moment": s.moment} for s in turn.injections
        ],
        "struck": turn.faulted,
        "shown": None if turn.shown is None else render(turn.shown),
    }


def _worst(served: Iterable[ServedRun]) -> ServedRun | None:
    """The run, of several of one call, that the record helped least with."""
    order = ("recorded", "repeated", "missing")
    return max(served, key=lambda one: order.index(one.source), default=None)


def _outcome(one: ReplayResult) -> list[str]:
    found = one.record
    faulted = sum(turn.faulted for turn in found.turns)
    lines = [f"{len(found.turns)} calls, {faulted} struck by a delivered fault; ended: {found.end.reason}"]
    if found.end.detail:
        lines[0] += f" ({found.end.detail})"
    lines += [again.says() for again in repetitions(found)]
    if found.answer is not None:
        lines.append(f"answer: {found.answer}")
    # Dry runs are left out: a fault asked for them, and their answers may never have come to the agent.
    repeated = sum(each.source == "repeated" and not each.dry for each in one.served)
    if repeated:
        lines.append(f"{repeated} answered by the last recorded answer once more: the record has no further one")
    if one.instant:
        lines.append(f"{one.instant} answered at once: the record does not tell how long the tool itself took")
    lines += [
        f"rule {unfit.rule!r} ({unfit.kind}) came to nothing on {unfit.calls} call(s) of {unfit.tool!r}, of which no "
        f"{' and no '.join(unfit.lacking)} are known; name who knows the tool with --world"
        for unfit in one.unfit
    ]
    if one.missing:
        lines.append(f"{len(one.missing)} without a record; what the agent did after the first, it did on its own:")
        lines += [f"  {each.call} {each.tool} {_short(each.arguments)}: {each.why}" for each in one.missing]
    return lines


def _short(arguments: Mapping[str, Any]) -> str:
    return _cut(json.dumps(dict(arguments), ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHORT else f"{line[: SHORT - 1]}…"
