"""A model as a reviewer, through Inspect: the same questions, and the same file of replies.

A reply is appended when its question is answered. A question that the provider failed to answer has none, and the same
command asks it again. What the model itself did (a refusal, no answer within the steps, a reply of another form) is
its reply, and counts.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sealegs.engines.inspect_ends import model_end
from sealegs.engines.inspect_first_call import ask_first, stop_at_quota
from sealegs.engines.inspect_runner import Display, plain_words, sample_errors_unprinted, usable_model
from sealegs.engines.inspect_turns import METADATA, take_turns_in_inspect
from sealegs.engines.logs import LogError
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.maze.agent_replies import REVIEWED_CALL
from sealegs.suites.maze.review.review_folder import ReviewerFile, file_name
from sealegs.suites.maze.review.review_questions import ReviewQuestion, SolveQuestion
from sealegs.suites.maze.review.review_session import COMPLETE, INCOMPLETE, ReviewSession, recorded_reply
from sealegs.suites.maze.review.review_wording import DETECT_FORM, DETECT_INSTRUCTIONS, SOLVE_INSTRUCTIONS
from sealegs.traces.record import build_record

MAX_STEPS = 25
TRIES = 3  # of a reply that says neither
LOGS = "logs"
AGAIN = f"This does not say whether the answer is right or corrupt. {DETECT_FORM}"


@dataclass(frozen=True, slots=True)
class ModelReview:
    """The progress of a model's run through a review.

    Attributes:
        done, total: questions with a reply, and all.
    """

    done: int
    total: int


def review_with_model(file: ReviewerFile, folder: Path, model: str | Model, display: Display | None) -> ModelReview:
    """Ask a model the questions that it has not replied to.

    Args:
        file: the model's.
        folder: of the review; Inspect's logs go into a folder there.
        model: as Inspect names it.
        display: how Inspect shows its progress.

    Raises:
        LogError: the model cannot be used or called, or Inspect itself ended with an error.
    """
    left = file.left
    if left:
        if isinstance(model, str):
            name, model = model, usable_model(model)
            ask_first(name)
        stop_at_quota(model)
        task = Task(
            name="maze_review",
            dataset=MemoryDataset([_sample(one) for one in left], name="maze review"),
            solver=_reviewing(file),
            fail_on_error=False,
        )
        where = folder / LOGS / file_name("model", file.reviewer)
        try:
            with sample_errors_unprinted():
                logs = inspect_eval(task, model=model, log_dir=str(where), log_buffer=1, display=display, score=False)
        except PrerequisiteError as error:
            raise LogError(f"Inspect cannot run it: {plain_words(error)}; the same command resumes it") from error
        broken = next((log for log in logs if log.status != "success"), None)
        if broken is not None:
            reason = broken.error.message if broken.error else broken.status
            raise LogError(f"Inspect ended with {broken.status!r}: {reason}; the same command resumes it")
    return ModelReview(len(file.questions) - len(file.left), len(file.questions))


def _sample(question: ReviewQuestion) -> Sample:
    return Sample(input=_messages(question), id=question.id)


def _messages(question: ReviewQuestion) -> list[ChatMessage]:
    if isinstance(question, SolveQuestion):
        answer_lines = "\n".join(f"- {label}: VALUE" for label in question.labels)
        form = (
            f'Final answer, where all is done:\n{answer_lines}\n{COMPLETE}\n\nElse: why not, and then "{INCOMPLETE}".'
        )
        instructions = f"{SOLVE_INSTRUCTIONS}\n\n{question.shown['now']}\n\n{form}"
        facts = {"task": question.scenario.task, "mode": question.scenario.mode, "seed": question.scenario.seed}
        user = ChatMessageUser(content=question.shown["request"], metadata={METADATA: facts})
        return [ChatMessageSystem(content=instructions), user]
    shown = question.shown
    calls = [_call_text(number, call) for number, call in enumerate([*shown["calls"], shown["asked"]], 1)]
    parts = {
        "Request": f"{shown['request']}\n{shown['now']}",
        "Calls before": "\n\n".join(calls[:-1]) or "None.",
        "The answer in question": calls[-1],
    }
    text = "\n\n".join(f"{title}:\n{part}" for title, part in parts.items())
    facts = {REVIEWED_CALL: {"task": question.scenario.task, **shown["asked"]}}
    user = ChatMessageUser(content=text, metadata={METADATA: facts})
    return [ChatMessageSystem(content=f"{DETECT_INSTRUCTIONS}\n\n{DETECT_FORM}"), user]


def _call_text(number: int, call: dict[str, Any]) -> str:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    return f"{number}. {call['tool']}({arguments}): {call['description']}\n{call['shown']}"


@solver
def _reviewing(file: ReviewerFile) -> Solver:
    """Ask one question, and note the reply."""
    questions = {one.id: one for one in file.questions}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = questions[str(state.sample_id)]
        if isinstance(question, SolveQuestion):
            reply = await _solved(state, question, file.reviewer)
        else:
            reply = await _detected(state)
        file.note_reply(question, reply)
        return state

    return solve


async def _solved(state: TaskState, question: SolveQuestion, reviewer: str) -> dict[str, Any]:
    review = ReviewSession(question.scenario, reviewer)
    await take_turns_in_inspect(
        state, list(question.scenario.specs), review.session, review.run, review.recorder, MAX_STEPS
    )
    return recorded_reply(build_record(review.recorder.events))


async def _detected(state: TaskState) -> dict[str, Any]:
    model = get_model()
    for _ in range(TRIES):
        state.output = await model.generate(state.messages)
        found = detect_reply(state.output)
        if found is not None:
            return found
        end = model_end(state.output)
        if end is not None and end.last:
            return {"corrupt": None, "why": f"{end.reason}: {end.detail}"}
        state.messages += [state.output.message, ChatMessageUser(content=AGAIN)]
    return {"corrupt": None, "why": "no reply of the requested form"}


def detect_reply(output: ModelOutput) -> dict[str, Any] | None:
    """The verdict of a model on an answer; None where it gives none."""
    for text in re.findall(r"\{[^{}]*\}", output.completion):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found.get("corrupt"), bool):
            return {"corrupt": found["corrupt"], "why": str(found.get("why", ""))}
    return None
