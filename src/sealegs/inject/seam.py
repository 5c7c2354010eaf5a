"""The seam: layers over a tool, and the two drivers that run them.

A layer does no I/O. It yields a `Call` to have the tool run or a `Wait` to let time pass, and returns the outcome that
the agent sees. The drivers are the only places where tools run and time passes, and both run the same layers. The
`injector` decides which calls are struck, and adapters know what a framework's tool call looks like.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import replace

from sealegs.faults.call import Call, Failure, Layer, Outcome, Value, Wait
from sealegs.inject.call_context import make_current, running
from sealegs.inject.clock import Clock
from sealegs.inject.layer_context import FollowingWatcher, ToolRunner, ToolRunnerAsync
from sealegs.inject.tool_state import Substitution

NO_ANSWER = Value(None)  # what a layer is sent after a wait

# What a tool answers to a dry call where it cannot leave its effect away. Known by identity, and never shown: the
# injector then does without, or has the tool run as usual and counts the run.
NO_DRY_RUN = Failure("The tool cannot be run without its effect.", type="NotDry")


def compose_layers(outer: Layer, inner: Layer) -> Layer:
    """One layer from two: calls that `outer` yields go through `inner`; waits of both pass on."""

    def both(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        generator = outer(call)
        try:
            request = next(generator)
            while True:
                if isinstance(request, Call):
                    outcome = yield from inner(request)
                else:
                    outcome = yield request
                request = generator.send(outcome)
        except StopIteration as stop:
            result: Outcome = stop.value
            return result
        finally:
            # Where `inner` raises, or a driver closes this layer, the clean-up of `outer` is due at once.
            generator.close()

    return both


def stack_layers(layers: Sequence[Layer]) -> Layer:
    """One layer from many, the outermost first."""
    if not layers:
        return pass_through
    first, *rest = layers
    for layer in rest:
        first = compose_layers(first, layer)
    return first


def pass_through(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
    """The layer that does nothing."""
    return (yield call)


def under_layers(layers: Sequence[Layer], inner: Layer) -> Layer:
    """One layer from what strikes a call and the layers over it. Chunks pass if every one of these lets them."""
    if not layers:
        return inner
    gathers = not all(getattr(layer, "passes_chunks", False) for layer in layers)
    return compose_layers(stack_layers((*layers, whole_answers) if gathers else layers), inner)


def whole_answers(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
    """Below the layers of others: they may try again or answer otherwise, so nothing is shown before they have."""
    return (yield call if call.chunks is None else replace(call, chunks=None))


def with_timeout(timeout: float, layer: Layer) -> Layer:
    """The layer under a caller whose patience ends after `timeout` seconds of waiting on one call.

    Only waits on the seam count, not the time that the tool itself takes.
    """

    def patient(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        generator = layer(call)
        left = timeout
        try:
            request = next(generator)
            while True:
                if isinstance(request, Wait):
                    if request.seconds > left:
                        yield Wait(left)  # the clock must show the moment at which the caller gave up
                        return caller_timeout(timeout)
                    left -= request.seconds
                request = generator.send((yield request))
        except StopIteration as stop:
            result: Outcome = stop.value
            return result
        finally:
            generator.close()

    return patient


def caller_timeout(timeout: float) -> Failure:
    """The failure that a caller sees after its own timeout."""
    message = f"The call was given up after {timeout:g} s without an answer."
    return Failure(message, type="Timeout", status=408, exception=TimeoutError(message))


def drive(layer: Layer, call: Call, tool: Callable[[Call], Outcome], clock: Clock) -> Outcome:
    """Run a call through a layer, in this thread. What `tool` raises passes through."""
    answer: Outcome = NO_ANSWER
    generator = layer(call)
    try:
        request = next(generator)
        while True:
            if isinstance(request, Call):
                before = running.get()
                running.set(request)
                try:
                    answer = tool(request)
                except StopIteration as error:  # must not pass for the layer's end
                    raise RuntimeError("the tool raised StopIteration") from error
                finally:
                    running.set(before)
            else:
                clock.sleep(request.seconds, generator.close)
                answer = NO_ANSWER
            request = generator.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        generator.close()
        answer = NO_ANSWER  # its exception and this frame would hold one another


async def drive_async(layer: Layer, call: Call, tool: Callable[[Call], Awaitable[Outcome]], clock: Clock) -> Outcome:
    """Run a call through a layer, in this task. What `tool` raises passes through; so does cancellation."""
    answer: Outcome = NO_ANSWER
    generator = layer(call)
    try:
        request = next(generator)
        while True:
            if isinstance(request, Call):
                before = running.get()
                running.set(request)
                try:
                    answer = await tool(request)  # a coroutine cannot raise StopIteration, so no case for it here
                finally:
                    make_current(before, request)
            else:
                await clock.sleep_async(request.seconds, generator.close)
                answer = NO_ANSWER
            request = generator.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        generator.close()
        answer = NO_ANSWER  # its exception and this frame would hold one another


def drive_followed(
    watcher: FollowingWatcher, call: Call, struck: Layer | None, run: ToolRunner, clock: Clock
) -> Outcome:
    """Make a call that a watcher follows, in this thread. `struck`: what strikes it, with the watcher around it."""
    if struck is None:
        return watcher.follow(call, run)
    if type(struck) is Substitution:
        return watcher.follow_struck(call, run, struck.answer)
    return drive(struck, call, run, clock)


async def drive_followed_async(
    watcher: FollowingWatcher, call: Call, struck: Layer | None, run: ToolRunnerAsync, clock: Clock
) -> Outcome:
    """Do the same in this task."""
    if struck is None:
        return await watcher.follow_async(call, run)
    if type(struck) is Substitution:
        return await watcher.follow_struck_async(call, run, struck.answer_async)
    return await drive_async(struck, call, run, clock)
