"""Say sorry."""

from __future__ import annotations

from typing import ClassVar

from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.policies.advise import with_note
from sealegs.recovery.policies.policy import AtOnce


class Apologise(AtOnce):
    """A word of regret beside what the agent sees; nothing else changes."""

    name: ClassVar[str] = "apologise"

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        """Add it."""
        return context.remark(failed_call, self.name, "apologised", with_note(failed_call.outcome, "We are sorry."), "")
