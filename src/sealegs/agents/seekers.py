"""A planner that knows the question alone: it finds functions by what their documentation says.

It looks for one function that answers at once, fills its parameters with values of the question, and calls it. When
a function is refused, it looks for one that takes rows and answers with the same columns, and for others whose rows
could be those: they are of the same data, say little that the question does not, and name what the rows are compared
with. It feeds the one to the other. Of the refused function it uses the data and the columns of the answer, and never
the text of what it does. Everything it does is by rule (see `questions`); it is often wrong, and its accuracy says how
far rules get.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.agents.coders import GIVEN_UP, Coder, CoderTask, Earlier
from sealegs.agents.questions import Question, arguments
from sealegs.agents.scripted_agent import Say, UseTool, error_body, parse_tool_message
from sealegs.search.bm25 import TextIndex, tokenize

SEARCH, INFO = "search_tools", "get_info"
TRIES = 4
LEAST = 0.34  # how much of a function's documentation and the question must be about the same
OUTERS, INNERS = 3, 3  # how many functions are tried that take rows, and for each how many that find them
MOST_ROWS = 100
ARGUMENT = re.compile(r"`(arg_\d+)`")
GIVEN_ROWS = re.compile(r"the (?:values?|rows?) in `(arg_\d+)`")
HINTED = re.compile(r"data is called (.+?)\.")
COMPARED = re.compile(r"([\w ]+?) (?:is|contains) [\w ]*the values? in `")

Course = Generator[UseTool, Any, str]
Asking = Generator[UseTool, Any, Any]


@dataclass(frozen=True)
class Document:
    """The known facts of a function before its documentation is fetched.

    Attributes:
        name: of the function.
        description: the data that it finds.
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
        named = dict.fromkeys(ARGUMENT.findall(self.description))
        return [name for name in named if name not in self.pads]


class Seeker(Coder):
    """Searches, calls what may answer directly, and composes what was refused."""

    def __init__(self, quest: CoderTask) -> None:
        super().__init__(quest)
        self.question = Question(quest.question)
        self.calls = 0
        self._specs: dict[str, Mapping[str, Any]] = {str(one["name"]): one for one in quest.functions or ()}
        hinted = HINTED.search(quest.hint)
        self._data = hinted[1] if hinted else ""
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
            given = yield from self._filled(document)
            if given is None:
                continue
            # Not before: a function whose parameters cannot be filled is not called.
            tried += 1
            rows = yield UseTool(document.name, given)
            if error_body(rows) is not None:
                rows = yield from self._composed(document)
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

    def _spec(self, document: Document) -> Generator[UseTool, Any, Mapping[str, Any]]:
        """The whole documentation of a function; nothing where it cannot be had."""
        if document.name not in self._specs:
            found = yield UseTool(INFO, {"tool_name": document.name})
            self._specs[document.name] = found if isinstance(found, Mapping) else {}
        return self._specs[document.name]

    def _parameters(self, document: Document) -> Generator[UseTool, Any, Mapping[str, Mapping[str, Any]]]:
        spec = yield from self._spec(document)
        properties: Mapping[str, Mapping[str, Any]] = spec.get("parameters", {}).get("properties", {})
        return {name: properties[name] for name in document.values if name in properties}

    def _columns(self, document: Document) -> Generator[UseTool, Any, list[str]]:
        """The descriptions of the cells of a row that a function answers with."""
        spec = yield from self._spec(document)
        row = spec.get("returns", {}).get("items", {})
        cells = row.get("prefixItems", []) or list(row.get("properties", {}).values())
        return [str(cell.get("description", "")) for cell in cells]

    def _ranked(self, documents: Sequence[Document]) -> list[Document]:
        """Those that may answer at once, the likeliest first."""
        meant = self.question.meaning()
        sure = len(self.question.values())
        scored = []
        for place, document in enumerate(documents):
            alike = _overlap(meant, set(tokenize(ARGUMENT.sub("", document.body))))
            if document.pads or alike < LEAST or (self._data and document.data.rstrip(".") != self._data):
                continue
            # Further parameters may still take plain words, which are no sure values, so these count little.
            unused = abs(sure - len(document.values)) if len(document.values) <= sure else 0.5
            scored.append((alike + 0.3 / (1 + place) - 0.15 * unused, -place, document))
        return [document for _, _, document in sorted(scored, key=lambda one: one[:2], reverse=True)]

    def _composed(self, refused: Document) -> Asking:
        """The rows of a function that is fed with another one's; None where no two such functions are found."""
        columns = yield from self._columns(refused)
        queries = (self.quest.question, f"{self.quest.question} the values in {refused.data}")
        found: dict[Document, None] = {}
        for query in queries:
            found |= dict.fromkeys((yield from self._search(query)))
        here = [document for document in found if document.data == refused.data and document != refused]
        tried = 0
        for outer in sorted((one for one in here if len(one.pads) == 1), key=self._unlike):
            if tried == OUTERS or (yield from self._columns(outer)) != columns:
                continue
            tried += 1
            rows = yield from self._fed(outer, refused)
            if rows is not None:
                return rows
        return None

    def _fed(self, outer: Document, refused: Document) -> Asking:
        """The answer of a function that is given the rows of another one; None if nothing is plausible."""
        given = yield from self._filled(outer)
        compared = COMPARED.search(outer.description)
        # The value compared: in "employees whose salary is greater than the value in", the salary.
        about = compared[1].rpartition(" whose ")[2].rpartition(" where ")[2] if compared else ""
        if given is None:
            return None
        found = yield from self._search(f"{self.quest.question} {about} {refused.data}")
        fitting = [one for one in found if one.data == refused.data and one not in (refused, outer) and not one.pads]
        for inner in sorted(fitting, key=lambda one: self._unlike(one, about))[:INNERS]:
            arguments = yield from self._filled(inner)
            if arguments is None:
                continue
            rows = yield UseTool(inner.name, arguments)
            if not _feedable(rows):
                continue
            # The inner call has been counted by now, so the number before is its own.
            answer = yield UseTool(outer.name, {**given, outer.pads[0]: Earlier(self.calls - 1)})
            if error_body(answer) is None and _plausible(answer):
                return answer
        return None

    def _filled(self, document: Document) -> Generator[UseTool, Any, dict[str, Any] | None]:
        """Values of the question for a function's parameters but its scratchpads; None where one gets none."""
        parameters = yield from self._parameters(document)
        return arguments(self.question, parameters, set(tokenize(document.description)))

    def _unlike(self, document: Document, about: str = "") -> float:
        """The share of a documentation's words that nobody asked for, plus the share of wanted words that it lacks."""
        body = set(tokenize(ARGUMENT.sub("", document.body)))
        meant = self.question.meaning() | set(tokenize(about))
        wanted = set(tokenize(about))
        return len(body - meant) / max(1, len(body)) + len(wanted - body) / max(1, len(wanted))


def _overlap(one: set[str], other: set[str]) -> float:
    """The harmonic mean of the shares that two sets have in common."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _plausible(rows: Any) -> bool:
    """Return whether these may be an answer: some rows, not too many, and no empty cell."""
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_ROWS:
        return False
    return all(None not in _cells(row) for row in rows)


def _feedable(rows: Any) -> bool:
    """Return whether these are rows that a scratchpad takes: some, of one cell."""
    return isinstance(rows, dict) or (isinstance(rows, list) and bool(rows) and all(len(_cells(r)) == 1 for r in rows))


def _cells(row: Any) -> list[Any]:
    """The cells of a row, which is a list or a record."""
    return list(row.values()) if isinstance(row, dict) else row if isinstance(row, list) else [None]
