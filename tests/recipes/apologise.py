"""Say sorry."""

from __future__ import annotations

from typing import ClassVar

from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.policies.advise import with_note
from sealegs.recovery.policies.policy import AtOnce


class Apologise(AtOnce):
    """A word of regret beside what the agent sees; nothing else changes."""

    name: ClassVar[str] = "apologise"

    def settle(self, trouble: FailedCall, ward: RecoveryContext) -> FailedCall:
        """Add it."""
        return ward.remark(trouble, self.name, "apologised", with_note(trouble.outcome, "We are sorry."), "")
