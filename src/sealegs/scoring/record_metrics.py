"""Figures of episodes that nobody judged: calls, delivered faults, failures shown, and what was done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sealegs.faults.call import Outcome
from sealegs.scoring.metric import ALL, Design, EpisodeTable, Figure, Metric, Row, estimate, figure_row
from sealegs.scoring.run_evidence import failure_in
from sealegs.traces import Record, Repetition, Turn, repetitions

SUITE = "records"
OWN = "none"  # the kind of a failure that no fault had a part in


@dataclass(frozen=True)
class SeenEpisode:
    """An episode that nobody judged.

    Attributes:
        record: of the episode.
        ending: how it ended; empty where the record tells.
    """

    record: Record
    ending: str = ""

    @cached_property
    def repeated(self) -> tuple[Repetition, ...]:
        """The effects that occurred again, or may have, also of tools of which nothing is declared."""
        return repetitions(self.record)

    @property
    def doubled(self) -> bool:
        """Whether a tool that is declared to have effects had one twice, beyond doubt."""
        return any(one.proven for one in self.repeated)

    @property
    def repeated_in_doubt(self) -> bool:
        """Whether a call was made again, unread, after its tool failed by itself, done or not."""
        return any(not one.certain for one in self.repeated)

    def calls(self) -> Iterator[tuple[Turn, Outcome | None, tuple[str, ...]]]:
        """The agent's own calls: each with what it was shown in the end, and the kinds of fault delivered on it.

        A kind comes once, at the place where it struck last.
        """
        for turn in self.record.own:
            made = [turn, *(one for one in self.record.turns if one.of == turn.call.id)]
            kinds = [injection.kind for one in made for injection in one.injections if injection.delivered]
            yield turn, made[-1].seen, tuple(reversed(dict.fromkeys(reversed(kinds))))


DESIGN: Design[SeenEpisode] = Design(stratum=lambda one: "", cluster=id)
METRICS: tuple[Metric[SeenEpisode], ...] = (
    Metric("delivered", lambda one: one.record.exposed),
    Metric("doubled", lambda one: one.doubled),
    Metric("repeated_in_doubt", lambda one: one.repeated_in_doubt),
    Metric("calls", lambda one: len(one.record.own), kind="amount"),
)


def record_rows(episodes: Sequence[SeenEpisode], name: str) -> list[Row]:
    """The long table: over all episodes, then by tool (the level) and kind of fault (the mode).

    Of a tool, `calls`, `faults` and `failures_shown` are counts. `faults` are the calls on which a kind was delivered,
    and for all kinds their sum. A failure that no fault had a part in has the mode `none`.

    Args:
        episodes: of the files.
        name: what they are called.
    """
    who: Row = {"suite": SUITE, "agent": name}
    table = EpisodeTable(episodes, DESIGN)
    rows = [figure_row(who, ALL, ALL, "episodes", Figure(len(episodes), None, None, len(episodes)))]
    rows += [figure_row(who, ALL, ALL, metric.name, estimate(metric, table)) for metric in METRICS]
    return [*rows, *_by_tool(episodes, who)]


def _by_tool(episodes: Iterable[SeenEpisode], who: Row) -> Iterator[Row]:
    calls: Counter[str] = Counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    for episode in episodes:
        for turn, shown, kinds in episode.calls():
            tool = turn.call.tool
            calls[tool] += 1
            # A kind counts once for each call of the agent's, however often it struck while recovery repeated that.
            counts.update((tool, kind, "faults") for kind in kinds)
            # One failure has one mode, so that the modes add up to what was shown.
            if failure_in(shown) is not None:
                counts[tool, kinds[-1] if kinds else OWN, "failures_shown"] += 1
    for tool, n in calls.items():
        yield figure_row(who, tool, ALL, "calls", Figure(n, None, None, n))
        own = {(kind, metric): count for (one, kind, metric), count in counts.items() if one == tool}
        for mode in (ALL, *sorted({kind for kind, _ in own})):
            for metric in ("faults", "failures_shown"):
                count = sum(found for (kind, name), found in own.items() if name == metric and mode in (ALL, kind))
                yield figure_row(who, tool, mode, metric, Figure(count, None, None, n))
