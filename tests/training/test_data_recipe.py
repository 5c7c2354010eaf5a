from pathlib import Path

import pytest

from sealegs.faults.user_error import UserError
from sealegs.training.data.data_recipe import read_data_recipe, shipped_data_recipes


def test_the_default_is_four_parts_of_failures_to_one_clean() -> None:
    recipe = read_data_recipe("default")
    assert (recipe.clean, recipe.continuation) == (0.2, "expert")
    assert sum(recipe.splits.parts().values()) == pytest.approx(1)


def test_every_shipped_recipe_can_be_read() -> None:
    assert {read_data_recipe(name).name for name in shipped_data_recipes()} == {"clean", "default", "failure-only"}


def test_every_mistake_is_reported_at_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nclean: 2\nslipz: 1\nsplits: {train: 0.5}\nprompts: [kind]\ncontinuation: none\n")
    with pytest.raises(UserError) as caught:
        read_data_recipe(str(file))
    text = str(caught.value)
    assert "clean" in text
    assert "slipz" in text
    assert "add up to 0.7" in text


@pytest.mark.parametrize(
    ("text", "word"),
    [("- a list", "object"), ("a: [", "not YAML"), ("name: x\nprompts: [kind]", "no prompt 'kind'"), ("{}", "name")],
)
def test_what_is_no_recipe_is_refused(tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=word):
        read_data_recipe(str(file))


def test_a_recipe_that_is_not_there() -> None:
    with pytest.raises(UserError, match="default"):
        read_data_recipe("nowhere.yaml")
