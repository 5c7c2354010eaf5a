"""The episodes of a run, and everything that one of them needs: who is offered, who is refused, what is right."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Literal

from sealegs.faults import seeds
from sealegs.faults.call import Value
from sealegs.faults.kinds import Error
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.plan_files import plan_from
from sealegs.faults.triggers import FirstTouch, Tool
from sealegs.scoring.highwater_judge import Way
from sealegs.scoring.row_matching import ReferenceRows
from sealegs.suites.highwater.libraries import SHIPPED, LibraryData, library_data
from sealegs.tasks.editions import edition, edition_facts
from sealegs.world.sql.function_library import Library, SqlFunction, SqlProblem
from sealegs.world.sql.parameter import RowForm

SUITE = "highwater"
VERSION = "2-A"
REFUSED = "This function is unavailable at the moment and will stay so. Use another way to get what you need."
REFUSED_AS_PUBLISHED = "{name} is currently unavailable. Please try a different function."
CLEAN, EXTERNAL, OWN_MODE = "no errors", "external errors", "plan"
SAME_ROWS_TRIES = 24
RefusalWords = Literal["own", "published"]


@dataclass(frozen=True)
class QuestionStyle:
    """The manner in which functions answer and the question is introduced.

    Attributes:
        rows: `lists`, or `records` keyed by column.
        empty_hint: whether a function that finds nothing names the value nearest to the one it was given.
        examples: whether two worked examples come before the question.
        refusal: the words of a refusal: our `own`, or those `published`.
    """

    rows: RowForm = "lists"
    empty_hint: bool = False
    examples: bool = False
    refusal: RefusalWords = "own"

    @property
    def words(self) -> str:
        """The differences from the default, in a few words; empty where there are none."""
        if self == PUBLISHED_STYLE:
            return "as published"
        differing = {"records": self.rows == "records", "hints at values": self.empty_hint, "examples": self.examples}
        differing["published refusal"] = self.refusal == "published"
        return ", ".join(name for name, on in differing.items() if on)


PLAIN = QuestionStyle()
PUBLISHED_STYLE = QuestionStyle("records", True, True, "published")
MANNERS = tuple(one.name for one in fields(QuestionStyle))


@dataclass(frozen=True)
class HighwaterEpisode:
    """One problem in one setting.

    Attributes:
        problem: its id.
        errors: whether the first function of a solution that is called is refused.
        setting: `open`, `closed` or `distractors`.
        distractors: how many functions of no solution are offered; meaningless where all functions can be found.
        hints: whether the agent learns which data the question is about, and which columns the answer has.
        seed: decides distractors and their order.
        own: the user's plan as JSON, in place of refusals.
        data: the folder of the library; empty for the package's own.
        epoch: counts repetitions from 1.
        style: how functions answer, and what the agent is shown of it.
    """

    problem: str
    errors: bool = False
    setting: str = "open"
    distractors: int = 9
    hints: bool = False
    seed: int = 0
    own: str = ""
    data: str = SHIPPED
    epoch: int = 1
    style: QuestionStyle = PLAIN

    @property
    def id(self) -> str:
        """The episode's name, unique in a run."""
        return f"{self.problem}/{'errors' if self.errors else 'clean'}/{self.epoch}"

    @property
    def mode(self) -> str:
        """The mode of faults: none, the refusal of plan A, or the user's plan."""
        return OWN_MODE if self.own else EXTERNAL if self.errors else CLEAN

    @property
    def level(self) -> str:
        """The setting as tables name it."""
        setting = self.setting if self.setting == "open" else f"{self.setting} {self.distractors}"
        setting = f"{setting} with hints" if self.hints else setting
        return f"{setting}, {self.style.words}" if self.style.words else setting

    @cached_property
    def found(self) -> SqlProblem:
        """The problem."""
        return self.known.problems[self.problem]

    @property
    def known(self) -> LibraryData:
        """The data that the problem is of."""
        return library_data(self.data)

    @property
    def edition(self) -> str:
        """Version and digest of the data, as records and rows name them."""
        return library_edition(self.data)

    @property
    def library(self) -> Library:
        """All functions."""
        return self.known.library

    @cached_property
    def offered(self) -> tuple[SqlFunction, ...]:
        """The functions that the agent is offered; none in the open setting, where it searches."""
        if self.setting == "open":
            return ()
        needed = self.found.functions if self.setting == "closed" else frozenset()
        names = [*needed, *draw_distractors(self.found, self.library, self.seed, self.distractors)]
        names.sort(key=lambda name: seeds.digest(self.seed, self.problem, "order", name))
        return tuple(self.library.functions[name] for name in names)

    def callable(self, name: str) -> bool:
        """Return whether the agent may call a function."""
        return name in (self.library.functions if self.setting == "open" else {one.name for one in self.offered})

    @property
    def plan(self) -> Plan:
        """The faults."""
        refusing = self.errors and self.setting != "distractors"  # where no function of a solution can be called
        return _plan(self.own, self.problem, refusing, self.seed, self.data, self.style.refusal == "published")

    @property
    def reference(self) -> ReferenceRows:
        """The right answer."""
        return ReferenceRows(self.found.columns, self.found.rows, self.found.ordered)

    @property
    def ways(self) -> tuple[Way, ...]:
        """The functions of each known solution."""
        return tuple(solution.functions for solution in self.found.solutions)

    def about(self, who: Mapping[str, Any]) -> dict[str, Any]:
        """The facts that a record notes of the episode when it begins."""
        facts: dict[str, Any] = {
            "suite": SUITE,
            "version": VERSION,
            "problem": self.problem,
            "errors": self.errors,
            "mode": self.mode,
            "level": self.level,
            "setting": self.setting,
            "distractors": self.distractors,
            "hints": self.hints,
            "epoch": self.epoch,
            "seed": self.seed,
            "plan": self.plan.digest(),
            **edition_facts(self.edition),
            **asdict(self.style),
        }
        marks = {name: value for name, value in (("own", self.own), ("data", self.data)) if value}
        return {**facts, **marks, **who}


# In these the episodes of one run agree; the others tell its episodes apart, and of the manner each field is a fact.
TOLD_APART = ("problem", "errors", "epoch")
EPISODE_FACTS = (
    *(one.name for one in fields(HighwaterEpisode) if one.name not in (*TOLD_APART, "style")),
    *MANNERS,
)


def library_edition(folder: str) -> str:
    """Version and digest of the library in a folder.

    Raises:
        UserError: the folder holds none that can be read.
    """
    return edition(VERSION, library_data(folder).digest)


def highwater_episode_from(about: Mapping[str, Any]) -> HighwaterEpisode:
    """The episode that these facts are of."""
    return HighwaterEpisode(
        about["problem"],
        about["errors"],
        about["setting"],
        about["distractors"],
        about["hints"],
        about["seed"],
        about.get("own", ""),
        about.get("data", SHIPPED),
        about["epoch"],
        QuestionStyle(**{name: about[name] for name in MANNERS if name in about}),
    )


def choose_problems(folder: str, split: str, limit: int | None, seed: int) -> list[SqlProblem]:
    """The problems of a run: of a split, in a seeded order, so that the first few are a sample of all."""
    found = [problem for problem in library_data(folder).library.problems if split in ("all", problem.split)]
    return sorted(found, key=lambda problem: seeds.digest(seed, "highwater", "order", problem.id))[:limit]


def refusable(problem: SqlProblem) -> tuple[str, ...]:
    """The functions of known solutions without which another solution is left."""
    return tuple(
        name
        for name in sorted(problem.functions)
        if any(name not in solution.functions for solution in problem.solutions)
    )


@lru_cache(maxsize=4096)
def _plan(own: str, problem: str, errors: bool, seed: int, folder: str, published: bool) -> Plan:
    if own:
        return plan_from(json.loads(own))
    if not errors:
        return Plan(name=f"highwater {problem}", seed=seed)
    group = refusable(library_data(folder).problems[problem])
    words = REFUSED_AS_PUBLISHED if published else REFUSED
    rules = tuple(
        Rule(
            id=f"plan A: {name}",
            match=Tool(name),
            when=FirstTouch(group),
            fault=Error(type="FunctionUnavailable", message=words.format(name=name)),
            persistence="permanent",
            key="order",  # so that records of one seed stay what they are
        )
        for name in group
    )
    return Plan(name=f"highwater {problem} errors", seed=seed, rules=rules)


def draw_distractors(problem: SqlProblem, library: Library, seed: int, count: int) -> tuple[str, ...]:
    """Functions of no known solution, in a seeded order; a longer list begins with the shorter one.

    A function that answers with the reference rows, given values of the solutions, would be another solution, not a
    distractor.
    """
    needed = problem.functions
    free = [name for name in sorted(library.functions) if name not in needed]
    drawn = seeds.stream(seed, problem.id, "distractor").sample(free, len(free))
    fit = (name for name in drawn if not _answers(library.functions[name], problem, library))
    return tuple(itertools.islice(fit, count))


def _answers(function: SqlFunction, problem: SqlProblem, library: Library) -> bool:
    """Return whether a function gives the problem's rows when it is given some of its values."""
    if function.database != problem.database or any(one.role != "value" for one in function.parameters):
        return False
    steps = [step for solution in problem.solutions for step in solution.steps]
    # Values of the known solutions: with any others, the function would answer another question.
    values = list(dict.fromkeys(g.value for step in steps for g in step.arguments.values() if g.rows is None))
    names = [one.name for one in function.parameters]
    # Sorted as text, since cells of a column can be of types that Python does not order.
    wanted = sorted(map(repr, map(list, problem.rows)))
    for given in itertools.islice(itertools.product(values, repeat=len(names)), SAME_ROWS_TRIES):
        outcome = library.call(function.name, dict(zip(names, given, strict=True)))
        if isinstance(outcome, Value) and sorted(map(repr, outcome.value)) == wanted:
            return True
    return False


def episodes_of_problems(
    problems: Sequence[SqlProblem],
    errors: Sequence[str],
    *,
    setting: str = "open",
    distractors: int = 9,
    hints: bool = False,
    seed: int = 0,
    own: str = "",
    folder: str = SHIPPED,
    epochs: int = 1,
    style: QuestionStyle = PLAIN,
) -> list[HighwaterEpisode]:
    """The episodes of a run.

    Args:
        problems: the problems to play.
        errors: some of `off` and `on`; meaningless under the user's own plan.
        setting, distractors, hints, seed, own: as in `HighwaterEpisode`.
        folder: the library's.
        epochs: how often each is played.
        style: of all.
    """
    count = 0 if setting == "open" else distractors
    return [
        HighwaterEpisode(problem.id, mode == "on", setting, count, hints, seed, own, folder, epoch, style)
        for problem in problems
        for mode in (("off",) if own else errors)
        for epoch in range(1, epochs + 1)
    ]
