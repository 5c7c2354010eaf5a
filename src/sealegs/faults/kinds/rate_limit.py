"""The tool asks for fewer calls."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field

from sealegs.faults.call import Failure
from sealegs.faults.fault import Seconds, Substitute


class RateLimit(Substitute):
    """The agent is shown status 429 in place of the answer, and told when to try again."""

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

    def answer(self) -> Failure:
        """The failure that the agent is shown."""
        return self.failure
