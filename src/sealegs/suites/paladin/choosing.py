"""From what a user typed to a run's settings, every mistake told at once."""

from __future__ import annotations

from sealegs.agents.arms import ARMS
from sealegs.agents.backbones import BACKBONES
from sealegs.suites.paladin import SETS
from sealegs.suites.paladin.episodes import EXAMPLE
from sealegs.suites.paladin.running import PaladinSettings
from sealegs.suites.running.choices import ENGINES, ChoiceError, engine_for, unknown, who_problems

RETRIEVALS = ("off", "on")


def settings(
    agent: str,
    model: str,
    arm: str,
    retrieval: str,
    set: str,
    limit: int | None,
    epochs: int,
    seed: int,
    max_steps: int,
    engine: str,
) -> PaladinSettings:
    """The settings of a run. `agent` is `ARM/BACKBONE`, or a backbone's name with `arm` beside it.

    Raises:
        ChoiceError: with every mistake.
    """
    chosen, slash, backbone = agent.rpartition("/")
    problems = []
    if slash and arm and arm != chosen:
        problems.append(f"--agent {agent} names the arm {chosen!r}, --arm {arm!r}; leave one out")
    arm = chosen or arm or ("paladin" if model or not agent else "")
    problems += [
        *(unknown("backbone", [backbone], BACKBONES) if agent else []),
        *unknown("arm", [arm] if arm else [], ARMS),
        *unknown("retrieval", [retrieval], RETRIEVALS),
        *unknown("set", [set], SETS),
        *unknown("engine", [engine], ENGINES),
        *who_problems(agent, model, engine, EXAMPLE),
    ]
    if problems:
        raise ChoiceError("; ".join(problems))
    return PaladinSettings(
        agent=backbone,
        model=model,
        arm=arm,
        retrieval=retrieval,
        set=set,
        limit=limit,
        epochs=epochs,
        seed=seed,
        max_steps=max_steps,
        engine=engine_for(backbone, engine),
    )
