"""Earlier calls of a session that a look cannot tell from this one, and whose entries the look may show.

An entry counts for one call. Those that a look showed before are known by their whole content; the one of a call that
went well is known by its id, where the call's answer and the entry both have it. Only if each of these is still there,
unchanged, and nothing is new, was this call not done. A call whose outcome stayed in doubt and the equal call after it
are taken for the same wish, until an equal call has gone well: from then on, an entry may be of either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sealegs.faults.equal import draw_key
from sealegs.recovery.policies.completion_check import LookEvidence, Unclear
from sealegs.recovery.policies.history_check import AnyCheck

Trace = Mapping[str, Any]


class EqualCalls:
    """The calls of one session that are equal to a check, and that are over.

    Attributes:
        done: how many are known to have been done.
        at_work: the last one was left behind or cancelled, and may still be at work.
    """

    __slots__ = ("_doubts", "_known", "_old_doubts", "_traces", "at_work", "done")

    def __init__(self) -> None:
        self.done = 0
        self.at_work = False
        self._known: Counter[str] = Counter()  # entries that are accounted for, by their content
        self._traces: list[Trace] = []  # of calls that went well and whose entries were not looked at yet
        self._doubts = 0  # calls that may have been done, since one went well
        self._old_doubts = 0  # those before it

    def went_well(self, trace: Trace) -> None:
        """Note that one was done, and what its entry will show."""
        self.done += 1
        self._traces.append(trace)
        self._old_doubts += self._doubts
        self._doubts, self.at_work = 0, False

    def stays_in_doubt(self, *, at_work: bool) -> None:
        """Note that one may have been done."""
        self._doubts += 1
        self.at_work = self.at_work or at_work

    def of_one(self, check: AnyCheck, seen: LookEvidence) -> LookEvidence:
        """The evidence on one further call, without what belongs to these; its entries are new ones alone.

        Raises:
            Unclear: that cannot be told.
        """
        if not seen.counted:
            if seen.state == "done" and self.done:
                raise Unclear("an equal call before was done, and the answer does not tell this one from it")
            return seen
        new = self._new_entries(check, seen)
        if new and len(new) <= self._old_doubts:
            raise Unclear("the entry may be of an equal call before, of which it is not known whether it was done")
        if new:
            return replace(seen, state="done", entries=new)
        parts = self._unknown(seen.parts)
        if seen.unclear:
            raise Unclear(f"an entry may be of this call: {seen.unclear[-1]!r:.80}")
        return replace(seen, state="partial" if parts or seen.partly else "undone", entries=(), parts=parts)

    def account_for(self, seen: LookEvidence, *, done: bool) -> None:
        """Note the entries of an answer as those of calls that are over, or of the one that they show to be `done`."""
        if not seen.counted:
            self.done += done
            return
        self._known = Counter(map(_content, (*seen.entries, *seen.parts)))
        self._traces.clear()
        self._doubts = self._old_doubts = 0
        self.at_work = False
        self.done += done

    def _new_entries(self, check: AnyCheck, seen: LookEvidence) -> tuple[Any, ...]:
        """The whole entries that none of these calls is known to have left."""
        before = self._known.total() + len(self._traces)
        entries = (*seen.entries, *seen.parts)
        if len(entries) < before:
            raise Unclear(f"{check.tool} lists {len(entries)} of {before} equal calls that were done before")
        if self._known - Counter(map(_content, entries)):
            raise Unclear(f"an entry that {check.tool} showed before has changed or is gone")
        new = list(self._unknown(seen.entries))
        unnamed = 0
        for trace in self._traces:
            shown = [check.shows(entry, trace) for entry in new]
            if True in shown:
                del new[shown.index(True)]
            elif None in shown:
                unnamed += 1
            else:
                raise Unclear(f"{check.tool} does not show the entry of an equal call that was done before")
        if unnamed and len(new) <= unnamed:
            raise Unclear("an entry may be of an equal call before: nothing in it tells whose it is")
        return tuple(new[unnamed:])

    def _unknown(self, entries: Iterable[Any]) -> tuple[Any, ...]:
        """The entries that are not accounted for."""
        left, found = self._known.copy(), []
        for entry in entries:
            content = _content(entry)
            if left[content]:
                left[content] -= 1
            else:
                found.append(entry)
        return tuple(found)


def _content(entry: Any) -> str:
    """The whole content of an entry, in short."""
    return draw_key({"": entry})
