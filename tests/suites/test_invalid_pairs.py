"""Comparisons of runs with invalid episodes are of the episodes that are valid in both, whoever's provider was down."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.engines.folders import RECORDS
from sealegs.faults.user_error import UserError
from sealegs.scoring.metric import ALL
from sealegs.suites.ranked_runs import ranked_tables
from sealegs.suites.suite import suites

RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "maze": ({"agent": "planner"}, {"agent": "retrier"}),
    "highwater": ({"agent": "oracle"}, {"agent": "planner"}),
    "paladin": ({"agent": "follower", "arm": "paladin"}, {"agent": "follower", "arm": "vanilla"}),
}
EVERY = range(10_000)  # of a run's episodes
MORE: dict[str, dict[str, Any]] = {"maze": {"levels": "C1,C2", "modes": "NP,P1,P2"}, "highwater": {"limit": 6}}


def invalidate(source: Path, target: Path, chosen: Collection[int]) -> Path:
    """Copy a run, with the episodes at these places marked as failures of the provider."""
    target.mkdir(parents=True)
    (target / "run.json").write_text((source / "run.json").read_text("utf-8"), "utf-8")
    events = [json.loads(line) for line in (source / RECORDS).read_text("utf-8").splitlines()]
    names = sorted({event["episode"] for event in events if event["type"] == "started"})
    for event in events:
        if event["type"] == "started" and names.index(event["episode"]) in chosen:
            event["about"]["outside"] = "the provider could not be called"
    (target / RECORDS).write_text("".join(f"{json.dumps(event)}\n" for event in events), "utf-8")
    return target


@pytest.fixture(scope="module", params=RUNS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Two runs of a suite, in two epochs."""
    home = tmp_path_factory.mktemp("played")
    suite = suites()[request.param]
    for name, who in zip(("one", "other"), RUNS[request.param], strict=True):
        given = {"jobs": 1, "limit": 2, "epochs": 2, **MORE.get(request.param, {}), **who}
        suite.run_scripted(suite.options(**given).checked(), home / name, lambda *_: None)
    return request.param, home


def differences(folder: Path) -> list[tuple[Any, ...]]:
    (table,) = ranked_tables([folder])
    return [(one.figure, one.p) for one in table.ranking.comparisons]


def test_an_episode_that_is_invalid_in_one_run_is_as_one_that_is_invalid_in_both(
    played: tuple[str, Path], tmp_path: Path
) -> None:
    _, home = played
    (whole,) = ranked_tables([home])
    first, second = whole.entrants
    assert first.names == second.names, "nothing in a name tells who played"
    assert len(first.names) == len(first.episodes), "each episode has a name of its own"
    for place in (0, 1, len(first.episodes) // 2, len(first.episodes) - 1):
        cases = {"one": ([place], []), "other": ([], [place]), "both": ([place], [place])}
        found = []
        for case, (mine, theirs) in cases.items():
            folder = tmp_path / str(place) / case
            invalidate(home / "one", folder / "one", mine)
            invalidate(home / "other", folder / "other", theirs)
            found.append(differences(folder))
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("played", ["maze"], indirect=True)
def test_a_ranking_has_the_differences_of_two_reports_in_several_epochs(
    played: tuple[str, Path], tmp_path: Path
) -> None:
    name, home = played
    invalidate(home / "one", tmp_path / "one", [2, 5])
    invalidate(home / "other", tmp_path / "other", [5, 9])
    rows = suites()[name].report(tmp_path / "other", str(tmp_path / "one")).compared
    (row,) = [row for row in rows if (row["metric"], row["level"]) == ("composite_difference", ALL)]
    (table,) = ranked_tables([tmp_path])
    (found,) = table.ranking.comparisons
    assert [one.name for one in table.entrants] == ["planner", "retrier"]
    assert tuple(found.figure) == (row["value"], row["low"], row["high"], row["n"])
    assert found.figure.n == len(table.entrants[0].names) + 2 - 3, "three episodes are invalid in either run"


def test_a_model_without_a_valid_episode_is_named_and_has_no_rank(played: tuple[str, Path], tmp_path: Path) -> None:
    _, home = played
    dead = invalidate(home / "one", tmp_path / "a dead one", EVERY)  # read first, and yet it decides nothing
    alive = invalidate(home / "other", tmp_path / "other", ())
    (whole,), (table,) = ranked_tables([home]), ranked_tables([tmp_path])
    assert table.metric == whole.metric
    assert table.entrants[0].tasks == whole.entrants[0].tasks
    assert [table.entrants[one.entrant].source for one in table.standings] == [str(alive)]
    files = [part for name in ("html", "latex", "csv") for part in (f"--{name}", str(tmp_path / f"x.{name}"))]
    done = CliRunner().invoke(app, ["rank", str(tmp_path), "--all-pairs", *files])
    assert done.exit_code == 3, done.output
    count, name = len(whole.entrants[0].names), table.entrants[0].name
    said = " ".join(done.output.split())
    assert f"{name} has no valid episode ({count} of {count} are invalid) and is not ranked." in said
    with pytest.raises(UserError, match=rf"nothing can be ranked: \S+ \({dead}\) has no valid episode \({count} of"):
        ranked_tables([dead])


@pytest.mark.parametrize("played", ["maze"], indirect=True)
def test_runs_of_one_plan_are_compared_though_the_provider_was_down(played: tuple[str, Path], tmp_path: Path) -> None:
    name, home = played
    dead = invalidate(home / "one", tmp_path / "dead", EVERY)
    assert suites()[name].report(home / "other", str(dead)).compared == []
    assert suites()[name].report(dead, str(home / "other")).compared == []


@pytest.mark.parametrize("played", ["maze"], indirect=True)
def test_what_is_missing_in_the_other_run_is_said_and_decides_the_exit_code(
    played: tuple[str, Path], tmp_path: Path
) -> None:
    _, home = played
    other = invalidate(home / "one", tmp_path / "other", range(4))
    lines = (other / RECORDS).read_text("utf-8").splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if json.loads(line)["type"] == "started")
    (other / RECORDS).write_text("".join(lines[:last]), "utf-8")  # as if it were stopped before its last episode
    arguments = ["report", str(home / "other"), "--html", str(tmp_path / "page.html"), "--against"]
    assert CliRunner().invoke(app, [*arguments, str(home / "one")]).exit_code == 0
    done = CliRunner().invoke(app, [*arguments, str(other)])
    assert done.exit_code == 3
    said = " ".join(done.output.split())
    assert "too many invalid episodes in the run that this one is compared with: 4 of 23 (17.4 %)" in said
    assert f"{other}: 4 episodes are invalid and in no rate" in said
    assert f"{other}: 23 of 24 episodes are finished" in said
    assert f"{other}: 4 episodes are invalid" in (tmp_path / "page.html").read_text("utf-8")
    dead = invalidate(home / "one", tmp_path / "dead", EVERY)
    done = CliRunner().invoke(app, [*arguments, str(dead)])
    assert done.exit_code == 3
    assert f"{dead}: no episode is valid in both runs, so there are no differences" in " ".join(done.output.split())
