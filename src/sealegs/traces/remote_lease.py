"""One writer at a time under a URL: numbered leases, of which the highest counts.

A lease is an object (`.sealegs-lock/000001.json`) that says who holds it and when it was renewed last. The next writer
makes that of the next number, on the condition that none of that name is there: of two at once, one has it. It does so
where the last one was given back, was not renewed for `STALE` seconds, or is of a process of this machine that is no
more. Whoever finds a higher number than its own has lost the folder, and writes no further.

Clocks that differ by more than `STALE - RENEWED` seconds may take the folder from a living writer, which then stops;
nothing is doubled, since what it writes later is in an index that does not count. On stores that do not know the
condition (see `object_store.ObjectStore.create`) two that begin at once may both continue until one sees the other's
lease in the place of its own.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Iterable
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.traces.file_locks import WINDOWS
from sealegs.traces.folder_urls import url_scheme
from sealegs.traces.journal_parts import LOCK, beneath, numbered, numbered_name
from sealegs.traces.object_store import ObjectStore

RENEWED = 15.0  # seconds after which a living writer renews its lease
STALE = 60.0  # seconds after which one that was not renewed is dead
SETTLE = 2.0  # seconds after which writers that began together see each other, where there is no condition
CONDITIONAL = ("s3", "s3a", "gs", "gcs", "memory")
ELSEWHERE = "wait for it, or name another folder"


_OWN: set[str] = set()  # tokens of leases that this process holds: a container's next process has the same number


class LeaseLost(UserError):
    """Another process has taken the folder over; what this one writes no longer counts."""


class RemoteLease:
    """The right to write under a URL, until it is given back or lost.

    Args:
        store: the folder.
        number: of the lease.
    """

    def __init__(self, store: ObjectStore, number: int) -> None:
        self._store, self.number = store, number
        self._token = secrets.token_hex(8)
        self._owner = {"token": self._token, "machine": socket.gethostname(), "process": os.getpid()}
        self._renewed = time.monotonic()

    def take(self) -> None:
        """Make the lease.

        Raises:
            UserError: another process made it first.
        """
        name, data = self._name(), self._content()
        made = self._store.create(name, data)
        if made and url_scheme(self._store.url) not in CONDITIONAL:
            time.sleep(SETTLE)
        # Read back: there are stores that take no notice of the condition.
        if not made or self._store.read(name) != data:
            raise UserError(_busy(self._store.url))
        _OWN.add(self._token)

    def check(self) -> None:
        """Renew it where that is due.

        Raises:
            LeaseLost: another process has a later one.
        """
        if max(_leases(self._store), default=self.number) > self.number or not self._is_own():
            raise LeaseLost(
                f"another process has taken over {self._store.url}, because this one did not renew its lease; "
                "what was written before is kept, and the other process continues from it"
            )
        if time.monotonic() - self._renewed > RENEWED:
            self._store.write(self._name(), self._content())
            self._renewed = time.monotonic()

    def _is_own(self) -> bool:
        """Return whether the lease of this number is still the one that was made here; one that a user removed is."""
        try:
            return bool(json.loads(self._store.read(self._name()))["token"] == self._token)
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return True

    def give_back(self, *, unused: bool = False) -> None:
        """Let others write.

        Args:
            unused: whether nothing was written, so that not even the lease should stay where it is the first.
        """
        self.forget()
        if unused and self.number == 1:
            self._store.remove([self._name()])
        else:
            # It stays: with no number left, the next writer would take one that a late process still counts as its own.
            self._store.write(self._name(), self._content(over=True))

    def forget(self) -> None:
        """Stop writing without telling the store."""
        _OWN.discard(self._token)

    def _name(self) -> str:
        return numbered_name("", LOCK, self.number)

    def _content(self, *, over: bool = False) -> bytes:
        return (json.dumps({**self._owner, "renewed": time.time(), "over": over}) + "\n").encode()


def take_lease(store: ObjectStore, taken: Iterable[int] = ()) -> RemoteLease:
    """Take the right to write under a URL.

    Args:
        store: the folder.
        taken: further numbers that the lease has to be above.

    Raises:
        UserError: another process has it, for this folder or for one around it.
    """
    leases = _leases(store)
    if leases and _is_held(store, leases[max(leases)]):
        raise UserError(_busy(store.url))
    _check_around(store.url)
    lease = RemoteLease(store, max([*leases, *taken], default=0) + 1)
    lease.take()
    store.remove(leases.values())
    return lease


def check_free(store: ObjectStore, names: Iterable[str]) -> None:
    """Check that no other process writes to a folder beneath.

    Raises:
        UserError: one does.
    """
    for folder, leases in numbered(names, LOCK).items():
        if folder and _is_held(store, leases[max(leases)]):
            raise UserError(_busy(beneath(store.url, folder)))


def _check_around(url: str) -> None:
    """Check that no other process writes to a folder that this one is in."""
    scheme, _, place = url.partition("://")
    above = place.strip("/").split("/")[:-1]
    for length in range(len(above), 0, -1):
        around = ObjectStore(f"{scheme}://{'/'.join(above[:length])}")
        if (leases := _leases(around)) and _is_held(around, leases[max(leases)]):
            raise UserError(_busy(around.url))


def _leases(store: ObjectStore) -> dict[int, str]:
    return numbered(store.sizes(LOCK), LOCK).get("", {})


def _is_held(store: ObjectStore, name: str) -> bool:
    """Return whether a living process holds this lease, as far as can be seen."""
    try:
        lease: Any = json.loads(store.read(name))
        token, machine, process = str(lease["token"]), str(lease["machine"]), int(lease["process"])
        over, renewed = bool(lease["over"]), float(lease["renewed"])
    except FileNotFoundError:
        return False
    except (ValueError, TypeError, KeyError):
        return False  # nothing of ours
    if over or time.time() - renewed > STALE:
        return False
    return machine != socket.gethostname() or token in _OWN or (process != os.getpid() and _lives(process))


def _lives(process: int) -> bool:
    """Return whether there is such a process on this machine, as far as the system says."""
    if WINDOWS:  # where the call below would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _busy(url: str) -> str:
    expiry = f"it counts as dead {STALE:.0f} seconds after it was seen last"
    return f"another process is writing to {url}; {ELSEWHERE} ({expiry})"
