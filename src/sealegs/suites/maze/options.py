"""Options of a run of the suite, the episodes that they give, and the folder that they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self

from sealegs.agents import SCRIPTED
from sealegs.engines import direct
from sealegs.faults.plan import Plan, unmatched
from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.moments import DRAW, SETTINGS
from sealegs.scenarios.perturbation import IMPLICIT_SETTINGS, LADDER
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scenarios.scenario_setup import RECOVERIES, ScenarioSetup
from sealegs.scenarios.system_prompts import PROMPTS
from sealegs.scenarios.task_sets import SHIPPED, VERSION, task_set
from sealegs.scenarios.wordings import FIRST, WORDINGS, Phrasing
from sealegs.suites.choices import unknown_name_problems, who_problems
from sealegs.suites.run_options import (
    Names,
    RunOptions,
    TaskOrder,
    engine_option,
    hidden_option,
    limit_option,
    modes_option,
    moment_option,
    option,
    plan_json,
    plan_of_file,
    plan_option,
    recovery_option,
    run_only_option,
)
from sealegs.tasks.written_forms import ENGLISH, LANGUAGES

ENGINES = ("auto", *direct.ENGINES, "inspect")


class MazeOptions(RunOptions):
    """The options of `maze`."""

    of_the_command: ClassVar[frozenset[str]] = frozenset({"world"})  # which makes the tasks before it runs them

    agent: str = option("", "Scripted: oracle, verifier, planner, retrier or naive.")
    limit: int | None = limit_option("base tasks of each level")
    levels: Names = option(LEVELS, "Levels, separated by commas.")
    modes: Names = modes_option(MODES)
    prompt: str = option("standard", "standard or failure-aware.")
    tasks: str = option(SHIPPED, "A folder of tasks in place of those that ship.")
    world: str = run_only_option("", "A Python file of your own tools, in place of those that ship.")
    plan: str = plan_option("the modes")
    moment: str = moment_option(DRAW, "draw, before (as published), during or after")
    implicit: str = option(LADDER, "Implicit faults: ladder, or published (the nine families as they fit).")
    wording: str = option(FIRST, "first or second: which of the two English requests of each task is used.")
    language: str = option(ENGLISH, "en, de, es or zh: of the requests; other than in English there are 40 tasks.")
    translated: bool = option(False, "Only the tasks that have requests in all four languages.")
    recovery: str = recovery_option()
    engine: str = engine_option("langchain", "mcp")
    version: str = hidden_option(VERSION)

    def problems(self) -> Iterator[str]:
        """The problems of the options."""
        if self.agent:
            yield from unknown_name_problems("agent", [self.agent], SCRIPTED)
        yield from unknown_name_problems("level", list(self.levels), LEVELS)
        yield from unknown_name_problems("mode", list(self.modes), MODES)
        yield from unknown_name_problems("prompt", [self.prompt], PROMPTS)
        yield from unknown_name_problems("engine", [self.engine], ENGINES)
        yield from unknown_name_problems("recovery", [self.recovery], RECOVERIES)
        yield from unknown_name_problems("moment", [self.moment], SETTINGS)
        yield from unknown_name_problems("kind of implicit faults", [self.implicit], IMPLICIT_SETTINGS)
        yield from self._wording_problems()
        yield from who_problems(self.agent, self.model, self.engine)
        if self.world:
            yield (
                f"--world {self.world}: its tasks have not been generated; generate them by `sealegs run maze`, or "
                "give --tasks the folder that `sealegs.generate.world_tasks.world_tasks` returns"
            )
            return
        tasks, wrong = _own_tasks(self.tasks)
        yield from wrong
        plan, wrong = plan_of_file(self.plan)
        yield from wrong
        if plan is not None:
            yield from _plan_problems(plan, self.plan, self.agent, tasks)

    def _wording_problems(self) -> Iterator[str]:
        yield from unknown_name_problems("wording", [self.wording], WORDINGS)
        yield from unknown_name_problems("language", [self.language], LANGUAGES)
        if self.wording != FIRST and self.language in LANGUAGES and self.language != ENGLISH:
            yield (
                f"--wording {self.wording}: there is one wording in {LANGUAGES[self.language]}; "
                "leave out --wording or --language"
            )
        chosen = [
            *([f"--wording {self.wording}"] if self.wording != FIRST else []),
            *([f"--language {self.language}"] if self.language != ENGLISH else []),
            *(["--translated"] if self.translated else []),
        ]
        if self.tasks and chosen:
            yield f"{' '.join(chosen)}: each task of a folder has one request; leave it out with --tasks"

    def idle(self) -> Iterator[tuple[str, frozenset[str]]]:
        """The names of options that do nothing beside these ones, and where that is so."""
        yield from super().idle()
        if self.plan:
            yield "beside --plan, whose faults take the place of the modes", frozenset({"modes", "implicit"})

    def checked(self) -> Self:
        """Return the options with levels in their order and files read.

        Raises:
            ChoiceError: with every mistake.
        """
        super().checked()
        own = {"levels": tuple(level for level in LEVELS if level in self.levels), "tasks": _own_tasks(self.tasks)[0]}
        return self.model_copy(update={**own, "plan": plan_json(plan_of_file(self.plan)[0])})

    @property
    def setup(self) -> ScenarioSetup:
        """The way in which each episode is played."""
        return self.part_for(ScenarioSetup)

    def ordered_tasks(self) -> TaskOrder | None:
        """Tasks on the user's own tools."""
        if not self.world:
            return None
        # The plan is checked against the tools of these tasks, which are not there yet.
        rest = self.model_copy(update={"world": "", "tasks": "", "plan": ""})
        return TaskOrder(self.world, self.tasks, self.levels, rest)

    def on_tasks(self, folder: Path) -> Self:
        """The options with this folder of tasks."""
        return self.model_copy(update={"world": "", "tasks": str(folder)})

    def episodes(self) -> list[Scenario]:
        """All episodes of the run."""
        return list_scenarios(
            self.levels,
            self.modes,
            limit=self.limit,
            epochs=self.epochs,
            seed=self.seed,
            own=self.plan,
            tasks=self.tasks,
            moment=self.moment,
            implicit=self.implicit,
            phrasing=Phrasing(self.wording, self.language),
            translated=self.translated,
        )

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        who = self.agent or self.model.replace("/", "-")
        default = MazeOptions()
        # Only what differs from the default, so that an option that is added later renames no folder.
        parts = [
            *(["C" + "".join(level[1:] for level in self.levels)] if self.levels != default.levels else []),
            *(["-".join(self.modes)] if self.modes != default.modes else []),
            *([self.prompt] if self.prompt != default.prompt else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"plan{digest(self.plan):016x}"[:12]] if self.plan else []),
            *([f"{Path(self.tasks).name}"] if self.tasks else []),
            *([f"moment-{self.moment}"] if self.moment != default.moment else []),
            *([f"implicit-{self.implicit}"] if self.implicit != default.implicit else []),
            *([f"wording-{self.wording}"] if self.wording != default.wording else []),
            *([f"language-{self.language}"] if self.language != default.language else []),
            # In another language there are only the translated tasks anyway.
            *(["translated"] if self.translated and self.language == ENGLISH else []),
            *([f"recovery-{self.recovery}"] if self.recovery != default.recovery else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.engine] if self.agent and self.engine != "direct" else []),
            *self.sampling_parts(),
        ]
        return "-".join(["maze", who, *parts])


def _own_tasks(folder: str) -> tuple[str, list[str]]:
    """The folder of the user's tasks, and what is wrong with it."""
    if not folder:
        return SHIPPED, []
    name = str(Path(folder).resolve())
    try:
        task_set(name)
    except UserError as error:
        return SHIPPED, [str(error)]
    return name, []


def _plan_problems(plan: Plan, file: str, agent: str, tasks: str) -> Iterator[str]:
    """The problems of using the user's plan here."""
    chosen = task_set(tasks)
    specs = {tool.name: tool.spec for task in chosen.tasks for tool in chosen.corpus(task).tools.values()}
    for rule in unmatched(plan, list(specs.values())):
        yield f"{file}: rule {rule!r} matches no tool of the suite; `sealegs world list` names them all"
    if agent == "oracle":
        yield "oracle knows the suite's own faults alone; choose planner, retrier or naive with --plan"
