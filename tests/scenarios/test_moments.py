"""When faults strike the actions of maze: what is drawn, what the ledger proves, what each agent makes of it."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.call import Call, Failure, Value
from sealegs.scenarios.moments import PUBLISHED, SETTINGS, possible_moments
from sealegs.scenarios.perturbation import LADDER, PUBLISHED_FAMILIES
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scenarios.system_prompts import scenario_prompt
from sealegs.scoring import Verdict, judge
from sealegs.traces import Record, build_record
from sealegs.world.corpus import load_corpus
from sealegs.world.state import World

FAULTY = ("P1", "P2", "P3", "P4")


@cache
def played(agent: str, moment: str, limit: int = 12, implicit: str = LADDER) -> list[tuple[Scenario, Record, Verdict]]:
    """Every episode of the first tasks of each level."""
    found = []
    for episode in list_scenarios(limit=limit, moment=moment, implicit=implicit):
        seen = build_record(play_scenario(episode, agent))
        found.append((episode, seen, judge(seen, episode.case(seen))))
    return found


@pytest.mark.parametrize("moment", SETTINGS)
def test_the_oracle_is_at_the_ceiling_whatever_the_moment(moment: str) -> None:
    for episode, _, verdict in played("oracle", moment):
        assert (verdict.success, verdict.redundancy) == (True, 0), (episode.id, verdict.reasons)
        assert verdict.exposed == (episode.mode in FAULTY)
        assert (verdict.doubled, verdict.wrong) == (0, 0)


@pytest.mark.parametrize("moment", ["draw", "after"])
def test_who_looks_before_repeating_always_recovers(moment: str) -> None:
    assert [
        episode.id
        for episode, _, verdict in played("verifier", moment, implicit=PUBLISHED_FAMILIES)
        if not verdict.success
    ] == []


def test_blind_repetition_doubles_and_the_reason_says_so() -> None:
    doubled = [verdict for _, _, verdict in played("planner", "after", 40) if verdict.doubled]
    assert doubled
    for verdict in doubled:
        assert not verdict.success
        assert "done more than once" in "; ".join(verdict.reasons)
        assert verdict.attribution == "doubled"


def test_the_published_setting_promises_that_nothing_was_done() -> None:
    for episode, seen, verdict in played("planner", PUBLISHED, implicit=PUBLISHED_FAMILIES):
        assert verdict.success, episode.id
        assert not any(spec.name in load_corpus().histories for spec in episode.specs)
        assert not episode.risks
        injections = [injection for turn in seen.turns for injection in turn.injections if injection.delivered]
        assert {injection.moment for injection in injections} <= {"before", ""}


@pytest.mark.parametrize("moment", ["draw", "during", "after"])
def test_the_ledger_proves_the_moment_of_every_injection(moment: str) -> None:
    counted: Counter[str] = Counter()
    for episode, seen, _ in played("oracle", moment):
        graph, reference = episode.base.graph, episode.set.right_run(episode.task)
        for turn in seen.turns:
            for injection in (injection for injection in turn.injections if injection.delivered):
                wanted = reference.steps[graph.step_of[turn.call.tool].id].effects
                done = {"": 0, "before": 0, "after": len(wanted)}.get(injection.moment)
                assert len(turn.effects) == done if done is not None else 0 < len(turn.effects) < len(wanted)
                assert bool(wanted) == bool(injection.moment)
                counted[injection.moment] += 1
    if moment == "draw":
        assert {"", "before", "after"} <= set(counted)
    else:
        assert moment in counted


def test_the_draw_is_in_the_plan_and_even() -> None:
    counted: Counter[object] = Counter()
    for episode in list_scenarios(modes=FAULTY):
        for rule in episode.plan.rules:
            step = rule.id.partition(":")[2]
            able = possible_moments(episode.task, episode.base.graph.step_of[step].id, "")
            assert (rule.moment is None) == (not able)
            if len(able) == 2:
                counted[rule.moment] += 1
    assert set(counted) == {"before", "after"}
    share = counted["before"] / counted.total()
    assert abs(share - 0.5) < 3 * (0.25 / counted.total()) ** 0.5


def test_actions_are_offered_with_what_shows_their_deeds() -> None:
    for episode in list_scenarios(modes=("NP",)):
        offered = {spec.name: spec for spec in episode.specs}
        for spec in offered.values():
            if spec.effects:
                assert spec.shown_by in offered
                assert "second" in spec.description or "epeat" in spec.description or "again" in spec.description


def test_prompts_say_what_holds_of_a_failed_action() -> None:
    assert "has had no effect" in scenario_prompt("standard", PUBLISHED)
    for moment in set(SETTINGS) - {PUBLISHED}:
        assert "may have had its effect" in scenario_prompt("failure-aware", moment)


def test_a_history_shows_what_a_lost_answer_left_behind() -> None:
    corpus, world = load_corpus(), World()
    tool = corpus.tools["send_email"]
    call = Call(tool.name, tool.examples[0], id="call-1")
    before = corpus.run(Call(tool.shown_by, {"operation": tool.name}), world)
    answer = corpus.run(call, world)
    after = corpus.run(Call(tool.shown_by, {"operation": tool.name}), world)
    assert not isinstance(before, Failure)
    assert not isinstance(after, Failure)
    assert before.value["count"] == 0
    assert isinstance(answer, Value)
    assert [entry["result"] for entry in after.value["entries"]] == [answer.value]
