import json
from pathlib import Path

import pytest

from sealegs.faults.mistake import Mistake
from sealegs.scenarios.task_sets import base_tasks
from sealegs.suites.paladin.toolbench.exporting import TASKS, conversation_of
from sealegs.tasks.reading import task_data
from sealegs.training.data.attempts import Making, found
from sealegs.training.data.checks import played_again
from sealegs.training.data.recipe import DataRecipe
from sealegs.training.data.sources import DataSources, bases
from sealegs.world.corpus import load

RECIPE = DataRecipe.model_validate(
    {"name": "all", "splits": {"train": 1, "validation": 0, "test": 0, "generalisation": 0}, "variants": 3}
)


def test_trajectories_in_toolbench_form_become_tasks(tmp_path: Path) -> None:
    file = tmp_path / "traces.json"
    file.write_text(json.dumps([conversation_of(task) for task in TASKS[:8]]))
    making = Making(RECIPE, DataSources(shipped=False, trajectories=(str(file),)), 20, 0, "both")
    made = [row for row in (found(making, number)[1] for number in range(20)) if row is not None]
    assert len(made) > 14
    assert {row["base_task"].split(":")[0] for row in made} == {"traces.json"}
    assert {row["failing"] for row in made} == {True, False}
    for row in made:
        assert list(played_again(row, making)) == []


def test_a_folder_of_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    groups = load().groups
    tasks = [task_data(task, groups) for task in list(base_tasks().values())[:5]]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    named = bases(DataSources(shipped=False, folders=(str(folder),)))
    assert list(named) == [f"mine:{task['id']}" for task in tasks]
    assert len(bases(DataSources(folders=(str(folder),)))) == 405
    assert not set(bases(DataSources(), ("c1-*", "c4-*"))) & {"c1-01", "c4-01"}


def test_every_source_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    sources = DataSources(False, (str(tmp_path / "a"), str(tmp_path / "b")), (str(tmp_path / "c.json"),))
    with pytest.raises(Mistake) as told:
        bases(sources)
    assert str(told.value).count(str(tmp_path)) >= 3
    with pytest.raises(Mistake, match="no task"):
        bases(DataSources(shipped=False))
