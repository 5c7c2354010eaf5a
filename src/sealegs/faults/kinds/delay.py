"""The answer comes late."""

from __future__ import annotations

import bisect
import math
import random
from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Strict, Tag, model_validator

from sealegs.faults.call import Call, Moment, Wait
from sealegs.faults.fault import Fault, FaultSetting, Fraction, IgnoresCancel, Seconds, Steps, problem
from sealegs.faults.keyed import Keyed, alternative_key

Positive = Annotated[float, Strict(), Field(gt=0)]


class Distribution(Keyed):
    """Seconds to draw from."""

    @abstractmethod
    def sample(self, draw: random.Random) -> float:
        """One value in seconds, before the fault's bounds."""


class Uniform(Distribution):
    """Every value between two bounds is as likely."""

    key: ClassVar[str] = "uniform"
    low: Seconds = Field(description="The smallest value in seconds.")
    high: Seconds = Field(description="The largest value in seconds.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise problem(f"has low = {self.low:g} above high = {self.high:g}", "Exchange them.")
        return self

    def sample(self, draw: random.Random) -> float:
        """A value from `low` to `high`."""
        return draw.uniform(self.low, self.high)


class Normal(Distribution):
    """The normal distribution."""

    key: ClassVar[str] = "normal"
    mean: Seconds = Field(description="The mean in seconds.")
    deviation: Seconds = Field(description="The standard deviation in seconds.")

    def sample(self, draw: random.Random) -> float:
        """A value; may be negative until the fault's bounds are applied."""
        return draw.gauss(self.mean, self.deviation)


class Lognormal(Distribution):
    """The lognormal distribution, the usual shape of latencies."""

    key: ClassVar[str] = "lognormal"
    median: Positive = Field(description="The median in seconds.")
    sigma: Seconds = Field(description="The standard deviation of the value's natural logarithm.")

    def sample(self, draw: random.Random) -> float:
        """A positive value."""
        return self.median * math.exp(draw.gauss(0.0, self.sigma))


class Exponential(Distribution):
    """The exponential distribution."""

    key: ClassVar[str] = "exponential"
    mean: Positive = Field(description="The mean in seconds.")

    def sample(self, draw: random.Random) -> float:
        """A value of at least 0."""
        return draw.expovariate(1 / self.mean)


class Quantiles(Distribution):
    """A measured distribution: quantiles, and straight lines between them."""

    key: ClassVar[str] = "quantiles"
    points: Annotated[tuple[tuple[Fraction, Seconds], ...], Field(min_length=2)] = Field(
        description="Pairs of a share and the seconds that so many values do not exceed, from share 0 to share 1."
    )

    @model_validator(mode="after")
    def _whole_and_rising(self) -> Self:
        shares = [share for share, _ in self.points]
        seconds = [value for _, value in self.points]
        if shares[0] != 0 or shares[-1] != 1:
            raise problem("does not go from share 0 to share 1", "Add the smallest and the largest value.")
        if sorted(set(shares)) != shares or sorted(seconds) != seconds:
            raise problem("does not rise", "Sort the pairs; a share may be there once, and seconds may not fall.")
        return self

    def sample(self, draw: random.Random) -> float:
        """A value from the first point's to the last's."""
        share = draw.random()
        right = bisect.bisect_right(self.points, share, key=lambda point: point[0])
        (low, least), (high, most) = self.points[right - 1 : right + 1]
        return least + (most - least) * (share - low) / (high - low)


def _alternative(value: Any) -> str | None:
    return alternative_key(value) if isinstance(value, (dict, Keyed)) else "number"


AnySeconds = Annotated[
    Annotated[Seconds, Tag("number")]
    | Annotated[Uniform, Tag("uniform")]
    | Annotated[Normal, Tag("normal")]
    | Annotated[Lognormal, Tag("lognormal")]
    | Annotated[Exponential, Tag("exponential")]
    | Annotated[Quantiles, Tag("quantiles")],
    Discriminator(_alternative),
]


class Delay(Fault):
    """The true answer is shown late: the time passes before the tool's work, or after it with the answer on its way.

    It makes a difference to the world where the caller's patience ends in the meantime.
    """

    implicit: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = ("before", "after")
    streamed: ClassVar[bool] = True
    kind: Literal["delay"] = "delay"
    seconds: AnySeconds = Field(
        default=5.0, description="Seconds to wait: a number, or a distribution to draw from for each call."
    )
    minimum: Seconds = Field(default=0.0, description="A drawn value below this many seconds is raised to it.")
    maximum: Seconds | None = Field(
        default=None, description="A drawn value above this many seconds is lowered to it; leave out for no bound."
    )
    ignores_cancel: IgnoresCancel = False

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.maximum is not None and self.minimum > self.maximum:
            raise problem(f"has minimum = {self.minimum:g} above maximum = {self.maximum:g}", "Exchange them.")
        return self

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Wait and have the tool run; at the moment `after`, the other way round."""
        seconds = self.seconds if isinstance(self.seconds, float) else self._drawn(self.seconds, setting.draw)
        if setting.moment == "after":
            answer = yield replace(call, chunks=None)
            yield Wait(seconds, self.ignores_cancel)
            return answer
        yield Wait(seconds, self.ignores_cancel)
        return (yield call)

    def _drawn(self, distribution: Distribution, draw: random.Random) -> float:
        above = max(self.minimum, distribution.sample(draw))
        return above if self.maximum is None else min(above, self.maximum)
