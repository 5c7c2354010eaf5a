"""The answer comes in capitals."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sealegs.faults.fault import FaultSetting, Rewrite


class Shouted(Rewrite):
    """The tool runs; the agent sees every text of the answer in capitals."""

    implicit: ClassVar[bool] = True
    kind: Literal["shouted"] = "shouted"

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The loud answer."""
        if isinstance(value, dict):
            return {key: self.rewritten(item, setting) for key, item in value.items()}
        return value.upper() if isinstance(value, str) else value
