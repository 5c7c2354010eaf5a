"""Running episodes of scripted agents without Inspect: the same seam, world and records, on a virtual clock.

An engine carries the calls from the agent to the tools: nothing at all (`direct`), a LangChain agent, or MCP.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from sealegs.agents import SCRIPTED
from sealegs.engines.episode_harness import EpisodeHarness, MachineFailed
from sealegs.engines.turns import take_turns
from sealegs.engines.workers import in_chunks, start_fork_server
from sealegs.faults.call import Call, Layer, Outcome
from sealegs.inject import EndlessWait, Session, VirtualClock
from sealegs.scenarios.scenario import TOOL_TIMEOUT, Scenario
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.traces import Event, Recorder
from sealegs.traces.store import line
from sealegs.world.state import World

ENGINES = ("direct", "langchain", "mcp")
CHUNKS = {"mcp": 8}  # episodes that a worker plays before it tells of them: where they are slow, few are lost by a kill
CHUNK = 64
WARM = ("sealegs.engines.direct", "sealegs.scenarios.warm_tasks", "sealegs.scoring.judge")  # all that play need these
USUAL_SETUP = ScenarioSetup()


class EpisodeLines(NamedTuple):
    """An episode that was played: the lines of its record, and what `note` found out about it."""

    lines: list[str]
    noted: Any


def no_note(episode: object, events: Sequence[Event]) -> None:
    """Find out nothing."""


def play_scenario(
    episode: Scenario,
    agent: str,
    setup: ScenarioSetup = USUAL_SETUP,
    engine: str = "direct",
    *,
    stack: Sequence[Layer] | None = None,
) -> list[Event]:
    """Run one episode of a scripted agent; whatever happens, the events end with an end.

    `stack`: the caller's own layers in place of those of the setup.
    """
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start(episode.id, episode.about({"agent": agent, **setup.about()}))
    between = setup.layers(episode) if stack is None else stack
    try:
        player, steps = SCRIPTED[agent](episode.briefing), setup.max_steps
        _player(engine)(EpisodeHarness(episode, player, between, steps, clock, recorder))
    except EndlessWait as error:
        recorder.finish("hung", detail=str(error))
    except MachineFailed:
        raise
    except Exception as error:  # an agent that breaks down is a result, not the end of the run
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
    return recorder.events


def _player(engine: str) -> Callable[[EpisodeHarness], None]:
    """The function that plays episodes under this engine."""
    if engine == "langchain":
        from sealegs.engines import langchain_engine

        return langchain_engine.play_over_langchain
    if engine == "mcp":
        from sealegs.engines import mcp_engine

        return mcp_engine.play_over_mcp
    return _play


def _play(harness: EpisodeHarness) -> None:
    episode, agent, recorder = harness.episode, harness.agent, harness.recorder
    world, tools = World(recorder.effect), episode.set.corpus(episode.task)
    session = Session(
        episode.plan,
        episode=episode.id,
        specs=episode.specs,
        layers=harness.layers,
        others=None,
        clock=harness.clock,
        timeout=TOOL_TIMEOUT,
        watcher=recorder,
    )

    def run(call: Call) -> Outcome:
        return tools.run(call, world)

    take_turns(agent, session, run, recorder, harness.max_steps)


def prepare_processes(jobs: int | None) -> None:
    """Start what several processes of `play_scenarios` are forked from; it gets ready while the tasks are read."""
    if (jobs or os.cpu_count() or 1) > 1:
        with suppress(OSError):  # no room for it, which `play_scenarios` says where it needs the process
            start_fork_server(WARM)


def play_scenarios(
    episodes: Sequence[Scenario],
    agent: str,
    *,
    setup: ScenarioSetup = USUAL_SETUP,
    engine: str = "direct",
    jobs: int | None = None,
    note: Callable[[Scenario, Sequence[Event]], Any] = no_note,
) -> Iterator[EpisodeLines]:
    """Run episodes on all cores.

    Args:
        episodes: what to run.
        agent: a scripted agent's name.
        setup: how they are played.
        engine: what carries the calls: `direct`, `langchain` or `mcp`.
        jobs: processes; as many as there are cores by default. One runs in this process.
        note: finds out something about an episode where it was played, from its events; can be pickled, as what it
            gives.

    Yields:
        each finished episode, in no fixed order.
    """
    play = partial(_run_chunk, agent=agent, setup=setup, engine=engine, note=note)
    yield from in_chunks(episodes, play, jobs, CHUNKS.get(engine, CHUNK), WARM)


def _run_chunk(
    chunk: Sequence[Scenario],
    agent: str,
    setup: ScenarioSetup,
    engine: str,
    note: Callable[[Scenario, Sequence[Event]], Any],
) -> list[EpisodeLines]:
    found = []
    for episode in chunk:
        events = play_scenario(episode, agent, setup, engine)
        found.append(EpisodeLines([line(event) for event in events], note(episode, events)))
    return found
