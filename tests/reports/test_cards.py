"""What a card holds: calls in words, the fault, the drawing, and which episodes get one."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter

import pytest

from sealegs.faults.call import Call, Failure, Value
from sealegs.reports.calls import MARKS
from sealegs.reports.card_selection import KEPT, MOST, Candidates, Played, choose
from sealegs.reports.changes import Change, outcome_changes
from sealegs.reports.drawing import Frame, drawing
from sealegs.reports.episode_cards import EpisodeCard, episode_card
from sealegs.reports.judges import EACH, disagreements
from sealegs.reports.layout import PlacedBox
from sealegs.scoring import Case, judge
from sealegs.scoring.task_progress import progress_of
from sealegs.tasks.graph import Group
from sealegs.traces.events import FaultInjected
from sealegs.traces.record import Turn
from tests.reports.report_runs import Manner, cases, episodes, played


def episode(task: str, mode: str, manner: Manner) -> Played:
    case = next(case for case in cases() if case.task.id == task and case.mode == mode)
    record = played(case, manner)
    return record, case, judge(record, case)


def shown(task: str, mode: str, manner: Manner) -> EpisodeCard:
    return episode_card(episode(task, mode, manner), 1)


def test_a_corrupt_answer_that_is_believed_is_followed() -> None:
    found = shown("c2-packing-1", "P3", "believes")
    assert [line.word for line in found.lines] == ["done", "corrupt", "tainted", "wrong", "wrong"]
    assert found.outcome == "unaware"
    (fault,) = found.faults
    assert (fault.tool, fault.node, fault.nature, fault.calls) == (
        "get_forecast",
        "forecast",
        "implicit, transient",
        (2,),
    )
    assert fault.changes.fields == (Change("temperature", "22.5", "-74.63"),)


def test_an_error_and_a_switch() -> None:
    found = shown("c3-reminder-0", "P2", "good")
    assert [line.word for line in found.lines] == [
        "done",
        "error",
        "error",
        "done",
        "done",
        "done",
        "done",
        "done",
        "done",
    ]
    (fault,) = found.faults
    assert fault.calls == (2, 3)
    assert fault.changes.fields == ()
    assert fault.changes.before == "the tool did not run"
    assert "Gone" in fault.changes.after
    assert found.outcome == "success"
    assert found.lines[-1].effects == ("send AC-11000",)


def test_calls_outside_the_graph_and_on_missing_input() -> None:
    assert shown("c1-trip-0", "P2", "switches badly").lines[-1].word == "outside"
    believed = shown("c1-trip-0", "P1", "believes")
    assert [line.word for line in believed.lines] == ["done", "error", "wrong", "wrong", "wrong"]
    assert believed.lines[2].arguments[0] == ("amount", "null")


def test_every_word_is_explained() -> None:
    words = {line.word for n, found in enumerate(episodes()) for line in episode_card(found, n).lines}
    assert words <= MARKS.keys()
    assert {"done", "error", "corrupt", "tainted", "outside"} <= words


def test_the_note_where_no_fault_was_delivered() -> None:
    assert shown("c1-trip-0", "NP", "good").fault_note == "No fault was planned."
    assert shown("c1-trip-0", "P1", "good").fault_note == ""
    note = shown("c1-trip-0", "P1", "idle").fault_note
    assert note.startswith("Not exposed: a fault was planned at euros, and none was delivered.")


def test_a_fault_that_changed_nothing_is_shown_as_undelivered() -> None:
    record, case, verdict = episode("c1-trip-0", "NP", "good")
    injection = FaultInjected("call-0", "r", "hang", False, False, 1, None, {"value": 1}, {"value": 1})
    first = dataclasses.replace(record.turns[0], injections=(injection,))
    found = episode_card((dataclasses.replace(record, turns=(first, *record.turns[1:])), case, verdict), 1)
    assert [(fault.delivered, fault.waited) for fault in found.faults] == [(False, "without end")]


def test_long_answers_are_cut_and_kept() -> None:
    record, case, verdict = episode("c1-trip-0", "NP", "good")
    turn = Turn(Call("search_flights", {}), Value("x" * 500), Value("x" * 500))
    line = episode_card((dataclasses.replace(record, turns=(turn,)), case, verdict), 1).lines[0]
    assert len(line.short) == 160
    assert line.short.endswith("…")
    assert line.shown == "x" * 500


def test_changes_by_field() -> None:
    found = outcome_changes(Value({"a": 1, "b": [1, 2], "c": "x"}), Value({"a": 1, "b": [1, 3], "d": "y"}))
    assert found.fields == (
        Change("b.1", "2", "3"),
        Change("c", '"x"', "(absent)"),
        Change("d", "(absent)", '"y"'),
    )
    assert found.same == 2


def test_changes_of_what_has_no_fields() -> None:
    assert outcome_changes(Value("plain"), None).after == "nothing came back"
    assert outcome_changes(Value({"a": 1}), Value('{"a": ')).after == '{"a": '
    assert (
        outcome_changes(None, Failure("no", status=503)).after
        == '{"error": {"status": 503, "type": "ToolError", "message": "no"}}'
    )


@pytest.mark.parametrize("found", episodes(1), ids=lambda found: found[0].episode)
def test_a_drawing_holds_every_step_and_every_call(found: Played) -> None:
    record, case, verdict = found
    picture = drawing(case, progress_of(record, case), verdict)
    graph = case.task.graph
    assert sorted("".join(box.lines) for box in picture.boxes) == sorted(step.tool for step in graph.walk())
    inside = [n for n, turn in enumerate(record.turns, 1) if turn.call.tool in graph.step_of]
    marks = {mark.number: "".join(box.lines) for box in picture.boxes for mark in box.marks}
    assert sorted(marks) == inside
    assert all(record.turns[n - 1].call.tool == tool for n, tool in marks.items())
    faulted = {turn.call.tool for turn in record.turns if turn.faulted}
    assert {"".join(box.lines) for box in picture.boxes if box.victim} == faulted
    assert_nested(picture.frames, [box.place for box in picture.boxes], case)
    for box in picture.boxes:
        assert all(box.place.x < m.x < box.place.x + box.place.width for m in box.marks)
        assert all(box.place.y < m.y < box.place.bottom for m in box.marks)
        assert max(map(len, box.lines)) * 7 < box.place.width


def within(inner: PlacedBox, outer: PlacedBox) -> bool:
    across = outer.x <= inner.x and inner.x + inner.width <= outer.x + outer.width
    return across and outer.y <= inner.y and inner.bottom <= outer.bottom


def assert_nested(frames: tuple[Frame, ...], boxes: list[PlacedBox], case: Case) -> None:
    """Each branch lies in its group, and as many boxes in each branch as it has steps."""
    groups = [frame for frame in frames if not frame.branch]
    branches = [frame for frame in frames if frame.branch]
    wanted = [group for group in case.task.graph.nodes if isinstance(group, Group)]
    assert [frame.label for frame in groups] == [f"one of these: {g.id} ({g.kind})" for g in wanted]
    assert all(sum(within(branch.place, group.place) for group in groups) == 1 for branch in branches)
    sizes = [len(branch.steps) for group in wanted for branch in group.branches]
    assert [sum(within(box, branch.place) for box in boxes) for branch in branches] == sizes


def test_states_of_boxes_and_branches() -> None:
    record, case, verdict = episode("c3-reminder-0", "P2", "good")
    picture = drawing(case, progress_of(record, case), verdict)
    states = {"".join(box.lines): box.state for box in picture.boxes}
    assert states["open_statement"] == "tried"
    assert states["sum_statement_lines"] == "idle"
    assert states["net_entries"] == "done"
    assert {frame.label: frame.state for frame in picture.frames if frame.branch} == {
        "statement": "tried",
        "ledger": "done",
    }


def test_up_to_twelve_cards_with_a_success_of_each_fault_mode_and_every_term() -> None:
    found = choose(episodes())
    assert len(found) == MOST
    assert {case.mode for _, case, verdict in found if verdict.success} == {"P1", "P2", "P3", "P4"}
    terms = {verdict.attribution for _, _, verdict in episodes()} - {""}
    assert len({verdict.attribution for _, _, verdict in found} & terms) == MOST - 4
    assert {case.task.level for _, case, _ in found} == {"C1", "C2", "C3", "C4"}


def test_every_pair_of_mode_and_attribution_gets_a_card_where_there_is_room() -> None:
    few = [found for found in episodes() if found[1].mode in ("NP", "P1")]
    pairs = {(case.mode, verdict.attribution) for _, case, verdict in few} - {("NP", "")}
    assert {(case.mode, verdict.attribution) for _, case, verdict in choose(few)} >= pairs
    assert [found[0].episode for found in choose(few[::-1])] == [found[0].episode for found in choose(few)]


def test_room_that_is_left_goes_to_disagreements() -> None:
    few = [found for found in episodes() if found[1].mode == "NP"]
    assert all(verdict.published and not verdict.success for _, _, verdict in choose(few))
    assert len(choose(few)) == 2


def test_room_that_is_left_shows_every_level() -> None:
    good = choose([found for found in episodes(2, "good") if found[1].mode in ("NP", "P1")])
    assert [case.mode for _, case, _ in good] == ["P1"] * 4
    assert {case.task.level for _, case, _ in good} == {"C1", "C2", "C3", "C4"}


def test_of_many_episodes_those_are_kept_that_would_be_chosen() -> None:
    rng, parts = random.Random(3), episodes()
    terms = ["", "gave up early", "futile loop"]
    many: list[Played] = []
    for number in range(3_000):
        record, case, verdict = rng.choice(parts)
        name = f"{record.episode}/{number}"
        term, looser = rng.choice(terms), rng.random() < 0.5
        other = dataclasses.replace(verdict, success=not term, attribution=term, published=looser)
        many.append((dataclasses.replace(record, episode=name), case, other))
    candidates = Candidates()

    def offer(one: Played) -> None:
        record, case, verdict = one
        candidates.offer(record.episode, case.mode, case.task.level, verdict, lambda: one)

    for one in rng.sample(many, len(many)):
        offer(one)
    kept = candidates.kept()
    assert len(kept) < 600
    counts = Counter((case.mode, verdict.attribution) for _, case, verdict in many)
    assert [one[0].episode for one in choose(kept, counts=counts)] == [one[0].episode for one in choose(many)]
    assert disagreements(kept) == disagreements(many)
    assert KEPT >= EACH
    again = (kept[0][0], kept[0][1], dataclasses.replace(kept[0][2], attribution="another"))
    offer(again)
    assert [one for one in candidates.kept() if one[0].episode == again[0].episode] == [again]


def test_disagreements_tell_reasons_and_rule() -> None:
    found = disagreements(episodes())
    assert found
    assert all(d.looser and d.reasons for d in found)
    assert {d.rule for d in found if d.mode == "NP"} == {
        "every tool of some valid path was called without an error being shown"
    }
    assert len({d.mode for d in found}) > 1


@pytest.mark.parametrize(
    ("task", "mode", "rule"),
    [
        ("c1-trip-0", "P1", "the victim was called again"),
        ("c2-packing-0", "P2", "another branch was called"),
        ("c1-trip-0", "P2", "every tool before the victim"),
    ],
)
def test_the_published_rule_fits_the_fault(task: str, mode: str, rule: str) -> None:
    record, case, verdict = episode(task, mode, "good")
    turned = dataclasses.replace(verdict, success=not verdict.published)
    (found,) = disagreements([(record, case, turned)])
    assert found.rule.startswith(rule)
    assert found.looser is verdict.published
