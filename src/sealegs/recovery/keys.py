"""Idempotency keys: one for each call of the agent's, shared by all tries of it.

A key is drawn by session, tool and call. On a real clock the session draws a number that no other has, for a server
remembers keys beyond the session; on a virtual clock keys are a function of episode and call alone. An equal call that
the agent makes while the outcome of an earlier one is in doubt is taken for the same wish, and carries the same key;
`faults.equal` says what counts as equal.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import replace
from uuid import UUID

from sealegs.faults import seeds
from sealegs.faults.call import Call
from sealegs.faults.equal import arguments_key
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
        self._in_doubt: dict[tuple[str, str], str] = {}
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another

    def added(self, call: Call, spec: ToolSpec) -> Call:
        """The call with a key."""
        with self._lock:
            key = self._in_doubt.get(_same(call, spec)) or str(UUID(int=self._drawn(call)))
        return replace(call, arguments={**call.arguments, spec.key: key})

    def settled(self, call: Call, keyed: Call, spec: ToolSpec, *, well: bool) -> None:
        """Note how a call with a key ended. Unless it ended well, an equal call carries the same key."""
        with self._lock:
            if well:
                self._in_doubt.pop(_same(call, spec), None)
            else:
                self._in_doubt[_same(call, spec)] = keyed.arguments[spec.key]

    def _drawn(self, call: Call) -> int:
        return sum(seeds.digest(*self._prefix, call.tool, call.id, half) << 64 * half for half in (0, 1))


def wants_key(call: Call, spec: ToolSpec) -> bool:
    """Return whether a call is to be given a key: its tool takes one, and it has none."""
    return bool(spec.key) and not call.arguments.get(spec.key) and not lacks_key(spec)


def _same(call: Call, spec: ToolSpec) -> tuple[str, str]:
    return call.tool, arguments_key(call.arguments, spec)
