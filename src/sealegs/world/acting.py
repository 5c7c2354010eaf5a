"""Running an action: the whole of it, a part, or the rest of what was begun, and the journal of that.

A call that is cut (`Call.cut`) leaves its first effects in the ledger, for what has gone out cannot be called back, and
its changes of state are rolled back. An identical call later does the whole and enters only what was missing. A call
with an idempotency key that a completed call had is answered from the journal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.faults.call import Call, Effect, Failure, Outcome, PartialExecution, Value
from sealegs.world.state import JournalEntry, World, copy_json
from sealegs.world.tool import SimulatedTool


def run_action(tool: SimulatedTool, call: Call, arguments: Mapping[str, Any], world: World) -> Outcome:
    """Run one call of an action, and enter it into the journal; a repetition without effect is not entered again.

    Args:
        tool: the action.
        call: the call; how much of it is done, and in whose name.
        arguments: those of the call, validated, with defaults.
        world: where it is done.

    Raises:
        Refusal: the action refuses.
    """
    request: dict[str, Any] = copy_json(arguments)
    known = _known(tool, request, world) if tool.key else None
    if known is not None:
        return known
    # The key is the journal's affair: no tool's function takes it.
    given = {name: value for name, value in arguments.items() if name != tool.key}
    begun = world.begun(tool.name, request)
    made = begun.effects if begun else ()
    if call.cut is not None:
        part = _part(tool, call, given, world)
        # A cut that leaves nothing out is none: the call is then done as a whole.
        if part is not None:
            answer, effects = part
            _leave(JournalEntry(tool.name, request, "partial", made), effects, world)
            return PartialExecution(answer)
    before = len(world.effects)
    # Entries that an interrupted call left in the ledger are not made a second time.
    world.resuming(made)
    try:
        answer = tool.run(world, **given)
    finally:
        # After a refusal too: what a later call does must not be taken for what is there already.
        world.resuming(())
    effects = (*made, *world.effects[before:])
    if effects or not any(e.operation == tool.name and e.request == request for e in world.journal):
        world.enter(JournalEntry(tool.name, request, "completed", effects, copy_json(answer)))
    return Value(answer)


def _known(tool: SimulatedTool, request: Mapping[str, Any], world: World) -> Outcome | None:
    """The answer to a key that was used before; None where the call is to be done."""
    key = request.get(tool.key)
    used = (entry for entry in world.journal if entry.operation == tool.name and entry.request.get(tool.key) == key)
    earlier = next(used, None) if key else None
    if earlier is None:
        return None
    if earlier.request != request:
        message = f"The {tool.key} {key!r} was used before for another request; choose a new one."
        return Failure(message, type="IdempotencyKeyReused", status=422, body={tool.key: key})
    return Value(copy_json(earlier.result)) if earlier.status == "completed" else None


def _part(
    tool: SimulatedTool, call: Call, given: Mapping[str, Any], world: World
) -> tuple[Any, tuple[Effect, ...]] | None:
    """The answer and the first effects of a call that is cut; None where it has no more effects than that."""
    trial = world.fork()
    trial.during(call.id)
    answer = tool.run(trial, **given)
    effects = trial.effects[len(world.effects) :]
    kept = max(call.cut or 0, 0)
    return None if len(effects) <= kept else (answer, tuple(effects[:kept]))


def _leave(entry: JournalEntry, effects: tuple[Effect, ...], world: World) -> None:
    """Enter the effects of a call of which only these happen, less those that an earlier one made."""
    before = len(world.effects)
    world.resuming(entry.effects)
    for effect in effects:
        world.effect(effect.action, effect.subject, **effect.details)
    world.resuming(())
    done = (*entry.effects, *world.effects[before:])
    if done:
        world.enter(JournalEntry(entry.operation, entry.request, "partial", done))
