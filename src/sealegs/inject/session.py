"""One episode on the seam: its plan, its clock, and whoever watches."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from sealegs.faults.call import ALL, Call, Layer, Outcome, Wait
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.inject.active import ActiveSessions
from sealegs.inject.call_context import FollowedCall, call_id, run_as_current, run_as_current_async
from sealegs.inject.clock import Clock, RealClock
from sealegs.inject.deadline import with_deadline, with_deadline_async
from sealegs.inject.injection import Injection
from sealegs.inject.injector import Injector
from sealegs.inject.layer_context import (
    FastPathLayer,
    FollowingWatcher,
    LayerContext,
    ToolHandle,
    Watcher,
    as_given,
    bind_layers,
    one_listener,
    unheard,
)
from sealegs.inject.seam import (
    compose_layers,
    drive,
    drive_async,
    drive_followed,
    drive_followed_async,
    under_layers,
    whole_answers,
    with_timeout,
)
from sealegs.inject.stream_drivers import Run, RunAsync, Split, drive_stream, drive_stream_async
from sealegs.inject.tool_routing import ToolRouter, handle_of_runner
from sealegs.inject.tool_state import Substitution, TriggeredFaults

if TYPE_CHECKING:  # most sessions are over before one is made
    from sealegs.inject.tool_entry import FunctionParameters, ToolEntry

P = ParamSpec("P")
T = TypeVar("T")

UNARMED = Plan(name="unarmed")  # shared by all sessions: a plan is frozen
NO_OTHERS: Mapping[str, ToolHandle | Callable[[Call], Any]] = {}


class Session:
    """The seam of one episode. Make a new one for every episode: nothing carries over.

    As a context manager it is the active session: tools that were made before it find it (see `active`). When the block
    ends, calls that still wait are let go of, so that no hanging thread outlives the episode.

    Args:
        plan: the faults; none by default.
        episode: names the episode, and is part of the key of every random decision.
        specs: what is known of the tools.
        layers: layers between the watcher and the injector, the outermost first (recovery belongs here). One that has a
            method `bind` is given its place, and may answer with the layer that takes it; a method `learned` gets the
            names of tools of which more is known now, `completed` those of all tools. The shortest `deadline` of a
            layer holds for each run of a tool (`inject.deadline`). Chunks pass at once if all have `passes_chunks`.
        others: tools by name that layers may call in place of the one that the agent called, each with what runs it.
            `run` of a call runs any tool where this is None. Adapters add the tools that they wrap (see `reach`).
        clock: real by default.
        timeout: seconds of waiting after which the caller gives up on one call; None waits forever. Where layers make
            further calls, each has as long.
        watcher: notified of everything.
        on_injection: called with each fault that fired, if nobody needs to follow every call for it.

    Attributes:
        entries: shorter ways in for calls of plain functions, by their parameters; only read it.
    """

    def __init__(
        self,
        plan: Plan = UNARMED,
        *,
        episode: str = "",
        specs: Iterable[ToolSpec] = (),
        layers: Sequence[Layer] = (),
        others: Mapping[str, ToolHandle | Callable[[Call], Any]] | None = NO_OTHERS,
        clock: Clock | None = None,
        timeout: float | None = None,
        watcher: Watcher | None = None,
        on_injection: Callable[[Injection], None] | None = None,
    ) -> None:
        self.episode = episode
        self.clock: Clock = clock or RealClock()
        self._timeout = timeout
        self._layered = bool(layers)
        self._reach_any = others is None
        self._others = {name: handle_of_runner(other) for name, other in (others or {}).items()}
        listener = one_listener(on_injection, None if watcher is None else watcher.injected)
        self._specs = {spec.name: spec for spec in specs}
        self._declared: dict[str, tuple[ToolSpec, ToolSpec | None]] = {}  # by adapters, and what was known before
        self._injector = Injector(
            plan, episode=episode, specs=self._specs.values(), on_injection=listener, now=self.clock.now
        )
        self.entries: dict[FunctionParameters, ToolEntry[Self, InterceptedCall]] = {}
        self._states = self._injector.states  # looked up here: most calls need no more, and each step costs them
        # the mapping itself, so that the watcher sees tools announced later
        getattr(watcher, "knows", unheard)(self._specs)
        self._all: frozenset[str] | None = None  # the tools that there are, once that is known
        note = getattr(watcher, "layer_action", unheard)
        context = LayerContext(self.episode, self.clock, self._specs, self._reaches, note)
        layers = self._placed = bind_layers(layers, context)
        self._deadline = min((d for d in (getattr(layer, "deadline", None) for layer in layers) if d), default=None)
        self._router = ToolRouter(self._others, self._deadline)
        # The time limit goes around the injector, below other layers, so that a retry gets a new limit of its own.
        self._inner = self._patient(self._injector.layer)
        layered = under_layers(layers, self._inner)
        self._layer = layered if watcher is None else watcher.around(layered)
        self._alone = watcher is None and not layers  # then a call that nothing strikes need not be followed
        self._follower = watcher if not layers and isinstance(watcher, FollowingWatcher) else None
        own = type(self).runner is Session.runner and type(self).runner_async is Session.runner_async
        self._adapter_may_run = own and (self._alone or (self._follower is not None and on_injection is None))
        # The fast path runs the tool outside the generators, so nothing else may need to see the call.
        only: object = layers[0] if watcher is None and len(layers) == 1 else None
        self._fast: FastPathLayer | None = only if isinstance(only, FastPathLayer) else None
        self._numbers = itertools.count(1)

    def know(self, specs: Iterable[ToolSpec], *, begun: bool = True) -> None:
        """Learn of tools that are announced late; one that was called already stays as it was known then.

        Args:
            specs: what is announced.
            begun: as for `declare`.
        """
        known = {spec.name: spec for spec in specs}
        self._specs.update(known)
        self._injector.know(known.values())
        self.entries.clear()
        for layer in self._placed:
            learned: Callable[..., object] = getattr(layer, "learned", unheard)
            learned(known, begun=begun)

    def declare(self, spec: ToolSpec, *, begun: bool = True) -> None:
        """Learn what an adapter can say of a tool's effects; what was known of the tool before counts more.

        A later declaration of the same tool takes the place of the earlier one.

        Args:
            spec: the declaration.
            begun: whether calls may be under way, so that a layer to which it is a mistake must not raise.
        """
        declared = self._declared.get(spec.name)
        # An equal declaration changes nothing, so layers need not hear of it again.
        if declared is not None and (declared[0] is spec or declared[0] == spec):
            return
        # What was known before any declaration, so that a second one is not merged with the first.
        known = self._specs.get(spec.name) if declared is None else declared[1]
        self._declared[spec.name] = (spec, known)
        self.know([spec if known is None else known.with_declared(spec)], begun=begun)

    def complete(self, tools: Iterable[str], *, begun: bool = True) -> None:
        """Learn that these are all the tools that there are, so layers can call no other. `begun`: as for `declare`."""
        self._all = frozenset(tools)
        for layer in self._placed:
            completed: Callable[..., object] = getattr(layer, "completed", unheard)
            completed(self._all, begun=begun)

    def reach(self, others: Mapping[str, ToolHandle]) -> None:
        """Further tools that layers may call; adapters name here what they wrap for this session."""
        if self._layered and not self._reach_any:
            self._others.update(others)

    def intercept(
        self,
        tool: str,
        read: Callable[..., Mapping[str, Any]],
        args: Any,
        kwargs: Any = None,
        spec: ToolSpec | None = None,
    ) -> InterceptedCall | None:
        """Say what becomes of a call that an adapter has in hand, and count it: ask once for each call.

        Args:
            tool: the tool's name.
            read: gives the call's arguments by name, as data; called only where something can happen to the call.
            args: what `read` reads them from.
            kwargs: the second thing that `read` takes; None where it takes one. Every call would pay for packing more.
            spec: what the adapter can say of the tool, where it has not declared it before.

        Returns:
            The call, to be made through it; None where it passes as it is, and the adapter runs the tool itself.
        """
        if spec is not None:
            self.declare(spec)
        if not self._alone:
            arguments = read(args) if kwargs is None else read(args, kwargs)
            return InterceptedCall(self, tool, arguments, self._layer)
        # The arguments are read only below: for a tool without rules, reading them is most of the cost.
        state = self._states.get(tool) or self._injector.state(tool)
        if state.idle:
            return None
        arguments = read(args) if kwargs is None else read(args, kwargs)
        faults = self._injector.aim(state, arguments)
        return None if faults is None else self._struck(tool, arguments, faults)

    def intercept_function(
        self,
        tool: str,
        parameters: FunctionParameters,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        spec: ToolSpec | None = None,
    ) -> InterceptedCall | FollowedCall | Outcome | None:
        """Do the same for a plain function; after some calls it has its own way in, which may answer the call."""
        if spec is not None:
            self.declare(spec)
        if self._adapter_may_run and (state := self._states.get(tool)) is not None and (state.idle or state.quick):
            if state.asked_often():
                from sealegs.inject.tool_entry import keep_entry

                following = self._follower.following(tool, parameters.named, self._numbers) if self._follower else None
                self._adapter_may_run = self._alone or following is not None
                if self._adapter_may_run:
                    ways = Session._struck, self._numbers, following
                    keep_entry(self.entries, parameters, state, self._injector, *ways)
            if state.idle and self._alone:
                return None
        return self.intercept(tool, parameters.named, args, kwargs)

    def _struck(self, tool: str, arguments: Mapping[str, Any], faults: TriggeredFaults) -> InterceptedCall:
        return InterceptedCall(self, tool, arguments, self._layer_of(faults), faults.nth)

    async def intercept_async(
        self, tool: str, read: Callable[[], Awaitable[Mapping[str, Any]]]
    ) -> InterceptedCall | None:
        """Do the same for arguments that take waiting, as those of an upload, which else passes unread."""
        if self._alone and self._injector.state(tool).idle:
            return None
        return self.intercept(tool, as_given, await read())

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        run: Callable[[Call], Outcome],
        layer: Layer | None = None,
        nth: int = 0,
    ) -> Outcome:
        """Make a call in this thread; `run` runs the tool. `layer` and `nth`: those of an intercepted call."""
        layer, run = layer or self._layer, self.runner(run)
        if self._follower is not None and (layer is self._layer or type(layer) is Substitution):
            return drive_followed(self._follower, *self._aim(tool, arguments, layer, nth), run, self.clock)
        call = Call(tool, arguments, call_id(next(self._numbers)), nth)
        # Applied to the agent's own tool here; the router applies it to the others that layers call.
        if self._deadline is not None:
            run = with_deadline(run, self._deadline)
        if type(layer) is Substitution:
            return layer.answer(call, run)
        # Where nothing can strike the tool, the layer is asked before and after the run, which costs less than to drive
        # it. The call goes through the layers only if it then wants more, such as a retry.
        if (fast := self._fast) is not None and self._injector.state(tool).idle:
            refusal = fast.before(call)
            outcome = run_as_current(call, run, fast.left) if refusal is None else refusal[1]
            steps = fast.after(call, outcome, refusal)
            if steps is None:
                return outcome
            layer = self._rest(steps)
            del outcome  # its exception and this frame would hold one another
        return drive(layer, call, self._router.route(tool, run) if self._others else run, self.clock)

    async def call_async(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        run: Callable[[Call], Awaitable[Outcome]],
        layer: Layer | None = None,
        nth: int = 0,
    ) -> Outcome:
        """Make a call in this task; see `call`."""
        layer, run = layer or self._layer, self.runner_async(run)
        if self._follower is not None and (layer is self._layer or type(layer) is Substitution):
            return await drive_followed_async(self._follower, *self._aim(tool, arguments, layer, nth), run, self.clock)
        call = Call(tool, arguments, call_id(next(self._numbers)), nth)
        if self._deadline is not None:
            run = with_deadline_async(run, self._deadline)
        if type(layer) is Substitution:
            return await layer.answer_async(call, run)
        if (fast := self._fast) is not None and self._injector.state(tool).idle:
            refusal = fast.before(call)
            outcome = await run_as_current_async(call, run, fast.left) if refusal is None else refusal[1]
            steps = fast.after(call, outcome, refusal)
            if steps is None:
                return outcome
            layer = self._rest(steps)
            del outcome  # its exception and this frame would hold one another
        run = self._router.route_async(tool, run) if self._others else run
        return await drive_async(layer, call, run, self.clock)

    def stream(
        self, tool: str, arguments: Mapping[str, Any], run: Run, split: Split, layer: Layer | None = None
    ) -> Generator[Any, None, None]:
        """Make a call whose answer comes chunk by chunk, in the thread that asks for the chunks: see `drive_stream`.

        Returns:
            The chunks as they are to be shown, last an `StreamEnd`. The call is made when the first is requested.
        """
        call = Call(tool, arguments, call_id(next(self._numbers)), chunks=ALL)
        routed = self._router.route_stream(tool, run) if self._others else run
        return drive_stream(layer or self._layer, call, routed, split, self.clock)

    def stream_async(
        self, tool: str, arguments: Mapping[str, Any], run: RunAsync, split: Split, layer: Layer | None = None
    ) -> AsyncGenerator[Any, None]:
        """Make such a call in the task that asks for the chunks; see `stream`."""
        call = Call(tool, arguments, call_id(next(self._numbers)), chunks=ALL)
        routed = self._router.route_stream_async(tool, run) if self._others else run
        return drive_stream_async(layer or self._layer, call, routed, split, self.clock)

    def _aim(self, tool: str, arguments: Mapping[str, Any], layer: Layer, nth: int) -> tuple[Call, Layer | None]:
        """A call that a watcher follows, and what strikes it: the layer that is given, where it was counted already."""
        struck: Layer | None = layer
        if layer is self._layer:
            faults = self._injector.aim(self._injector.state(tool), arguments)
            struck, nth = (None, 0) if faults is None else (self._layer_of(faults), faults.nth)
        return Call(tool, arguments, call_id(next(self._numbers)), nth), struck

    def runner(self, run: Callable[[Call], Outcome]) -> Callable[[Call], Outcome]:
        """The function that answers the agent's calls: the tool itself, unless a session of other tools names more."""
        return run

    def runner_async(self, run: Callable[[Call], Awaitable[Outcome]]) -> Callable[[Call], Awaitable[Outcome]]:
        """The same for calls made in a task."""
        return run

    def carry(self, function: Callable[P, T]) -> Callable[P, T]:
        """The function with this session as that of every call made inside it, in whatever thread it runs."""
        return ACTIVE.carried(self, function)

    def __enter__(self) -> Self:
        ACTIVE.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        ACTIVE.leave(self)
        self.clock.release()  # after `leave`, so that no thread that wakes up finds this session active

    def _rest(self, steps: Generator[Call | Wait, Outcome, Outcome]) -> Layer:
        """The layers that are left once a call that nothing strikes was made, as one layer."""
        return compose_layers(compose_layers(lambda call: steps, whole_answers), self._inner)

    def _reaches(self, tool: str) -> bool:
        if not self._reach_any:
            return tool in self._others
        return self._all is None or tool in self._all

    def _layer_of(self, faults: TriggeredFaults) -> Layer:
        layer = self._injector.layer_of(faults)
        if type(layer) is Substitution:  # such a one never waits, and need not be driven
            return layer
        return self._patient(layer) if self._follower is None else self._follower.around(self._patient(layer))

    def _patient(self, layer: Layer) -> Layer:
        return layer if self._timeout is None else with_timeout(self._timeout, layer)


class InterceptedCall:
    """A call that an adapter has in hand and that must go through its session; made once, in one of four ways.

    Attributes:
        arguments: by name, as data.
        layer: what it goes through; an adapter may put its client's own limits around it.
    """

    __slots__ = ("_nth", "_session", "_tool", "arguments", "layer")

    def __init__(self, session: Session, tool: str, arguments: Mapping[str, Any], layer: Layer, nth: int = 0) -> None:
        self._session = session  # no check that it is used once: every call would pay for it
        self._tool = tool
        self._nth = nth  # among the tool's calls, where it was counted already
        self.arguments = arguments
        self.layer = layer

    def call(self, run: Callable[[Call], Outcome]) -> Outcome:
        """Make it in this thread; see `Session.call`."""
        return self._session.call(self._tool, self.arguments, run, self.layer, self._nth)

    def call_async(self, run: Callable[[Call], Awaitable[Outcome]]) -> Awaitable[Outcome]:
        """Make it in this task."""
        return self._session.call_async(self._tool, self.arguments, run, self.layer, self._nth)

    def stream(self, run: Run, split: Split) -> Generator[Any, None, None]:
        """Make it in this thread, answered chunk by chunk; see `Session.stream`."""
        return self._session.stream(self._tool, self.arguments, run, split, self.layer)

    def stream_async(self, run: RunAsync, split: Split) -> AsyncGenerator[Any, None]:
        """Make it in this task, answered chunk by chunk."""
        return self._session.stream_async(self._tool, self.arguments, run, split, self.layer)


ACTIVE: ActiveSessions[Session] = ActiveSessions()
current = ACTIVE.current
