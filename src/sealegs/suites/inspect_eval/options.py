"""Options of a run of an eval: the eval, the player, the faults, and the score that counts as solved."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, Self

import yaml
from pydantic import model_validator

from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.scenarios import MODES
from sealegs.scenarios.moments import DRAW
from sealegs.scenarios.scenario_setup import RECOVERIES
from sealegs.suites.choices import split_names, unknown_name_problems, who_problems
from sealegs.suites.inspect_eval.eval_faults import MOMENTS, OWN
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, load_knowledge
from sealegs.suites.run_options import (
    Names,
    RunOptions,
    hidden_option,
    limit_option,
    modes_option,
    moment_option,
    option,
    plan_json,
    plan_of_file,
    plan_option,
    recovery_option,
    repeated_option,
    run_only_option,
)

VERSION = "1"
CLEAN = MODES[0]
EXAMPLE = "--task inspect_evals/tau2_airline, or --task my_eval.py@my_task"


class InspectOptions(RunOptions):
    """The options of `inspect`."""

    task: str = option("", "The eval, as Inspect names it: inspect_evals/tau2_airline, or my_eval.py@my_task.")
    task_args: tuple[str, ...] = repeated_option("An argument of the eval, as key=value.", "-T")
    agent: str = option("", "A reference agent of the eval: gold or gold-retrier.")
    model_roles: tuple[str, ...] = repeated_option(
        "A model for a role of the eval, as user=openai/gpt-5.", "--model-role"
    )
    modes: Names = modes_option(MODES, "; NP is always played")
    plan: str = plan_option("the modes")
    moment: str = moment_option(DRAW, "draw, before or after")
    recovery: str = recovery_option()
    knowledge: str = option(
        "", "A file of what is known of the eval's tools; one that ships is found by the eval's name."
    )
    score: str = option(
        "", "The score that decides what is solved: SCORER or SCORER.KEY; the eval's headline by default."
    )
    solved_at: float = option(1.0, "The least value of that score that counts as solved.")
    timeout: float = option(60.0, "Seconds of a fault's waiting after which a call is given up.", gt=0)
    limit: int | None = limit_option("samples")
    describe: bool = run_only_option(False, "Play without faults alone, and draft the file for --knowledge.")
    declared: str = hidden_option("")
    budget_tokens: int | None = hidden_option(None)
    budget_cost: float | None = hidden_option(None)
    max_steps: int = hidden_option(25)
    engine: str = hidden_option("inspect")
    jobs: int | None = hidden_option(None)
    version: str = hidden_option(VERSION)

    @model_validator(mode="before")
    @classmethod
    def _settled(cls, given: Any) -> Any:
        """Agents and models alike are played by Inspect."""
        return given

    @property
    def label(self) -> str:
        """The name of the player, for the progress line."""
        return self.agent or self.model

    @property
    def arguments(self) -> dict[str, Any]:
        """The eval's arguments."""
        return dict(_argument(one) for one in self.task_args)

    @property
    def noted(self) -> dict[str, Any]:
        """The options that logs note; runs that differ in one of them are kept apart."""
        return {name: getattr(self, name) for name in ("recovery", "seed", "score", "solved_at", "declared")}

    @property
    def roles(self) -> dict[str, str]:
        """The models of the eval's roles."""
        return dict(one.split("=", 1) for one in self.model_roles)

    @property
    def fault_modes(self) -> tuple[str, ...]:
        """The modes in which faults strike, in their order."""
        return (OWN,) if self.plan else tuple(mode for mode in MODES if mode in self.modes and mode != CLEAN)

    def known(self) -> EvalKnowledge | None:
        """The knowledge of the eval's tools.

        Raises:
            UserError: the file cannot be used.
        """
        return load_knowledge(self.knowledge or self.task)

    def episodes(self) -> list[Any]:
        """None here: which there are is known once the eval is loaded."""
        return []

    def problems(self) -> Iterator[str]:
        """The problems of the options."""
        if find_spec("inspect_ai") is None:
            yield 'evals run through Inspect, which is not installed: pip install "sealegs[bench]"'
            return
        if not self.task:
            yield f"no eval is named; give {EXAMPLE}"
        yield from who_problems(self.agent, self.model, "inspect", "gold")
        if self.agent:
            from sealegs.suites.inspect_eval.reference_agents import REFERENCE_AGENTS

            yield from unknown_name_problems("agent", [self.agent], REFERENCE_AGENTS)
        yield from unknown_name_problems("mode", list(self.modes), MODES)
        yield from unknown_name_problems("moment", [self.moment], (DRAW, *MOMENTS))
        yield from unknown_name_problems("recovery", [self.recovery], RECOVERIES)
        for flag, given in (("-T", self.task_args), ("--model-role", self.model_roles)):
            for one in given:
                if not one.partition("=")[0].strip() or "=" not in one:
                    yield f"{flag} {one!r} is not of the form key=value; write for example {flag} key=value"
        yield from plan_of_file(self.plan)[1]

    def checked(self) -> Self:
        """Return the options with the files that they name read.

        Raises:
            ChoiceError: with every mistake.
            UserError: the knowledge file cannot be used.
        """
        super().checked()
        known = self.known()
        if self.knowledge and known is None:
            raise UserError(
                f"--knowledge {self.knowledge}: no shipped file is about it; give a path (`--describe` drafts a file)"
            )
        declared = "" if known is None else f"{digest(known.specs, sorted(known.user_tools), _listed(known)):016x}"
        return self.model_copy(update={"plan": plan_json(plan_of_file(self.plan)[0]), "declared": declared})

    @property
    def name(self) -> str:
        """A folder's name for the run: every option that differs from its default adds a part to it."""
        default, own = type(self)().model_dump(mode="json"), self.model_dump(mode="json")
        left = {"task", "agent", "model", "declared", "plan"}
        parts = [self.task.removesuffix(".py").split("/")[-1].split("@")[-1], self.label]
        parts += [f"{name}-{_short(own[name])}" for name in own if name not in left and own[name] != default[name]]
        parts += [f"plan{digest(self.plan):016x}"[:12]] if self.plan else []
        return "-".join(["inspect", *(part.replace("/", "-") for part in parts)])


def _argument(text: str) -> tuple[str, Any]:
    """An argument as Inspect reads it: YAML, and a text with commas is a list."""
    key, _, given = text.partition("=")
    value = yaml.safe_load(given)
    if isinstance(value, str) and "," in value:
        value = split_names(value)
    return key.strip().replace("-", "_"), value


def _listed(known: EvalKnowledge) -> list[tuple[str, list[str]]]:
    return sorted((tool, sorted(kinds)) for tool, kinds in known.implicit.items())


def _short(value: Any) -> str:
    return "-".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
