"""The talk in code: what a message asks for, what it is shown, and that code and plain calls are one thing."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines.direct import no_note
from sealegs.faults.call import Value
from sealegs.sandbox import Kernel, Pool, StartFailed, find_isolation, launcher
from sealegs.sandbox.conversation import CodeTurn
from sealegs.suites.highwater.code_writer import CODE, LONGEST, printed_outcome
from sealegs.suites.highwater.coder_engine import play_highwater_episode, play_highwater_episodes
from sealegs.suites.highwater.coder_run import run_scripted_coder
from sealegs.suites.highwater.coder_setup import CoderSetup
from sealegs.suites.highwater.coding_protocol import (
    action,
    solution,
    turn_observation,
    unwrap_observation,
    wrap_observation,
)
from sealegs.suites.highwater.highwater_logs import read_highwater_run
from sealegs.suites.highwater.interpreter import NoKernel
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode, choose_problems, episodes_of_problems
from sealegs.traces import build_record
from tests import needs

strong = pytest.mark.skipif(not find_isolation().strong, reason=needs.STRONG)


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        ("<thought>a</thought><execute>x = 1</execute>", "execute", "x = 1"),
        ("<execute>\nx = 1\nx\n</execute> <solution>5</solution>", "execute", "x = 1\nx"),
        ("<execute>```python\nx = 1\n```</execute>", "execute", "x = 1"),
        ("<execute>\n```\nif x:\n    y()\n```\n</execute>", "execute", "if x:\n    y()"),
        ("<execute>\n    x = 1\n    y = 2\n</execute>", "execute", "x = 1\ny = 2"),
        ("<execute>print(1)", "execute", "print(1)"),
        ("< EXECUTE >print(1)</ execute >", "execute", "print(1)"),
        ("<execute>a()</execute><observation>made up</observation><execute>b()</execute>", "execute", "a()"),
        ("so <solution>[[1]]</solution>", "solution", "<solution>[[1]]</solution>"),
        ("<solution>1</solution><execute>x</execute>", "solution", "<solution>1</solution><execute>x</execute>"),
        ("<solution>[[1]]", "solution", "<solution>[[1]]"),
        ("The answer is 5.", "none", ""),
        ("", "none", ""),
    ],
)
def test_the_first_action_counts(message: str, kind: str, text: str) -> None:
    found = action(message)
    assert (found.kind, found.text) == (kind, text)


def test_observations() -> None:
    assert turn_observation(CodeTurn("5\n", None, "finished", (), 0.1)) == "<observation>\n5\n</observation>"
    assert unwrap_observation(turn_observation(CodeTurn("", "Traceback: x", "raised", (), 0.1))) == "Traceback: x"
    assert "nothing was printed" in turn_observation(CodeTurn("", None, "finished", (), 0.1))
    assert unwrap_observation(wrap_observation("a\nb")) == "a\nb"
    assert solution([["é", 1]]) == '<solution>[["é", 1]]</solution>'


@strong
@pytest.mark.parametrize("agent", ["oracle", "planner", "naive"])
def test_code_makes_the_calls_that_the_agent_makes_without(agent: str) -> None:
    played = [
        HighwaterEpisode(problem.id, errors, setting, 9)
        for problem in choose_problems("", "all", 4, seed=2)
        for errors in (False, True)
        for setting in ("open", "closed")
    ]
    with Pool(launcher(), size=1) as pool:
        for episode in played:
            plain, coded = (
                build_record(play_highwater_episode(episode, agent)),
                build_record(play_highwater_episode(episode, agent, pool=pool)),
            )
            assert coded.end.reason == plain.end.reason == "answered", coded.end.detail
            assert coded.turns == plain.turns
            assert coded.answer == plain.answer
            assert len(coded.messages) == len(plain.messages)
            assert all("<execute>" in message for message in coded.messages)


class NoPool(Pool):
    """Has no kernel to give, or one that does not come up."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def take(self) -> Kernel:
        raise self._error


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "Too many open files"), StartFailed("bwrap: no space")])
def test_a_machine_that_starts_no_kernel_is_no_result_of_the_agent(error: Exception) -> None:
    """As a crash of the agent, it would stay in the records of a run that seems whole."""
    episode = HighwaterEpisode(choose_problems("", "all", 1, seed=2)[0].id, False, "open", 9)
    with pytest.raises(NoKernel, match="the same command resumes the run"):
        play_highwater_episode(episode, "planner", pool=NoPool(error))


@strong
def test_long_answers_are_not_printed_whole_and_can_be_passed_on() -> None:
    assert LONGEST < 20_000  # what a turn shows


RECORDS = [{"the_name_of_a_column_that_is_long": row, "another_name_of_a_column": "x" * 60} for row in range(150)]


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        ([[1, "a"], [2, "b"]], [[1, "a"], [2, "b"]]),
        (RECORDS[:2], RECORDS[:2]),
        (RECORDS, [list(row.values()) for row in RECORDS]),
        ([["x" * 100]] * 200, {"rows": 200}),
        ([{"name": "x" * 100}] * 200, {"rows": 200}),
    ],
)
def test_a_long_answer_is_printed_without_its_columns_names(
    answer: Any, printed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(CODE.format(nth=0, tool="fn", arguments="", longest=LONGEST), {"fn": lambda: answer})
    assert json.loads(capsys.readouterr().out) == json.loads(printed_outcome(Value(answer))) == printed


def test_a_run_that_is_stopped_goes_on(tmp_path: Path) -> None:
    settings = HighwaterOptions(agent="planner", limit=10, interface="calls")
    folder = tmp_path / "run"

    def stop(done: int, total: int) -> None:
        assert total == 20
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_scripted_coder(settings, folder, stop, jobs=1)
    assert len(read_highwater_run(folder).records) == 7
    progress: list[int] = []
    run_scripted_coder(settings, folder, lambda done, total: progress.append(done), jobs=1)
    assert progress[0] == 7
    whole = {record_.episode: record_ for record_ in read_highwater_run(folder).records.values()}
    fresh = episodes_of_problems(choose_problems("", "test", 10, 0), ("off", "on"), distractors=9)
    assert {one.id for one in fresh} == set(whole)


def test_equal_settings_give_equal_records() -> None:
    played = episodes_of_problems(choose_problems("", "test", 5, 0), ("off", "on"))
    setup = CoderSetup(interface="calls")
    once, again = (sorted(play_highwater_episodes(played, no_note, "planner", setup, jobs=1)) for _ in range(2))
    assert once == again
