"""Outcomes by rule: each ending and answer, its evidence, the baseline, people's labels, a second opinion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel

from sealegs.faults.user_error import UserError
from sealegs.scoring.micro_metrics import (
    CORRECT,
    CRASH,
    ERROR,
    NOT_COMPARABLE,
    NOT_EXPOSED,
    SILENT,
    TIMEOUT,
    LabelledRun,
)
from sealegs.suites.micro.campaign.labelling import (
    Baseline,
    CampaignContext,
    EndedRun,
    accepted_words,
    label_run,
    run_outcome,
)
from sealegs.suites.micro.campaign.run_labels import Label, LabelError, read_run_labels
from sealegs.suites.micro.campaign.run_process import ended_run, failed_outside
from sealegs.suites.micro.campaign.runs import Experiment, PlannedRun
from sealegs.suites.micro.campaign.second_opinion import with_opinions
from sealegs.suites.micro.isolation import RunEnd
from sealegs.suites.micro.workloads.workload import load_workloads

TIP = load_workloads()["tip"]
INJECTED = ("connection at CalculatorTool",)
RIGHT = Baseline("The tip is 34.5 dollars.", True)
PLANNED = PlannedRun(Experiment("tip", "m", "unreachable", seed=4), 2)


def outcome(ended: EndedRun, baseline: Baseline = RIGHT, labels: dict[str, Label] | None = None) -> LabelledRun:
    return label_run(PLANNED, CampaignContext(ended, TIP, baseline, labels or {}))


@pytest.mark.parametrize(
    ("ended", "expected", "rule", "found"),
    [
        (EndedRun("finished", "The tip is 34.5 dollars."), CORRECT, "gives the accepted value", "34.5"),
        (
            EndedRun("finished", "It is 34.50 $, but I could not verify it."),
            CORRECT,
            "a warning (could not verify)",
            "34.5",
        ),
        (EndedRun("finished", "From memory: $34.50"), CORRECT, "a warning (From memory)", "34.5"),
        (EndedRun("finished", "The tip is 45.3 dollars."), SILENT, "another value, as if it were right", "45.3"),
        (EndedRun("finished", "The search failed. The tip is 45.3 dollars."), SILENT, "another value", "45.3"),
        (EndedRun("finished", "The tip is 34.5 percent; it comes to 79.35 dollars."), SILENT, "another value", "79.35"),
        (
            EndedRun("finished", "I could not compute the tip."),
            ERROR,
            "says that the agent failed",
            "could not compute",
        ),
        (EndedRun("finished", "Sorry, the tool is down. 230 times 15 % is hard."), ERROR, "says that", "Sorry"),
        (EndedRun("finished", "Error: connection refused"), ERROR, "says that the agent failed", "Error: connection"),
        (EndedRun("finished", "What a lovely restaurant!"), ERROR, "gives no value", "lovely"),
        (EndedRun("finished", "  \n "), ERROR, "no answer", ""),
        (EndedRun("finished", None, "no answer after 25 turns"), ERROR, "no answer", "25 turns"),
        (EndedRun("timeout", None, "it did not end within 5 s"), TIMEOUT, "over its budget", "within 5 s"),
        (EndedRun("signal", None, "the process was ended by SIGSEGV"), CRASH, "by a signal", "SIGSEGV"),
        (EndedRun("memory", None, "it held 3000 MiB"), CRASH, "too much memory", "3000"),
        (EndedRun("exited", None, "the process left with 3"), CRASH, "left without an answer", "3"),
        (EndedRun("raised", None, "ValueError: no"), CRASH, "raised and not caught", "ValueError: no"),
    ],
)
def test_the_first_rule_that_holds(ended: EndedRun, expected: str, rule: str, found: str) -> None:
    run = outcome(replace(ended, faults=INJECTED))
    assert (run.outcome, run.ruled, run.shown) == (expected, expected, expected)
    assert rule in run.evidence.rule
    assert found in run.evidence.found
    assert run.evidence.expected == "34.5 ± 0.005"
    assert run.evidence.baseline == RIGHT.answer_or_end
    assert run.evidence.fault == INJECTED[0]
    assert run.counts


def test_a_wrong_answer_without_a_fault_makes_it_not_comparable() -> None:
    run = outcome(EndedRun("finished", "The tip is 45.3 dollars.", faults=INJECTED), Baseline("The tip is 30.", False))
    assert (run.shown, run.outcome, run.counts) == (NOT_COMPARABLE, SILENT, False)
    assert run.evidence.baseline == "The tip is 30."


def test_without_a_delivered_fault_it_is_not_exposed() -> None:
    run = outcome(EndedRun("finished", "The tip is 34.5 dollars."))
    assert (run.shown, run.outcome, run.counts) == (NOT_EXPOSED, CORRECT, False)


def test_a_wrong_name_without_a_number_is_a_wrong_answer() -> None:
    found = run_outcome(EndedRun("finished", "It was Galileo Galilei."), load_workloads()["trivia"])
    assert found[0] == SILENT


def test_every_workload_says_what_is_right() -> None:
    words = {name: accepted_words(one.accepted) for name, one in load_workloads().items()}
    assert all(words.values())
    assert words["currency"].startswith("165")
    assert words["bmi"].startswith("22.8")
    assert "Newton" in words["trivia"]


KNOWN = {PLANNED.id: 1, PlannedRun(PLANNED.experiment, 1).id: 1}


def labels_of(folder: Path, text: str) -> dict[str, Label]:
    (folder / "labels.csv").write_text(text)
    return dict(read_run_labels(folder, KNOWN, {"gone"}))


def test_a_label_stands_in_the_place_of_the_rules(tmp_path: Path) -> None:
    assert read_run_labels(tmp_path, KNOWN) == {}
    text = f'run,label,note\n\n{PLANNED.id}, correct ,"said in French, and right"\ngone,ERROR\n'
    found = labels_of(tmp_path, text)
    assert found == {PLANNED.id: Label("CORRECT", "said in French, and right")}
    run = outcome(EndedRun("finished", "34,5 dollars de pourboire, soit 12 de trop.", faults=INJECTED), labels=found)
    assert (run.outcome, run.ruled, run.corrected, run.note) == (CORRECT, SILENT, True, "said in French, and right")
    assert (tmp_path / "labels.csv").read_text() == text


def test_all_mistakes_in_labels_are_reported_with_their_lines(tmp_path: Path) -> None:
    near = f"{PLANNED.id[:-1]}x"
    with pytest.raises(LabelError) as caught:
        labels_of(
            tmp_path, f"run,label,note\n{near},CORRECT\n{PLANNED.id},SILENT\n{PLANNED.id},ERROR\n{PLANNED.id},ERROR"
        )
    message = str(caught.value)
    assert "labels.csv has 3 mistakes" in message
    assert f'line 2: "{near}" is not a run of this campaign. Did you mean {PLANNED.id}?' in message
    assert 'line 3: "SILENT" is not an outcome. Did you mean SILENT-DIFF?' in message
    assert f'line 5: "{PLANNED.id}" has a label already.' in message


def test_a_second_opinion_stands_beside_and_is_kept(tmp_path: Path) -> None:
    runs = [
        outcome(EndedRun("finished", "The tip is 34.5 dollars.", faults=INJECTED)),
        outcome(EndedRun("finished", "From memory, 34.5 dollars.", faults=INJECTED)),
        outcome(EndedRun("finished", "Trente-quatre et demi, soit 30 et 4,5.", faults=INJECTED)),
        outcome(EndedRun("finished", "Who knows? Perhaps 40.", faults=INJECTED)),
        outcome(EndedRun("finished", "I could not find out.", faults=INJECTED)),
    ]
    model = FakeListChatModel(responses=["RIGHT. It is.", "**Right**, in French.", "Well, hard to say.", "asked again"])
    found = with_opinions(runs, model, tmp_path)
    opinions = [run.evidence.opinion for run in found]
    assert opinions[0] == opinions[4] == ""
    assert [text.split(" (")[0] for text in opinions[1:4]] == [
        "FakeListChatModel: CORRECT",
        "FakeListChatModel: CORRECT",
        "FakeListChatModel: unclear",
    ]
    assert [run.outcome for run in found] == [run.outcome for run in runs]
    silent = FakeListChatModel(responses=[])
    assert with_opinions(runs, silent, tmp_path) == found


def test_a_judge_that_cannot_be_asked_is_a_mistake(tmp_path: Path) -> None:
    runs = [outcome(EndedRun("finished", "The tip is 45.3 dollars.", faults=INJECTED))]
    with pytest.raises(UserError, match="did not answer"):
        with_opinions(runs, FakeListChatModel(responses=[]), tmp_path)
    with pytest.raises(UserError, match="'nosuch:model' cannot be used"):
        with_opinions(runs, "nosuch:model", tmp_path)


def test_a_run_that_never_began_is_invalid_and_one_that_died_has_crashed(tmp_path: Path) -> None:
    never = RunEnd("a", "lost", error="lost 2 times: OSError: [Errno 28] No space left on device\nTraceback")
    labelled = outcome(ended_run(never, tmp_path, TIP))
    assert labelled.invalid == "lost 2 times: OSError: [Errno 28] No space left on device"
    assert failed_outside(never)
    killed = RunEnd("a", "signal", error="the process was ended by SIGKILL", signal="SIGKILL", start_seconds=0.1)
    labelled = outcome(ended_run(killed, tmp_path, TIP))
    assert (labelled.outcome, labelled.invalid) == (CRASH, "")
    assert not failed_outside(killed)
