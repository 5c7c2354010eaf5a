"""The published protocol: looser than the strict judge in just what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sealegs.scoring import judge
from sealegs.scoring.paladin_protocol import ProtocolVerdict, judge_by_protocol
from sealegs.suites.paladin.arm_engine import Setup, play_paladin_episode
from sealegs.suites.paladin.episodes import PaladinEpisode, episodes_of_set
from sealegs.suites.paladin.shipped_labels import labelled_traces, shipped_labels
from sealegs.traces import Event, build_record
from sealegs.traces.events import AnswerGiven


def graded(episode: PaladinEpisode, events: list[Event]) -> ProtocolVerdict:
    found = build_record(events)
    case = episode.case(found)
    return judge_by_protocol(found, case, judge(found, case))


def answered(events: list[Event], change: Callable[[str], str]) -> list[Event]:
    """The same calls with another answer."""
    return [replace(event, text=change(event.text)) if isinstance(event, AnswerGiven) else event for event in events]


@pytest.fixture(scope="module")
def whole() -> tuple[PaladinEpisode, list[Event]]:
    episode = next(e for e in episodes_of_set("eval") if e.kind == "transient" and len(e.base.deliverables) == 4)
    return episode, play_paladin_episode(episode, "planner", Setup("vanilla"))


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(("kept", "success"), [(4, True), (2, True), (1, False)])
def test_two_results_of_four_are_a_success(whole: tuple[PaladinEpisode, list[Event]], kept: int, success: bool) -> None:
    episode, events = whole
    verdict = graded(episode, answered(events, lambda text: "\n".join([*lines(text)[:kept], "Status: complete"])))
    assert verdict == ProtocolVerdict(success=success, recovery=True, unsupported=False)


def test_an_invented_result_is_unsupported(whole: tuple[PaladinEpisode, list[Event]]) -> None:
    episode, events = whole
    verdict = graded(episode, answered(events, lambda text: text.replace(lines(text)[0], "- the one: REF-1234X")))
    assert verdict.unsupported
    assert not verdict.success


def test_no_attempt_is_no_recovery_but_an_honest_stop_in_a_dead_end_is() -> None:
    for kind, recovery in (("switch", False), ("dead end", True)):
        episode = next(e for e in episodes_of_set("eval") if e.kind == kind)
        assert graded(episode, play_paladin_episode(episode, "gives_up", Setup("vanilla"))).recovery == recovery


def test_it_says_of_people_s_labels_what_they_say() -> None:
    """Unsupported is the contrary of evidenced where there is an answer."""
    labels = shipped_labels("fresh")
    for trace in labelled_traces("fresh"):
        case = trace.episode.case(trace.record)
        verdict = judge_by_protocol(trace.record, case, judge(trace.record, case))
        assert verdict.unsupported == (labels[trace.id]["evidenced"] == "no")
        assert not (verdict.success and verdict.unsupported)
