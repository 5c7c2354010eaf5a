"""Campaign files: what they mean, and what is wrong with them, at which place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.suites.micro.campaign.campaign_grammar import CampaignGrammar
from sealegs.suites.micro.campaign.campaign_parser import CampaignError, CampaignVocabulary, campaign_from
from sealegs.suites.micro.campaign.runs import Campaign, PlannedRun

MODELS = ("scripted/naive", "scripted/retrier")


def model(name: str) -> str:
    return "" if name in MODELS else "is not a model. Did you mean scripted/naive?"


VOCABULARY = CampaignVocabulary(
    {"tip": ["CalculatorTool"], "bmi": ["CalculatorTool"], "trivia": ["WikipediaTool"], "pair": ["ask"]},
    frozenset({"pair"}),
    model,
)


def read(text: str) -> Campaign:
    return campaign_from(text, VOCABULARY)


def ids(text: str) -> set[str]:
    return {run.id for run in read(text).planned()}


def named(text: str) -> list[str]:
    return [f"{one} x{one.repeat} seed {one.seed}" for one in read(text).experiments]


def test_a_line_and_its_defaults() -> None:
    text = """
    # all of it
    default model=scripted/naive repeat=3
    tip unreachable schedule=transient:2 seed=7   # on the line
    default repeat=2
    bmi slow(seconds=2.0) level=mcp tool=CalculatorTool
    """
    assert named(text) == [
        "tip unreachable transient:2 scripted/naive x3 seed 7",
        "bmi slow(seconds=2) at CalculatorTool mcp scripted/naive x2 seed 0",
    ]


def test_lists_and_patterns_expand_to_every_combination() -> None:
    found = named("default model=scripted/naive,scripted/retrier\n* hang,slow(seconds=1) seed=1,2")
    assert len(found) == len(set(found)) == 3 * 2 * 2 * 2
    assert not any("pair" in one for one in found)
    assert len(named("t* * model=scripted/naive")) == 2 * 5
    assert named("* hang boundary=outer,inner model=scripted/naive") == [
        "pair hang outer scripted/naive x1 seed 0",
        "pair hang inner scripted/naive x1 seed 0",
    ]


def test_a_run_without_a_fault_for_each_prompt_model_seed_and_repetition() -> None:
    campaign = read(
        "default model=scripted/naive repeat=3\ntip hang,delta\nbmi hang level=mcp\npair hang boundary=inner"
    )
    clean = campaign.baselines()
    assert [run.experiment.task for run in clean] == ["tip"] * 3 + ["bmi"] * 3 + ["pair"] * 3
    assert {run.experiment.level for run in clean[3:6]} == {"mcp"}
    assert all(run.experiment.boundary == "" for run in clean)
    for run in campaign.planned():
        assert run.baseline() in clean
        assert run.baseline().seed == run.seed
    assert len({run.id for run in campaign.runs()}) == 4 * 3 + 9


def test_ids_do_not_hang_on_the_order_of_lines_or_on_comments() -> None:
    lines = [
        "tip hang model=scripted/naive",
        "bmi delta(offset=0.2) model=scripted/naive repeat=2",
        "tip slow model=scripted/naive",
    ]
    plain = ids("\n".join(lines))
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        assert ids("\n\n# a comment\n".join(f"  {line}  # why" for line in lines)) == plain


CHANGES = [
    "bmi slow(seconds=2) model=scripted/naive",
    "tip hang model=scripted/naive",
    "tip slow(seconds=3) model=scripted/naive",
    "tip slow model=scripted/naive",
    "tip slow(seconds=2) model=scripted/retrier",
    "tip slow(seconds=2) model=scripted/naive seed=1",
    "tip slow(seconds=2) model=scripted/naive level=mcp",
    "tip slow(seconds=2) model=scripted/naive errors=raised",
    "tip slow(seconds=2) model=scripted/naive tool=CalculatorTool",
    "tip slow(seconds=2) model=scripted/naive schedule=transient:1",
]


def test_a_changed_experiment_is_another_one() -> None:
    found = ids("tip slow(seconds=2) model=scripted/naive")
    for change in CHANGES:
        assert not found & ids(change), change
        found |= ids(change)
    assert ids("tip slow(seconds = 2.0) model=scripted/naive repeat=1 seed=0 level=python tool=*") <= found


def test_more_repetitions_keep_the_first_ones() -> None:
    assert ids("tip hang model=scripted/naive repeat=2") < ids("tip hang model=scripted/naive repeat=3")


def pairs() -> list[tuple[str, str]]:
    """Each campaign text of the file with the beginning of its message."""
    found = []
    for pair in Path(__file__).with_name("mistakes.txt").read_text().split("~\n"):
        text, _, beginning = pair.rpartition("\n! ")
        found.append((text, beginning.rstrip("\n")))
    return found


WRONG = pairs()


@pytest.mark.parametrize(("text", "beginning"), WRONG)
def test_a_mistake_is_reported_with_its_place_and_remedy(text: str, beginning: str) -> None:
    with pytest.raises(CampaignError) as caught:
        read(text)
    assert len(caught.value.problems) == 1, caught.value
    assert str(caught.value.problems[0]).startswith(beginning)


def test_a_word_of_commas_is_one_mistake() -> None:
    wrong = [problem.wrong for problem in CampaignGrammar("," * 50 + " x").problems]
    assert wrong == ["has an empty place"]


def test_all_mistakes_are_reported_together_in_their_order() -> None:
    lines = [text for text, _ in WRONG if "\n" not in text and text not in ("default", "# nothing")]
    with pytest.raises(CampaignError) as caught:
        read("\n".join(lines))
    places = dict.fromkeys(problem.path.partition(",")[0] for problem in caught.value.problems)
    assert [f"line {n}" for n in range(1, len(lines) + 1)] == list(places)


@given(st.text(alphabet="tip hang(),=#*\n2model/:naive", max_size=80))
def test_any_text_is_a_campaign_or_has_mistakes_reported_inside_it(text: str) -> None:
    lines = text.splitlines()
    try:
        campaign = read(text)
    except CampaignError as error:
        for problem in error.problems:
            place = [int(word.strip(",:")) for word in problem.path.split() if word.strip(",:").isdigit()]
            assert problem.path == "file" or 1 <= place[1] <= len(lines[place[0] - 1]) + 1
            assert problem.remedy
    else:
        runs = campaign.planned()
        assert len({run.id for run in runs}) == len(runs) > 0


def test_another_model_for_all_merges_what_becomes_equal() -> None:
    campaign = read("tip hang model=scripted/naive repeat=2\ntip hang model=scripted/retrier repeat=3").under(
        "scripted/naive"
    )
    assert [(one.model, one.repeat) for one in campaign.experiments] == [("scripted/naive", 3)]
    assert PlannedRun(campaign.experiments[0], 1).id in ids("tip hang model=scripted/naive")
