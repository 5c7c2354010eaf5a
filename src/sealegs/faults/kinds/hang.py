"""The tool never answers."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

from pydantic import Field, Strict

from sealegs.faults.call import Call, Failure, Wait
from sealegs.faults.kinds.base import Fault, Seconds, Setting, Steps


class Hang(Fault):
    """The tool is not run; nothing comes. Only a timeout of the caller's own ends it, unless `seconds` is given."""

    implicit: ClassVar[bool] = False
    kind: Literal["hang"] = "hang"
    seconds: Seconds | None = Field(
        default=None, description="Seconds until the far side closes the connection; leave out for never."
    )
    ignores_cancel: Annotated[bool, Strict()] = Field(
        default=False,
        description="Whether it goes on when the caller sends it a cancel (MCP has such messages).",
    )

    def act(self, call: Call, setting: Setting) -> Steps:
        """Wait, perhaps for ever; then the connection closes without an answer."""
        yield Wait(math.inf if self.seconds is None else self.seconds, self.ignores_cancel)
        message = "The connection was closed without an answer."
        return Failure(message, type="ConnectionAbortedError", exception=ConnectionAbortedError(message))
