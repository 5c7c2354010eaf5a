"""Tell the agent that no more can be done here, and what was tried."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sealegs.faults.call import Failure
from sealegs.faults.visible_text import visible
from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.policies.advise import with_note
from sealegs.recovery.policies.policy import AtOnce


class Stop(AtOnce):
    """A report in the failure's place: what failed, how often it was tried, and that the tool is not to be relied on.

    An answer that is known to be wrong becomes a failure, so that it is not taken for data; one that says of itself
    that it is a part stays, for it deceives nobody. Of a call that may have done its work the answer stays too, with
    the report beside it: an error would invite a second one. The error's type and status stay as the tool gave them.
    """

    name: ClassVar[str] = "stop"

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        """Show the report."""
        outcome, signature = failed_call.outcome, failed_call.signature
        assert signature is not None
        tool = failed_call.call.tool
        tries = (
            f" after {failed_call.made} further tr{'y' if failed_call.made == 1 else 'ies'}" if failed_call.made else ""
        )
        if isinstance(outcome, Failure):
            # The agent sees the tool's own failure, to which nothing has to be added.
            if not failed_call.made:
                return failed_call
            message = f"{outcome.message} ({tool} still fails{tries}; do not rely on it for this.)"
            report = replace(outcome, message=message)
        elif failed_call.category == "partial":
            return failed_call
        else:
            reason = "; ".join(signature.reasons) or signature.message or "it is not as announced"
            message = f"The answer of {tool} is not to be trusted{tries}: {reason}."
            report = Failure(visible(message), type="SuspectAnswer")
            # The answer may hold what the agent needs to find out what was done, so it is shown with a warning beside
            # it.
            if not context.harmless(tool) and not failed_call.undone:
                done = "What was asked for may have been done: find out before you ask again."
                return context.remark(failed_call, self.name, "warned", with_note(outcome, f"{message} {done}"), reason)
        return context.remark(failed_call, self.name, "stopped", report, signature.message)
