"""Idempotency keys: one for each call of the agent's, shared by all tries of it.

A key is drawn by session, tool and call. On a real clock the session draws a number that no other has, for a server
remembers keys beyond the session; on a virtual clock keys are a function of episode and call alone. An equal call that
the agent makes while the outcome of an earlier one is in doubt is taken for the same wish, and carries the same key;
where several are in doubt, that of the oldest. `faults.equal` says what counts as equal.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import replace
from uuid import UUID

from sealegs.faults import seeds
from sealegs.faults.call import Call
from sealegs.faults.equal import CallKey, equality_key
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import VirtualClock
from sealegs.inject.layer_context import LayerContext
from sealegs.recovery.declared_tools import lacks_key


class IdempotencyKeys:
    """The keys of one session."""

    def __init__(self, place: LayerContext) -> None:
        self._prefix = (
            (place.episode,) if isinstance(place.clock, VirtualClock) else (place.episode, secrets.token_hex(16))
        )
        self._in_doubt: dict[CallKey, list[str]] = {}  # the oldest first: equal calls may each be a wish of its own
        self._made: dict[str, set[CallKey]] = {}  # what was called with the key of a call under way
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another

    def begun(self, call: Call, spec: ToolSpec) -> Call:
        """The agent's call with a key; it is under way until it is `settled`."""
        with self._lock:
            keyed = self.added(call, spec)
            self._made.setdefault(keyed.arguments[spec.key], set()).add(equality_key(call, spec))
        return keyed

    def added(self, call: Call, spec: ToolSpec) -> Call:
        """The call with a key."""
        with self._lock:
            key = next(iter(self._in_doubt.get(equality_key(call, spec), ())), None) or str(UUID(int=self._drawn(call)))
        return replace(call, arguments={**call.arguments, spec.key: key})

    def tried(self, keyed: Call, spec: ToolSpec) -> None:
        """Note a further try of a call under way, which may have other arguments (`mend_arguments`)."""
        with self._lock:
            if (forms := self._made.get(str(keyed.arguments.get(spec.key)))) is not None:
                forms.add(equality_key(keyed, spec))

    def settled(self, keyed: Call, spec: ToolSpec, *, well: bool) -> None:
        """Note how a call with a key ended. Unless it ended well, a call equal to one of its tries carries the key."""
        key = keyed.arguments[spec.key]
        with self._lock:
            for form in {equality_key(keyed, spec), *self._made.pop(key, ())}:
                others = [one for one in self._in_doubt.pop(form, ()) if one != key]
                if keys := others if well else [*others, key]:
                    self._in_doubt[form] = keys

    def _drawn(self, call: Call) -> int:
        return sum(seeds.digest(*self._prefix, call.tool, call.id, half) << 64 * half for half in (0, 1))


def wants_key(call: Call, spec: ToolSpec) -> bool:
    """Return whether a call is to be given a key: its tool takes one, and it has none."""
    return bool(spec.key) and not call.arguments.get(spec.key) and not lacks_key(spec)
