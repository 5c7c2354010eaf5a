"""Read on where an answer is cut off and says how it continues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from sealegs.faults.call import Value
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.completeness import CURSORS, FLAGS, cursor_of, is_partial
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.policies.policy import Policy

TAKES = ("cursor", "page_token", "pageToken", "page", "after", "continuation")


class ReadOn(Policy):
    """Asks for the rest of a list, and answers with the whole.

    For answers that say that they are a part (`truncated`, `partial` or `incomplete` is true) and name where the rest
    begins, of a tool whose schema takes that. Pages without such a flag are the agent's own business.
    """

    name: ClassVar[str] = "read_on"

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Read page by page."""
        parameter = _parameter(context.spec(failed_call.attempt.tool))
        if failed_call.category != "partial" or parameter is None or not context.nothing_done(failed_call):
            return failed_call
        pages: list[Mapping[str, Any]] = []
        failed = failed_call
        while isinstance(failed_call.outcome, Value) and isinstance(failed_call.outcome.value, Mapping):
            page = failed_call.outcome.value
            pages.append(page)
            cursor = cursor_of(page)
            if not is_partial(page) or cursor is None:
                break
            tool = failed_call.attempt.tool
            # A cursor that comes again would be followed without end.
            if any(cursor_of(old) == cursor for old in pages[:-1]) or not context.claims(failed_call, tool):
                return _again(failed, failed_call)
            arguments = {**failed.attempt.arguments, parameter: cursor}
            failed_call = yield from context.attempt(
                failed_call, self.name, "read on", tool, arguments, "the answer is a part"
            )
        joined = _joined(pages)
        # A longer part is still a part, and would look like the whole.
        if joined is None or is_partial(pages[-1]):
            return _again(failed, failed_call)
        return context.answer(failed_call, self.name, "joined", Value(joined), f"{len(pages)} parts", repaired=True)


def _parameter(spec: ToolSpec | None) -> str | None:
    fields = spec.parameters.get("properties", {}) if spec is not None else {}
    return next((name for name in TAKES if name in fields), None)


def _again(failed: FailedCall, failed_call: FailedCall) -> FailedCall:
    """The failed call unchanged, but for what was spent on it."""
    return replace(failed, made=failed_call.made, failed=failed_call.failed)


def _joined(pages: list[Mapping[str, Any]]) -> dict[str, Any] | None:
    """One answer from its parts: the lists that all of them have, end to end; the rest from the first."""
    lists = [name for name, value in pages[0].items() if isinstance(value, list)]
    if not lists or not all(isinstance(page.get(name), list) for page in pages for name in lists):
        return None
    first = {name: value for name, value in pages[0].items() if name not in CURSORS}
    # The first page says that there is more, which is not true of all of them together.
    flags = {flag: False for flag in FLAGS if flag in first}
    return {**first, **flags, **{name: [item for page in pages for item in page[name]] for name in lists}}
