"""The page of a review in a real browser, served by the real command: a task and two answers, with a kill between."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.suites.maze.review.review_grades import grade_review
from sealegs.suites.maze.review.review_questions import (
    DetectQuestion,
    ReviewQuestion,
    ReviewSettings,
    SolveQuestion,
    draw_questions,
)
from sealegs.traces.record import build_record
from tests import needs
from tests.devtools import CHROMIUM, Tab, chromium

SMALL = ReviewSettings(solve=1, detect=2)
SHOTS = os.environ.get("SEALEGS_SHOTS", "")  # a folder for pictures of the page, for whoever wants to look


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The real command, and the page's address."""
    command = [sys.executable, "-m", "sealegs", "maze", "review", str(folder), "--reviewer", "Ana B."]
    command += ["--solve", "1", "--detect", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.match(r"review at (http://127\.0\.0\.1:\d+)/? ", process.stdout.readline())
        assert found
        yield f"{found[1]}/", process
    finally:
        process.kill()
        process.communicate()


async def looks_at(tab: Tab, name: str) -> None:
    """See that nothing runs out of the page at two widths and in the dark, and take pictures for whoever asks."""
    for width, dark in ((1200, False), (420, False), (420, True), (1200, True)):
        await tab.resize(width, dark=dark)
        assert await tab.run("document.documentElement.scrollWidth <= innerWidth"), (name, width)
        if SHOTS:
            (Path(SHOTS) / f"{name}-{width}{'-dark' if dark else ''}.png").write_bytes(await tab.picture())


async def calls_tool(tab: Tab, tool: str, arguments: dict[str, Any], place: int) -> None:
    """Fill in a tool's form and send it, as a person does."""
    chosen = f'details[data-words^="{tool.lower()} "]'
    await tab.click(f"{chosen} summary")
    await tab.until(f"document.querySelector('{chosen} form')")
    for name, value in arguments.items():
        field = f'{chosen} [name="{name}"]'
        if await tab.run(f"document.querySelector('{field}').tagName") == "SELECT":
            text = json.dumps(str(value) if not isinstance(value, bool) else str(value).lower())
            await tab.run(
                f"(() => {{ const one = document.querySelector('{field}');"
                f" one.selectedIndex = [...one.options].findIndex((o) => o.text === {text}); }})()"
            )
        else:
            text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
            await tab.type(field, text)
    await tab.click(f"{chosen} form button")
    await tab.until(f"document.querySelectorAll('#calls .call').length === {place + 1}")


async def answers_detect(tab: Tab, question: ReviewQuestion, done: int) -> None:
    """Try to send nothing, and then say what is true of an answer."""
    assert isinstance(question, DetectQuestion)
    await tab.until("document.querySelector('main h1').textContent === 'Is this answer right?'")
    page = await tab.run("document.documentElement.outerHTML")
    assert question.turn.call.tool in page
    await looks_at(tab, f"detect-{done}")
    await tab.click("main form button")
    await tab.until("document.querySelector('.problem').textContent.includes('right or corrupt')")
    await tab.click("#corrupt-yes" if question.corrupt else "#corrupt-no")
    await tab.click("main form button")
    await tab.until(f"document.getElementById('count').textContent.endsWith('{done + 1} of 3')")


@pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
def test_a_person_solves_a_task_and_tells_answers_and_a_kill_loses_nothing(tmp_path: Path) -> None:
    asyncio.run(_clicks_through(tmp_path))
    rows = {(row.get("agent"), row["level"], row["metric"]): row for row in grade_review(tmp_path / "review").rows}
    assert rows["Ana B.", "all", "solved"]["value"] == 100
    assert rows["Ana B.", "all", "sensitivity"]["value"] == rows["Ana B.", "all", "specificity"]["value"] == 100
    assert rows["Ana B. / truth", "all", "kappa"]["value"] == 1


async def _clicks_through(tmp_path: Path) -> None:
    questions = draw_questions(SMALL)
    task = next(place for place, one in enumerate(questions) if isinstance(one, SolveQuestion))
    async with chromium(tmp_path) as tab:
        with served(tmp_path / "review") as (address, process):
            await tab.open(address)
            await tab.until("document.getElementById('count').textContent === 'Ana B.: 0 of 3'")
            for place in range(task):
                await answers_detect(tab, questions[place], place)
            await solves(tab, questions[task], 0)
            process.send_signal(signal.SIGKILL)
        with served(tmp_path / "review") as (address, _):
            await tab.open(address)
            await tab.until(f"document.getElementById('count').textContent === 'Ana B.: {task} of 3'")
            await solves(tab, questions[task], 1)
            for place in range(task + 1, len(questions)):
                await answers_detect(tab, questions[place], place)
            await tab.until("document.querySelector('main h1').textContent === 'Thank you'")
        assert not [error for error in tab.errors() if "/reply" not in error]  # one form was sent empty, and refused
        assert all(address.startswith(("http://127.0.0.1:", "data:", "about:")) for address in tab.requests())


async def solves(tab: Tab, question: ReviewQuestion, made: int) -> None:
    """Make the first call of a task; once that was made, check that it is still there, and do the rest."""
    await tab.until("document.querySelector('main h1').textContent === 'Carry out this request'")
    assert isinstance(question, SolveQuestion)
    record = build_record(play_scenario(question.scenario, "planner"))
    await tab.until(f"document.querySelectorAll('#calls .call').length === {made}")
    for place, turn in list(enumerate(record.turns))[made:]:
        await calls_tool(tab, turn.call.tool, dict(turn.call.arguments), place)
        if not made:
            return
    values = [line.partition(": ")[2] for line in (record.answer or "").splitlines() if line.startswith("- ")]
    assert len(values) == len(question.labels)
    await looks_at(tab, "solve")
    await tab.click("form.answer button")
    await tab.until("document.querySelector('form.answer .problem').textContent.includes('still to be given')")
    for number, value in enumerate(values):
        await tab.run(f"document.querySelectorAll('form.answer input')[{number}].id = 'given-{number}'")
        await tab.type(f"#given-{number}", value)
    await tab.click("form.answer button")
    await tab.until("document.querySelector('main h1').textContent !== 'Carry out this request'")
