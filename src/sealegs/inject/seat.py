"""What a layer of others' making (recovery) is given of the session it stands in, and what it tells of its doings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from sealegs.faults.call import Call, Outcome
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import Clock


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a layer did on a call besides passing it on.

    Attributes:
        call: the call as the agent made it.
        policy: who did it.
        action: what it did, in a word (`retried`, `switched`, `parsed`, `advised`, `stopped`, ...).
        attempt: the call that was made for it; None where none was. Its id is that of `call` or begins with it.
        outcome: what came of the attempt, or what the agent's call is answered with now.
        detail: why, in a sentence.
        mended: whether `outcome` is the tool's own last answer put right, and not another's or a remark on it.
    """

    call: Call
    policy: str
    action: str
    attempt: Call | None = None
    outcome: Outcome | None = None
    detail: str = ""
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """A layer's place in a session.

    Attributes:
        episode: part of the key of every random decision.
        clock: the episode's time.
        specs: what is known of the tools; it grows when tools are announced late.
        reaches: whether a tool other than the agent's can be called from here.
        tell: takes note of an act.
    """

    episode: str
    clock: Clock
    specs: Mapping[str, ToolSpec]
    reaches: Callable[[str], bool]
    tell: Callable[[Act], None]


class Seated(Protocol):
    """A layer that wants to know its place."""

    def seated(self, seat: Seat) -> None:
        """Take the place; called once, before the first call."""
