"""The sets: uniform over the classes, one delivered failure at a known turn, known whether it can be recovered from."""

from collections import Counter
from itertools import permutations

import pytest

from sealegs.agents.path_walkers import Naive
from sealegs.faults.call import Failure, render
from sealegs.inject import VirtualClock
from sealegs.scenarios.labelled_failures.failures import assignment, classes, published_failures, unseen_failures
from sealegs.scoring import judge
from sealegs.suites.paladin import CLEAN, KINDS, SETS
from sealegs.suites.paladin.arm_engine import EpisodeTools, Setup, play_paladin_episode, session
from sealegs.suites.paladin.episodes import ATTEMPTS, PaladinEpisode, episodes_of_set
from sealegs.suites.paladin.holdout_check import holdout_leaks
from sealegs.traces import Recorder, build_record

EPISODES = [episode for name in SETS for episode in episodes_of_set(name)]


def test_the_58_published_failures_keep_their_classes() -> None:
    assert len(published_failures()) == 58
    assert {name: shown.failure_class for name, shown in published_failures().items()} == dict(assignment())
    assert len(classes()) == 7
    for name, shown in published_failures().items():
        if name.isdigit():
            assert shown.fault.failure.status == int(name)  # type: ignore[union-attr]


@pytest.mark.parametrize(("set", "each"), [("eval", 20), ("generalisation", 15), ("toolreflect", 12)])
def test_sets_are_uniform_over_the_classes(set: str, each: int) -> None:
    found = episodes_of_set(set)
    counts = Counter(episode.failure_class for episode in found)
    assert counts.pop(CLEAN) >= each / 3
    assert counts == dict.fromkeys(classes(), each)
    assert len({episode.id for episode in found}) == len(found)
    assert episodes_of_set(set) == found
    assert episodes_of_set(set, seed=1) != found
    kinds = {
        failure_class: Counter(e.kind for e in found if e.failure_class == failure_class) for failure_class in classes()
    }
    assert len({tuple(sorted(kind.items())) for kind in kinds.values()}) == 1  # each class as hard as the others
    assert [e.epoch for e in episodes_of_set(set, limit=1, epochs=2)] == [1] * 8 + [2] * 8


@pytest.mark.parametrize("episode", EPISODES[::3], ids=lambda episode: episode.id)
def test_the_failure_is_delivered_at_its_turn_and_recoverable_as_declared(episode: PaladinEpisode) -> None:
    found = build_record(play_paladin_episode(episode, "planner", Setup("vanilla")))
    verdict = judge(found, episode.case(found))
    faulted = [place for place, turn in enumerate(found.turns, 1) if turn.faulted]
    if episode.kind == CLEAN:
        assert (faulted, verdict.success, episode.turn) == ([], True, 0)
        return
    assert faulted[0] == episode.turn
    assert verdict.exposed
    assert verdict.solvable == (episode.kind != KINDS[2])
    assert len(faulted) == episode.times if episode.kind == KINDS[0] else len(faulted) >= 1
    assert verdict.best is not None
    if episode.kind == KINDS[2]:
        assert verdict.best == 1
    elif episode.kind == KINDS[0]:
        shortest = Naive(episode.briefing).path
        assert verdict.best == 1 + len(shortest) - (episode.turn - 1)  # counted by hand: the rest of the way once more


def test_planner_recovers_from_every_failure_that_it_can_see() -> None:
    left: Counter[tuple[str, int]] = Counter()
    for episode in EPISODES:
        found = build_record(play_paladin_episode(episode, "planner", Setup("vanilla")))
        verdict = judge(found, episode.case(found))
        if not verdict.success:
            left[episode.set, episode.times] += 1
    assert set(left) <= {("toolreflect", 2)}  # it tries a tool twice, and there some fail twice


@pytest.mark.parametrize("kind", KINDS)
def test_answers_to_recovery_actions_do_not_hang_on_their_order(kind: str) -> None:
    found = [
        episode for episode in episodes_of_set("generalisation") if episode.kind == kind and "group" in episode.node
    ]
    for episode in found[:2] or [e for e in episodes_of_set("generalisation") if e.kind == kind][:2]:
        right = episode.tasks.right_run(episode.task).steps
        path = [step.tool for step in Naive(episode.briefing).path]
        victim = path[episode.turn - 1]
        group = [s.tool for s in episode.base.graph.walk()]
        actions = [victim, victim, *[tool for tool in group if tool not in path][:2], path[-1]]
        rendered: dict[tuple[str, int], set[str]] = {}
        for order in sorted(set(permutations(actions))):
            recorder = Recorder(VirtualClock())
            seam = session(episode, Setup("vanilla"), VirtualClock(), recorder)
            tools = EpisodeTools(episode, recorder)
            counts: Counter[str] = Counter()
            for tool in (*path[: episode.turn], *order):
                answer = render(seam.call(tool, right[episode.base.graph.step_of[tool].id].arguments, tools.run))
                rendered.setdefault((tool, counts[tool]), set()).add(answer)
                counts[tool] += 1
        assert {key: len(answers) for key, answers in rendered.items()} == dict.fromkeys(rendered, 1)


def test_the_generalisation_set_is_new() -> None:
    assert holdout_leaks() == []
    assert len(unseen_failures()) == 21
    assert set(Counter(shown.failure_class for shown in unseen_failures().values()).values()) == {3}


def test_what_is_not_new_is_reported() -> None:
    problems = holdout_leaks(["error: nobody listens at that extension, caller hung up"], ["tuning_for_pipeworks"])
    assert any("nobody listens" in problem for problem in problems)
    assert any("tuning_for_pipeworks is known" in problem for problem in problems)


def test_toolreflect_grants_three_attempts_a_call() -> None:
    episode = next(e for e in episodes_of_set("toolreflect") if e.kind == "switch")
    found = build_record(play_paladin_episode(episode, "looper", Setup("vanilla", max_steps=20)))
    failed = [turn.shown for turn in found.turns if isinstance(turn.shown, Failure)]
    assert [f.type for f in failed[:ATTEMPTS]].count("AttemptsExhausted") == 0
    assert {f.type for f in failed[ATTEMPTS:]} == {"AttemptsExhausted"}
    assert sum(turn.faulted for turn in found.turns) == ATTEMPTS
