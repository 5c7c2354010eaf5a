"""What the actions say of repetition is true of every call that a base task makes, not only of the examples."""

from dataclasses import replace

import pytest

from sealegs.faults.call import Call, Effect, Failure, Outcome, Value
from sealegs.scenarios import LEVELS
from sealegs.scenarios.task_sets import base_tasks
from sealegs.world.corpus import Corpus, load_corpus
from sealegs.world.reference_runs import reference
from sealegs.world.state import World
from sealegs.world.tool import SimulatedTool

CORPUS = load_corpus()


class Repeating(Corpus):
    """The corpus; each call of an action is also tried twice, and in parts, in copies of the world."""

    def run(self, call: Call, world: World) -> Outcome:
        tool, before = self.tools[call.tool], world.fork()
        outcome = super().run(call, world)
        if tool.category == "action" and isinstance(outcome, Value):
            made = world.effects[len(before.effects) :]
            assert len(made) <= tool.parts
            self._repeated(call, tool, outcome, world.fork())
            for kept in range(1, len(made)):
                place = before.fork()
                super().run(replace(call, cut=kept), place)
                assert len(place.effects) == len(before.effects) + kept
                assert super().run(call, place) == outcome
                assert deeds(place) == deeds(world)
        return outcome

    def _repeated(self, call: Call, tool: SimulatedTool, first: Value, world: World) -> None:
        history, done = self.history_of(tool.name), len(world.effects)
        assert history is not None
        shown = super().run(Call(history.name, {"operation": tool.name}), world)
        assert isinstance(shown, Value)
        entry = shown.value["entries"][-1]
        assert (entry["request"], entry["result"]) == (tool.arguments(call.arguments), first.value)
        second = super().run(call, world)
        if len(world.effects) > done:
            assert tool.repeat == "again", call
        elif isinstance(second, Failure):
            assert tool.repeat in ("refused", "again"), call
        else:
            assert (tool.repeat, second) == ("no_effect", first), call


def deeds(world: World) -> list[Effect]:
    """The effects, whoever called."""
    return [replace(effect, call="") for effect in world.effects]


@pytest.mark.parametrize("level", LEVELS)
def test_base_tasks(level: str) -> None:
    corpus = Repeating(CORPUS.tools, CORPUS.groups, CORPUS.overlaps, CORPUS.histories)
    for task in base_tasks().values():
        if task.level == level:
            reference(task, corpus)
