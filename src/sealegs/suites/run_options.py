"""The options that every suite takes. A suite's own model adds its own to them.

Each option is declared once, here or in its suite: name, type, default, and the help of the command line. Equal options
give equal episodes; those marked with `run_only_option` say how a run is made and not what it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.config import JsonDict
from pydantic_core import ErrorDetails

from sealegs.engines.model_setup import ModelSetup
from sealegs.engines.shards import SHARD_HELP, Shard, parse_shard
from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import plan_from, read_plan
from sealegs.faults.problems import PlanError
from sealegs.faults.user_error import UserError
from sealegs.suites.choices import (
    INVALID_HELP,
    MOST_INVALID,
    MOST_JOBS,
    MOST_SEED,
    ChoiceError,
    engine_for,
    split_names,
    split_scripted_model,
    unknown_name_problems,
)

Names = Annotated[
    tuple[str, ...], BeforeValidator(lambda names: split_names(names) if isinstance(names, str) else names)
]
LOGS = Path("sealegs-logs")  # where runs are kept, unless the user says otherwise
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
PRICED = "litellm-proxy/"  # models whose provider tells Inspect what they cost
RETRIES = 7  # about six minutes, as Inspect waits between them
HIDDEN: JsonDict = {"hidden": True}
FLAGS = "flags"  # of an option that may be given several times: how it is written


def option(default: Any, description: str, **limits: Any) -> Any:
    """Declare an option of the command line.

    Args:
        default: its value when it is left out.
        description: its help.
        limits: of numbers, as pydantic names them (`ge`, `le`).
    """
    return Field(default, description=description, **limits)


def run_only_option(default: Any, description: str, **limits: Any) -> Any:
    """Declare an option that says how a run is made: it may differ when the run is resumed."""
    return Field(default, description=description, exclude=True, **limits)


def repeated_option(description: str, *flags: str) -> Any:
    """Declare an option of the command line that may be given several times; without it there is nothing.

    Args:
        description: its help.
        flags: how it is written, in place of its name.
    """
    return Field((), description=description, json_schema_extra={FLAGS: list(flags)})


def hidden_option(default: Any) -> Any:
    """Declare a setting that is recorded with a run and cannot be chosen."""
    return Field(default, json_schema_extra=HIDDEN)


def limit_option(counted: str) -> Any:
    """Declare the option of how much is played. `counted`: of what a suite takes at most so many."""
    return option(None, f"At most this many {counted}.", ge=1)


def engine_option(*others: str) -> Any:
    """Declare the option of the engine. `others`: those that play a suite's scripted agents beside the direct one."""
    names = ["direct", *others]
    scripted = " or ".join([*([", ".join(names[:-1])] if others else []), names[-1]])
    return option("auto", f"auto, inspect, or for scripted agents {scripted}.")


def modes_option(default: tuple[str, ...], more: str = "") -> Any:
    """Declare the option of the modes in which tasks are played. `more`: what a suite adds to its help."""
    return option(default, f"Modes, separated by commas{more}.")


def moment_option(default: str, choices: str) -> Any:
    """Declare the option of the moment of a fault. `choices`: the moments that a suite knows."""
    return option(default, f"When faults strike actions: {choices}.")


def time_limit_option(default: float, least: float) -> Any:
    """Declare the option of the time that one run may take.

    Args:
        default: in seconds.
        least: seconds that make sense.
    """
    return option(default, "Real seconds after which one run is ended.", ge=least)


def recovery_option() -> Any:
    """Declare the option of the recovery layer, for suites that can put it around the tools."""
    return option("off", "off, advise or active: the recovery layer around the tools.")


def plan_option(replaced: str) -> Any:
    """Declare the option of a fault plan. `replaced`: what a suite otherwise plays."""
    return option("", f"The file of your own fault plan, in place of {replaced}.")


class ModelOptions(BaseModel):
    """The options of a model's calls, in every suite; none of them concerns a scripted agent.

    Those that change a model's replies belong to the run. The others may differ when it is resumed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = option(None, "The sampling temperature; the suite's own by default.", ge=0)
    top_p: float | None = option(None, "The share of probability that sampling keeps.", ge=0, le=1)
    model_seed: int | None = option(None, "The seed of the model's sampling, if its provider takes one.")
    reasoning_effort: str = option("", f"For a reasoning model: {', '.join(EFFORTS)}.")
    max_tokens: int | None = option(None, "At most this many tokens in a reply; the suite's own by default.", ge=1)
    token_limit: int | None = option(None, "Tokens after which an episode is cut off.", ge=1)
    cost_limit: float | None = option(None, "Dollars after which an episode is cut off; needs prices.", ge=0)
    prices: str = run_only_option("", "A YAML or JSON file of prices by model, in Inspect's form.")
    answered: bool = Field(False, exclude=True, json_schema_extra=HIDDEN)  # a first question, in this command
    estimate: bool = run_only_option(False, "Say what the run will ask of the model, and play nothing.")
    budget_tokens: int | None = run_only_option(None, "Tokens after which the run begins no further episode.", ge=1)
    budget_cost: float | None = run_only_option(
        None, "Dollars after which the run begins no further episode; needs prices.", ge=0
    )
    connections: int | None = run_only_option(None, "At most this many concurrent requests.", ge=1)
    retries: int = run_only_option(RETRIES, "How often a failed request is repeated.", ge=0)
    request_timeout: int | None = run_only_option(None, "Seconds after which a request counts as failed.", ge=1)
    base_url: str = run_only_option("", "Where the model's provider is, in place of its usual address.")
    max_invalid: float = run_only_option(MOST_INVALID, INVALID_HELP, ge=0, le=100)

    @property
    def model_setup(self) -> ModelSetup:
        """The part of these options that goes through to Inspect."""
        config = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.model_seed,
            "reasoning_effort": self.reasoning_effort or None,
            "max_tokens": self.max_tokens,
            "max_connections": self.connections,
            "max_retries": self.retries,
            "attempt_timeout": self.request_timeout,
        }
        limits = {
            "token_limit": self.token_limit,
            "cost_limit": self.cost_limit,
            "max_samples": self.connections,
        }
        sampling, limited = ({k: v for k, v in one.items() if v is not None} for one in (config, limits))
        return ModelSetup(
            self.base_url, sampling, limited, self.prices, self.budget_tokens, self.budget_cost, self.answered
        )

    def model_problems(self) -> Iterator[str]:
        """The problems of these options."""
        if self.reasoning_effort:
            yield from unknown_name_problems("reasoning effort", [self.reasoning_effort], EFFORTS)
        for flag, given in (("--cost-limit", self.cost_limit), ("--budget-cost", self.budget_cost)):
            if given is not None and not self.prices and not getattr(self, "model", "").startswith(PRICED):
                yield f"{flag} needs prices: give --prices FILE, with what each model's tokens cost"
        if self.prices and not Path(self.prices).is_file():
            yield f"--prices {self.prices}: there is no such file; name a YAML or JSON file of prices by model"

    def sampling_parts(self) -> list[str]:
        """Parts of a run folder's name: the options that change what a model says, where they are not the default."""
        own = {name: getattr(self, name) for name, field in ModelOptions.model_fields.items() if not field.exclude}
        return [
            f"{name.replace('_', '-')}{value:g}" if isinstance(value, float) else f"{name.replace('_', '-')}{value}"
            for name, value in own.items()
            if value not in (None, "")
        ]


ASKING = frozenset(ModelOptions.model_fields) - {"estimate", "max_invalid"}  # what concerns a model's calls alone
Part = TypeVar("Part")


@dataclass(frozen=True)
class TaskOrder:
    """Tasks that have to be made before a run can be checked, by a room above the suites.

    Attributes:
        world: the Python file of the user's own tools, which the tasks use.
        tasks: a file or folder of written tasks; generated where it is empty.
        levels: of the tasks that are generated.
        rest: the options without these tasks, for what can be checked before.
    """

    world: str
    tasks: str
    levels: Sequence[str]
    rest: RunOptions


class RunOptions(ModelOptions):
    """The options of every suite.

    Attributes:
        unused: names of options that a suite has no use for, and does not take.
        of_the_command: names of options that only `sealegs run` takes, and no task of Inspect.
    """

    unused: ClassVar[frozenset[str]] = frozenset()
    of_the_command: ClassVar[frozenset[str]] = frozenset()

    agent: str = option("", "A scripted agent: oracle, planner, naive, ...")
    model: str = option("", "A model as Inspect names it: openai/gpt-5, sealegs-local/FOLDER, ...")
    limit: int | None = limit_option("base tasks")
    epochs: int = option(1, "How many times each episode is run.", ge=1)
    seed: int = option(0, "Decides everything that is drawn.", ge=0, le=MOST_SEED)
    max_steps: int = option(25, "Steps until an episode is cut off.", ge=1)
    engine: str = engine_option()
    jobs: int | None = run_only_option(
        None, "Processes of the direct engine; all cores by default.", ge=1, le=MOST_JOBS
    )
    shard: str = run_only_option("", SHARD_HELP)

    @model_validator(mode="before")
    @classmethod
    def _settled(cls, given: Any) -> Any:
        """`--model sealegs/planner` and `--agent planner` are the same; `auto` is one of the other engines."""
        agent, model = split_scripted_model(given.get("agent", ""), given.get("model", ""))
        return {**given, "agent": agent, "model": model, "engine": engine_for(agent, given.get("engine", "auto"))}

    @property
    def name(self) -> str:
        """A folder's name for the run, which differs where the runs do."""
        raise NotImplementedError

    @property
    def part(self) -> Shard | None:
        """The part of the episodes that is to be played; None for all.

        Raises:
            UserError: it is none.
        """
        return parse_shard(self.shard)

    @property
    def folder_name(self) -> str:
        """A folder's name for what the command plays: that of the run, and the shard."""
        return self.name + (self.part.suffix if self.part else "")

    @property
    def folder(self) -> Path:
        """The folder for what the command plays, unless the user names one."""
        return LOGS / self.folder_name

    @property
    def label(self) -> str:
        """The name of the player, for the progress line."""
        return self.agent

    def part_for(self, kind: type[Part]) -> Part:
        """The options that a dataclass has fields for, as one: what plays or reads takes it on as a whole."""
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})  # type: ignore[arg-type]

    def ordered_tasks(self) -> TaskOrder | None:
        """The tasks that have to be made first; None where all are there."""
        return None

    def on_tasks(self, folder: Path) -> Self:
        """The options with the folder of the tasks that were made in the place of the order.

        Raises:
            NotImplementedError: the suite orders none.
        """
        raise NotImplementedError(f"{type(self).__name__} orders no tasks")

    def episodes(self) -> Sequence[Any]:
        """All episodes of the run; for a suite whose episodes follow from its options."""
        raise NotImplementedError

    def problems(self) -> Iterable[str]:
        """The problems of the options, a sentence each."""
        return ()

    def idle(self) -> Iterator[tuple[str, frozenset[str]]]:
        """The names of options that do nothing beside these ones, and where that is so."""
        # A suite with a single engine has its scripted agents play models over it.
        single = type(self).model_fields["engine"].json_schema_extra == HIDDEN
        if self.agent and self.engine != "inspect" and not single:
            yield f"for the scripted agent {self.agent}, which asks no model", ASKING

    def checked(self) -> Self:
        """Return the options, checked, with the files they name read.

        Raises:
            ChoiceError: with every mistake.
        """
        if problems := [*self.problems(), *self.model_problems(), *self._part_problems()]:
            raise ChoiceError("; ".join(problems))
        return self

    def _part_problems(self) -> Iterator[str]:
        try:
            parse_shard(self.shard)
        except UserError as error:
            yield str(error)


Options = TypeVar("Options", bound=RunOptions)
Declared = TypeVar("Declared", bound=BaseModel)


def plan_of_file(file: str) -> tuple[Plan | None, list[str]]:
    """A user's plan, and what is wrong with its file. A plan as JSON is taken as it is."""
    if not file:
        return None, []
    try:
        plan = plan_from(json.loads(file)) if file.startswith("{") else read_plan(Path(file))
    except PlanError as error:
        return None, [str(error)]
    empty = [] if plan.rules else [f"{file}: the plan has no rules; give it one, or leave --plan out"]
    return plan, empty


def plan_json(plan: Plan | None) -> str:
    """A plan as a run keeps it; empty for none."""
    return "" if plan is None else json.dumps(plan.as_data())


def options_from(kind: type[Declared], given: Mapping[str, Any], *, typed: bool = True) -> Declared:
    """Make options of what was given.

    Args:
        kind: the model that declares them.
        given: their values by name.
        typed: whether a message names an option as the command line does; otherwise as Python does.

    Raises:
        ChoiceError: a value is not of its option's kind; names every such option with the value.
    """
    try:
        return kind(**given)
    except ValidationError as error:
        raise ChoiceError("; ".join(_refusal(one, typed) for one in error.errors())) from error


def _refusal(mistake: ErrorDetails, typed: bool) -> str:
    """The mistake in one value: in our own words where we refused it, otherwise in those of pydantic."""
    own = mistake.get("ctx", {}).get("error")
    if isinstance(own, UserError):
        return str(own)
    name, value = ".".join(map(str, mistake["loc"])), repr(mistake["input"])
    return f"{f'--{name} '.replace('_', '-') if typed else f'{name}='}{value}: {mistake['msg']}"
