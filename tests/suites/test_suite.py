"""Suites as objects: found by entry point, and made into commands."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from sealegs.faults.user_error import UserError
from sealegs.suites.choices import ChoiceError
from sealegs.suites.run_options import HIDDEN, RunOptions, option, options_from
from sealegs.suites.suite import GROUP, Suite, suite_named, suite_reviewed_in, suites, suites_with

MAZE = "sealegs.suites.maze.suite:SUITE"


def test_every_suite_is_found_by_its_entry_point() -> None:
    assert list(suites()) == ["highwater", "inspect", "maze", "micro", "paladin"]
    assert all(isinstance(suite, Suite) and suite.name == name for name, suite in suites().items())


def test_an_unknown_suite_is_named_with_what_was_meant() -> None:
    with pytest.raises(ChoiceError, match="unknown suite 'maz': did you mean maze"):
        suite_named("maz")


def test_an_entry_point_that_holds_no_suite_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "broken"

        def load(self) -> object:
            return object()

    monkeypatch.setattr("sealegs.suites.suite.entry_points", lambda group: [Point()] if group == GROUP else [])
    suites.cache_clear()
    try:
        with pytest.raises(TypeError, match=r"'broken' of sealegs\.suites"):
            suites()
    finally:
        suites.cache_clear()


@pytest.mark.parametrize("name", ["maze", "highwater", "paladin"])
def test_every_option_says_what_it_means(name: str) -> None:
    fields = suites()[name].options.model_fields
    assert set(RunOptions.model_fields) <= set(fields)
    assert all(field.description for field in fields.values() if field.json_schema_extra != HIDDEN)


@pytest.mark.parametrize("name", ["maze", "highwater", "paladin"])
def test_how_a_run_is_made_is_no_part_of_what_it_is(name: str) -> None:
    options = suites()[name].options
    assert options(agent="naive", jobs=1).model_dump() == options(agent="naive", jobs=2).model_dump()
    assert options(agent="naive", seed=1).model_dump() != options(agent="naive", seed=2).model_dump()


class Point:
    """An entry point of a suite's."""

    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value

    def load(self) -> object:
        module, _, name = self.value.partition(":")
        return getattr(import_module(module), name)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([Point("x", "nowhere:SUITE")], r"the suite 'x' \(nowhere:SUITE\) cannot be loaded: ModuleNotFoundError"),
        ([Point("maze", MAZE), Point("maze", MAZE)], "two installed packages bring a suite named 'maze'"),
        ([Point("labyrinth", MAZE)], "the entry point 'labyrinth' of sealegs.suites holds a suite named 'maze'"),
    ],
)
def test_a_package_that_cannot_be_used_is_named(
    points: list[Point], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sealegs.suites.suite.entry_points", lambda group: points)
    suites.cache_clear()
    with pytest.raises(UserError, match=message):
        suites()
    suites.cache_clear()


def test_what_was_published_is_a_part_of_the_suite() -> None:
    named = {name: suite.published.name for name, suite in suites().items() if suite.published}
    assert named == {"highwater": "hohw", "maze": "toolmaze", "micro": "", "paladin": "paladin"}
    metrics = {"highwater": "accuracy_under_errors", "maze": "tsr_as_published", "micro": "hr", "paladin": "rr"}
    for name, metric in metrics.items():
        published = suites()[name].published
        assert published is not None
        assert published.measured_as(metric, {}), name
        assert not published.measured_as("nothing", {}), name
        assert {row["metric"] for row in published.rows([metric, "nothing"])} == {metric}, name


def test_a_suite_says_what_it_can_do_by_the_method_that_it_has() -> None:
    assert list(suites_with(Suite.grade)) == ["paladin"]
    assert list(suites_with(Suite.measure_detection)) == ["maze"]
    assert list(suites_with(Suite.grade_review)) == ["maze"] == list(suites_with(Suite.holds_review))


def test_a_review_is_graded_by_the_suite_that_knows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first suite with reviews used to grade every one of them."""
    (tmp_path / "review.json").write_text("{}", "utf-8")
    assert suite_reviewed_in(tmp_path) is suites()["maze"]
    monkeypatch.setattr(type(suites()["paladin"]), "holds_review", lambda self, folder: (folder / "own.json").exists())
    (tmp_path / "other").mkdir()
    (tmp_path / "other/own.json").touch()
    assert suite_reviewed_in(tmp_path / "other") is suites()["paladin"]
    with pytest.raises(UserError, match="holds no review"):
        suite_reviewed_in(tmp_path / "missing")
    assert {name: list(suite.label_sets) for name, suite in suites().items() if suite.label_sets} == {
        "paladin": ["labels", "fresh", "code", "fresh-code"]
    }
    for name, suite in suites().items():
        if name != "maze":
            with pytest.raises(UserError, match=f"detectors are not measured on {name}"):
                suite.measure_detection("", None, 1, 0, False, None, lambda *_: None)


def test_a_value_out_of_bounds_is_named_with_its_option() -> None:
    class Bounded(RunOptions):
        most_units: int = option(1, "How many.", ge=1, le=5)

    with pytest.raises(ChoiceError, match=r"^--most-units 9: Input should be less than or equal to 5$"):
        options_from(Bounded, {"agent": "x", "most_units": 9})
