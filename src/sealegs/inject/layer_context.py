"""The parts that a session takes from elsewhere: layers (recovery), with their context and reports, and watchers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from sealegs.faults.call import Call, Failure, Layer, Moment, Outcome, PartialExecution, Value, Wait
from sealegs.faults.plan import Rule
from sealegs.faults.spec import ToolSpec
from sealegs.inject.call_context import FollowedCall
from sealegs.inject.clock import Clock
from sealegs.inject.injection import Injection, same_outcome

ToolRunner = Callable[[Call], Outcome]
ToolRunnerAsync = Callable[[Call], Awaitable[Outcome]]
ReadArguments = Callable[[tuple[Any, ...], Mapping[str, Any]], Mapping[str, Any]]
REFUSED = "refused"  # the name of the action of a layer that answers a call in its tool's place


@dataclass(frozen=True, slots=True)
class LayerAction:
    """One thing that a layer did on a call besides passing it on.

    Attributes:
        call: the call as the agent made it.
        policy: who did it.
        name: what it did, in a word (`retried`, `switched`, `parsed`, `advised`, `stopped`, ...).
        attempt: the call that was made for it; None where none was. Its id is that of `call` or begins with it. Where
            that name is `refused`, `call` itself, which was not made.
        outcome: what came of the attempt, or what the agent's call is answered with now.
        detail: why, in a sentence.
        repaired: whether `outcome` is the tool's own last answer put right, and not another's or a remark on it.
        began: when the attempt was made, on the episode's clock; None for the agent's own call.
        seconds: how long the attempt took, on that clock; None for the agent's own call.
    """

    call: Call
    policy: str
    name: str
    attempt: Call | None = None
    outcome: Outcome | None = None
    detail: str = ""
    repaired: bool = False
    began: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ToolHandle:
    """The ways to run a layer's call of a tool other than the agent's.

    Attributes:
        run: in a thread; None where it cannot be.
        run_async: in a task; by default as in a thread. A dry call may be answered with `NO_DRY_RUN`.
    """

    run: Callable[[Call], Outcome] | None
    run_async: Callable[[Call], Awaitable[Outcome]] | None = None


@dataclass(frozen=True, slots=True)
class LayerContext:
    """A layer's place in a session.

    Attributes:
        episode: part of the key of every random decision.
        clock: the episode's time.
        specs: the tools, as far as they are known; it grows when tools are announced late.
        reaches: whether a tool other than the agent's can be called from here.
        note_action: takes note of an action.
    """

    episode: str
    clock: Clock
    specs: Mapping[str, ToolSpec]
    reaches: Callable[[str], bool]
    note_action: Callable[[LayerAction], None]


class ContextLayer(Protocol):
    """A layer that wants to know its place."""

    def bind(self, place: LayerContext) -> Layer | None:
        """Take the place, or name the layer that takes it; called once for a session, before the first call."""


def bind_layers(layers: Iterable[Layer], context: LayerContext) -> tuple[Layer, ...]:
    """Give every layer that asks for it its place; one may name another for it.

    Raises:
        ValueError: a layer that asks for its place is there twice.
    """
    placed: list[Layer] = []
    given: list[Layer] = []
    for layer in layers:
        bind = getattr(layer, "bind", None)
        if bind is not None and any(layer is other for other in given):
            raise ValueError(f"{type(layer).__name__} appears twice among the layers of one session; name it once")
        given.append(layer)
        placed.append(layer if bind is None else bind(context) or layer)
    return tuple(placed)


class FastPathLayer(ABC):
    """A layer that is two plain functions around the call, so that one that goes well needs no generator.

    As a layer it must do the same: answer with what `before` gives, or yield the call as it is and do `after`.
    """

    @abstractmethod
    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """The layer."""

    @abstractmethod
    def before(self, call: Call) -> tuple[str, Outcome] | None:
        """The name of the layer that refuses the call, and the answer in its place; None where the call is made."""

    @abstractmethod
    def after(
        self, call: Call, outcome: Outcome, refusal: tuple[str, Outcome] | None
    ) -> Generator[Call | Wait, Outcome, Outcome] | None:
        """The steps still to take for the call, which return its outcome; None where the outcome is final."""

    def left(self, call: Call) -> None:
        """Note that a call ended by an exception, such as a cancellation, so that `after` is not called for it."""
        return


class Watcher(Protocol):
    """A listener for what happens on the seam (a recorder).

    One that has a method `layer_action` receives every `LayerAction` too; one that has a method `knows` is given what
    is known of the tools: a mapping by name, which grows when tools are announced late.
    """

    def around(self, layer: Layer) -> Layer:
        """The layer with the watcher outside it."""

    def injected(self, injection: Injection) -> None:
        """A fault fired."""


def returned_outcome(value: object) -> Outcome:
    """The outcome of a tool that returned this."""
    return value if type(value) is PartialExecution else Value(value)


class FaultAnswer(NamedTuple):
    """A rule's fault that answers calls of one tool, before the tool's work or after it.

    Attributes:
        rule: the rule.
        answer: gives the answer to a call.
        deliver: marks the fault as delivered.
    """

    rule: Rule
    answer: Callable[[], Outcome]
    deliver: Callable[[], None]

    def to_value(self, value: object) -> tuple[Outcome, bool]:
        """The answer that replaces what the tool returned, and whether it differs from that."""
        shown = self.answer()
        # An error always differs from a value, so the value need not become an outcome first.
        delivered = isinstance(shown, Failure) or not same_outcome(shown, returned_outcome(value))
        if delivered:
            self.deliver()
        return shown, delivered

    def to_failure(self, failure: Failure) -> tuple[Outcome, bool]:
        """The answer that replaces the tool's failure, and whether it differs from that."""
        shown = self.answer()
        delivered = not same_outcome(shown, failure)
        if delivered:
            self.deliver()
        return shown, delivered


class Following(NamedTuple):
    """The ways in which a watcher follows the calls of a tool that an adapter makes.

    Attributes:
        begin: makes a call that nothing strikes, of the session, the arguments, and whether it is known that nobody can
            change these (by default it is not).
        answered: notes a call that a rule's fault has answered before the tool's work, of the arguments, the rule, what
            was done to the world by then (`Injection.moment`) and the answer.
        late: makes a call that a rule's fault answers after the tool's work, of the arguments, how many calls of the
            tool came before, and the answer.
    """

    begin: Callable[..., FollowedCall]
    answered: Callable[[tuple[Any, ...], dict[str, Any], Rule, Moment | Literal[""], Outcome], None]
    late: Callable[[tuple[Any, ...], dict[str, Any], int, FaultAnswer], FollowedCall]


class FollowingWatcher(ABC):
    """A watcher that can also follow a call without the layers, where they need not be driven: it must see the same."""

    @abstractmethod
    def around(self, layer: Layer) -> Layer:
        """The layer with the watcher outside it."""

    @abstractmethod
    def injected(self, injection: Injection) -> None:
        """A fault fired."""

    def following(self, tool: str, read: ReadArguments, numbers: Iterator[int]) -> Following | None:
        """Give the ways to follow the calls of this tool that an adapter makes; None where all go through `follow`.

        Args:
            tool: its name.
            read: names the arguments of a call.
            numbers: of calls; one is taken for each.
        """
        return None

    @abstractmethod
    def follow(self, call: Call, run: ToolRunner) -> Outcome:
        """Run the tool in this thread, and note the call and what it was answered."""

    @abstractmethod
    async def follow_async(self, call: Call, run: ToolRunnerAsync) -> Outcome:
        """The same in a task."""

    @abstractmethod
    def follow_struck(self, call: Call, run: ToolRunner, answer: Callable[[Call, ToolRunner], Outcome]) -> Outcome:
        """Note a call that a fault answers, which may have the tool run; what the fault reports is noted before it."""

    @abstractmethod
    async def follow_struck_async(
        self, call: Call, run: ToolRunnerAsync, answer: Callable[[Call, ToolRunnerAsync], Awaitable[Outcome]]
    ) -> Outcome:
        """The same in a task."""


def one_listener(*listeners: Callable[[Injection], None] | None) -> Callable[[Injection], None] | None:
    """All of them notified as one; None where there is none."""
    found = [one for one in listeners if one is not None]
    if len(found) < 2:  # a loop around a single one would cost on every injection
        return next(iter(found), None)

    def tell_all(injection: Injection) -> None:
        for one in found:
            one(injection)

    return tell_all


def unheard(news: object, **more: object) -> None:
    """Do nothing: nobody watches, or a layer is not in a session yet."""


def as_given(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments themselves: what `Session.intercept` reads where an adapter has them at hand."""
    return arguments
