"""The final answer in a message: the text between `<solution>` and `</solution>`.

The last one counts, since a model may correct itself. A tag that is never closed counts to the end of the message: many
models are stopped at the closing tag, which is then not part of their text. A solution that says that there is none
is distinguished from an answer by its words; a list, a number, a quoted text or a table is an answer whatever words it
contains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

OPEN = re.compile(r"<\s*solution\s*>", re.IGNORECASE)
CLOSE = re.compile(r"<\s*/\s*solution\s*>", re.IGNORECASE)
NOTHING = {"", "None", "null", "NULL", "nil", "N/A", "n/a", "NaN", "-", "?"}
GIVEN_UP = re.compile(
    r"\b(?:no (?:valid |possible |known |correct )?(?:solution|answer|result)s?\b(?! of\b)"
    r"|(?:could|do|did|does|was|were|am|is|are) ?n[o']t (?:be |been )?(?:able|answer|solve|find|found|determine|obtain"
    r"|retrieve|complete|compute|provide|know|possible|available|produce|figure)\w*"
    r"|(?:can't|can ?not|could not|couldn't|unable to) \w+|unanswerable|unsolvable|not (?:solvable|answerable|possible)"
    r"|impossible|insufficient (?:information|data|tools)|unknown|g[ai]ve up|giving up"
    r"|no (?:suitable |available |relevant |such |other )*(?:function|tool|way)s?\b)",
    re.IGNORECASE,
)

Kind = Literal["answer", "gave up", "missing"]


@dataclass(frozen=True, slots=True)
class AnsweredText:
    """The answer that a message gives.

    Attributes:
        text: between the tags, without outer space; empty where there is none.
        kind: an answer, or the statement that there is none, or no solution at all.
        given: how many solutions the message holds.
    """

    text: str
    kind: Kind
    given: int


def parse_solution(message: str) -> AnsweredText:
    """The final answer in a message of a model."""
    starts = [found.end() for found in OPEN.finditer(message)]
    if not starts:
        return AnsweredText("", "missing", 0)
    end = CLOSE.search(message, starts[-1])
    text = message[starts[-1] : end.start() if end else len(message)].strip()
    return AnsweredText(text, "gave up" if gives_up(text) else "answer", len(starts))


def gives_up(text: str) -> bool:
    """Return whether a solution says that there is none: it is empty or null, or says so in prose."""
    plain = re.sub(r"\s+", " ", text.replace("\u2019", "'")).strip().rstrip(".!")
    if plain in NOTHING or plain.strip("\"'`") in NOTHING:
        return True
    if plain[:1] in set("[{(|\"'`0123456789-+"):
        return False
    return GIVEN_UP.search(plain) is not None
