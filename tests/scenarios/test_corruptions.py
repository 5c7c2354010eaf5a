"""Over the whole corpus: clean answers keep every invariant, and every published fault shown can be told from one."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults import paths
from sealegs.faults.call import Value
from sealegs.faults.corruption import FAMILIES
from sealegs.scenarios.perturbation import PUBLISHED_FAMILIES
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.step_use import step_spec
from sealegs.scenarios.task_sets import base_tasks, task_set
from sealegs.scoring.task_progress import read_fields
from sealegs.traces import build_record
from sealegs.traces.events import outcome_from
from sealegs.world.corpus import load_corpus

TASKS = base_tasks()


@pytest.mark.parametrize("name", TASKS)
def test_clean_answers_keep_every_invariant(name: str) -> None:
    for id, expected in task_set().right_run(name).steps.items():
        spec = load_corpus().spec(TASKS[name].graph.steps[id].tool)
        assert list(spec.violations(expected.arguments, expected.output)) == [], id


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("mode", ["P3", "P4"])
def test_what_is_shown_wrong_can_be_noticed_and_matters(name: str, mode: str) -> None:
    task, read = TASKS[name], read_fields(TASKS[name])
    found = build_record(play_scenario(Scenario(name, mode, implicit=PUBLISHED_FAMILIES), "naive"))
    faulted = [(turn, injection) for turn in found.turns for injection in turn.injections if injection.delivered]
    assert faulted
    for turn, injection in faulted:
        step = task.graph.step_of[turn.call.tool]
        returned, shown = (outcome_from(data) for data in (injection.said, injection.shown) if data is not None)
        assert isinstance(returned, Value)
        assert isinstance(shown, Value)
        spec = step_spec(task, step, load_corpus())
        arguments = {**load_corpus().tools[step.tool].defaults, **turn.call.arguments}
        assert injection.kind in FAMILIES
        assert list(spec.violations(arguments, shown.value)), "nobody could tell"
        assert keys(returned.value) == keys(shown.value)
        changed = [
            path for path in spec.used if paths.values_at(returned.value, path) != paths.values_at(shown.value, path)
        ]
        assert changed, "it changes nothing that is used"
        assert set(changed) <= set(read[step.id])


def test_every_family_of_corruption_is_used() -> None:
    used: Counter[str] = Counter()
    for name in TASKS:
        for rule in Scenario(name, "P3", implicit=PUBLISHED_FAMILIES).plan.rules:
            used[rule.fault.kind] += 1
    assert set(used) == set(FAMILIES)
    assert min(used.values()) >= 10


def keys(value: Any) -> Any:
    """The keys of every object, all the way down; lists may have grown or shrunk."""
    if isinstance(value, Mapping):
        return {key: keys(item) for key, item in value.items() if isinstance(item, Mapping)} | dict.fromkeys(
            key for key, item in value.items() if not isinstance(item, Mapping)
        )
    return None
