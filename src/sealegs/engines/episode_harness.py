"""The harness that an engine plays an episode on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.agents import ScriptedAgent
from sealegs.faults.call import Layer
from sealegs.faults.user_error import UserError
from sealegs.inject import VirtualClock
from sealegs.scenarios.scenario import Scenario
from sealegs.traces import Recorder


class MachineFailed(UserError):
    """This machine could not make a pipe, folder or process that an episode needs; not a result of its agent."""


@dataclass(frozen=True, slots=True)
class EpisodeHarness:
    """Everything that an engine plays an episode with. The clock is virtual.

    Attributes:
        episode: the episode.
        agent: the scripted agent that plays it.
        layers: between the agent and the faults.
        max_steps: calls and answer together.
        clock, recorder: of the episode.
    """

    episode: Scenario
    agent: ScriptedAgent
    layers: Sequence[Layer]
    max_steps: int
    clock: VirtualClock
    recorder: Recorder
