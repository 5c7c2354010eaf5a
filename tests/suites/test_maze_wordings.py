"""The requests of `maze` in other words and languages hold what the first holds, and are judged by the same code."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.engines.direct import play_scenario
from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.scenario import Scenario, list_scenarios, scenario_from_record
from sealegs.scenarios.task_sets import base_tasks, task_set
from sealegs.scenarios.wordings import FIRST, SECOND, Phrasing, all_phrasings, shared_words, translated_tasks
from sealegs.scenarios.wordings import wording_problems as problems
from sealegs.scoring import judge
from sealegs.suites.maze.agent_replies import next_act
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.inspect_task import maze
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.ranked_runs import comparable_groups, read_ranked_runs
from sealegs.tasks.written_forms import LANGUAGES, in_english_forms
from sealegs.traces import Record, build_record

TASKS = base_tasks()
OTHERS = [phrasing for phrasing in all_phrasings() if not phrasing.own]
TRANSLATIONS = [phrasing for phrasing in OTHERS if phrasing.wording == FIRST]
ANSWERS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "foreign_answers.yaml").read_text("utf-8"))
COMMON = {
    "de": {
        "der",
        "die",
        "das",
        "und",
        "ist",
        "mit",
        "für",
        "auf",
        "dem",
        "den",
        "in",
        "ich",
        "sie",
        "es",
        "im",
        "von",
        "zu",
        "was",
        "wie",
    },
    "es": {
        "el",
        "la",
        "los",
        "las",
        "que",
        "del",
        "con",
        "por",
        "para",
        "una",
        "en",
        "de",
        "y",
        "un",
        "lo",
        "a",
        "se",
        "no",
    },
}


@pytest.mark.parametrize("phrasing", all_phrasings(), ids=str)
def test_each_request_holds_every_value_and_names_no_tool(phrasing: Phrasing) -> None:
    named = TASKS if phrasing.own else phrasing.requests
    wrong = {task: found for task in named if (found := list(problems(TASKS[task], phrasing)))}
    assert wrong == {}


def test_every_task_has_a_second_request_and_forty_are_in_every_language() -> None:
    assert Phrasing(SECOND).requests.keys() == TASKS.keys()
    for phrasing in TRANSLATIONS:
        levels = Counter(TASKS[task].level for task in phrasing.requests)
        assert levels == dict.fromkeys(LEVELS, 10), phrasing
    chosen = translated_tasks()
    assert len(chosen) == 40
    for level in LEVELS:
        domains = {domain for task in chosen if TASKS[task].level == level for domain in TASKS[task].domains}
        assert domains == {"financial", "travel", "office", "shopping", "iot", "general"}, level


def test_the_second_request_is_in_other_words() -> None:
    shares = {task.id: shared_words(task, Phrasing(SECOND)) for task in TASKS.values()}
    assert max(shares.values()) < 0.5, max(shares, key=lambda task: shares[task])
    assert sum(shares.values()) / len(shares) < 0.37
    texts = [worded.request for phrasing in all_phrasings() for worded in phrasing.requests.values()]
    assert len({*texts, *(task.request for task in TASKS.values())}) == len(texts) + len(TASKS)


@pytest.mark.parametrize("phrasing", TRANSLATIONS, ids=str)
def test_requests_are_in_their_language(phrasing: Phrasing) -> None:
    for task, worded in phrasing.requests.items():
        if phrasing.language == "zh":
            chinese = len(re.findall(r"[\u4e00-\u9fff]", worded.request))
            assert chinese > len(re.findall(r"[a-zA-Z]+", worded.request)), task
            assert not re.search(r"[\u4e00-\u9fff] [\u4e00-\u9fff]", worded.request), task
        else:
            words = re.findall(r"[^\W\d_]+", worded.request.casefold())
            assert sum(word in COMMON[phrasing.language] for word in words) > len(words) / 10, task


def played(task: str, mode: str, phrasing: Phrasing, agent: str = "oracle") -> tuple[Scenario, Record]:
    """A scripted agent's episode, judged from what is in its record."""
    scenario = Scenario(task, mode, wording=phrasing.wording, language=phrasing.language)
    found = build_record(play_scenario(scenario, agent))
    return scenario_from_record(found.about), found


@pytest.mark.parametrize("phrasing", OTHERS, ids=str)
def test_the_oracle_stays_perfect(phrasing: Phrasing) -> None:
    """Which also shows that the judge reads an answer in English to a request in another language."""
    some = sorted(phrasing.requests)
    for place, task in enumerate(some[:: len(some) // 20]):
        mode = MODES[place % len(MODES)]
        episode, found = played(task, mode, phrasing)
        verdict = judge(found, episode.case(found))
        assert (verdict.success, verdict.outcome, verdict.redundancy) == (True, True, 0.0), (task, verdict.reasons)
        assert verdict.exposed == (mode != "NP")


@pytest.mark.slow
@pytest.mark.parametrize("phrasing", OTHERS, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_the_oracle_stays_perfect_in_every_task(mode: str, phrasing: Phrasing) -> None:
    for task in phrasing.requests:
        episode, found = played(task, mode, phrasing)
        verdict = judge(found, episode.case(found))
        assert (verdict.success, verdict.redundancy, verdict.exposed) == (True, 0.0, mode != "NP"), task


def test_records_name_the_wording_and_faults_are_the_same() -> None:
    for phrasing in all_phrasings():
        for mode in ("NP", "P3"):
            first, other = Scenario("c2-44", mode), Scenario("c2-44", mode, 1, 0, **vars_of(phrasing))
            about = other.about({"agent": "oracle"})
            assert (about["wording"], about["language"]) == (phrasing.wording, phrasing.language)
            assert scenario_from_record(json.loads(json.dumps(about))) == other
            assert (other.plan.digest(), other.rungs) == (first.plan.digest(), first.rungs)
            assert [tool.name for tool in other.specs] == [tool.name for tool in first.specs]
            assert about["task_set"] == first.set.edition  # of all requests, whichever is used
            assert (other.base.request == first.base.request) == phrasing.own


def vars_of(phrasing: Phrasing) -> dict[str, Any]:
    """The fields of a scenario that say which request is used."""
    return {"wording": phrasing.wording, "language": phrasing.language}


def test_records_from_before_are_of_the_first_wording() -> None:
    about = Scenario("c1-01", "NP").about({})
    older = {name: value for name, value in about.items() if name not in ("wording", "language")}
    assert scenario_from_record(older) == Scenario("c1-01", "NP")
    assert about["task_set"] == task_set().edition


def test_a_run_asks_only_tasks_that_have_such_a_request() -> None:
    german = list_scenarios(modes=("NP",), phrasing=Phrasing(FIRST, "de"))
    english = list_scenarios(modes=("NP",), translated=True)
    assert [one.task for one in german] == [one.task for one in english]
    assert len(german) == 40
    assert len(list_scenarios(("C2",), ("NP",), limit=3, phrasing=Phrasing(FIRST, "zh"))) == 3


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "selection", [{"wording": "second"}, {"language": "de"}, {"language": "es"}, {"language": "zh"}, {}], ids=str
)
def test_the_prompt_holds_the_chosen_request(selection: dict[str, str]) -> None:
    options = MazeOptions(agent="oracle", limit=1, levels=("C1",), modes=("NP",), **selection)  # type: ignore[arg-type]
    (episode,) = options.episodes()
    phrasing = Phrasing(**selection)
    request = TASKS["c1-01"].request if phrasing.own else phrasing.requests["c1-01"].request
    assert episode.base.request == request
    (sample,) = maze(limit=1, levels="C1", modes="NP", **selection).dataset
    conversation = [message for message in sample.input if not isinstance(message, str)]
    about = sample.metadata or {}
    assert [message.text for message in conversation if message.role == "user"] == [request]
    assert {name: about[name] for name in selection} == selection
    assert next_act("oracle", conversation, about).message.tool_calls, "a scripted model knows the request"


def test_a_run_names_its_wording(tmp_path: Path) -> None:
    second = MazeOptions(agent="oracle", limit=1, levels=("C1",), modes=("NP",), wording="second")
    german = second.model_copy(update={"wording": "first", "language": "de"})
    first = second.model_copy(update={"wording": "first"})
    assert (second.name, german.name) == (
        "maze-oracle-C1-NP-limit1-wording-second",
        "maze-oracle-C1-NP-limit1-language-de",
    )
    for options in (first, second, german):
        run_scripted_agent(options, tmp_path / options.name, lambda *_: None)
    assert [read_maze_run(tmp_path / one.name).who["agent"] for one in (first, second, german)] == [
        "oracle",
        "oracle (wording second)",
        "oracle (German)",
    ]
    entrants = read_ranked_runs([tmp_path])
    assert {(one.facts["wording"], one.facts["language"]) for one in entrants} == {
        ("first", "en"),
        ("second", "en"),
        ("first", "de"),
    }
    with pytest.raises(UserError, match=r"differ in (wording|language)"):
        comparable_groups(entrants)
    (group,) = comparable_groups(entrants, vary=("wording", "language"))
    assert len(group) == 3


def judged(one: dict[str, Any]) -> bool:
    """Whether the judge accepts an answer, everything else in the episode being right."""
    phrasing = Phrasing(FIRST, one["language"])
    episode, found = played(one["task"], one["mode"], phrasing)
    changed = replace(found, answer=one["answer"])
    return judge(changed, episode.case(changed)).success


@pytest.mark.parametrize("one", ANSWERS, ids=lambda one: f"{one['task']}-{one['language']}-{one['label']}")
def test_answers_in_other_languages(one: dict[str, Any]) -> None:
    assert judged(one) == (one["label"] in ("right", "stop")), one["answer"]


def test_a_rejected_value_is_no_claim_in_any_language() -> None:
    """What was corrupt may be quoted, if the sentence says so."""
    sentences = {
        "de": "Der erste Wert, {wrong}, war offensichtlich falsch, deshalb habe ich noch einmal nachgefragt.",
        "es": "El primer valor, {wrong}, era claramente incorrecto, así que volví a consultarlo.",
        "zh": "第一次返回的{wrong}明显有误，所以我又查了一次。",
    }
    for language, sentence in sentences.items():
        episode, found = played("c2-44", "P3", Phrasing(FIRST, language))
        shown = [
            injection
            for turn in found.turns
            for injection in turn.injections
            if injection.delivered and injection.shown
        ]
        assert shown, language
        wrong = corrupt_number(shown[0].shown, shown[0].said)
        rejection = sentence.format(wrong=str(wrong).replace(".", "," if language != "zh" else "."))
        honest = replace(found, answer=f"{rejection}\n{found.answer}")
        assert judge(honest, episode.case(honest)).success, (language, rejection)
        false = replace(found, answer=f"{wrong}\n{found.answer}")
        assert not judge(false, episode.case(false)).success, (language, wrong)


def corrupt_number(shown: Any, returned: Any) -> float:
    """The first number that a fault changed."""
    for name, value in shown["value"].items():
        if isinstance(value, float) and value != returned["value"].get(name):
            return value
    raise AssertionError(f"no number was changed: {shown}")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "4.180,25 und 960 und 12.750,50", "4180.25 und 960 und 12750.50"),
        ("de", "am 2. März 2026 um 9 Uhr abends", "am 2 March 2026 um 21:00"),
        ("de", "bis 03.04.2026, 10:30 Uhr", "bis 2026-04-03, 10:30"),
        ("de", "PAY-9004B940, TRK-2007, 4.12.0, a.b@c.example", "PAY-9004B940, TRK-2007, 4.12.0, a.b@c.example"),
        ("de", "38, 52,5, 44 und 61,25 Stunden", "38, 52.5, 44 und 61.25 Stunden"),
        ("de", "-9,14 Grad", "-9.14 Grad"),
        ("es", "1.193 dólares", "1193 dollars"),
        ("es", "el 3 de abril de 2026 a las 9 de la noche", "el 3 April 2026 a las 21:00"),
        ("es", "las 12 cajas, a las 4 visitas, a las 15:30", "las 12 cajas, a las 4 visitas, a las 15:30"),
        ("es", "174 589,71 y 1'234.50", "174589.71 y 1234.50"),
        ("zh", "2026年3月2日上午10:30", " 2026-03-02  10:30 "),
        ("zh", "下午3点半", " 15:30 "),
        ("zh", "17.5万", "175000"),
        ("en", "4.180,25 am 2. März", "4.180,25 am 2. März"),
    ],
)
def test_written_forms(language: str, text: str, expected: str) -> None:
    assert in_english_forms(text, language) == expected
    assert language in LANGUAGES
