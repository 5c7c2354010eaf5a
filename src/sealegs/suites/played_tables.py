"""The table of verdicts of episodes that are being played: each is judged where it was played, from what is there.

A report then has nothing to read and to judge anew. The table is the same as if the records had been read
(`verdict_tables`): its parts say of which bytes they are. It is written for what a run appends from the beginning of a
file, or from where the table ends; what was interrupted before a part was written is judged when the run is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sealegs.engines import table_parts
from sealegs.engines.direct import EpisodeLines, no_note
from sealegs.engines.judging_ahead import judged_rows
from sealegs.engines.logs import DAMAGE, RecordedEpisode, run_key
from sealegs.engines.table_parts import PartWriter
from sealegs.faults.user_error import UserError
from sealegs.suites.verdict_tables import (
    VerdictForm,
    judge_range,
    judged_episode,
    may_have_table,
    sets_of,
    table_beside,
    table_row,
)
from sealegs.traces import Event, build_record
from sealegs.traces.episode_ranges import EpisodePlace
from sealegs.traces.record_files import records_size
from sealegs.traces.store import line

MOST_JUDGED = 256 << 20  # bytes of records that a resumed run judges first: a part of episodes of up to 13 kB each
E = TypeVar("E", bound=Hashable)
Note = Callable[[E, Sequence[Event]], Any]
Play = Callable[[Sequence[E], Note[E]], Iterator[EpisodeLines]]


class PlayedRow(NamedTuple):
    """The row of an episode before it has a place in a file, and the task set that it is of (see `JudgedRow`)."""

    row: Mapping[str, Any]
    sets: Mapping[str, str]


def note_row(episode: E, events: Sequence[Event], form: VerdictForm[E, Any]) -> PlayedRow | None:
    """Judge an episode that was just played; None where that fails, which whoever reads the record will report."""
    try:
        found = build_record(list(events))
        one = RecordedEpisode(found, run_key(found, form.schema), episode, 0, None)
        judged = judged_episode(one, Path(), form, form.judge).kept
        return PlayedRow(table_row(one, judged, form), sets_of(one, form))
    except (UserError, *DAMAGE):
        return None


def noted_lines(episode: E, events: Sequence[Event], note: Note[E]) -> EpisodeLines:
    """The lines of the record of an episode that was played, and what is noted about it."""
    return EpisodeLines([line(event) for event in events], note(episode, events))


def play_with_table(left: Sequence[E], records: Path, play: Play[E], form: VerdictForm[E, Any]) -> Iterator[list[str]]:
    """Play episodes, and write the table of them beside their records where a report would write one.

    Args:
        left: the episodes.
        records: the file that each is appended to before the next is asked for.
        play: plays episodes, and notes something about each.
        form: of the table.

    Yields:
        the lines of each record.
    """
    worth_it = len(left) >= table_parts.LEAST and may_have_table(records)
    table = _table_at_end(records, form) if worth_it else None
    for lines, row in play(left, no_note if table is None else partial(note_row, form=form)):
        yield lines
        if table is not None:
            table.add(lines, row)
    if table is not None:
        table.close()


def _table_at_end(records: Path, form: VerdictForm[Any, Any]) -> PlayedTable | None:
    table = PlayedTable(records, form)
    return table if table.catch_up() else None


class PlayedTable:
    """The table of a file to which one episode after the other is appended.

    Args:
        records: the file as it is before the first.
        form: of the table.
    """

    def __init__(self, records: Path, form: VerdictForm[Any, Any]) -> None:
        self._records, self._form = records, form
        self._end = records_size(records)
        self._line = 0

    def catch_up(self) -> bool:
        """Judge the records that follow the table, and return whether the table can be continued at the file's end.

        A run that was killed leaves less than a part of them. If there are more, they never had a table, or it is of
        other code; then the next report judges them, so that the run need not wait.
        """
        if not self._end:
            return True
        last = after = self._writer.after
        if self._end - after.end > MOST_JUDGED:
            return False
        read = partial(judge_range, form=self._form, judge=self._form.judge)
        try:
            for one in judged_rows(self._records, [], after, self._writer.seen, read):
                self._writer.add(one.place, one.row, one.sets)
                last = one.place or last
        except (UserError, *DAMAGE):  # whoever reads the record will report it
            return False
        self._line = last.line - after.line
        return last.end == self._end

    def add(self, lines: Sequence[str], row: PlayedRow | None) -> None:
        """Add the row of the episode that was just appended as these lines; without a row the table ends."""
        data = "".join(lines).encode()
        self._writer.seen(data)
        before = self._writer.after.line + self._line
        place = EpisodePlace(self._end, self._end + len(data), before + len(lines))
        self._end, self._line = place.end, self._line + len(lines)
        if row is None:
            self._writer.add(None, {}, {})
        else:
            self._writer.add(place, {**row.row, "start": place.start, "end": place.end}, row.sets)

    def close(self) -> None:
        """Write what is not written yet."""
        self._writer.close()

    @cached_property
    def _writer(self) -> PartWriter:
        # Made with the first row: pyarrow is then imported while others play.
        table = table_beside(self._records, self._form, self._form.judge)
        assert table is not None
        return PartWriter(table, table.valid() if self._end else [])
