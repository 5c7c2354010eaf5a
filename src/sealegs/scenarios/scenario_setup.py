"""The setup of an episode, whatever its task and its faults: its most steps, and the form of recovery.

A record notes the setup by the names of its fields, so runs that differ in one of them are kept apart. Whoever plays,
reads or reports an episode passes the setup on as a whole, and asks here what a field of it means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sealegs.faults.call import Layer
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import Advise
from sealegs.scenarios.recovery_alternatives import declared_alternatives
from sealegs.scenarios.scenario import Scenario

RECOVERIES = ("off", "advise", "active")
# What the name of a run says of its recovery.
HELPED: Mapping[str, list[str]] = {"off": [], "active": ["with recovery"], "advise": ["with advice"]}
SETUP_CHOICES: Mapping[str, Mapping[str, Any]] = {"recovery": HELPED}  # the known values of fields that have such
SETUP_BEFORE = {"recovery": "off"}  # of fields that older records do not name


@dataclass(frozen=True, slots=True)
class ScenarioSetup:
    """The setup of an episode.

    Attributes:
        max_steps: calls and answer together.
        recovery: one of `RECOVERIES`: `active` puts the recovery layer on the seam, `advise` its modest form.
    """

    max_steps: int = 25
    recovery: str = "off"

    def about(self) -> dict[str, Any]:
        """The facts that a record notes of it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def layers(self, episode: Scenario) -> list[Layer]:
        """The layers between the agent and the faults."""
        if self.recovery == "advise":
            return [RecoveryLayer(Advise(shipped_bank()))]
        if self.recovery == "active":
            return [RecoveryLayer(active_policy(declared_alternatives(episode), seed=episode.seed))]
        return []


SETUP_FACTS = tuple(field.name for field in fields(ScenarioSetup))


def setup_words(facts: Mapping[str, str]) -> list[str]:
    """The words for its setup in the name of a run with these facts."""
    return HELPED[facts["recovery"]]


def recovers_by_itself(facts: Mapping[str, str]) -> bool:
    """Return whether in a run with these facts a layer acts in the agent's place."""
    return facts["recovery"] == "active"
