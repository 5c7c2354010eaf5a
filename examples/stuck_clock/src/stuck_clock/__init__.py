"""A fault kind: every date in an answer is the same old one."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults import FaultSetting, ToolSpec
from sealegs.faults.kinds import Rewrite

DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


class StuckClock(Rewrite):
    """The tool runs; every date in its answer has become `date`."""

    implicit: ClassVar[bool] = True
    kind: Literal["stuck_clock"] = "stuck_clock"
    date: str = Field(default="2019-01-01", pattern=DATE.pattern, description="What every date becomes.")

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer with that date."""
        if isinstance(value, dict):
            return {key: self.rewritten(item, setting) for key, item in value.items()}
        if isinstance(value, list):
            return [self.rewritten(item, setting) for item in value]
        return DATE.sub(self.date, value) if isinstance(value, str) else value

    def misfit(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """A tool whose schema says that it answers with a number has no date to change."""
        if spec is not None and spec.returns.get("type") in ("number", "integer", "boolean"):
            return f"it changes dates, and the tool answers with a {spec.returns['type']}"
        return super().misfit(spec, dry)
