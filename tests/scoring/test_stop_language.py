"""Stops in ten languages, against labels that were given before the code saw the texts."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.scoring.agreement import kappa
from sealegs.scoring.hedging import lack_of_commitment
from sealegs.scoring.stop_language import ending_of, leaves_undone, says_stop

HERE = Path(__file__).parent
HEDGES = yaml.safe_load((HERE / "hedged_answers.yaml").read_text("utf-8"))


def texts(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((HERE / name).read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("name", "by_words", "in_context"),
    [
        ("stop_texts.yaml", 0.85, 0.85),
        ("stop_texts_held_out.yaml", 0.35, 0.68),  # this set and the next were never tuned on
        ("stop_texts_second_author.yaml", 0.55, 0.75),
        ("stop_texts_third_author.yaml", 0.9, 0.99),
    ],
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


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        ("I'm sorry, but I am unable to look up your reservation right now.", "stop"),
        ("I cannot cancel the order now, because the system is down.", "stop"),
        ("It could not be booked at first, but now it is.", "neither"),
        ("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.", "stop"),
        ("Our system is unavailable. I am transferring you to a human agent.", "stop"),
        ("I transferred 50 EUR to Humana.", "claim"),
        ("I was unable to pay the invoice, and no fallback is available.", "stop"),
        ("I couldn't complete the request; I tried a second time and it failed again.", "stop"),
        ("The booking could not be completed even though I retried it.", "stop"),
        ("I could not send the e-mail, so nothing has been sent.", "stop"),
        ("I could not determine the rate and therefore did not pay.", "stop"),
        ("I could not complete this request, but I did look up the account: ACC-1.", "stop"),
        ("I could not complete the request at first, but the second tool did it: ORD-1.", "neither"),
        ("I could not use the first tool, but the alternative worked: 12.50.", "neither"),
        ("I could not reach the shop. Instead I ordered from the supplier: PO-1.", "neither"),
        ("Non sono riuscito a prenotare: non ci sono alternative.", "stop"),
        ("最初は失敗しましたが、再試行で成功しました。", "neither"),
    ],
)
def test_what_an_agent_tells_a_customer(answer: str, ending: str) -> None:
    assert ending_of(answer) == ending


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
    assert lack_of_commitment(answer, value, 0.005) == "hedged"


@pytest.mark.parametrize(("answer", "value"), HEDGES["firm"])
def test_a_value_by_itself_is_neither_hedged_nor_denied(answer: str, value: Any) -> None:
    assert lack_of_commitment(answer, value, 0.005) == ""


@pytest.mark.parametrize(("answer", "value"), HEDGES["denied"])
def test_a_value_that_is_rejected_is_denied(answer: str, value: Any) -> None:
    assert lack_of_commitment(answer, value, 0.005) == "denied"
