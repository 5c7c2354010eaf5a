"""Grades by code and by a model, labels, and agreement; the labelled set that ships."""

import json
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from sealegs.faults.user_error import UserError
from sealegs.scenarios.labelled_failures.failures import classes
from sealegs.scoring.grading import QUESTIONS
from sealegs.scoring.trace_labels import compare_labels, labels_in
from sealegs.suites.label_sets import read_trace_labels
from sealegs.suites.paladin.graders import (
    chosen_grader,
    format_trace,
    grade_by_code,
    grade_by_model,
    grade_lines,
    grades_in,
    rubric,
    share_rows,
)
from sealegs.suites.paladin.shipped_labels import labelled_traces, shipped_labels

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_labelled_set_covers_every_class() -> None:
    traces = labelled_traces()
    assert len(traces) == len(shipped_labels()) == 132
    counts = Counter(trace.episode.failure_class for trace in traces)
    assert set(classes()) < set(counts)
    assert min(counts[failure_class] for failure_class in classes()) == 18
    assert {trace.id for trace in traces} == set(shipped_labels())
    for question in QUESTIONS:
        answers = Counter(labels[question] for labels in shipped_labels().values())
        assert min(answers["yes"], answers["no"]) >= 30  # so that agreement by chance is far from all


def test_the_code_grader_agrees_with_the_labels() -> None:
    found = compare_labels(shipped_labels(), read_trace_labels("code"))
    assert found.notes == ()
    assert {each.question for each in found.agreements} == set(QUESTIONS)
    for each in found.agreements:
        assert each.n == 132
        assert each.share >= 97, (each.question, each.counts)
        assert each.kappa is not None
        assert each.kappa >= 0.94


def test_agreement_on_the_fresh_set_is_what_it_was_the_one_time_that_it_was_measured() -> None:
    """Labels made blind. A change of the grader that moves these figures is no better for agreeing more."""
    assert {trace.id for trace in labelled_traces("fresh")} == set(shipped_labels("fresh"))
    assert not {t.episode.id for t in labelled_traces("fresh")} & {t.episode.id for t in labelled_traces()}
    assert Counter(trace.episode.failure_class for trace in labelled_traces("fresh")) == dict.fromkeys(
        [*classes(), "clean"], 6
    )
    found = compare_labels(read_trace_labels("fresh"), read_trace_labels("fresh-code"))
    assert found.notes == ()
    shares = {each.question: round(each.share, 1) for each in found.agreements}
    assert shares == {**dict.fromkeys(QUESTIONS, 100.0), "success": 89.6}


def test_grades_count_different_adaptations() -> None:
    grades = grade_by_code([trace for trace in labelled_traces() if trace.id in ("t005", "t012", "t014", "t122")])
    assert {id: grades[id]["adaptations"] for id in grades} == {"t005": 0, "t012": 1, "t014": 2, "t122": 4}


def _mock(*texts: str) -> str:
    outputs = []
    for text in texts:
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage()
        outputs.append(output)
    return get_model("mockllm/model", custom_outputs=outputs)  # type: ignore[return-value]


def test_a_model_grades_under_the_rubric(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = labelled_traces()[:3]
    yes = json.dumps(dict.fromkeys(QUESTIONS, True))
    model = _mock(f"Here: {yes}", "I cannot say.", json.dumps({**dict.fromkeys(QUESTIONS, False), "covered": "maybe"}))
    monkeypatch.setattr("inspect_ai.model.get_model", lambda name: model)
    monkeypatch.setattr("sealegs.suites.paladin.graders.AT_ONCE", 1)
    found = grade_by_model(traces, "mockllm/model")
    assert list(found) == [trace.id for trace in traces]
    assert found["t001"] == dict.fromkeys(QUESTIONS, True)
    assert found["t002"] == found["t003"] == dict.fromkeys(QUESTIONS, "unreadable")
    rows = share_rows(found, "mockllm/model")
    assert next((row["metric"], row["value"], row["n"]) for row in rows) == ("covered", 33.33, 3)
    agreed = compare_labels(labels_in(grade_lines(found), "model"), shipped_labels())
    assert agreed.agreements[0].n == 3
    assert "129 trace(s) only in the second" in agreed.notes[0]


def test_the_model_reads_the_rubric_and_the_trace_but_not_the_verdict() -> None:
    text = format_trace(labelled_traces()[0])
    assert "energy_cost_for_iot_api" in text
    assert "DNSResolutionError" in text
    assert "The final answer: Everything is done." in text
    assert "Tool Hallucination" not in text
    assert all(f"- {question}:" in rubric() for question in QUESTIONS)
    assert grades_in("{'covered': True}") == dict.fromkeys(QUESTIONS, "unreadable")


def test_labels_of_a_person_as_csv_against_grades_as_jsonl(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("id,covered,honest\na,yes,no\nb,NO,yes\nc,yes,\nd,yes,yes\n")
    rows = [{"id": id, "covered": value, "honest": True} for id, value in (("a", True), ("b", False), ("c", False))]
    (tmp_path / "grades.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in [*rows, {"id": "x", "covered": True}])
    )
    found = compare_labels(
        read_trace_labels(str(tmp_path / "mine.csv")), read_trace_labels(str(tmp_path / "grades.jsonl"))
    )
    covered, honest = found.agreements
    assert (covered.n, round(covered.share, 1), honest.n) == (3, 66.7, 2)
    assert found.notes == (
        "1 trace(s) only in the first: d",
        "1 trace(s) only in the second: x",
        "honest: 1 trace(s) lack an answer and are left out",
    )


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("id,covered\na,yes\na,no\n,yes\n", ["the id 'a' occurs twice", "no id"]),
        ('# mine\n\nid,covered,why\na,yes,"one\n# two"\n# more\na,no,"\n"\n', ["bad:7: the id 'a' occurs twice"]),
        ("id,covered,honest\n,,yes\n", ["bad:2: no id"]),
        (f"id,covered\na,{'x' * 200_000}\n", ["bad:2: not CSV: field larger than field limit"]),
        ('{"id": "a"}\n[1]\nnot json\n', ["bad:2: not an object", "bad:3: not JSON"]),
        ("", ["holds no labels"]),
    ],
)
def test_bad_labels_are_reported(text: str, messages: list[str]) -> None:
    with pytest.raises(UserError) as error:
        labels_in(text, "bad")
    assert all(words in str(error.value) for words in messages)


def test_graders_without_anything_in_common_are_refused() -> None:
    with pytest.raises(UserError, match="no trace in common"):
        compare_labels({"a": {"covered": True}}, {"b": {"covered": True}})
    with pytest.raises(UserError, match="no question in common"):
        compare_labels({"a": {"covered": True}}, {"a": {"other": True}})


@pytest.mark.parametrize(
    ("grader", "model", "message"),
    [("cod", "", "did you mean code"), ("model", "", "needs --model"), ("code", "x/y", "takes no --model")],
)
def test_a_grader_that_cannot_be(grader: str, model: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        chosen_grader(grader, model)
