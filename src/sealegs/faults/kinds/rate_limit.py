"""The tool asks for fewer calls."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import MOMENTS, Call, Failure, Moment
from sealegs.faults.fault import Fault, FaultSetting, Seconds, Steps


class RateLimit(Fault):
    """The agent is shown status 429 in place of the answer, and told when to try again."""

    implicit: ClassVar[bool] = False
    instead: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS
    kind: Literal["rate_limit"] = "rate_limit"
    retry_after: Seconds = Field(default=1.0, description="Seconds after which the tool invites another try.")

    @cached_property
    def failure(self) -> Failure:
        """The failure that the agent is shown."""
        return Failure(
            f"Rate limit exceeded. Retry after {self.retry_after:g} s.",
            type="RateLimitExceeded",
            status=429,
            retry_after=self.retry_after,
        )

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Answer at once."""
        yield from ()
        return self.failure
