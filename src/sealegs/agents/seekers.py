"""A planner that knows the question alone: it finds functions by what their documentation says.

It looks for one function that answers at once, fills its parameters with values of the question, and calls it. When
a function is refused, it reads in that function's own documentation which part can be found apart (what is in
brackets), looks for a function for the part and one for the rest, and feeds the rows of the one to the other.
Everything it does is by rule (see `questions`); it is often wrong, and its accuracy says how far rules get.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.agents.coders import GIVEN_UP, Coder, Earlier, Quest
from sealegs.agents.questions import Question, arguments
from sealegs.agents.scripted_agent import Say, UseTool, error_body, parse_tool_message
from sealegs.search.bm25 import TextIndex, tokenize

SEARCH, INFO = "search_tools", "get_info"
TRIES = 4
LEAST = 0.34  # how much of a function's documentation and the question must be about the same
ALIKE = 0.8  # how much of two texts must be the same for one to be the other's
MOST_ROWS = 100
ARGUMENT = re.compile(r"`(arg_\d+)`")
GIVEN_ROWS = re.compile(r"the (?:values?|rows?) in `(arg_\d+)`")
HINTED = re.compile(r"data is called (.+?)\.")
PAD = "given-rows"

Course = Generator[UseTool, Any, str]
Asking = Generator[UseTool, Any, Any]


@dataclass(frozen=True)
class Document:
    """What is known of a function before its documentation is asked for.

    Attributes:
        name: of the function.
        description: what it finds.
    """

    name: str
    description: str

    @property
    def body(self) -> str:
        """The description without the name of the data."""
        return self.description.partition(" Data: ")[0].rstrip(".")

    @property
    def data(self) -> str:
        """The name of the data."""
        return self.description.partition(" Data: ")[2]

    @property
    def pads(self) -> list[str]:
        """The parameters that take rows of another function."""
        return list(dict.fromkeys(GIVEN_ROWS.findall(self.description)))

    @property
    def values(self) -> list[str]:
        """The other parameters, in the order in which they are documented."""
        told = dict.fromkeys(ARGUMENT.findall(self.description))
        return [name for name in told if name not in self.pads]


class Seeker(Coder):
    """Searches, calls what may answer directly, and composes what was refused."""

    def __init__(self, quest: Quest) -> None:
        super().__init__(quest)
        self.question = Question(quest.question)
        self.calls = 0
        told = HINTED.search(quest.hint)
        self._data = told[1] if told else ""
        self._course = self._answer()
        self._next = self._step(None)

    def act(self) -> UseTool | Say:
        """The next step of its course."""
        return self._next

    def observe(self, use: UseTool, text: str) -> None:
        """Continue with what came of it."""
        self.calls += 1
        self._next = self._step(parse_tool_message(text))

    def _step(self, came: Any) -> UseTool | Say:
        try:
            return self._course.send(came)
        except StopIteration as stop:
            return Say(stop.value)

    def _answer(self) -> Course:
        documents = yield from self._search(self.quest.question)
        if self._data and self.quest.functions is None:
            documents += yield from self._search(f"{self.quest.question} {self._data}")
        tried = 0
        for document in self._ranked(list(dict.fromkeys(documents))):
            if tried == TRIES:
                break
            parameters = yield from self._parameters(document)
            given = arguments(self.question, parameters, set(tokenize(document.description)))
            if given is None:
                continue
            tried += 1
            rows = yield UseTool(document.name, given)
            if error_body(rows) is not None:
                rows = yield from self._composed(document, given)
            if _plausible(rows):
                return json.dumps(rows, ensure_ascii=False)
        return GIVEN_UP

    def _search(self, query: str) -> Generator[UseTool, Any, list[Document]]:
        """Documents that fit a text, the best first."""
        if self.quest.functions is not None:
            offered = self.quest.functions
            found = TextIndex(tuple(str(spec["description"]) for spec in offered)).top(query, 9)
            return [Document(offered[place]["name"], offered[place]["description"]) for place, _ in found]
        answer = yield UseTool(SEARCH, {"query": query, "num_results": 9})
        return [Document(one["name"], one["description"]) for one in answer] if isinstance(answer, list) else []

    def _parameters(self, document: Document) -> Generator[UseTool, Any, Mapping[str, Mapping[str, Any]]]:
        spec: Any = next((one for one in self.quest.functions or () if one["name"] == document.name), None)
        if spec is None:
            spec = yield UseTool(INFO, {"tool_name": document.name})
        found = spec.get("parameters", {}) if isinstance(spec, Mapping) else {}
        properties: Mapping[str, Mapping[str, Any]] = found.get("properties", {})
        return {name: properties[name] for name in document.values if name in properties}

    def _ranked(self, documents: Sequence[Document]) -> list[Document]:
        """Those that may answer at once, the likeliest first."""
        meant = self.question.meaning()
        sure = len(self.question.values())
        scored = []
        for place, document in enumerate(documents):
            alike = _overlap(meant, set(tokenize(ARGUMENT.sub("", document.body))))
            if document.pads or alike < LEAST or (self._data and document.data.rstrip(".") != self._data):
                continue
            unused = abs(sure - len(document.values)) if len(document.values) <= sure else 0.5
            scored.append((alike + 0.3 / (1 + place) - 0.15 * unused, -place, document))
        return [document for _, _, document in sorted(scored, key=lambda one: one[:2], reverse=True)]

    def _composed(self, refused: Document, given: Mapping[str, Any]) -> Asking:
        """The rows of two functions that together say what the refused one says; None where they are not found."""
        for part in _parts(refused.body):
            inner = yield from self._alike(part, refused, [])
            if inner is None:
                continue
            rest = refused.body.replace(f"({part})", PAD)
            outer = yield from self._alike(rest, refused, [inner.name])
            if outer is None or len(outer.pads) != 1:
                continue
            found = yield UseTool(inner.name, _passed(part, inner, given))
            if error_body(found) is not None or isinstance(found, str):
                continue
            rows = yield UseTool(outer.name, {**_passed(rest, outer, given), outer.pads[0]: Earlier(self.calls - 1)})
            if error_body(rows) is None:
                return rows
        return None

    def _alike(self, text: str, refused: Document, barred: Iterable[str]) -> Generator[UseTool, Any, Document | None]:
        """The function whose documentation says this of the same data."""
        documents = yield from self._search(f"{ARGUMENT.sub('', text)} {refused.data}".replace(PAD, "the values in"))
        fitting = [
            (_same(text, document.body), -place, document)
            for place, document in enumerate(documents)
            if document.name not in {refused.name, *barred} and document.data == refused.data
        ]
        best = max(fitting, key=lambda one: one[:2], default=None)
        return best[2] if best is not None and best[0] >= ALIKE else None


def _parts(text: str) -> list[str]:
    """What is in the outermost brackets."""
    found, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        if sign == "(":
            depth += 1
            start = at + 1 if depth == 1 else start
        elif sign == ")" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start:at])
    return found


def _passed(text: str, document: Document, given: Mapping[str, Any]) -> dict[str, Any]:
    """The refused function's values for a part of what it says, by the names that the other function gives them."""
    told = [name for name in dict.fromkeys(ARGUMENT.findall(text)) if name in given]
    return {name: given[old] for name, old in zip(document.values, told)}


def _same(one: str, other: str) -> float:
    """How much of two texts is the same, without the names of arguments."""
    left, right = (
        set(re.findall(r"[\w-]+", ARGUMENT.sub("argument", GIVEN_ROWS.sub(PAD, text)).lower())) for text in (one, other)
    )
    return len(left & right) / len(left | right)


def _overlap(one: set[str], other: set[str]) -> float:
    """The harmonic mean of the shares that two sets have in common."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _plausible(rows: Any) -> bool:
    """Whether these may be an answer: some rows, not too many, and no empty cell."""
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_ROWS:
        return False
    return all(isinstance(row, list) and None not in row for row in rows)
