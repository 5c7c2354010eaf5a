"""The values that a question states, found by rule, and those of them that a function's parameter means.

Values are texts in quotes, numbers, dates, names (runs of words with capitals), and words that follow the name of a
column ("the genre satire or thriller"). A parameter takes the value that fits its type and is nearest to a word of its
documentation. It covers English only; a plain word is found as a value only where its column's name comes before it, or
no other word is left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.search.bm25 import tokenize

TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?|\d{1,2}:\d{2}|\d[\d,]*(?:\.\d+)?|[^\W_]+(?:['’.&-][^\W_]+)*"
)
QUOTED = re.compile(r"(?<!\w)(?:'([^']+)'|\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’)(?!\w)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
OPENERS = frozenset(
    """
    a an the which what who whom whose where when how why is are was were do does did give find show list name
    return tell count compute get for in on at of from among and or me i please report state sort order select
    display retrieve identify determine calculate can could would all each every both if there
    """.split()  # noqa: SIM905
)
JOINERS = frozenset({"of", "the", "and", "de", "la", "le", "du", "von", "van", "for", "in", "on", "at"})
SPEAKING = {  # words of a question -> words of documentation
    "maximum highest": "most highest largest greatest biggest longest oldest tallest latest top best max maximum",
    "minimum lowest": "least lowest smallest fewest shortest youngest cheapest earliest min minimum",
    "greater": "more above over after exceed exceeds larger higher greater longer older later bigger",
    "less": "fewer below under before less smaller lower shorter younger earlier cheaper",
    "not": "not never no without none except neither",
    "average": "average mean averages",
    "total": "total sum overall altogether",
    "number": "many number count amount",
    "different": "different distinct unique",
}
SPOKEN = {word: kind for kind, spoken in SPEAKING.items() for word in spoken.split()}


@dataclass(frozen=True, slots=True)
class QuestionValue:
    """A value in a question.

    Attributes:
        value: a text, or a number.
        at: the place of its first word among the question's words.
        sure: whether it is one by its form: a number, a date, a name, a text in quotes.
    """

    value: str | int | float
    at: int
    sure: bool = True


@dataclass(frozen=True)
class Question:
    """A question, and what can be read in it."""

    text: str

    @property
    def tokens(self) -> list[str]:
        """Its words and numbers."""
        return [found[0] for found in TOKEN.finditer(self.text)]

    def values(self) -> list[QuestionValue]:
        """The values that show by their form, in their order."""
        return sorted([*self._quoted(), *self._plain()], key=lambda found: found.at)

    def meaning(self) -> set[str]:
        """The stems of its words, and those of what documentation says instead."""
        spoken = [SPOKEN[token.lower()] for token in self.tokens if token.lower() in SPOKEN]
        return set(tokenize(" ".join([self.text, *spoken])))

    def after(self, column: str) -> list[QuestionValue]:
        """Plain words that follow a word of a column's name."""
        stems = set(tokenize(column))
        tokens = self.tokens
        found = []
        for at, token in enumerate(tokens[:-1]):
            if stems & set(tokenize(token)):
                following = at + 1
                if tokens[following].lower() in ("is", "of", "was", "being", "named", "called") and at + 2 < len(
                    tokens
                ):
                    following += 1
                if _content(tokens[following]):
                    # Unsure, because a plain word may be anything; quoted texts, names and numbers are taken before it.
                    found.append(QuestionValue(tokens[following], following, sure=False))
                    if tokens[following + 1 : following + 2] == ["or"] and following + 2 < len(tokens):
                        found.append(QuestionValue(tokens[following + 2], following + 2, sure=False))
        return found

    def others(self, stems: set[str]) -> list[QuestionValue]:
        """Plain words that documentation does not say."""
        return [
            QuestionValue(token, at, sure=False)
            for at, token in enumerate(self.tokens)
            if _content(token) and not set(tokenize(token)) & stems
        ]

    def _quoted(self) -> list[QuestionValue]:
        return [
            QuestionValue(next(filter(None, found.groups())), len(TOKEN.findall(self.text[: found.start()])))
            for found in QUOTED.finditer(self.text)
        ]

    def _plain(self) -> list[QuestionValue]:
        spans = [(found.start(), found.end()) for found in QUOTED.finditer(self.text)]
        matches = list(TOKEN.finditer(self.text))
        free = [not any(start <= match.start() < end for start, end in spans) for match in matches]
        found: list[QuestionValue] = []
        at = 0
        while at < len(matches):
            length = self._name(matches, at) if free[at] else 0
            text = matches[at][0]
            if length:
                found.append(QuestionValue(self.text[matches[at].start() : matches[at + length - 1].end()], at))
            elif free[at] and text[0].isdigit():
                found.append(QuestionValue(_number(text), at))
            at += length or 1
        return found

    def _name(self, matches: Sequence[re.Match[str]], at: int) -> int:
        """The number of words of the name that begins here; 0 if none does."""
        if not matches[at][0][0].isupper() or (self._begins(matches[at]) and matches[at][0].lower() in OPENERS):
            return 0
        length = 1
        while at + length < len(matches):
            here = at + length
            between = self.text[matches[here - 1].end() : matches[here].start()]
            if between.strip(" ") not in ("", ".", "&", "'"):
                break
            word = matches[here][0]
            if word[0].isupper() or word[0].isdigit():
                length += 1
            # A small word belongs to a name only between two capitals: "Bank of Spain", but not "Madrid of".
            elif word in JOINERS and here + 1 < len(matches) and matches[here + 1][0][0].isupper():
                length += 2
            else:
                break
        return length

    def _begins(self, match: re.Match[str]) -> bool:
        before = self.text[: match.start()].rstrip(" \"'“‘(")
        return not before or before[-1] in ".?!:"


def arguments(
    question: Question, parameters: Mapping[str, Mapping[str, Any]], stems: set[str]
) -> dict[str, Any] | None:
    """A value of the question for each parameter; None where one gets none.

    Args:
        question: the question.
        parameters: JSON Schema of each parameter, in order.
        stems: the stems of the function's documentation.
    """
    pairs = []
    for order, (name, schema) in enumerate(parameters.items()):
        described = str(schema.get("description", "")).partition("as in the ")[2] or name
        near = [at for at, token in enumerate(question.tokens) if set(tokenize(token)) & set(tokenize(described))]
        column = described.partition(" of the ")[0]
        for place, found in enumerate(_choices(question, column, stems)):
            value = _typed(found.value, schema)
            if value is not None:
                far = min((abs(found.at - at) for at in near), default=12)
                pairs.append(
                    (0.0 if found.sure else 2.0, min(far, 12) + 0.1 * abs(place - order), order, name, found, value)
                )
    given: dict[str, tuple[int, Any]] = {}
    taken: set[int] = set()
    # Greedily, the surest and nearest pair first: each value of the question goes to one parameter and each parameter
    # gets one.
    for _, _, _, name, found, value in sorted(pairs, key=lambda pair: (pair[0] + pair[1] / 4, pair[2], pair[4].at)):
        if name not in given and found.at not in taken:
            given[name] = (found.at, value)
            taken.add(found.at)
    if given.keys() != parameters.keys():
        return None
    return _in_order(given, parameters)


def _in_order(given: Mapping[str, tuple[int, Any]], parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The values, those of parameters that are documented alike in the order of the question."""
    alike: dict[str, list[str]] = {}
    for name, schema in parameters.items():
        alike.setdefault(repr(schema), []).append(name)
    ordered: dict[str, Any] = {}
    for names in alike.values():
        values = sorted((given[name] for name in names), key=lambda one: one[0])
        ordered |= {name: value for name, (_, value) in zip(names, values, strict=True)}
    return {name: ordered[name] for name in parameters}


def _choices(question: Question, column: str, stems: set[str]) -> list[QuestionValue]:
    following = [found for found in question.after(column) if not set(tokenize(str(found.value))) & stems]
    known = {found.at: found for found in [*question.others(stems), *following, *question.values()]}
    return [known[at] for at in sorted(known)]


def _typed(value: str | int | float, schema: Mapping[str, Any]) -> Any:
    """The value as the parameter takes it; None where it does not."""
    types = schema.get("type", "string")
    kinds = [types] if isinstance(types, str) else list(types)
    if isinstance(value, str):
        return value if "string" in kinds else None
    if "number" in kinds or ("integer" in kinds and float(value).is_integer()):
        return value
    return str(value) if "string" in kinds else None


def _number(text: str) -> str | int | float:
    plain = text.replace(",", "")
    if not NUMBER.fullmatch(text):
        return text
    return float(plain) if "." in plain else int(plain)


def _content(token: str) -> bool:
    return bool(tokenize(token)) and not token[0].isdigit() and token.lower() not in OPENERS | SPOKEN.keys()
