"""The grades of a review: what its folder of replies says of the tasks, worked out against the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.scenarios.scenario import SUITE
from sealegs.scoring.metric import Row
from sealegs.scoring.review_metrics import ReviewedAnswer, ReviewedTask, agreement_table, review_table
from sealegs.suites.maze.review.review_folder import By, ReviewerFile, read_replies, read_review_settings
from sealegs.suites.maze.review.review_questions import SolveQuestion
from sealegs.suites.maze.review.review_session import review_verdict

GROUPS: dict[By, str] = {"person": "people", "model": "models"}


@dataclass(frozen=True)
class ReviewGrades:
    """The findings from the replies to a review.

    Attributes:
        rows: the long table; people are under `agent`, models under `model`.
        reviewers: the number of answered questions, by the kind of reviewer and by name.
        total: the number of all questions.
        notes: replies that do not count, and why; tasks that nobody solved.
    """

    rows: Sequence[Row]
    reviewers: Mapping[str, Mapping[str, int]]
    total: int
    notes: Sequence[str]


def grade_review(folder: Path) -> ReviewGrades:
    """Grade the replies of a review.

    Raises:
        UserError: there is no review, it holds no reply, or a file is damaged.
    """
    settings = read_review_settings(folder)
    found: dict[By, list[_Judged]] = {"person": [], "model": []}
    for by, file in read_replies(folder, settings):
        found[by].append(_Judged(file))
    # Files alone are not replies: a reviewer may have only begun, or every entry may be left out.
    if not any(one.tasks or one.answers for judged in found.values() for one in judged):
        raise UserError(
            f"{folder} holds no reply yet; `sealegs maze review {folder} --reviewer NAME` asks a person, "
            "and --model NAME a model"
        )
    rows: list[Row] = []
    for by, judged in found.items():
        rows += _rows(by, judged)
    notes = [note for judged in found.values() for one in judged for note in one.notes]
    people = [task for one in found["person"] for task in one.tasks]
    unsolved = sorted({one.task for one in people} - {one.task for one in people if one.solved})
    notes += [f"no person solved {', '.join(unsolved)}"] if unsolved else []
    counts = {str(by): {one.name: len(one.tasks) + len(one.answers) for one in kind} for by, kind in found.items()}
    return ReviewGrades(rows, counts, settings.solve + settings.detect, notes)


class _Judged:
    """One reviewer's replies beside the truth."""

    def __init__(self, file: ReviewerFile) -> None:
        self.name = file.reviewer
        self.tasks: list[ReviewedTask] = []
        self.answers: list[ReviewedAnswer] = []
        self.notes: list[str] = []
        if file.skipped:
            self.notes.append(f"{file.skipped} entries of {self.name} are left out: their questions are others now")
        for question in file.questions:
            reply = file.replies.get(question.id)
            if reply is None:
                continue
            if isinstance(question, SolveQuestion):
                self._take_task(question, reply)
                continue
            verdict = reply.get("corrupt")
            episode = question.scenario
            self.answers.append(
                ReviewedAnswer(
                    self.name,
                    episode.task,
                    episode.mode,
                    question.rung,
                    question.corrupt,
                    verdict if isinstance(verdict, bool) else None,
                )
            )

    def _take_task(self, question: SolveQuestion, reply: dict[str, object]) -> None:
        episode = question.scenario
        try:
            verdict = review_verdict(episode, self.name, reply)
        except (ValueError, KeyError, TypeError) as error:
            self.notes.append(f"the reply of {self.name} to {question.id} is left out: {error}")
            return
        self.tasks.append(
            ReviewedTask(self.name, episode.task, episode.base.level, verdict.outcome, verdict.success, verdict.stopped)
        )


def _rows(by: By, judged: Sequence[_Judged]) -> list[Row]:
    def name(who: str) -> Row:
        return {"suite": SUITE, "model": who} if by == "model" else {"suite": SUITE, "agent": who}

    rows = [row for one in judged for row in review_table(one.tasks, one.answers, name(one.name))]
    tasks = [task for one in judged for task in one.tasks]
    answers = [answer for one in judged for answer in one.answers]
    if len(judged) > 1:
        rows += review_table(tasks, answers, name(GROUPS[by]))
    return rows + agreement_table(answers, name)
