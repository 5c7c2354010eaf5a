"""The expert's sentences: many, whole, of the row's own facts, and in other forms where they are tested."""

import json
import re
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from sealegs.training.data import HELD
from sealegs.training.data.attempts import first_fit_row
from sealegs.training.data.sentences import SLOT, count_of_forms, drawn_from, sentence_forms
from tests.training.made import making, rows

SLOTS = {
    "opening": "",
    "lead.request": "tool given",
    "lead.taken": "tool taken",
    "lead.label": "tool label",
    "lead.later": "tool later field",
    "lead.purpose": "tool purpose",
    "lead.quoted": "tool quoted",
    "follow.request": "given",
    "follow.taken": "taken",
    "follow.label": "label",
    "follow.later": "later field",
    "follow.purpose": "purpose",
    "follow.progress": "done",
    "follow.key": "key",
    "known.done": "done",
    "failed.error": "failed said",
    "failed.again": "failed said",
    "failed.refused": "failed said",
    "failed.echo": "failed field value asked",
    "failed.bounds": "failed field value",
    "failed.type": "failed field value",
    "failed.empty": "failed field",
    "failed.leak": "failed field",
    "failed.sum": "failed facts rule",
    "failed.order": "failed facts rule",
    "failed.fact": "failed facts rule",
    "failed.wrong": "failed rule",
    "found.completed": "failed history fact",
    "found.none": "failed history",
    "found.partial": "failed history",
    "again.key": "tool key",
    "mend.left_out": "name",
    "mend.misnamed": "name given",
    "mend.type": "name given",
    "mend.call": "tool name right",
    "mend.plain": "tool",
    "mend.tool": "tool called",
    "stops.why": "failed problem",
    "stops.none": "failed history",
}
ROOT = Path(__file__).parents[2]
LEAST = 400
MANY = 1_000
QUOTED = re.compile(r"“[^”]*”|\([^()]*\)|\"[^\"]*\"")


@cache
def many() -> tuple[str, ...]:
    """The texts of a thousand rows of another set."""
    made = (first_fit_row(making(MANY, seed=3, form="trl"), number)[1] for number in range(MANY))
    return tuple(m["content"] for row in made if row is not None for m in row["messages"] if m["role"] == "assistant")


def sentences() -> list[tuple[str, dict[str, Any]]]:
    return [(m["content"], row) for row in rows() for m in row["messages"] if m["role"] == "assistant"]


def test_there_are_many_forms_and_none_stands_twice() -> None:
    every = [form for of in sentence_forms().values() for form in of]
    assert len(every) == count_of_forms() >= LEAST
    assert len(every) == len(set(every))


@pytest.mark.parametrize("name", sentence_forms())
def test_a_form_is_a_sentence_with_slots_that_are_filled(name: str) -> None:
    filled = set(SLOTS.get(name, "tool failed").split())
    for form in sentence_forms()[name]:
        assert form[0].isupper()
        assert form[-1] in ".?:"
        assert not {"a", "an"} & set(re.findall(r"(\w+) \{", form)), form  # the article depends on what comes
        assert set(SLOT.findall(form)) <= filled, form


@pytest.mark.parametrize("name", sentence_forms())
def test_some_forms_are_kept_apart(name: str) -> None:
    learned, held = drawn_from(name, False), drawn_from(name, True)
    assert held
    assert len(learned) > len(held)
    assert not set(learned) & set(held)


def test_each_split_says_its_own_forms() -> None:
    parts = {held: [form for name in sentence_forms() for form in drawn_from(name, held)] for held in (True, False)}
    for held in (True, False):
        others = "\n".join(parts[not held])
        chunks = {chunk for form in parts[held] for chunk in SLOT.split(form)[::2] if len(chunk) > 16}
        own = {chunk for chunk in chunks if chunk not in others}
        assert len(own) > 100
        other_text = "\n".join(text for text, row in sentences() if (row["split"] in HELD) is not held)
        assert not {chunk for chunk in own if chunk in other_text}


def five_grams(split: str) -> list[tuple[str, ...]]:
    words = [text.split() for text, row in sentences() if row["split"] == split]
    return [tuple(text[place : place + 5]) for text in words for place in range(len(text) - 4)]


def test_few_five_grams_of_the_test_are_in_the_training_rows() -> None:
    """The validation rows speak as the training rows do: their share is what a test without its own forms would have.

    The share grows with the training set. Over 50,000 rows `benchmarks/data.py` measured it, and its file is read here.
    """
    learned = set(five_grams("train"))
    share = {
        split: mean(one in learned for one in five_grams(split)) for split in ("validation", "test", "generalisation")
    }
    assert max(share["test"], share["generalisation"]) < share["validation"] / 2, share
    measured = json.loads((ROOT / "benchmarks" / "results" / "data.json").read_text("utf-8"))["rows"]
    large = {row["mode"]: row["value"] for row in measured if row["metric"] == "5_grams_in_train"}
    assert max(large["test"], large["generalisation"]) < 0.5 < large["validation"]


def wrong(text: str) -> str:
    """What is wrong with a text by cheap rules; empty where nothing is."""
    if "  " in text:
        return "two spaces"
    if "{" in QUOTED.sub("", text.split("\n")[0]):
        return "an open slot"
    for left, right in ("()", "“”", "[]"):
        if text.count(left) != text.count(right):
            return f"unmatched {left}"
    if re.search(r"\bto (?:lowest|highest|weather|sunrise|distance|a city's)\b", text):
        return "no verb"
    sentence = QUOTED.sub("Q", text.split("\n")[0])
    if re.search(r"\b([a-z]+) \1\b(?<!that that)", sentence, re.IGNORECASE):
        return "a word twice"
    starts = re.findall(r"(?:^|(?<=[.?!] ))(\S+)", sentence.removeprefix("Recovery: "))
    small = [word for word in starts if word[0].islower()]
    return f"begins small: {small[0]}" if small else ""


@pytest.mark.slow
def test_the_sentences_are_sound() -> None:
    assert not {wrong(text): text for text in many() if wrong(text)}


def test_bad_texts_are_found_out() -> None:
    bad = (
        "So I start with it, to lowest fare.",
        "Two  spaces.",
        "Then (open.",
        "Fine. not so.",
        "The the end.",
        "A {slot}.",
    )
    assert all(wrong(text) for text in bad)


def test_a_failure_is_named_in_the_tools_own_words() -> None:
    for row in rows():
        if not row["failing"] or row["outcome"] == "cut":
            continue
        first = next(m["content"] for m in row["messages"] if m.get("recovery"))
        answer = [m for m in row["messages"] if m["role"] == "tool"][row["step"] - 1]
        assert answer["name"] in first
        try:
            error = json.loads(answer["content"]).get("error")
        except ValueError:
            continue
        if error:
            assert error["type"] in first


def test_every_answer_to_a_note_speaks_of_it() -> None:
    """By these words `data check` knows that advice was answered."""
    answers = {name: forms for name, forms in sentence_forms().items() if name.startswith("advice.")}
    assert len(answers) >= 10
    for name, forms in answers.items():
        words = [r"\bnote\b|\badvi[cs]e"]
        words += [r"\bneedless\b"] if name in ("advice.reads", "advice.safe", "advice.untouched") else []
        words += [r"\bharm"] if name == "advice.repeats" else []
        lacking = [form for form in forms for word in words if not re.search(word, form)]
        assert not lacking, name
