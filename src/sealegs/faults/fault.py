"""The base of faults: a fault is a tiny layer around one tool call.

A fault does no I/O. Its `act` yields a `Call` to have the tool run (changed, or `dry`, where the fault needs it) or a
`Wait` to let time pass, is sent the outcome, and returns what the agent sees. The proof of delivery rests on two
promises: where a fault cannot do its work on an outcome, it returns the true outcome unchanged; and where it asks for
several answers, it asks for the true one last. When and on which calls a fault acts is decided by triggers.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, Strict, model_serializer
from pydantic_core import PydanticCustomError

from sealegs.faults.call import MOMENTS, Call, Failure, Moment, Outcome, Value, Wait
from sealegs.faults.spec import ToolSpec

Steps = Generator[Call | Wait, Outcome, Outcome]

Text = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Strict(), Field(ge=0)]
Fraction = Annotated[float, Strict(), Field(ge=0, le=1)]
Count = Annotated[int, Strict(), Field(ge=1)]
IgnoresCancel = Annotated[
    bool,
    Strict(),
    Field(description="Whether it continues when the caller sends it a cancel (MCP has such messages)."),
]


@dataclass(slots=True)  # one is made for each injection, and a frozen one would cost twice as much
class FaultSetting:
    """The facts that a fault has about the call that it strikes.

    Attributes:
        spec: the tool, where it is known.
        draw: the fault's own stream of random numbers for this call.
        earlier: earlier true outcomes of this tool in the episode, the oldest first.
        moment: when it strikes; None where the tool has no effects.
        same: those of the earlier outcomes that answered the call's own arguments.
    """

    spec: ToolSpec | None
    draw: random.Random
    earlier: tuple[Outcome, ...] = ()
    moment: Moment | None = None
    same: tuple[Outcome, ...] = ()


def _require_kind(schema: dict[str, Any]) -> None:
    schema["required"] = ["kind", *(name for name in schema.get("required", ()) if name != "kind")]


class Fault(BaseModel):
    """Base of all kinds: frozen settings that say what the agent sees.

    `implicit` tells whether the agent is shown something that looks like data, so that it must notice by itself.
    `streamed` tells whether the fault lets chunks of an answer be shown before the whole is known. `needs` names what
    must be known of a tool (of its `ToolSpec`) for the fault to come to anything. `asks_dry` tells whether nothing can
    come of it where a tool with effects cannot be run without them. `remembers` tells whether it wants the tool's
    earlier answers. `optional` names the settings that are not written where they are None.

    `moments` are those at which it can strike a tool with effects. The injector sees to it that what happens to the
    world fits the moment: for a kind that answers `instead` of the tool it has the tool run first where the moment is
    after its work or during it; a kind that `rewrites` the answer gets one that was made without the effect, or with a
    part of it, where the moment is before or during. Other kinds have one moment, or heed `FaultSetting.moment`
    themselves.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, json_schema_extra=_require_kind)
    implicit: ClassVar[bool]
    streamed: ClassVar[bool] = False
    instead: ClassVar[bool] = False
    rewrites: ClassVar[bool] = False
    moments: ClassVar[tuple[Moment, ...]] = ("after",)
    needs: ClassVar[tuple[str, ...]] = ()
    asks_dry: ClassVar[bool] = False
    remembers: ClassVar[bool] = False
    optional: ClassVar[tuple[str, ...]] = ()
    kind: str = ""

    @abstractmethod
    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """The fault at work on one call. Ignores what it is sent after a `Wait`."""

    def misfit(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """The reason, in a clause, why it can do nothing to a tool; empty where it can, as far as is known.

        Args:
            spec: the tool, as far as it is known.
            dry: whether the tool can be run without its effect; None where that is not known.
        """
        lacking = [name for name in self.needs if not getattr(spec, name, ())]
        if lacking:
            return f"it needs {' and '.join(f'ToolSpec.{name}' for name in lacking)}, which the tool does not declare"
        acts = spec is None or spec.effects is not False
        if self.asks_dry and acts and dry is False:
            return "it needs the answer without the effect, and the tool cannot be run so (give it `dry`)"
        return ""

    @classmethod
    def simplest_moment(cls) -> Moment:
        """The moment at which the fault is no more than what the agent sees.

        An error then comes in place of the work, and a changed answer after it.
        """
        return "before" if "before" in cls.moments and not cls.rewrites else "after"

    @model_serializer(mode="wrap")
    def _always_with_kind(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = {"kind": self.kind, **handler(self)}
        return {name: value for name, value in written.items() if value is not None or name not in self.optional}

    def __copy__(self) -> Self:
        """A copy without cached properties, so that `model_copy(update=...)` computes them again."""
        copied = super().__copy__()
        for name in set(vars(copied)) - set(type(copied).model_fields):
            del copied.__dict__[name]
        return copied


class Substitute(Fault):
    """Base of kinds that answer at once in the tool's place, whatever the call is."""

    implicit: ClassVar[bool] = False
    instead: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS

    @abstractmethod
    def answer(self) -> Outcome:
        """The answer that the agent sees."""

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Show the answer, and neither ask for the tool nor wait."""
        yield from ()
        return self.answer()


class Rewrite(Fault):
    """Base of kinds that have the tool run and show its answer changed. A failure passes unchanged."""

    implicit: ClassVar[bool] = True
    rewrites: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS

    @abstractmethod
    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer that the agent sees: new data, or an equal value where the fault cannot do its work."""

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool run and show what `rewritten` makes of its answer."""
        truth = yield call
        if isinstance(truth, Failure):
            return truth
        shown = self.rewritten(truth.value, setting)
        return truth if shown == truth.value else Value(shown)


def checked_steps(steps: Steps) -> Steps:
    """The steps of a fault of others, which may return what is not an outcome."""
    shown: object = yield from steps
    # The injector turns it into a warning and leaves the answer as it is.
    if not isinstance(shown, (Value, Failure)):
        raise TypeError(f"its act returned {type(shown).__name__}; return a Value or a Failure")
    return shown


def problem(wrong: str, remedy: str) -> PydanticCustomError:
    """A validation error in plain words: what is wrong (to be read after the value's path) and what to do."""
    return PydanticCustomError("problem", "{wrong}. {remedy}", {"wrong": wrong, "remedy": remedy})


def draw_field(names: list[str], setting: FaultSetting) -> str | None:
    """A drawn one of the top-level fields that later steps use, else of all; None where there is none."""
    used = {path.split(".")[0] for path in setting.spec.used} if setting.spec is not None else set()
    chosen = [name for name in names if name in used] or names
    return setting.draw.choice(chosen) if chosen else None
