"""The answer holds nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sealegs.faults.fault import FaultSetting, Rewrite


class Empty(Rewrite):
    """The tool runs; the agent sees an answer of the same shape without content.

    Objects keep their keys; lists and text become empty, everything else null.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["empty"] = "empty"

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The empty answer."""
        return _emptied(value)


def _emptied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _emptied(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return []
    return "" if isinstance(value, str) else None
