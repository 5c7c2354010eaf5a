"""A recovery plan: policies, budget, alternatives and what is known of tools, as a file beside the fault plan.

```yaml
policies: [parse, mend_arguments, read_on, {retry: {base: 0.5}}, verify, {breaker: {failures: 5}}, switch, stop]
budget: {calls: 24, seconds: 300}
tools:
  "get_*": {effects: false}
alternatives:
  - tool: get_rate
    steps: [{tool: fx_quote, arguments: {pair: {given: base}, side: {fixed: mid}}}]
    answer: {rate: {step: 0, path: quote.mid}}
profiles: profiles.json
false_alarms: 0.01
```
Anything left out is as in `active_policy()`. For `policies` see `plan_policies`, for `tools` `plan_checks`, for
`alternatives` `plan_alternatives`. The policy `advise` asks the bank that `bank: FILE` names, or the shipped one;
`profiles` names what `sealegs detect learn` made. Both are looked for in the plan's folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sealegs.faults.plan_files import read_data_file
from sealegs.faults.problems import abbreviate
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.bank import Bank, read_bank
from sealegs.recovery.budget import Budget, ServiceRates
from sealegs.recovery.declared_tools import SubstituteTool
from sealegs.recovery.detectors import LearnedDetector, read_profiles
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.plan_alternatives import AlternativeSettings
from sealegs.recovery.plan_checks import ToolSettings
from sealegs.recovery.plan_policies import PlanParts, PolicyEntry, Seconds, make_policy
from sealegs.recovery.policies import Adviser, Policy
from sealegs.recovery.policies.completion_check import Check
from sealegs.recovery.policies.policy import PolicySequence
from sealegs.recovery.service import RecoveryService

ACTIVE = ("parse", "mend_arguments", "read_on", "retry", "verify", "breaker", "switch", "stop")


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BudgetSettings(_Read):
    """The settings of `Budget`."""

    calls: Annotated[int, Field(ge=0)] = 24
    calls_each: Annotated[int, Field(ge=0)] = 5
    seconds: Seconds = 300.0
    money: Seconds | None = None
    prices: Mapping[str, Seconds] = Field(default_factory=dict)


class RatesSettings(_Read):
    """The settings of `ServiceRates`."""

    tries: Annotated[float, Field(gt=0)] | None = None
    tries_each: Annotated[float, Field(gt=0)] | None = None


class RecoveryPlan(_Read):
    """The plan of recovery: policies, budget, and declarations of tools."""

    policies: tuple[PolicyEntry, ...] = ACTIVE
    budget: BudgetSettings = BudgetSettings()
    rates: RatesSettings | None = Field(default=None, description="Further calls a minute, over a service's sessions.")
    deadline: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Seconds of real time after which a tool's run is given up."
    )
    tools: Mapping[str, ToolSettings] = Field(default_factory=dict)
    alternatives: tuple[AlternativeSettings, ...] = ()
    bank: str = Field(default="", description="The exemplar bank that `advise` asks; the shipped one by default.")
    embeddings: str = Field(
        default="", description="A sentence-transformers model that compares texts for `advise`; BM25 by default."
    )
    profiles: str = Field(default="", description="A file of what was learned of the tools' normal answers.")
    false_alarms: Annotated[float, Field(gt=0, lt=1)] = 0.01
    check: bool = Field(default=True, description="Whether answers are held against what the tools' specs declare.")

    def layer(self, adviser: Adviser | None = None, *, seed: int = 0) -> RecoveryLayer:
        """The layer for one session. Rates are a service's, and do not hold here.

        Args:
            adviser: who advises, for the policy `advise`; the plan's bank by default.
            seed: decides the jitter.

        Raises:
            UserError: the bank that `advise` would ask, or the profiles, cannot be read.
        """
        return RecoveryLayer(self._whole(adviser, seed), **self._about)

    def service(self, adviser: Adviser | None = None, *, seed: int = 0) -> RecoveryService:
        """One object for many sessions at once.

        Args:
            adviser, seed: as of `layer`.

        Raises:
            UserError: as of `layer`.
        """
        rates = None if self.rates is None else ServiceRates(**self.rates.model_dump())
        return RecoveryService(self._whole(adviser, seed), rates=rates, **self._about)

    def _whole(self, adviser: Adviser | None, seed: int) -> Policy:
        if adviser is None and self._advises:
            adviser = self._bank
        parts = PlanParts(tuple(one.alternative() for one in self.alternatives), self.checks, adviser, seed)
        return PolicySequence(tuple(make_policy(entry, parts) for entry in self.policies))

    @property
    def _about(self) -> dict[str, Any]:
        """The arguments that a layer and a service are both given."""
        return {
            "budget": Budget(**self.budget.model_dump()),
            "deadline": self.deadline,
            "detectors": self.detectors,
            "check": self.check,
            "specs": self.specs,
            "needs": self.needs,
        }

    @cached_property
    def _bank(self) -> Bank:
        """The bank, read once whatever the number of episodes."""
        return read_bank(self.bank, self.embeddings)

    @property
    def _advises(self) -> bool:
        return any("advise" in ([entry] if isinstance(entry, str) else entry) for entry in self.policies)

    @property
    def detectors(self) -> tuple[LearnedDetector, ...]:
        """The detector made from the plan's profiles of normal answers; empty where it names none.

        Raises:
            UserError: the file holds none.
        """
        return (_detector(self.profiles, self.false_alarms),) if self.profiles else ()

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as declared here."""
        return tuple(tool.spec(name) for name, tool in self.tools.items())

    @property
    def needs(self) -> tuple[SubstituteTool, ...]:
        """The tools that are called for others."""
        looks = [SubstituteTool(check.tool, name, f"verify {name}") for name, check in self.checks.items()]
        ways = [one.alternative() for one in self.alternatives]
        return (
            *looks,
            *(SubstituteTool(tool, way.tool, f"stand in for {way.tool}") for way in ways for tool in way.tools()),
        )

    @property
    def checks(self) -> dict[str, Check]:
        """The checks as declared here."""
        return {name: tool.verify.check() for name, tool in self.tools.items() if tool.verify is not None}

    @model_validator(mode="after")
    def _settings_hold(self) -> RecoveryPlan:
        for name in ("bank", "embeddings"):
            if name in self.model_fields_set and not self._advises:
                raise ValueError(f"sets {name}, and no policy `advise` that would ask; add `advise` to the policies")
        verifies = any("verify" in ([entry] if isinstance(entry, str) else entry) for entry in self.policies)
        for name, check in self.checks.items():
            if not verifies:
                raise ValueError(f"says how to verify {name}, and has no policy `verify`; add it to the policies")
            if check.tool == name:
                raise ValueError(f"verifies {name} by itself; name the read that shows whether it was done")
        return self


def read_recovery_plan(path: str | Path) -> RecoveryPlan:
    """The recovery plan in a file (YAML, or JSON where its name ends so).

    Raises:
        UserError: it cannot be read, or is not a recovery plan; the message holds everything that is wrong.
    """
    data = read_data_file(path)
    if isinstance(data, dict) and isinstance(data.get("bank"), str) and data["bank"]:
        data = {**data, "bank": str(Path(path).parent / data["bank"])}
    try:
        plan = RecoveryPlan.model_validate(data or {})
    except ValidationError as error:
        lines = [
            f"  {'.'.join(map(str, item['loc']))}: {abbreviate(item['input'])}: {item['msg']}"
            for item in error.errors()
        ]
        raise UserError("\n".join([f"{path} is not a recovery plan:", *lines])) from None
    if plan.bank or plan.embeddings:
        _ = plan._bank  # what is wrong with them is reported now, not at the first failure
    if plan.profiles:
        plan = plan.model_copy(update={"profiles": str(Path(path).parent / plan.profiles)})
        _ = plan.detectors  # a mistake in them is reported now
    return plan


@lru_cache(maxsize=16)
def _detector(file: str, false_alarms: float) -> LearnedDetector:
    """One for all episodes: without drift it keeps nothing of what it saw."""
    return read_profiles(file).detector(false_alarms)
