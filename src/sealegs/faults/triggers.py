"""Conditions on the number of a call, which decide when a rule strikes. The matchers of calls are here too.

Both are frozen data with a plan form of one key. A condition is a pure function of the call's number among the calls of
its own tool and of the name of a stream of draws, never of time, threads or the order in which tools are called. The
one exception by its meaning is `first_touch`, whose victim depends on which tool of a group was called first. Counting
calls, finding victims, `at_most` and `after` are the injector's work.
"""

from __future__ import annotations

import dataclasses
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import Discriminator, Field, GetCoreSchemaHandler, Strict, field_validator, model_validator
from pydantic import Tag as Tagged
from pydantic.dataclasses import dataclass
from pydantic_core import CoreSchema, core_schema

from sealegs.faults import seeds
from sealegs.faults.fault import Count, Fraction, Text, problem
from sealegs.faults.keyed import STRICT, Keyed, alternative_key
from sealegs.faults.matchers import AllOf, AnyMatcher, AnyOf, Argument, Header, Matcher, Method, Model, Not, Tag, Tool

FOREVER = sys.maxsize

__all__ = [
    "AllOf",
    "Always",
    "AnyCondition",
    "AnyMatcher",
    "AnyOf",
    "Argument",
    "Burst",
    "Condition",
    "Every",
    "First",
    "FirstTouch",
    "Header",
    "Matcher",
    "Method",
    "Model",
    "Not",
    "Nth",
    "Outage",
    "Probability",
    "Tag",
    "Tool",
    "Window",
]


class Condition(ABC):
    """A condition under which a rule strikes a call that it matches. Calls are counted per tool and episode, from 1.

    `drawn` tells whether each call is decided by a draw of its own, which has no need of the calls before it.
    """

    key: ClassVar[str]
    drawn: ClassVar[bool] = False

    @abstractmethod
    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether it strikes a call: a function of these alone.

        Args:
            nth: how many times the tool was called before in the episode; with these arguments, for a rule that goes by
                arguments.
            stream: the name of the rule's draws for this tool, made by `seeds.joined` of (plan seed, episode, tool,
                rule id), and the arguments for a rule that goes by them.
            victim: whether the tool was the first of the watched `group` to be called in the episode.
        """

    def spared(self, stream: str) -> Callable[[int], int]:
        """The count of calls of one stream that it surely spares, from `nth` on; not of a condition with a `group`.

        A function of `nth`, which is 0 only where `fires` is true.
        """
        return lambda nth: 0 if self.fires(nth, stream) else 1

    @property
    def group(self) -> frozenset[str]:
        """The tools of which the first to be called is the victim; empty where none is watched so."""
        return frozenset()


@dataclasses.dataclass(frozen=True)
class Always(Condition):
    """Every call. In data, the word `always`."""

    key: ClassVar[str] = "always"

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Yes."""
        return True

    def spared(self, stream: str) -> Callable[[int], int]:
        """None."""
        return seeds.spares_none

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The word, in and out."""
        word = core_schema.no_info_after_validator_function(lambda _: cls(), core_schema.literal_schema([cls.key]))
        return core_schema.no_info_before_validator_function(
            lambda value: cls.key if isinstance(value, cls) else value,
            word,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda _: cls.key),
        )


@dataclass(frozen=True, config=STRICT)
class First(Condition):
    """The first n calls of the tool."""

    key: ClassVar[str] = "first"
    first: Count

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether fewer than n calls came before."""
        return nth < self.first

    def spared(self, stream: str) -> Callable[[int], int]:
        """All that are left, once n calls came."""
        return lambda nth: 0 if nth < self.first else FOREVER


@dataclass(frozen=True, config=STRICT)
class Nth(Condition):
    """The n-th call of the tool alone."""

    key: ClassVar[str] = "nth"
    nth: Count

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether just n - 1 calls came before."""
        return nth + 1 == self.nth

    def spared(self, stream: str) -> Callable[[int], int]:
        """Those before the n-th, and all after it."""
        return lambda nth: self.nth - 1 - nth if nth < self.nth else FOREVER


@dataclass(frozen=True, config=STRICT)
class Every(Condition):
    """The calls n, 2n, 3n, ... of the tool."""

    key: ClassVar[str] = "every"
    every: Count

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether the call's number is a multiple of n."""
        return (nth + 1) % self.every == 0

    def spared(self, stream: str) -> Callable[[int], int]:
        """Those before the next multiple of n."""
        return lambda nth: -(nth + 1) % self.every


@dataclass(frozen=True, config=STRICT)
class Probability(Condition):
    """Each call with this probability, independently of the others."""

    key: ClassVar[str] = "probability"
    drawn: ClassVar[bool] = True
    probability: Fraction

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether the call's own draw is below the probability."""
        return seeds.uniform_at(stream, nth, self.key) < self.probability

    def spared(self, stream: str) -> Callable[[int], int]:
        """Those whose own draws are not below the probability."""
        return seeds.spared(stream, self.key, self.probability)


@dataclass(frozen=True, config=STRICT)
class Window(Condition):
    """The calls from the first number to the second, both included."""

    key: ClassVar[str] = "window"
    window: tuple[Count, Count]

    @field_validator("window")
    @classmethod
    def _in_order(cls, window: tuple[int, int]) -> tuple[int, int]:
        if window[0] > window[1]:
            raise problem("ends before it begins", "Exchange the two numbers.")
        return window

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether the call's number is inside."""
        return self.window[0] <= nth + 1 <= self.window[1]

    def spared(self, stream: str) -> Callable[[int], int]:
        """Those before the first number, and all after the second."""
        first, last = self.window
        return lambda nth: max(0, first - 1 - nth) if nth < last else FOREVER


class Burst(Keyed, Condition):
    """Runs of failing calls: each call starts one with this probability, and it lasts for `length` calls.

    Runs may overlap. The share of faulted calls is 1 - (1 - probability) ** length, once `length` calls have passed.
    """

    key: ClassVar[str] = "burst"
    probability: Fraction = Field(description="Probability that a burst starts at a call, 0 to 1.")
    length: Annotated[int, Strict(), Field(ge=1, le=1000)] = Field(description="Calls that a burst lasts, 1 to 1000.")

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether a burst started at this call or at one of the `length - 1` before it."""
        # Each start has a draw of its own, so no state is kept between calls.
        starts = range(max(0, nth + 1 - self.length), nth + 1)
        return any(seeds.uniform_at(stream, start, self.key) < self.probability for start in starts)

    def spared(self, stream: str) -> Callable[[int], int]:
        """Those before the next start, where none of the last `length` calls was one."""
        starts = seeds.spared(stream, self.key, self.probability)

        def count(nth: int) -> int:
            reached = max(0, nth + 1 - self.length)
            while reached <= nth:
                found = starts(reached)
                if not found:
                    return 0
                reached += found
            return reached - nth

        return count


class Outage(Keyed, Condition):
    """Runs of failing calls that end by chance: a two-state chain (Gilbert 1960).

    Every call is struck with probability `rate`, the first of an episode too, and a run of faulted calls lasts `length`
    on average. Calls are independent of each other where `length` is 1 / (1 - rate); a shorter one says that a failed
    call is likelier than others to be followed by one that works.
    """

    key: ClassVar[str] = "outage"
    rate: Fraction = Field(description="Share of the calls that are struck, 0 to 1.")
    length: Annotated[float, Strict(), Field(ge=1, le=1000)] = Field(
        description="Struck calls in a row, on average, 1 to 1000."
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.rate == 1:
            raise problem("has a rate of 1, so that no run could end", "Write `always`.")
        # The margin is for rates and lengths that were rounded.
        if self.begins > 1 + 1e-9:
            least = self.rate / (1 - self.rate)
            raise problem(f"strikes too many calls for runs as short as {self.length:g}", f"Give at least {least:.6g}.")
        return self

    @property
    def begins(self) -> float:
        """Probability that a call is struck after one that was not."""
        return self.rate / ((1 - self.rate) * self.length)

    @property
    def lasts(self) -> float:
        """Probability that a call is struck after one that was."""
        return 1 - 1 / self.length

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether the chain is in its bad state.

        It looks back only to the last call whose draw decides alone, whatever came before; a draw in between keeps the
        state, or turns it round where runs are shorter than by chance.
        """
        begins, lasts = self.begins, self.lasts
        low, high = min(begins, lasts), max(begins, lasts)
        turned = False
        # Backwards from this call: on average few draws are needed, and no state is kept.
        for earlier in range(nth, 0, -1):
            draw = seeds.uniform_at(stream, earlier, self.key)
            if draw < low:
                return not turned  # below both probabilities: struck, whatever came before
            if draw >= high:
                return turned  # above both: not struck, whatever came before
            turned ^= begins > lasts
        # The first call has no call before it and is struck with the rate itself.
        return (seeds.uniform_at(stream, 0, self.key) < self.rate) != turned


@dataclass(frozen=True, config=STRICT)
class FirstTouch(Condition):
    """Every call of the tool that was the first of these to be called in the episode; the others are safe."""

    key: ClassVar[str] = "first_touch"
    first_touch: Annotated[tuple[Text, ...], Field(min_length=1)]

    @property
    def group(self) -> frozenset[str]:
        """These tools."""
        return _group(self.first_touch)

    def fires(self, nth: int, stream: str, victim: bool = False) -> bool:
        """Return whether the called tool is the victim."""
        return victim


@lru_cache(maxsize=1024)
def _group(tools: tuple[str, ...]) -> frozenset[str]:
    return frozenset(tools)  # made once: each tool of an episode looks at the groups of all rules


def _condition_of(value: Any) -> str | None:
    return value if value == Always.key else alternative_key(value)


AnyCondition = Annotated[
    Annotated[Always, Tagged("always")]
    | Annotated[First, Tagged("first")]
    | Annotated[Nth, Tagged("nth")]
    | Annotated[Every, Tagged("every")]
    | Annotated[Probability, Tagged("probability")]
    | Annotated[Window, Tagged("window")]
    | Annotated[Burst, Tagged("burst")]
    | Annotated[Outage, Tagged("outage")]
    | Annotated[FirstTouch, Tagged("first_touch")],
    Discriminator(_condition_of),
]
