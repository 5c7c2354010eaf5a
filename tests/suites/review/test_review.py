"""The review without a browser: what is drawn, what the page's server sends and refuses, the folder, the grades."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.call import Value, render
from sealegs.faults.rungs.visible_rung import RUNGS
from sealegs.faults.user_error import UserError
from sealegs.scoring.agreement import krippendorff_alpha
from sealegs.scoring.maze_metrics import CLEAN
from sealegs.scoring.review_metrics import ReviewedAnswer, agreement_table, review_table
from sealegs.suites.maze.review import review_folder
from sealegs.suites.maze.review.review_folder import (
    ReviewChoice,
    ReviewerFile,
    check_reviewer,
    open_review,
    read_review_settings,
    reviewer_lock,
)
from sealegs.suites.maze.review.review_grades import grade_review
from sealegs.suites.maze.review.review_questions import (
    DetectQuestion,
    ReviewSettings,
    SolveQuestion,
    draw_questions,
)
from sealegs.suites.maze.review.review_session import form_answer, recorded_reply, stop_answer
from sealegs.tasks.value_matching import contains_value
from sealegs.traces.record import build_record
from tests import needs

SMALL = ReviewSettings(solve=1, detect=8)
SECRETS = ('corrupt"', "rung", "forged", "strike", "victim", "P3", "P4", "c1-", "c2-", "c3-", "c4-", *RUNGS[2:])


def detects(settings: ReviewSettings) -> list[DetectQuestion]:
    return [one for one in draw_questions(settings) if isinstance(one, DetectQuestion)]


def solves(settings: ReviewSettings) -> list[SolveQuestion]:
    return [one for one in draw_questions(settings) if isinstance(one, SolveQuestion)]


def test_questions_are_balanced_and_follow_from_the_settings() -> None:
    settings = ReviewSettings(solve=4, detect=8)
    questions = draw_questions(settings)
    assert Counter((one.corrupt, one.rung) for one in detects(settings)) == {
        (truth, rung): 1 for truth in (True, False) for rung in RUNGS
    }
    assert sorted(one.scenario.base.level for one in solves(settings)) == ["C1", "C2", "C3", "C4"]
    assert {one.scenario.mode for one in solves(settings)} == {CLEAN}
    assert len({one.scenario.task for one in questions}) == len(questions) == len({one.id for one in questions})
    draw_questions.cache_clear()
    assert [one.shown for one in draw_questions(settings)] == [one.shown for one in questions]
    assert [one.shown for one in draw_questions(replace(settings, seed=1))] != [one.shown for one in questions]


def test_a_corrupt_answer_differs_from_the_clean_one_in_nothing_but_its_text() -> None:
    for one in detects(SMALL):
        right = one.scenario.set.right_run(one.scenario.task).steps
        step = one.scenario.base.graph.step_of[one.turn.call.tool]
        clean = render(Value(right[step.id].output))
        assert (one.shown["asked"]["shown"] != clean) == one.corrupt
        for turn, call in zip(one.before, one.shown["calls"], strict=True):
            expected = right[one.scenario.base.graph.step_of[turn.call.tool].id]
            assert call["shown"] == render(Value(expected.output))
        assert [*one.shown] == ["id", "kind", "now", "request", "calls", "asked"]
        assert [*one.shown["asked"]] == ["tool", "description", "arguments", "shown"]


Client = Callable[..., Awaitable[tuple[int, dict[str, str], str]]]


def with_page(file: ReviewerFile, use: Callable[[Client, str], Awaitable[None]]) -> None:
    """Serve the page on a port of its own, and use it as a client does."""
    aiohttp = pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))
    from sealegs.adapters.relaying.http_serving import serving
    from sealegs.suites.maze.review.review_server import HERE, ReviewHandler

    async def run() -> None:
        async with serving(ReviewHandler(file).handle, HERE, 0) as at, aiohttp.ClientSession() as session:

            async def ask(path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], str]:
                method = "GET" if body is None else "POST"
                sent = {"data": body} if isinstance(body, str) else {"json": body} if body is not None else {}
                async with session.request(method, f"{at}{path}", headers=headers, **sent) as answer:
                    return answer.status, dict(answer.headers), await answer.text()

            await use(ask, str(at))

    asyncio.run(run())


def person(folder: Path, name: str = "ana") -> ReviewerFile:
    return ReviewerFile(folder, open_review(folder, ReviewChoice(SMALL.solve, SMALL.detect)), name, "person")


def test_nothing_that_is_sent_holds_the_truth(tmp_path: Path) -> None:
    file = person(tmp_path / "review")
    sent: list[str] = []

    async def use(ask: Client, at: str) -> None:
        for path in ("/", "/review.css", "/review.js", "/page.css"):
            status, headers, _ = await ask(path)
            assert status == 200
            assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
            assert headers["Cache-Control"] == "no-store"
        for question in file.questions:
            sent.append((await ask("state"[:0] + "/state"))[2])
            if isinstance(question, SolveQuestion):
                right = question.scenario.set.right_run(question.scenario.task).deliverables
                known = [value for value in right if contains_value(question.scenario.base.request, value)]
                assert not [value for value in right if value not in known and contains_value(sent[-1], value)]
                body: dict[str, Any] = {"cannot": True, "why": "I gave up."}
            else:
                body = {"corrupt": True, "why": "It looks odd."}
            status, _, text = await ask("/reply", {"question": question.id, **body})
            assert status == 200
            sent.append(text)
        assert json.loads(sent[-1])["question"] is None

    with_page(file, use)
    for text in sent:
        assert not [word for word in SECRETS if word in text]
    kept = "".join(one.read_text() for one in (tmp_path / "review").rglob("*.json*"))
    assert not [word for word in SECRETS[1:] if word in kept]


def test_the_page_answers_only_its_own_and_refuses_what_will_not_do(tmp_path: Path) -> None:
    file = person(tmp_path / "review")
    first = file.questions[0]
    solve = next(one for one in file.questions if isinstance(one, SolveQuestion))

    async def use(ask: Client, at: str) -> None:
        assert (await ask("/state", Host="review.example"))[0] == 421
        assert (await ask("/state", Origin="http://evil.example"))[0] == 403
        status, _, text = await ask("/state", Origin="null")
        assert status == 403
        assert "--allow" not in text
        assert (await ask("/nothing"))[0] == 404
        assert (await ask("/../review_server.py"))[0] == 404
        assert (await ask("/reply", "{}"))[0] == 415
        plain = {"Content-Type": "application/json"}
        assert (await ask("/reply", "{", **plain))[0] == 400
        assert (await ask("/reply", "[" * 100_000, **plain))[0] == 400
        assert (await ask("/reply", [1]))[0] == 400
        assert (await ask("/reply", {"question": "q999", "corrupt": True}))[0] == 409
        for question in file.questions:
            if question is solve:
                break
            for body in ({}, {"corrupt": "yes"}, {"corrupt": True, "why": 3}, {"corrupt": True, "why": "x" * 3000}):
                assert (await ask("/reply", {"question": question.id, **body}))[0] == 400
            assert (await ask("/call", {"question": question.id, "tool": "x", "arguments": {}}))[0] == 400
            assert (await ask("/reply", {"question": question.id, "corrupt": False}))[0] == 200
            assert (await ask("/reply", {"question": question.id, "corrupt": True}))[0] == 409
        tool = solve.scenario.specs[0].name
        call = {"question": solve.id, "tool": tool, "arguments": {"nonsense": 1}, "place": 0}
        assert (await ask("/call", {**call, "tool": "rm"}))[0] == 400
        assert (await ask("/call", {**call, "arguments": []}))[0] == 400
        status, _, text = await ask("/call", call)
        assert status == 200
        assert "error" in json.loads(text)["shown"]
        assert (await ask("/call", call))[0] == 409  # from another window
        assert (await ask("/reply", {"question": solve.id, "deliverables": {}}))[0] == 400
        assert len(json.loads((await ask("/state"))[2])["question"]["calls"]) == 1

    with_page(file, use)
    assert first.id in file.replies or first is solve
    again = ReviewerFile(tmp_path / "review", SMALL, "ana", "person")
    assert again.replies == file.replies
    assert len(again.calls[solve.id]) == 1


def replied(folder: Path, name: str, say: Callable[[DetectQuestion], bool], gives_up: bool = False) -> ReviewerFile:
    """A reviewer who solves as the planner does, or gives up, and says this of answers."""
    file = person(folder, name)
    for question in file.questions:
        if isinstance(question, DetectQuestion):
            file.note_reply(question, {"corrupt": say(question), "why": ""})
        elif gives_up:
            file.note_reply(question, {"answer": stop_answer("no idea"), "calls": []})
        else:
            file.note_reply(question, recorded_reply(build_record(play_scenario(question.scenario, "planner"))))
    return file


def test_the_grades_of_three_reviewers(tmp_path: Path) -> None:
    folder = tmp_path / "review"
    replied(folder, "ana", lambda one: one.corrupt)
    replied(folder, "ben", lambda one: one.corrupt and one.rung == "glance", gives_up=True)
    replied(folder, "cleo", lambda one: True)
    found = grade_review(folder)
    rows = {(row["agent"], row["mode"], row["metric"]): row for row in found.rows if row["level"] == "all"}
    assert rows["ana", CLEAN, "solved"]["value"] == 100
    assert rows["ben", CLEAN, "solved"]["value"] == 0
    assert rows["ben", CLEAN, "given_up"]["value"] == 100
    assert round(rows["people", CLEAN, "solved"]["value"] or 0, 1) == 66.7
    assert rows["people", CLEAN, "solved_by_any"]["value"] == 100
    assert rows["ben", "all", "sensitivity"]["value"] == 25
    assert rows["ben", "all", "sensitivity_glance"]["value"] == 100
    assert rows["ben", "all", "sensitivity_across"]["value"] == 0
    assert rows["cleo", "all", "specificity"]["value"] == 0
    assert rows["ana / truth", "all", "kappa"]["value"] == 1
    assert rows["cleo / truth", "all", "kappa"]["value"] == 0
    assert rows["ana / ben", "all", "agreement"]["value"] == 62.5
    assert rows["all", "all", "alpha"]["n"] == 8
    assert all(row["low"] <= row["value"] <= row["high"] for row in found.rows if row["low"] is not None)
    assert found.reviewers["person"] == {"ana": 9, "ben": 9, "cleo": 9}


def test_replies_to_other_questions_and_damaged_replies_do_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "review"
    replied(folder, "ana", lambda one: one.corrupt)
    file = next((folder / "replies").glob("person-ana-*.jsonl"))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    shown = [line for line in lines if line.get("kind") == "detect"]
    shown[0]["of"] = "another question"
    solved = next(line for line in lines if line.get("kind") == "solve")
    solved["reply"]["calls"][0]["shown"] = "something else"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"question": "q0')
    found = grade_review(folder)
    assert {row["n"] for row in found.rows if row["metric"] == "agreement"} == {7}
    assert not [row for row in found.rows if row["metric"] == "solved"]
    assert "1 entries of ana are left out" in found.notes[0]
    assert "does not give the answer that the reviewer saw" in found.notes[1]


def test_a_folder_is_one_review_and_a_name_is_one_reviewer(tmp_path: Path) -> None:
    folder = tmp_path / "review"
    with pytest.raises(UserError, match="holds no review"):
        grade_review(folder)
    open_review(folder, ReviewChoice(1, 8))
    assert read_review_settings(folder) == SMALL
    with pytest.raises(UserError, match="holds no reply yet"):
        grade_review(folder)
    with pytest.raises(UserError, match="a review with --detect 8, not 16"):
        open_review(folder, ReviewChoice(detect=16))
    assert open_review(folder, ReviewChoice()) == SMALL
    (folder / "review.json").write_text(json.dumps({**SMALL.facts(), "task_set": "0"}))
    with pytest.raises(UserError, match=r"other tasks \(task_set was 0"):
        open_review(folder, ReviewChoice())
    (folder / "review.json").write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        grade_review(folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty"):
        open_review(tmp_path / "full", ReviewChoice())
    for name in ("", " ", " ana", "a\nb", "x" * 101, "a\u202eb"):
        with pytest.raises(UserError, match="not a reviewer's name"):
            check_reviewer(name)
    names = ["ana", "Ana", "../ana", "openai/ana", "é", "e", "..", "CON"]
    files = {review_folder.file_name("person", name).lower() for name in names}
    assert len(files) == len(names)
    assert all("/" not in file and not file.startswith(".") for file in files)


def test_a_name_is_locked_while_it_replies(tmp_path: Path) -> None:
    def takes(name: str) -> bool:
        try:
            with reviewer_lock(tmp_path / "review", "person", name):
                return True
        except UserError:
            return False

    with reviewer_lock(tmp_path / "review", "person", "ana"), ThreadPoolExecutor(1) as elsewhere:
        assert [elsewhere.submit(takes, name).result() for name in ("ana", "ben")] == [False, True]
    assert takes("ana")


def test_the_answers_that_a_form_comes_to() -> None:
    assert form_answer(["a", "b"], {"a": "1\n2", "b": "x"}) == "- a: 1 2\n- b: x\nStatus: complete"
    assert stop_answer(" ").endswith("Status: incomplete")


def test_alpha_is_krippendorffs() -> None:
    """The worked example of Krippendorff (2011), with missing labels: 0.743; and his two coders with 0 and 1: 0.095."""
    rows = [
        "1 2 3 3 2 1 4 1 2 * * *",
        "1 2 3 3 2 2 4 1 2 5 * 3",
        "* 3 3 3 2 3 4 2 2 5 1 *",
        "1 2 3 3 2 4 4 1 2 5 1 *",
    ]
    columns = zip(*(row.split() for row in rows), strict=True)
    alpha, n = krippendorff_alpha([label for label in column if label != "*"] for column in columns)
    assert alpha is not None
    assert (round(alpha, 3), n) == (0.743, 11)
    pairs = zip("0100000000", "1110010010", strict=True)
    alpha, n = krippendorff_alpha(list(pair) for pair in pairs)
    assert alpha is not None
    assert (round(alpha, 3), n) == (0.095, 10)
    assert krippendorff_alpha([["x", "x"], ["x"]]) == (None, 1)
    assert krippendorff_alpha([]) == (None, 0)


def test_a_reply_that_cannot_be_read_is_wrong_whatever_the_truth() -> None:
    answers = [ReviewedAnswer("m", str(n), "P3", "glance", n < 2, None if n % 2 else n < 2) for n in range(4)]
    rows = {(row["mode"], row["metric"]): row["value"] for row in review_table([], answers, {"suite": "maze"})}
    assert rows["all", "sensitivity"] == rows["all", "specificity"] == 50
    kappas = agreement_table(answers, lambda name: {"suite": "maze", "model": name})
    assert [row["value"] for row in kappas if row["metric"] == "agreement"] == [50]
