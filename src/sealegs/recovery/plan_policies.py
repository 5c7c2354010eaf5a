"""The policies that a recovery plan can name, and the settings that it can give them: one line of `POLICIES` each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sealegs.faults.problems import abbreviate
from sealegs.recovery.failure_category import FailureCategory
from sealegs.recovery.policies import (
    Advise,
    Adviser,
    Alternative,
    Breaker,
    MendArguments,
    Parse,
    Policy,
    ReadOn,
    Retry,
    Stop,
    Switch,
    Verify,
)
from sealegs.recovery.policies.completion_check import Check
from sealegs.recovery.policies.retry import TRIES

Seconds = Annotated[float, Field(ge=0)]


class PolicySettings(BaseModel):
    """The settings of a policy in a plan: none, unless a policy's own model says otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RetrySettings(PolicySettings):
    """The settings of `Retry`."""

    tries: Mapping[FailureCategory, Annotated[int, Field(ge=0)]] = Field(default_factory=lambda: dict(TRIES))
    base: Seconds = Retry.base
    longest: Seconds = Retry.longest


class BreakerSettings(PolicySettings):
    """The settings of `Breaker`."""

    failures: Annotated[int, Field(ge=1)] = 5
    seconds: Seconds = 60.0


@dataclass(frozen=True, slots=True)
class PlanParts:
    """The parts of a plan that policies use beside their settings; the seed decides the jitter of waits."""

    alternatives: tuple[Alternative, ...]
    checks: Mapping[str, Check]
    adviser: Adviser | None
    seed: int


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """The maker of a policy, from its settings and the plan's parts, and the model of its settings."""

    make: Callable[[dict[str, Any], PlanParts], Policy]
    settings: type[PolicySettings] = PolicySettings


POLICIES: Mapping[str, NamedPolicy] = {
    "parse": NamedPolicy(lambda settings, plan: Parse()),
    "mend_arguments": NamedPolicy(lambda settings, plan: MendArguments()),
    "read_on": NamedPolicy(lambda settings, plan: ReadOn()),
    "retry": NamedPolicy(lambda settings, plan: Retry(**settings, seed=plan.seed), RetrySettings),
    "verify": NamedPolicy(
        lambda settings, plan: Verify(plan.checks, retry=Retry(**settings, seed=plan.seed)), RetrySettings
    ),
    "breaker": NamedPolicy(lambda settings, plan: Breaker(**settings), BreakerSettings),
    "switch": NamedPolicy(lambda settings, plan: Switch(plan.alternatives)),
    "stop": NamedPolicy(lambda settings, plan: Stop()),
    "advise": NamedPolicy(lambda settings, plan: Advise(plan.adviser)),  # type: ignore[arg-type]
}


def read_policy_entry(entry: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and the settings, defaults included, of an entry of a plan's policies.

    Raises:
        ValueError: it names no policy, or several, or the policy has no such settings.
    """
    if not isinstance(entry, str) and len(entry) != 1:
        raise ValueError(f"{abbreviate(entry)} should name one policy with its settings")
    name, given = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    if name not in POLICIES:
        raise ValueError(f"unknown policy {name!r}: choose from {', '.join(POLICIES)}")
    return name, POLICIES[name].settings.model_validate(given).model_dump()


def make_policy(entry: str | Mapping[str, Any], parts: PlanParts) -> Policy:
    """The policy that an entry of a plan's policies asks for."""
    name, settings = read_policy_entry(entry)
    return POLICIES[name].make(settings, parts)


def _checked(entry: str | dict[str, dict[str, Any]]) -> str | dict[str, dict[str, Any]]:
    read_policy_entry(entry)
    return entry


PolicyEntry = Annotated[str | dict[str, dict[str, Any]], AfterValidator(_checked)]
