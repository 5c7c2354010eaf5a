"""Options of a run of the suite, the episodes that they give, and the folder that they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Self, cast

from pydantic import model_validator

from sealegs.agents import CODERS
from sealegs.faults.plan import Plan, unmatched
from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.sandbox import find_isolation
from sealegs.suites.choices import ENGINES, unknown_name_problems, who_problems
from sealegs.suites.highwater import ERRORS, INTERFACES, SETTINGS, SPLITS
from sealegs.suites.highwater.coder_setup import CoderSetup
from sealegs.suites.highwater.containers import problems_of, resolve_sandbox_path
from sealegs.suites.highwater.environment import SEARCHING, TELLING
from sealegs.suites.highwater.function_search import BM25, finder
from sealegs.suites.highwater.libraries import SHIPPED, check_databases, library_data
from sealegs.suites.highwater.problem_episodes import (
    PLAIN,
    PUBLISHED_STYLE,
    SUITE,
    VERSION,
    HighwaterEpisode,
    QuestionStyle,
    RefusalWords,
    choose_problems,
    episodes_of_problems,
)
from sealegs.suites.run_options import (
    RunOptions,
    hidden_option,
    limit_option,
    option,
    plan_json,
    plan_of_file,
    plan_option,
    run_only_option,
)
from sealegs.world.sql.parameter import RowForm

BOTH = "both"
AUTO = "auto: set by --as-published."
CHOSEN = {"rows": PUBLISHED_STYLE.rows, "refusal": PUBLISHED_STYLE.refusal}  # what --as-published chooses of several
MODES = {BOTH: ERRORS, "off": ("off",), "on": ("on",)}


class HighwaterOptions(RunOptions):
    """The options of `highwater`."""

    limit: int | None = limit_option("problems")
    setting: str = option("open", "open, closed or distractors.")
    distractors: int = option(
        9, "In the closed settings: functions that are offered although no solution uses them.", ge=0
    )
    hints: bool = option(False, "Say which data is meant.")
    errors: str = option(BOTH, "Whether plan A is refused: off, on or both.")
    split: str = option("test", "test, validation or all.")
    data: str = option(SHIPPED, "A folder that `sealegs highwater build` wrote.")
    search: str = option(BM25, "bm25, or a sentence-transformers model.")
    interface: str = option("auto", "code, calls (no code is run), or auto: code if it can be contained.")
    rows: Literal["auto", "lists", "records"] = option("auto", f"Rows as lists, or as records by column. {AUTO}")
    empty_hint: bool = option(False, "A function that finds nothing names the nearest value.")
    examples: bool = option(False, "Show two worked examples before the question.")
    refusal: Literal["auto", "own", "published"] = option("auto", f"The words of a refusal: own or published. {AUTO}")
    as_published: bool = option(False, "As published: records, hints at values, examples, refusal.")
    plan: str = plan_option("refusals")
    sandbox: str = option("", "Run code in a sandbox of Inspect: docker, docker:FILE.")
    allow_weak_sandbox: bool = run_only_option(False, "Run code without namespaces.")
    suite: str = hidden_option(SUITE)
    version: str = hidden_option(VERSION)

    @model_validator(mode="before")
    @classmethod
    def _contained(cls, given: Any) -> Any:
        """Set what other options imply: Inspect for a sandbox, no distractors in the open setting, no refusals."""
        given = dict(given)
        if given.get("sandbox") and given.get("engine", "auto") == "auto":
            given["engine"] = "inspect"
        if given.get("setting", "open") == "open":
            given["distractors"] = 0
        # The plan decides what fails; refusals drawn beside it would not be the user's.
        if given.get("plan"):
            given["errors"] = "off"
        style = PUBLISHED_STYLE if given.get("as_published") else PLAIN
        for name in CHOSEN:
            if given.get(name, "auto") == "auto":
                given[name] = getattr(style, name)
        if given.get("as_published"):
            given |= {"empty_hint": True, "examples": True}
        return given

    @property
    def style(self) -> QuestionStyle:
        """The manner in which functions answer and the question is introduced."""
        return QuestionStyle(
            cast("RowForm", self.rows), self.empty_hint, self.examples, cast("RefusalWords", self.refusal)
        )

    @property
    def setup(self) -> CoderSetup:
        """The way in which each episode is played."""
        return self.part_for(CoderSetup)

    @property
    def refusals(self) -> tuple[str, ...]:
        """Whether plan A is refused, in each of the episodes of a problem."""
        return MODES[self.errors]

    def problems(self) -> Iterator[str]:
        """The problems of the options."""
        if self.agent:
            yield from unknown_name_problems("agent", [self.agent], CODERS)
        yield from unknown_name_problems("setting", [self.setting], SETTINGS)
        yield from unknown_name_problems("errors", [self.errors], MODES)
        yield from unknown_name_problems("split", [self.split], SPLITS)
        yield from unknown_name_problems("interface", [self.interface], INTERFACES)
        yield from unknown_name_problems("engine", [self.engine], ENGINES)
        yield from who_problems(self.agent, self.model, self.engine)
        yield from problems_of(self.sandbox, self.allow_weak_sandbox)
        if self.interface == "calls" and self.engine == "inspect":
            yield "the interface calls is for scripted agents without Inspect; leave --interface out"
        if self.sandbox and self.engine == "direct":
            yield "--sandbox is of Inspect, and the direct engine has none; leave --engine out"
        # `_contained` filled in all that was left open, so what differs now was given by the user.
        if self.as_published and self.style != PUBLISHED_STYLE:
            own = [f"--{name} {getattr(self, name)}" for name in CHOSEN if getattr(self, name) != CHOSEN[name]]
            yield f"--as-published does not go with {' and '.join(own)}; leave one of them out"
        # The shipped library replaces one that cannot be read, so that plan and search are checked too.
        folder, wrong = self._library()
        yield from wrong
        plan, wrong = plan_of_file(self.plan)
        yield from wrong
        if plan is not None:
            yield from _plan_problems(plan, self.plan, folder)
        try:
            finder(folder, self.search)
        except UserError as error:
            yield str(error)

    def checked(self) -> Self:
        """Return the options with files read, and code or calls chosen.

        Raises:
            ChoiceError: with every mistake.
        """
        super().checked()
        found = {
            "data": self._library()[0],
            "plan": plan_json(plan_of_file(self.plan)[0]),
            "sandbox": resolve_sandbox_path(self.sandbox),
            "interface": "code" if self.engine == "inspect" else self._interface(),
        }
        return self.model_copy(update=found)

    def episodes(self) -> list[HighwaterEpisode]:
        """All episodes of the run."""
        return episodes_of_problems(
            choose_problems(self.data, self.split, self.limit, self.seed),
            self.refusals,
            setting=self.setting,
            distractors=self.distractors,
            hints=self.hints,
            seed=self.seed,
            own=self.plan,
            folder=self.data,
            epochs=self.epochs,
            style=self.style,
        )

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        default = HighwaterOptions()
        # Only what differs from the default, so that an option that is added later renames no folder.
        parts = [
            *([f"{self.setting}{self.distractors}"] if self.setting != "open" else []),
            *(["hints"] if self.hints else []),
            *([self.style.words.replace(", ", "-").replace(" ", "-")] if self.style.words else []),
            # With a plan, `errors` was set to off by `_contained` and not by the user.
            *([f"errors-{'-'.join(self.refusals)}"] if self.errors != default.errors and not self.plan else []),
            *([self.split] if self.split != default.split else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"plan{digest(self.plan):016x}"[:12]] if self.plan else []),
            *([Path(self.data).name] if self.data else []),
            *([f"search-{Path(self.search).name}"] if self.search != BM25 else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.interface] if self.interface == "calls" else []),
            *([f"sandbox-{self.sandbox.partition(':')[0]}"] if self.sandbox else []),
            *([self.engine] if self.agent and self.engine != "direct" else []),
            *self.sampling_parts(),
        ]
        return "-".join([SUITE, self.agent or self.model.replace("/", "-"), *parts])

    def _interface(self) -> str:
        """`auto` is code if the sandbox is strong; a scripted agent's calls are the same either way."""
        if self.interface != "auto":
            return self.interface
        found = find_isolation()
        return "code" if found.strong or (self.allow_weak_sandbox and found.name == "weak") else "calls"

    def _library(self) -> tuple[str, list[str]]:
        """The folder of the functions, and what is wrong with it."""
        if not self.data:
            return SHIPPED, []
        place = str(Path(self.data).resolve())
        try:
            found = choose_problems(place, self.split, self.limit, self.seed)
            check_databases(place, found)
        except UserError as error:
            return SHIPPED, [str(error)]
        if not library_data(place).library.problems:
            return place, [f"{self.data} holds no problems; build it of others"]
        if not found and self.split in SPLITS:
            return place, [f"{self.data} holds no problems of the split {self.split}; choose another with --split"]
        return place, []


def _plan_problems(plan: Plan, file: str, folder: str) -> Iterator[str]:
    """The problems of using the user's plan here."""
    tools = [SEARCHING, TELLING, *(function.tool for function in library_data(folder).library.functions.values())]
    for rule in unmatched(plan, tools):
        yield (
            f"{file}: rule {rule!r} matches no function of {SUITE}; match `fn_*`, search_tools, or a tag: the name of "
            "a database, whole, subquery or outer"
        )
