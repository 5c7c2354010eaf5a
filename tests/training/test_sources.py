import json
from pathlib import Path

import pytest

from sealegs.faults.user_error import UserError
from sealegs.scenarios.task_sets import base_tasks
from sealegs.scenarios.toolbench.toolbench_export import TASKS, conversation_of
from sealegs.tasks.yaml_tasks import task_data
from sealegs.training.data.attempts import SetDefinition, first_fit_row
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.set_checks import played_again
from sealegs.training.data.task_sources import DataSources, all_base_tasks
from sealegs.world.corpus import load_corpus

RECIPE = DataRecipe.model_validate(
    {"name": "all", "splits": {"train": 1, "validation": 0, "test": 0, "generalisation": 0}, "variants": 3}
)


def test_trajectories_in_toolbench_form_become_tasks(tmp_path: Path) -> None:
    file = tmp_path / "traces.json"
    file.write_text(json.dumps([conversation_of(task) for task in TASKS[:8]]))
    making = SetDefinition(RECIPE, DataSources(shipped=False, trajectories=(str(file),)), 20, 0, "both")
    made = [row for row in (first_fit_row(making, number)[1] for number in range(20)) if row is not None]
    assert len(made) > 14
    assert {row["base_task"].split(":")[0] for row in made} == {"traces.json"}
    assert {row["failing"] for row in made} == {True, False}
    for row in made:
        assert list(played_again(row, making)) == []


def test_a_folder_of_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    groups = load_corpus().groups
    tasks = [task_data(task, groups) for task in list(base_tasks().values())[:5]]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    named = all_base_tasks(DataSources(shipped=False, folders=(str(folder),)))
    assert list(named) == [f"mine:{task['id']}" for task in tasks]
    assert len(all_base_tasks(DataSources(folders=(str(folder),)))) == 405
    assert not set(all_base_tasks(DataSources(), ("c1-*", "c4-*"))) & {"c1-01", "c4-01"}


def test_every_source_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    sources = DataSources(False, (str(tmp_path / "a"), str(tmp_path / "b")), (str(tmp_path / "c.json"),))
    with pytest.raises(UserError) as caught:
        all_base_tasks(sources)
    assert str(caught.value).count(str(tmp_path)) >= 3
    with pytest.raises(UserError, match="no task"):
        all_base_tasks(DataSources(shipped=False))
