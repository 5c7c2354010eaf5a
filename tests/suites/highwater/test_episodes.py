"""Episodes: what is offered, what is refused, and that another way is always left."""

import gzip
import itertools
from pathlib import Path
from typing import Any

import pytest

from sealegs.agents import CODERS
from sealegs.faults.call import Failure, Value
from sealegs.inject import VirtualClock
from sealegs.suites.highwater.coder_engine import play_highwater_episode
from sealegs.suites.highwater.environment import Environment
from sealegs.suites.highwater.highwater_logs import judge_highwater_episode
from sealegs.suites.highwater.libraries import library_data
from sealegs.suites.highwater.own import OWN, compile_own_library
from sealegs.suites.highwater.problem_episodes import (
    EXTERNAL,
    MANNERS,
    PUBLISHED_STYLE,
    REFUSED,
    HighwaterEpisode,
    QuestionStyle,
    choose_problems,
    draw_distractors,
    highwater_episode_from,
    refusable,
)
from sealegs.traces import Recorder, build_record
from sealegs.world.sql.function_library import TABLE, SqlFunction
from tests import needs

KNOWN = library_data()
SOME = choose_problems("", "all", 12, seed=3)


def environment(episode: HighwaterEpisode) -> Environment:
    clock = VirtualClock()
    return Environment(episode, Recorder(clock), clock)


def test_the_shipped_table_is_up_to_date() -> None:
    pytest.importorskip("sqlglot", reason=needs.module("sqlglot"))
    assert gzip.decompress(compile_own_library()) == gzip.decompress((OWN / TABLE).read_bytes()), (
        "run python -m sealegs.suites.highwater.own"
    )


def test_the_package_has_enough() -> None:
    assert len({problem.database for problem in KNOWN.library.problems}) >= 12
    assert sum(problem.id == problem.origin for problem in KNOWN.library.problems) >= 120


def test_whichever_function_is_refused_another_solution_gives_the_rows() -> None:
    for problem in KNOWN.library.problems:
        assert set(refusable(problem)) == problem.functions
        for name in problem.functions:
            left = [solution for solution in problem.solutions if name not in solution.functions]
            assert left
            answer = KNOWN.library.answers(left[0])
            assert isinstance(answer, Value)
            assert sorted(map(repr, answer.value)) == sorted(repr(list(row)) for row in problem.rows)


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_first_function_called_is_refused_for_good_and_the_others_work(first: int) -> None:
    for problem in SOME:
        seen = environment(HighwaterEpisode(problem.id, errors=True))
        steps = list({step.function: step for s in problem.solutions for step in s.steps}.values())
        steps = [*steps[first % len(steps) :], *steps[: first % len(steps)]]
        values = {name: g.value for name, g in steps[0].arguments.items()}
        for _ in range(2):
            refused = seen.answer(steps[0].function, values)
            assert isinstance(refused, Failure)
            assert (refused.type, refused.message) == ("FunctionUnavailable", REFUSED)
        for step in steps[1:]:
            if all(given.rows is None for given in step.arguments.values()):
                assert isinstance(seen.answer(step.function, {n: g.value for n, g in step.arguments.items()}), Value)


def test_the_published_refusal_names_the_function() -> None:
    name = SOME[0].solutions[0].steps[0].function
    refused = environment(HighwaterEpisode(SOME[0].id, True, style=QuestionStyle(refusal="published"))).answer(name, {})
    assert isinstance(refused, Failure)
    assert refused.message == f"{name} is currently unavailable. Please try a different function."


def test_records_are_keyed_by_column_and_can_be_passed_on() -> None:
    for problem in SOME:
        seen = environment(HighwaterEpisode(problem.id, style=QuestionStyle("records")))
        found: list[Any] = []
        for step in problem.solutions[1].steps:
            given = {n: g.value if g.rows is None else found[g.rows] for n, g in step.arguments.items()}
            answer = seen.answer(step.function, given)
            assert isinstance(answer, Value)
            described = seen.answer("get_info", {"tool_name": step.function})
            assert isinstance(described, Value)
            assert all(list(row) == list(described.value["returns"]["items"]["properties"]) for row in answer.value)
            found.append(answer.value)
        assert sorted(repr(list(row.values())) for row in found[-1]) == sorted(repr(list(row)) for row in problem.rows)


def test_a_column_that_is_there_twice_has_two_keys() -> None:
    function = SqlFunction("fn_a", "toy", "whole", "", keys=("name", "city", "name"))
    assert function.as_records([("Ann", "Oslo", "Bo")]) == [{"name": "Ann", "city": "Oslo", "name_2": "Bo"}]
    assert list(function.spec_in("records")["returns"]["items"]["properties"]) == ["name", "city", "name_2"]


def test_a_function_that_finds_nothing_names_the_nearest_value() -> None:
    name, column = next(
        (function.name, parameter.column)
        for function in KNOWN.library.functions.values()
        for parameter in function.parameters
        if len(function.parameters) == 1 and parameter.types == ("string",) and "= :arg_0" in function.sql
        if "name" in parameter.column
    )
    database = KNOWN.library.database(KNOWN.library.functions[name].database)
    (value,) = database.run(f"SELECT {column[1]} FROM {column[0]} ORDER BY 1").rows[0]
    episodes = [HighwaterEpisode(SOME[0].id, style=QuestionStyle(empty_hint=hint)) for hint in (False, True)]
    without, hinting = map(environment, episodes)
    misspelt = {"arg_0": f"{value[:-1]}#"}
    assert without.answer(name, misspelt) == Value([])
    assert hinting.answer(name, misspelt) == Value(
        f"Could not find entry {misspelt['arg_0']!r}. Did you mean {value!r}?"
    )
    assert hinting.answer(name, {"arg_0": value.upper()}) == Value(
        f"Could not find entry {value.upper()!r}. Did you mean {value!r}?"
    )
    assert hinting.answer(name, {"arg_0": "~~~"}) == Value("Could not find entry '~~~'.")
    assert hinting.answer(name, {"arg_0": value}) == without.answer(name, {"arg_0": value})


def test_without_errors_nothing_is_refused() -> None:
    for problem in SOME:
        seen = environment(HighwaterEpisode(problem.id))
        step = problem.solutions[0].steps[0]
        assert seen.answer(step.function, {name: given.value for name, given in step.arguments.items()}) == Value(
            [list(row) for row in problem.rows]
        )


def test_fewer_distractors_are_the_first_of_more_and_none_is_a_solution() -> None:
    for problem in SOME:
        drawn = [draw_distractors(problem, KNOWN.library, 0, count) for count in (0, 3, 9, 27, 81)]
        assert [len(names) for names in drawn] == [0, 3, 9, 27, 81]
        assert all(fewer == more[: len(fewer)] for fewer, more in itertools.pairwise(drawn))
        assert not set(drawn[-1]) & problem.functions
        assert draw_distractors(problem, KNOWN.library, 1, 9) != drawn[2]
        wanted = sorted(repr(list(row)) for row in problem.rows)
        for name in drawn[-1]:
            function = KNOWN.library.functions[name]
            if function.database == problem.database and not function.parameters:
                answer = KNOWN.library.call(name, {})
                assert not isinstance(answer, Value) or sorted(map(repr, answer.value)) != wanted


def test_what_each_setting_offers() -> None:
    problem = SOME[0]
    opened, closed, only = (
        HighwaterEpisode(problem.id, setting=setting) for setting in ("open", "closed", "distractors")
    )
    assert not opened.offered
    assert {one.name for one in closed.offered} > problem.functions
    assert len(closed.offered) == len(problem.functions) + 9
    assert {one.name for one in only.offered} == {one.name for one in closed.offered} - problem.functions
    assert [spec.name for spec in environment(opened).specs] == ["search_tools", "get_info"]
    direct = problem.solutions[0].steps[0].function
    refused = environment(only).answer(direct, {})
    assert isinstance(refused, Failure)
    assert refused.status == 404
    assert isinstance(environment(closed).answer("search_tools", {"query": "x"}), Failure)


def test_the_order_of_what_is_offered_says_nothing() -> None:
    places = []
    for problem in choose_problems("", "all", 100, seed=0):
        offered = [one.name for one in HighwaterEpisode(problem.id, setting="closed").offered]
        places.append(offered.index(problem.solutions[0].functions[0]) / (len(offered) - 1))
    assert 0.4 < sum(places) / len(places) < 0.6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": ""}, "query must be a text"),
        ({"query": 3}, "query must be a text"),
        ({"query": "a", "num_results": 10}, "from 1 to 9, got 10"),
        ({"query": "a", "num_results": True}, "got True"),
        ({"query": "a", "k": 1}, "no argument 'k'"),
        ({}, "query must be a text"),
    ],
)
def test_search_says_what_is_wrong(arguments: dict[str, object], message: str) -> None:
    found = environment(HighwaterEpisode(SOME[0].id)).answer("search_tools", arguments)
    assert isinstance(found, Failure)
    assert message in found.message


def test_search_and_documentation() -> None:
    seen = environment(HighwaterEpisode(SOME[0].id))
    found = seen.answer("search_tools", {"query": "names of stops that a tram line calls at", "num_results": 4})
    assert isinstance(found, Value)
    assert len(found.value) == 4
    assert set(found.value[0]) == {"name", "description"}
    described = seen.answer("get_info", {"tool_name": found.value[0]["name"]})
    assert isinstance(described, Value)
    assert set(described.value) == {"name", "description", "parameters", "returns"}
    missing = seen.answer("get_info", {"tool_name": "fn_nosuch"})
    assert isinstance(missing, Failure)
    assert missing.status == 404


def test_an_episode_is_what_its_record_says() -> None:
    for problem in SOME:
        for setting, own in (("open", ""), ("closed", '{"name": "none", "rules": []}')):
            episode = HighwaterEpisode(problem.id, True, setting, 3, True, 5, own, "", 2)
            assert highwater_episode_from(episode.about({"agent": "x"})) == episode
    published = HighwaterEpisode(SOME[0].id, style=PUBLISHED_STYLE)
    facts = published.about({"agent": "x"})
    assert highwater_episode_from(facts) == published
    assert published.level == "open, as published"
    older = {name: value for name, value in facts.items() if name not in MANNERS}
    assert highwater_episode_from(older).style == QuestionStyle()


@pytest.mark.parametrize("style", [QuestionStyle(), PUBLISHED_STYLE], ids=["own", "published"])
@pytest.mark.parametrize("setting", ["open", "closed"])
@pytest.mark.parametrize(("agent", "clean", "faulty"), [("oracle", 1.0, 1.0), ("naive", 1.0, 0.0)])
def test_the_two_ends_of_the_scale(setting: str, agent: str, clean: float, faulty: float, style: QuestionStyle) -> None:
    for errors, wanted in ((False, clean), (True, faulty)):
        problems = choose_problems("", "all", 60, seed=1)
        episodes = [HighwaterEpisode(problem.id, errors, setting, 3, style=style) for problem in problems]
        verdicts = [
            judge_highwater_episode(one, build_record(play_highwater_episode(one, agent))).verdict for one in episodes
        ]
        assert sum(verdict.right for verdict in verdicts) / len(verdicts) == wanted
        assert all(verdict.exposed == errors for verdict in verdicts)


def test_the_planner_lies_between_and_gives_up_among_distractors() -> None:
    problems = choose_problems("", "validation", None, seed=0)
    verdicts = [
        judge_highwater_episode(one, build_record(play_highwater_episode(one, "planner"))).verdict
        for one in (HighwaterEpisode(problem.id, True) for problem in problems)
    ]
    exposed = [verdict for verdict in verdicts if verdict.exposed]
    # While the refused function's documentation printed the way round, it composed in more than eight of ten.
    assert (len(verdicts), sum(verdict.right for verdict in verdicts)) == (40, 28)
    assert (len(exposed), sum(verdict.composed for verdict in exposed)) == (39, 31)
    only = [
        judge_highwater_episode(one, build_record(play_highwater_episode(one, "planner"))).verdict
        for one in (HighwaterEpisode(problem.id, setting="distractors") for problem in problems)
    ]
    assert sum(verdict.gave_up for verdict in only) / len(only) > 0.8


def test_the_planner_gets_the_question_alone() -> None:
    from sealegs.suites.highwater.coder_engine import agent_for

    quest = agent_for("planner", HighwaterEpisode(SOME[0].id, True)).quest
    assert (quest.solutions, quest.callable, quest.functions) == ((), frozenset(), None)
    assert set(CODERS) == {"oracle", "planner", "naive"}


def test_modes_have_names(tmp_path: Path) -> None:
    assert HighwaterEpisode(SOME[0].id, True).mode == EXTERNAL
    assert HighwaterEpisode(SOME[0].id, hints=True, setting="closed", distractors=27).level == "closed 27 with hints"
