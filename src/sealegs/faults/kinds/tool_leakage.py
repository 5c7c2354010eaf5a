"""The inside of the tool's server shows."""

from __future__ import annotations

from typing import ClassVar, Literal

from sealegs.faults.corruption import Breaking


class ToolLeakage(Breaking):
    """A stack trace, a database statement or an internal address appears where data should be.

    Needs no declared invariant.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    kind: Literal["tool_leakage"] = "tool_leakage"
