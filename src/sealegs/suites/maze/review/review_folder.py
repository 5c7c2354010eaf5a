"""A folder of a review: its settings, and a file of replies for each reviewer, appended the moment they are given.

    FOLDER/review.json           what the questions are drawn from
    FOLDER/replies/NAME.jsonl    one reviewer's replies: `call` entries as a task's tools are called, then a `reply`

It holds no truth. A reply notes the digest of the question that was shown, so that one that was given to another
question (of an older version) is never counted.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from sealegs.engines.journal import Journal
from sealegs.faults import seeds
from sealegs.faults.user_error import UserError
from sealegs.suites.maze.review.review_questions import (
    ReviewQuestion,
    ReviewSettings,
    draw_questions,
    question_digest,
)
from sealegs.traces.atomic_files import check_folder, write_atomically
from sealegs.traces.folder_lock import FolderLock

SETTINGS, REPLIES = "review.json", "replies"
REMEDY = "name another folder"
LONGEST_NAME = 100
By = Literal["person", "model"]


@dataclass(frozen=True)
class ReviewChoice:
    """The choices of a user for a review; None for the folder's own, or for the usual."""

    solve: int | None = None
    detect: int | None = None
    seed: int | None = None


def check_reviewer(name: str) -> str:
    """The name of a reviewer, if it can be one.

    Raises:
        UserError: it is empty, too long, or holds what cannot be read.
    """
    if not name.strip() or name != name.strip():
        raise UserError(f"{name!r} is not a reviewer's name; give one, such as ana")
    if len(name) > LONGEST_NAME or any(unicodedata.category(sign)[0] == "C" for sign in name):
        raise UserError(
            f"{name[:LONGEST_NAME]!r} is not a reviewer's name: use at most {LONGEST_NAME} printable characters"
        )
    return name


def open_review(folder: Path, choice: ReviewChoice) -> ReviewSettings:
    """The settings of a review, which the first call in a folder fixes.

    Raises:
        UserError: the folder holds another review, or something else, or the questions cannot be drawn.
    """
    check_folder(folder, REMEDY)
    file = folder / SETTINGS
    given = {name: value for name, value in vars(choice).items() if value is not None}
    if file.exists():
        settings = read_review_settings(folder)
        for name, value in given.items():
            if value != getattr(settings, name):
                raise UserError(
                    f"{folder} holds a review with --{name} {getattr(settings, name)}, not {value}; "
                    f"leave --{name} out, or {REMEDY}"
                )
        return settings
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty and holds no {SETTINGS}; {REMEDY}")
    settings = ReviewSettings(**given)
    draw_questions(settings)
    with FolderLock(folder, REMEDY, wait=True):  # another reviewer may begin at the same moment
        if not file.exists():
            write_atomically(file, json.dumps(settings.facts(), indent=1) + "\n")
    return open_review(folder, choice)


def read_review_settings(folder: Path) -> ReviewSettings:
    """The settings of a review that was begun.

    Raises:
        UserError: there is none, or it is of other tasks than those that ship with this version.
    """
    file = folder / SETTINGS
    if not file.is_file():
        raise UserError(
            f"{folder} holds no review (no {SETTINGS}); `sealegs maze review {folder} --reviewer NAME` begins one"
        )
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        own = {field.name: facts[field.name] for field in fields(ReviewSettings)}
        # By exact type, since true is an int; a setting decides which questions are drawn.
        if not all(type(value) is int and value >= 0 for value in own.values()):
            raise TypeError("a setting is not a whole number")
        settings = ReviewSettings(**own)
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file} is damaged ({type(error).__name__}: {error}); {REMEDY}") from error
    now = settings.facts()
    differing = [f"{name} was {facts.get(name)}, is {now[name]}" for name in now if facts.get(name) != now[name]]
    if differing:
        raise UserError(
            f"{folder} is a review of other tasks ({'; '.join(differing)}); use the version that made it, or {REMEDY}"
        )
    return settings


class ReviewerFile:
    """The questions to one reviewer, and the replies.

    Args:
        folder: of the review.
        settings: of the review.
        reviewer: the name.
        by: whether it is a person or a model.

    Raises:
        UserError: the file is another's, damaged, or in use by another process.
    """

    def __init__(self, folder: Path, settings: ReviewSettings, reviewer: str, by: By) -> None:
        self.reviewer = reviewer
        self.questions = draw_questions(settings)
        self.skipped = 0  # replies to questions that are others now
        self._by_id = {one.id: one for one in self.questions}
        file = folder / REPLIES / f"{file_name(by, reviewer)}.jsonl"
        self._journal = Journal(file, {"reviewer": reviewer, "by": by, **settings.facts()}, sealed=True)
        self.replies: dict[str, dict[str, Any]] = {}
        self.calls: dict[str, list[dict[str, Any]]] = {}
        for entry in self._journal.entries:
            self._take(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        question = self._by_id.get(entry.get("question", ""))
        if question is None or entry.get("of") != question_digest(question):
            self.skipped += 1
        elif isinstance(entry.get("call"), dict):
            self.calls.setdefault(question.id, []).append(entry["call"])
        elif isinstance(entry.get("reply"), dict):
            self.replies.setdefault(question.id, entry["reply"])

    @property
    def left(self) -> list[ReviewQuestion]:
        """The questions without a reply, in their order."""
        return [one for one in self.questions if one.id not in self.replies]

    def note_call(self, question: ReviewQuestion, call: dict[str, Any]) -> None:
        """Append a call of a task's tools."""
        self._append(question, {"call": call})

    def note_reply(self, question: ReviewQuestion, reply: dict[str, Any]) -> None:
        """Append the reply to a question. The first reply to a question is the one that counts."""
        self._append(question, {"reply": reply})

    def _append(self, question: ReviewQuestion, entry: dict[str, Any]) -> None:
        full = {"question": question.id, "kind": question.kind, "of": question_digest(question), **entry}
        self._journal.append(full)
        self._take(full)


def reviewer_lock(folder: Path, by: By, reviewer: str) -> FolderLock:
    """The lock that keeps a second process from replying under the same name at the same time."""
    return FolderLock(folder / REPLIES / f".{file_name(by, reviewer)}", "wait for it, or give another --reviewer")


def read_replies(folder: Path, settings: ReviewSettings) -> Iterator[tuple[By, ReviewerFile]]:
    """The files of the reviewers' replies, by name, each with the kind of its reviewer.

    Raises:
        UserError: a file is damaged.
    """
    for file in sorted((folder / REPLIES).glob("*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            head = lines.readline()
        if not head:  # killed before the first line
            continue
        try:
            about = json.loads(head)["settings"]
            reviewer, by = str(about["reviewer"]), about["by"]
            if by not in ("person", "model") or f"{file_name(by, reviewer)}.jsonl" != file.name:
                raise ValueError("it does not name its reviewer")
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{file} is not a file of replies ({error}); move it out of the folder") from error
        yield by, ReviewerFile(folder, settings, reviewer, by)


def file_name(by: By, reviewer: str) -> str:
    """A reviewer's name as a file has it: legible, and never that of another, also where case is ignored."""
    legible = re.sub(r"[^a-z0-9_-]+", "-", reviewer.lower()).strip("-")[:40]
    return f"{by}-{legible}-{seeds.digest('reviewer', reviewer) % 2**32:08x}"
