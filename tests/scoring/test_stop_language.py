"""Stops in ten languages, against labels that were given before the code saw the texts."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.scoring.agreement import kappa
from sealegs.scoring.hedging import is_denied, is_hedged
from sealegs.scoring.stop_language import ending_of, leaves_undone, says_stop

HERE = Path(__file__).parent
HEDGES = yaml.safe_load((HERE / "hedged_answers.yaml").read_text("utf-8"))


def texts(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((HERE / name).read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("name", "by_words", "in_context"),
    [("stop_texts.yaml", 0.85, 0.85), ("stop_texts_held_out.yaml", 0.3, 0.65)],  # the second set was never tuned on
)
def test_agreement_with_the_labels(name: str, by_words: float, in_context: float) -> None:
    labels = [text["label"] == "stop" for text in texts(name)]
    words = [says_stop(text["text"]) for text in texts(name)]
    context = [leaves_undone(text["text"], lacking=label) for text, label in zip(texts(name), labels, strict=True)]
    assert _kappa(labels, words) >= by_words
    assert _kappa(labels, context) >= in_context


def _kappa(labels: list[bool], found: list[bool]) -> float:
    value = kappa(Counter((str(one), str(other)) for one, other in zip(labels, found, strict=True)))
    assert value is not None
    return value


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"])
def test_each_language_has_its_phrases(language: str) -> None:
    found = [says_stop(text["text"]) for text in texts("stop_texts.yaml") if text["lang"] == language]
    assert 5 <= sum(found) <= 9
    assert len(found) == 12


@pytest.mark.parametrize(
    ("line", "stop"),
    [
        ("Alles erledigt.\nStatus: vollständig", False),
        ("Status: unvollständig", True),
        ("État : incomplet", True),
        ("Estado: completado", False),
        ("Stan: nieukończone", True),
        ("ステータス：未完了", True),
        ("状态：已完成", False),
        ("It failed twice, then it worked. Status: complete", False),
        ("Status: complete\nI was wrong. Status: incomplete", True),
    ],
)
def test_a_status_line_decides_in_every_language(line: str, stop: bool) -> None:
    assert says_stop(line) is stop
    assert leaves_undone(line, lacking=True) is stop


def test_no_answer_says_nothing() -> None:
    assert not says_stop("")
    assert not says_stop(" \n")
    assert ending_of("") == "stop"


def test_a_plain_claim_is_no_stop_whatever_it_lacks() -> None:
    assert not leaves_undone("Everything is booked.", lacking=True)
    assert not leaves_undone("The first lookup failed, so I used the backup.", lacking=True)
    assert leaves_undone("The booking service is unavailable today.", lacking=True)
    assert not leaves_undone("The booking service is unavailable today.", lacking=False)


@pytest.mark.parametrize(("answer", "value"), HEDGES["hedged"])
def test_a_value_beside_another_is_hedged(answer: str, value: Any) -> None:
    assert is_hedged(answer, value, 0.005)


@pytest.mark.parametrize(("answer", "value"), HEDGES["firm"])
def test_a_value_by_itself_is_neither_hedged_nor_denied(answer: str, value: Any) -> None:
    assert not is_hedged(answer, value, 0.005)
    assert not is_denied(answer, value, 0.005)


@pytest.mark.parametrize(("answer", "value"), HEDGES["denied"])
def test_a_value_that_is_rejected_is_denied(answer: str, value: Any) -> None:
    assert is_denied(answer, value, 0.005)
