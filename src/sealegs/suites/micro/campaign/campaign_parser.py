"""Meaning of the lines of a campaign file. All mistakes are found in one go and reported together.

A name of a task or a fault may be a pattern, as file names have them (`*`, `t*`). Lists and patterns expand to all
combinations. A setting on a line comes before one from a `default` line above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import product
from math import prod

from sealegs.faults.problems import PlanError, Problem, abbreviate
from sealegs.faults.user_error import UserError
from sealegs.suites.micro.campaign.campaign_grammar import CampaignGrammar, CampaignLine, LineSetting, NamedFault, Word
from sealegs.suites.micro.campaign.runs import ALWAYS, ANY_TOOL, CLEAN, Campaign, Experiment, Scalar
from sealegs.suites.micro.campaign_faults import FAULTS, schedule_from

LEVELS = ("python", "mcp")
BOUNDARIES = ("outer", "inner")
ERRORS = ("shown", "raised")
REPEAT_AT_MOST = 10_000
RUNS_AT_MOST = 250_000  # of a file; a line of lists asks for all their combinations
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")


class CampaignError(PlanError):
    """Everything that is wrong with a campaign file."""


@dataclass(frozen=True)
class CampaignVocabulary:
    """The names that a campaign may hold.

    Attributes:
        tasks: workloads by name, each with the tools that its agent has.
        paired: the workloads with two agents.
        model: says what is wrong with a model's name, and the remedy in a sentence of its own; empty where it will do.
    """

    tasks: Mapping[str, Sequence[str]]
    paired: frozenset[str]
    model: Callable[[str], str]


def campaign_from(text: str, vocabulary: CampaignVocabulary, source: str = "campaign") -> Campaign:
    """The campaign that a text describes.

    Raises:
        CampaignError: it describes none. Holds every mistake.
    """
    form = CampaignGrammar(text)
    meaning = _Meaning(vocabulary, form.problems)
    for line in form.lines:
        meaning.take(line)
    if not form.lines and not meaning.problems:
        remedy = "Write one experiment a line, such as: tip hang model=scripted/naive"
        meaning.problems.append(Problem("file", "", "holds no experiment", remedy))
    if meaning.problems:
        raise CampaignError(sorted(dict.fromkeys(meaning.problems), key=_place), source)
    return Campaign(tuple(meaning.experiments))


def _place(problem: Problem) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", problem.path)))


@dataclass(frozen=True, slots=True)
class _Read:
    """The settings in force on a line."""

    schedule: tuple[Word, ...] = ()
    model: tuple[Word, ...] = ()
    tool: tuple[Word, ...] = ()
    level: tuple[Word, ...] = ()
    boundary: tuple[Word, ...] = ()
    errors: tuple[Word, ...] = ()
    repeat: tuple[Word, ...] = ()
    seed: tuple[Word, ...] = ()


SETTINGS = ("schedule", "model", "tool", "level", "boundary", "errors", "repeat", "seed")


class _Meaning:
    """Takes lines one by one; keeps the defaults, the experiments and what is wrong."""

    def __init__(self, vocabulary: CampaignVocabulary, problems: list[Problem]) -> None:
        self.problems = problems
        self.experiments: list[Experiment] = []
        self._vocabulary = vocabulary
        self._defaults = _Read()
        self._runs = 0
        self._seen: dict[tuple[str, ...], Experiment] = {}
        # Settings without a usable value: they are wrong, not missing.
        self._spoiled: frozenset[str] = frozenset()
        self._spoiled_default = self._spoiled

    def take(self, line: CampaignLine) -> None:
        self._spoiled = self._spoiled_default
        read = self._settings(self._defaults, line.settings)
        if line.default:
            self._defaults, self._spoiled_default = read, self._spoiled
            return
        tasks, faults = list(self._tasks(line.tasks, read)), list(self._faults(line.faults))
        if not read.model and "model" not in self._spoiled:
            self._wrong(_first(line), "names no model", "Add model=NAME, or a line `default model=NAME` above.")
        before = len(self.problems)
        self._runs += _asked(read) * len(tasks) * len(faults)
        if self._runs > RUNS_AT_MOST:
            remedy = f"Give fewer values, or write several files of at most {RUNS_AT_MOST:,} runs each."
            self._wrong(_first(line), f"brings the file to {self._runs:,} runs", remedy)
            return
        found = [one for task in tasks for fault in faults for one in self._combined(line, task, fault, read)]
        # A line with a mistake gives no runs at all: the mistake might be in what all of them share.
        if len(self.problems) == before:
            self._keep(found, _first(line))

    def _wrong(self, word: Word, wrong: str, remedy: str) -> None:
        self.problems.append(word.problem(wrong, remedy))

    def _settings(self, before: _Read, settings: Sequence[LineSetting]) -> _Read:
        read = before
        for setting in settings:
            name = setting.name.text
            if name not in SETTINGS:
                self._wrong(setting.name, "is not a setting", _choice(name, SETTINGS))
                continue
            sound = [value for value in setting.values if self._sound(name, value)]
            if name == "repeat" and len(sound) > 1:
                self._wrong(sound[1], "is a second number of repetitions", "Give one.")
            if sound:
                read = replace(read, **{name: tuple(sound)})
            else:
                self._spoiled |= {name}
        return read

    def _sound(self, name: str, value: Word) -> bool:
        """Return whether a setting's value can be used by itself; says so where it cannot."""
        wrong, remedy = "", ""
        # A case whose guard fails falls through with `wrong` empty: then the value is sound.
        match name:
            case "level" if value.text not in LEVELS:
                wrong, remedy = "is not a level", _choice(value.text, LEVELS)
            case "boundary" if value.text not in BOUNDARIES:
                wrong, remedy = "is not a boundary", _choice(value.text, BOUNDARIES)
            case "errors" if value.text not in ERRORS:
                wrong, remedy = "is not a way to handle errors", _choice(value.text, ERRORS)
            # The form first: `int` alone would take signs and underscores too, and fail on other words.
            case "repeat" if not re.fullmatch(r"\d{1,5}", value.text) or not 1 <= int(value.text) <= REPEAT_AT_MOST:
                wrong, remedy = "is not a number of repetitions", f"Give a whole number from 1 to {REPEAT_AT_MOST:,}."
            case "seed" if not re.fullmatch(r"\d{1,18}", value.text):
                wrong, remedy = "is not a seed", "Give a whole number from 0 on."
            case "model":
                wrong, _, remedy = self._vocabulary.model(value.text).partition(". ")
            case "tool" if value.text != "*" and value.text not in self._tools():
                wrong, remedy = "is not a tool of any task", _choice(value.text, sorted(self._tools()))
            case "schedule":
                wrong, remedy = _complaint(schedule_from, value.text)
        if wrong:
            self._wrong(value, wrong, remedy)
        return not wrong

    def _tools(self) -> set[str]:
        return {tool for tools in self._vocabulary.tasks.values() for tool in tools}

    def _tasks(self, words: Sequence[Word], read: _Read) -> Iterator[Word]:
        """The tasks that words name, each as a word of its own at the place where it was named."""
        known = self._vocabulary.tasks
        taken: dict[str, Word] = {}
        for word in words:
            pattern = bool(set(word.text) & set("*?["))
            fits = [name for name in known if fnmatchcase(name, word.text) and self._meant(name, read)]
            # A plain name counts whether or not a boundary is given: what does not go together is said below.
            names = fits if pattern else [word.text] if word.text in known else []
            if not names:
                self._wrong(word, "fits no task" if pattern else "is not a task", _choice(word.text, list(known)))
            for name in names:
                if name in taken:
                    self._wrong(
                        word, f"names {name}, which {abbreviate(taken[name].text)} names too", "Name each task once."
                    )
                    # One complaint for a word is enough, however many tasks its pattern shares with another.
                    break
                taken[name] = word
        for name, word in taken.items():
            paired = name in self._vocabulary.paired
            # A boundary was meant, and its value is reported already.
            if "boundary" in self._spoiled:
                continue
            if paired and not read.boundary:
                self._wrong(word, f"{_naming(word, name)} two agents", "Say where: boundary=outer or inner.")
            elif read.boundary and not paired:
                remedy = f"Leave boundary out; tasks with two agents: {', '.join(sorted(self._vocabulary.paired))}."
                self._wrong(word, f"{_naming(word, name)} one agent and no boundary", remedy)
            else:
                yield replace(word, text=name)

    def _meant(self, name: str, read: _Read) -> bool:
        """Return whether a pattern may mean the task: with a boundary those with two agents, else the others."""
        return bool(read.boundary) == (name in self._vocabulary.paired)

    def _faults(self, faults: Sequence[NamedFault]) -> Iterator[NamedFault]:
        known = [name for name in FAULTS if name != CLEAN]
        for fault in faults:
            word = fault.name
            fits = [name for name in known if fnmatchcase(name, word.text)]
            if word.text == CLEAN:
                remedy = "Leave it out: the runs without a fault that a campaign needs are added to it."
                self._wrong(word, "is not a fault", remedy)
            elif not fits:
                self._wrong(word, "is not a fault", _choice(word.text, known))
            for name in fits:
                fitting = [self._fitting(name, *pair) for pair in fault.parameters]  # all of them, to tell all mistakes
                if all(fitting):
                    yield NamedFault(replace(word, text=name), fault.parameters)

    def _fitting(self, fault: str, name: Word, value: Word) -> bool:
        """Return whether a fault has such a parameter and the parameter such a value; says so where not."""
        known = FAULTS[fault].parameters
        if name.text not in known:
            remedy = _choice(name.text, list(known)) if known else "It has none."
            self._wrong(name, f"is not a parameter of {fault}", remedy)
            return False
        wrong, _, remedy = known[name.text].wrong(scalar(value.text)).partition("; ")
        if wrong:
            self._wrong(value, wrong, _sentence(remedy))
        return not wrong

    def _combined(self, line: CampaignLine, task: Word, fault: NamedFault, read: _Read) -> Iterator[Experiment]:
        parameters = tuple(sorted((name.text, scalar(value.text)) for name, value in fault.parameters))
        repeat = int(read.repeat[0].text) if read.repeat else 1
        settings = (read.schedule, read.tool, read.level, read.boundary, read.errors)
        # An empty axis would make the product empty, and the line would ask for no run at all.
        axes = [values or (None,) for values in settings]
        seeds = [int(seed.text) for seed in read.seed] or [0]
        for model, schedule, tool, level, boundary, errors in product(read.model, *axes):
            if self._impossible(task, tool, level, errors):
                continue
            for seed in seeds:
                yield Experiment(
                    task.text,
                    model.text if model else "",
                    fault.name.text,
                    parameters,
                    schedule.text if schedule else ALWAYS,
                    tool.text if tool and tool.text != "*" else ANY_TOOL,
                    level.text if level else LEVELS[0],
                    boundary.text if boundary else "",
                    errors.text if errors else ERRORS[0],
                    seed,
                    repeat,
                    line.number,
                )

    def _impossible(self, task: Word, tool: Word | None, level: Word | None, errors: Word | None) -> bool:
        """Return whether settings that are sound by themselves do not go together; says so."""
        offered = self._vocabulary.tasks[task.text]
        # Every combination with the same two words complains; `campaign_from` drops the repetitions.
        if tool and tool.text != "*" and tool.text not in offered:
            self._wrong(tool, f"is not a tool of {task.text}", f"It has {', '.join(offered)}.")
        elif level and level.text == "mcp" and task.text in self._vocabulary.paired:
            self._wrong(level, f"does not go with {task.text}", "Tasks with two agents are run at level python.")
        elif level and level.text == "mcp" and errors and errors.text == "raised":
            self._wrong(errors, "does not go with level=mcp", "A failure of an MCP server is always shown.")
        else:
            return False
        return True

    def _keep(self, found: Sequence[Experiment], first: Word) -> None:
        """Enter the line's experiments, unless one of them is in the file already."""
        named: dict[tuple[str, ...], Experiment] = {}
        twins: list[tuple[Experiment, Experiment]] = []
        for one in found:
            key = one.key
            twin = self._seen.get(key) or named.get(key)
            if twin is None:
                named[key] = one
            else:
                twins.append((one, twin))
        self._seen |= named
        if not twins:
            self.experiments += found
            return
        one, twin = twins[0]
        where = "twice on this line" if twin.line == one.line else f"on line {twin.line} too"
        remedy = "Delete one of the two, or give them different seeds; repeat=N runs one more often."
        self._wrong(first, f"names an experiment that is {where} ({one}, seed {one.seed})", remedy)


def _asked(read: _Read) -> int:
    """The number of runs that a task with a fault is asked for."""
    axes = (read.model, read.schedule, read.tool, read.level, read.boundary, read.errors, read.seed)
    return prod(len(values) or 1 for values in axes) * (int(read.repeat[0].text) if read.repeat else 1)


def _naming(word: Word, name: str) -> str:
    return "has" if word.text == name else f"names {name}, which has"


def _first(line: CampaignLine) -> Word:
    """The line's first word, as a place to point at."""
    words = [*line.tasks, *(fault.name for fault in line.faults)]
    return words[0] if words else Word("", line.number, 1)


def scalar(text: str) -> Scalar:
    """A parameter's value: true and false, a number (a whole one wherever it is whole), else text."""
    if text in ("true", "false"):
        return text == "true"
    if NUMBER.fullmatch(text):
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return text


def _choice(text: str, known: Sequence[str]) -> str:
    near = get_close_matches(text, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"Choose from {', '.join(known)}."


def _complaint(reader: Callable[..., object], given: object) -> tuple[str, str]:
    """The objection of a reader to a value, and the remedy; two empty texts where it takes it."""
    try:
        reader(given)
    except UserError as error:
        wrong, _, remedy = str(error).partition("; ")
        return wrong, _sentence(remedy)
    return "", ""


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?")) else ".")
