"""Effects that a tool's own code reports: entries of the ledger from tools outside any simulated world.

A tool that fails does not say whether its work was done; its own code knows. It reports that with
`sealegs.report_effect` right after the work, and the record then proves what a failure leaves open: a deed that is
reported by two equal calls was done twice. Not covered: code in another process (an MCP or HTTP server), and threads
that the tool starts by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from sealegs.faults.call import Effect
from sealegs.inject.call_context import current_call

ledger: ContextVar[Callable[[Effect], None] | None] = ContextVar("sealegs_ledger", default=None)  # recorders set it


def restore_ledger(before: Callable[[Effect], None] | None, own: Callable[[Effect], None]) -> None:
    """Set the ledger of before a call that was abandoned, unless another is set by now: see `make_current`."""
    if ledger.get() is own:
        ledger.set(before)


def report_effect(action: str, subject: str = "", **details: Any) -> None:
    """Enter what the running tool just did into the record of its call.

    Nothing happens outside of a tool, where nobody records the session, and in a dry run.

    Args:
        action: what was done, in a word (`pay`, `send`).
        subject: on what or for whom.
        details: what tells it from another of its action and subject (an amount, a date). A number that each run draws
            anew, such as an id, makes every entry another deed: leave it out.
    """
    call, enter = current_call(), ledger.get()
    if call is not None and enter is not None and not call.dry:
        enter(Effect(action, subject, details, call.id))
