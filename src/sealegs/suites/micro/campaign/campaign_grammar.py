"""The form of a campaign file: words and where they are. What they mean is the business of `reading`.

In EBNF, with blanks between the words of a line:

    file       = { [ line ] [ comment ] end-of-line } ;
    line       = "default" setting { setting } | experiment ;
    experiment = tasks faults { setting } ;
    tasks      = name { "," name } ;
    faults     = fault { "," fault } ;
    fault      = name [ "(" parameter { "," parameter } ")" ] ;
    parameter  = name "=" value ;
    setting    = name "=" value { "," value } ;
    comment    = "#" { any character } ;

A comment begins a line or follows a blank. A name or value holds no blank, comma, parenthesis or `=`; the value of a
parameter may hold blanks and `=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sealegs.faults.problems import Problem, abbreviate

DEFAULT = "default"
WORD = re.compile(r"(?:[^\s()]|\([^()]*\)?)+")
COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its place; lines and columns count from 1."""

    text: str
    line: int
    column: int

    def part(self, start: int, end: int | None = None) -> Word:
        """A part of the word without the blanks around it, at its own place."""
        text = self.text[start:end]
        return Word(text.strip(), self.line, self.column + start + len(text) - len(text.lstrip()))

    def problem(self, wrong: str, remedy: str) -> Problem:
        """The problem with this word."""
        return Problem(f"line {self.line}, column {self.column}", abbreviate(self.text), wrong, remedy)


@dataclass(frozen=True, slots=True)
class LineSetting:
    """`name=value,value`."""

    name: Word
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class NamedFault:
    """A fault with its parameters."""

    name: Word
    parameters: tuple[tuple[Word, Word], ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignLine:
    """One line: an experiment, or, where `default`, settings for the lines below it."""

    number: int
    default: bool
    settings: tuple[LineSetting, ...]
    tasks: tuple[Word, ...] = ()
    faults: tuple[NamedFault, ...] = ()


class CampaignGrammar:
    """A campaign's lines as they are written, and what is wrong with their form."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self.lines: list[CampaignLine] = []
        for number, line in enumerate(text.splitlines(), 1):
            # A comment is made blank, so that columns stay what they are.
            words = [Word(m[0], number, m.start() + 1) for m in WORD.finditer(COMMENT.sub("", line))]
            stray = re.search(r"\)", WORD.sub(lambda m: " " * len(m[0]), COMMENT.sub("", line)))
            if stray:
                self._wrong(Word(")", number, stray.start() + 1), "closes nothing", "Write fault(name=value).")
            elif words:
                self.lines.extend(self._line(words, number))

    def _wrong(self, word: Word, wrong: str, remedy: str) -> None:
        self.problems.append(word.problem(wrong, remedy))

    def _line(self, words: Sequence[Word], number: int) -> Iterator[CampaignLine]:
        if words[0].text == DEFAULT:
            if len(words) == 1:
                self._wrong(words[0], "sets nothing", "Write settings behind it, such as repeat=3.")
            yield CampaignLine(number, True, tuple(self._settings(words[1:])))
            return
        place = [word for word in words[:2] if "=" in word.text.partition("(")[0]]
        if place or len(words) < 2:
            at = place[0] if place else words[0]
            missing = "a task and a fault" if at is words[0] and place else "a fault"
            self._wrong(
                at, f"is where {missing} should be", "Write TASK FAULT first, then settings: tip hang repeat=3."
            )
            return
        tasks, faults = tuple(self._several(words[0], 0)), tuple(self._faults(words[1]))
        yield CampaignLine(number, False, tuple(self._settings(words[2:])), tasks, faults)

    def _settings(self, words: Sequence[Word]) -> Iterator[LineSetting]:
        seen: set[str] = set()
        for word in words:
            name, equals, _ = word.text.partition("=")
            if not (name and equals):
                self._wrong(word, "is not a setting", "Write name=value; faults and tasks come first, with commas.")
                continue
            if name in seen:
                self._wrong(word.part(0, len(name)), "appears twice on the line", "Keep one of the two.")
                continue
            seen.add(name)
            values = tuple(self._several(word, len(name) + 1))
            if values:
                yield LineSetting(word.part(0, len(name)), values)

    def _several(self, word: Word, start: int) -> Iterator[Word]:
        """The items of a list with commas; none may be empty or there twice."""
        seen: set[str] = set()
        empty = False
        for item in _split(word, start):
            if not item.text:
                if not empty:
                    self._wrong(word, "has an empty place", "Write a value before and behind each comma and `=`.")
                empty = True
            elif item.text in seen:
                self._wrong(item, "appears twice in the list", "Keep one of the two.")
            else:
                seen.add(item.text)
                yield item

    def _faults(self, word: Word) -> Iterator[NamedFault]:
        for item in self._several(word, 0):
            name, opened, rest = item.text.partition("(")
            if not opened:
                yield NamedFault(item)
            elif not name or not rest.endswith(")"):
                self._wrong(item, "is not a fault", "Write fault(name=value, name=value).")
            else:
                inner = item.part(0, len(item.text) - 1)
                yield NamedFault(item.part(0, len(name)), tuple(self._parameters(inner, len(name) + 1)))

    def _parameters(self, word: Word, start: int) -> Iterator[tuple[Word, Word]]:
        seen: set[str] = set()
        for item in self._several(word, start):
            name, equals, value = (part.strip() for part in item.text.partition("="))
            if not (name and equals and value):
                self._wrong(item, "is not a parameter", "Write name=value.")
            elif name in seen:
                self._wrong(item, "sets a parameter twice", "Keep one of the two.")
            else:
                seen.add(name)
                yield item.part(0, len(name)), item.part(item.text.index("=") + 1)


def _split(word: Word, start: int) -> Iterator[Word]:
    """The parts of a word between commas, those within parentheses apart."""
    depth = 0
    for place in range(start, len(word.text) + 1):
        letter = word.text[place : place + 1]
        depth += (letter == "(") - (letter == ")")
        if not letter or (letter == "," and not depth):
            yield word.part(start, place)
            start = place + 1
