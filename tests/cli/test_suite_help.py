"""Helps that name suites: made from the suites that are installed, a suite of one's own included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sealegs import cli
from sealegs.suites.maze.suite import MazeSuite
from sealegs.suites.paladin.suite import PaladinSuite
from sealegs.suites.published_rows import PublishedRows
from sealegs.suites.suite import suites


class LabyrinthSuite(MazeSuite):
    name = "labyrinth"
    published = PublishedRows("minotaur", lambda metric, options: ())


class OrderSuite(PaladinSuite):
    name = "order"


class Point:
    """An entry point of a suite's."""

    def __init__(self, suite: Any) -> None:
        self.name, self._suite = suite.name, suite

    def load(self) -> Any:
        return self._suite


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two suites of one's own in the place of ours."""
    points = [Point(LabyrinthSuite()), Point(OrderSuite())]
    monkeypatch.setattr("sealegs.suites.suite.entry_points", lambda group: points)
    kept = suites, cli._command  # a help is filled once
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("report --help", "published rows: minotaur or paladin."),
        ("report --help", "several runs of order;"),
        ("report --help", "a large run of labyrinth or order;"),
        ("rank --help", "a large run of labyrinth or order;"),
        ("grade traces --help", "a suite with questions (order):"),
        ("grade agree --help", "a set that ships: labels, fresh, code or fresh-code."),
        ("detect measure --help", "The suite: labyrinth."),
        ("detect measure maze", "unknown suite 'maze': detectors are measured on labyrinth"),
        ("grade traces nowhere", "`sealegs run order --agent paladin/follower`"),
    ],
)
def test_a_help_names_the_suites_that_are_installed(words: str, shown: str, others: None, tmp_path: Path) -> None:
    done = CliRunner(env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).invoke(cli.app, words.split())
    assert shown in " ".join(f"{done.output} {done.exception}".split())
