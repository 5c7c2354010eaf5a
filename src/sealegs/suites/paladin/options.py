"""Options of a run of the suite, the episodes that they give, and the folder that they name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import model_validator

from sealegs.agents.arms import ARMS
from sealegs.agents.backbones import BACKBONES
from sealegs.suites.choices import ENGINES, unknown_name_problems, who_problems
from sealegs.suites.paladin import SETS
from sealegs.suites.paladin.arm_engine import Setup
from sealegs.suites.paladin.episodes import EXAMPLE, VERSION, PaladinEpisode, episodes_of_set
from sealegs.suites.run_options import RunOptions, hidden_option, limit_option, option

DEFAULT = "paladin"
MAX_STEPS = 40
RETRIEVALS = ("off", "on")


class PaladinOptions(RunOptions):
    """The options of `paladin`. `agent` is a scripted backbone's name; `ARM/BACKBONE` names the arm as well."""

    agent: str = option("", "Scripted: ARM/BACKBONE, such as paladin/follower.")
    limit: int | None = limit_option("episodes of each kind")
    arm: str = option("", "vanilla, toolbench, toolreflect, critic, critic-p0.7 or paladin (a model's default).")
    retrieval: str = option("off", "on: the exemplar bank advises after failures; or off.")
    set: str = option("eval", "eval, generalisation or toolreflect.")
    max_steps: int = option(MAX_STEPS, "Steps until an episode is cut off.", ge=1)
    version: str = hidden_option(VERSION)

    @model_validator(mode="before")
    @classmethod
    def _named_arm(cls, given: Any) -> Any:
        """Take the arm from the agent's name. A model has one by default, a backbone must be given one."""
        given = dict(given)
        arm, slash, backbone = given.get("agent", "").rpartition("/")
        arm_option = given.get("arm", DEFAULT if not slash else "")
        if slash and arm_option in ("", arm):
            return {**given, "agent": backbone, "arm": arm}
        if not arm_option and (given.get("model") or not given.get("agent")):
            arm_option = DEFAULT
        return {**given, "arm": arm_option}

    def problems(self) -> Iterator[str]:
        """The problems of the options."""
        named, slash, backbone = self.agent.rpartition("/")
        if slash:
            yield f"--agent {self.agent} names the arm {named!r}, --arm {self.arm!r}; leave one out"
        if self.agent:
            yield from unknown_name_problems("backbone", [backbone], BACKBONES)
        yield from unknown_name_problems("arm", [self.arm] if self.arm else [], ARMS)
        yield from unknown_name_problems("retrieval", [self.retrieval], RETRIEVALS)
        yield from unknown_name_problems("set", [self.set], SETS)
        yield from unknown_name_problems("engine", [self.engine], ENGINES)
        yield from who_problems(self.agent, self.model, self.engine, EXAMPLE)

    @property
    def label(self) -> str:
        """Arm and backbone."""
        return f"{self.arm}/{self.agent}"

    @property
    def setup(self) -> Setup:
        """The settings under which each episode is played."""
        return self.part_for(Setup)

    def episodes(self) -> list[PaladinEpisode]:
        """All episodes of the run."""
        return episodes_of_set(self.set, limit=self.limit, epochs=self.epochs, seed=self.seed)

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        who = self.agent or self.model.replace("/", "-")
        default = PaladinOptions()
        parts = [
            *([self.set] if self.set != default.set else []),
            *([f"limit{self.limit}"] if self.limit else []),
            *([f"epochs{self.epochs}"] if self.epochs != 1 else []),
            *([f"seed{self.seed}"] if self.seed else []),
            *([f"steps{self.max_steps}"] if self.max_steps != default.max_steps else []),
            *([self.engine] if self.agent and self.engine != "direct" else []),
            *self.sampling_parts(),
        ]
        return "-".join(["paladin", self.arm, who, f"retrieval-{self.retrieval}", *parts])
