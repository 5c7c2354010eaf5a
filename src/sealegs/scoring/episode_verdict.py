"""The verdict on one episode: the strict one, the published one, the outcome, the process, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sealegs.scoring.outcome import is_harm

STAGES = ("exposed", "noticed", "right strategy", "completed")  # between a planned fault and success
RecoveredBy = Literal["", "agent", "layer", "both"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an episode.

    Attributes:
        success: strict success, as this module's docstring says.
        published: success by the published judge's looser rules.
        exposed: a planned fault was delivered. Without it the episode says nothing about recovery.
        solvable: whether, after the first fault, any way to the end was left.
        stopped: the agent said that it did not complete the request.
        cost: calls from the first perturbed one to the end, both counted; None where no fault was met.
        best: the fewest that could have been (c*), counted alike.
        redundancy: the published RC, 0 to 1; 0 where no fault was met, 1 where it was met and not recovered.
        noticed, strategy: the funnel between exposure and success, each including the one before.
        reasons: why it is not a success, in sentences.
        attribution: what went wrong, in one term; empty for a success.
        tainted: positions of the calls that carried a corrupt value.
        calls_by_layer: those of the calls that recovery had made.
        masked_faults: on how many of the agent's calls recovery kept a delivered fault from the agent.
        shielded: a fault was delivered, and none reached the agent.
        doubled: how many deeds were done beyond as many as any solution does.
        wrong: how many deeds were done that no step of the task does.
        outcome: ledger and deliverables are right and nothing false is stated, whatever the way.
        outcome_reasons: why the outcome is wrong, in sentences.
        milestones, missed: the nodes that were reached, and the others.
        minefields: what harm was done, as `KIND: NODE`.
        salvaged: steps that count although their answers were corrupt, because the values could be had all the same.
    """

    success: bool
    published: bool
    exposed: bool
    solvable: bool
    stopped: bool
    calls: int
    cost: int | None
    best: int | None
    redundancy: float
    noticed: bool
    strategy: bool
    reasons: tuple[str, ...]
    attribution: str
    tainted: tuple[int, ...]
    calls_by_layer: int = 0
    masked_faults: int = 0
    shielded: bool = False
    doubled: int = 0
    wrong: int = 0
    outcome: bool = False
    outcome_reasons: tuple[str, ...] = ()
    milestones: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    minefields: tuple[str, ...] = ()
    salvaged: tuple[str, ...] = ()

    @property
    def process(self) -> float:
        """The share of the milestones that were reached, 0 to 1."""
        return len(self.milestones) / max(1, len(self.milestones) + len(self.missed))

    @property
    def harmed(self) -> bool:
        """Whether the episode did harm: to the world, or by a false claim."""
        return any(map(is_harm, self.minefields))

    def stepped_on(self, kind: str) -> bool:
        """Return whether a minefield of this kind was stepped on."""
        return any(found.partition(":")[0] == kind for found in self.minefields)

    @property
    def stage(self) -> int:
        """The number of `STAGES` that it passed; one that came to a later stage passed those before.

        An agent that first used a corrupt value and corrected it in the end has noticed.
        """
        if not self.exposed:
            return 0
        return 4 if self.success else 3 if self.strategy else 2 if self.noticed else 1

    @property
    def recovered(self) -> bool:
        """A fault was met, and the episode is a success."""
        return self.exposed and self.success

    @property
    def reached(self) -> bool:
        """A delivered fault reached the agent."""
        return self.exposed and not self.shielded

    @property
    def recovered_by(self) -> RecoveredBy:
        """The side that recovered: the layer if no fault reached the agent, the agent if each one did."""
        if not self.recovered:
            return ""
        if self.shielded:
            return "layer"
        return "both" if self.masked_faults else "agent"
