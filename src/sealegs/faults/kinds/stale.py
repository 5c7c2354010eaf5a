"""The tool gives an old answer again."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import Value
from sealegs.faults.fault import FaultSetting, Rewrite


class Stale(Rewrite):
    """The tool runs; the agent sees the latest of its earlier answers in this episode that differs.

    Where there is none (the first call of the tool, or one answer again and again) nothing changes.
    """

    optional: ClassVar[tuple[str, ...]] = ("of",)

    implicit: ClassVar[bool] = True
    remembers: ClassVar[bool] = True
    kind: Literal["stale"] = "stale"
    of: Literal["call"] | None = Field(
        default=None, description="`call`: only earlier answers to the same arguments; else all of the tool's."
    )

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The latest different earlier answer."""
        for outcome in reversed(setting.same if self.of else setting.earlier):
            if isinstance(outcome, Value) and outcome.value != value:
                return outcome.value
        return value
