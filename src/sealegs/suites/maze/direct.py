"""Running episodes of scripted agents without Inspect: the same seam, world and records, on a virtual clock."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed

from sealegs.agents import SCRIPTED, Say, ScriptedAgent
from sealegs.faults.call import Call, Layer, Outcome, render
from sealegs.inject import Hung, Session, VirtualClock
from sealegs.suites.maze.episodes import TOOL_TIMEOUT, Episode
from sealegs.suites.maze.recovering import layers
from sealegs.suites.maze.workers import workers
from sealegs.traces import Event, Recorder
from sealegs.traces.store import line
from sealegs.world.corpus import Corpus
from sealegs.world.state import World

CHUNK = 64


def run_episode(
    episode: Episode, agent: str, max_steps: int = 25, recovery: str = "off", *, stack: Sequence[Layer] | None = None
) -> list[Event]:
    """Run one episode of a scripted agent; whatever happens, the events end with an end.

    `stack`: layers of the caller's own in the place of those that `recovery` names.
    """
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start(episode.id, episode.about({"agent": agent, "max_steps": max_steps, "recovery": recovery}))
    world = World(recorder.effect)
    session = Session(
        episode.plan,
        episode=episode.id,
        specs=episode.specs,
        layers=layers(recovery, episode.base, episode.seed) if stack is None else stack,
        others=None,
        clock=clock,
        timeout=TOOL_TIMEOUT,
        watcher=recorder,
    )
    try:
        tools = episode.set.corpus(episode.task)
        _play(SCRIPTED[agent](episode.briefing), session, world, tools, recorder, max_steps)
    except Hung as error:
        recorder.finish("hung", detail=str(error))
    except Exception as error:  # an agent that breaks down is a result, not the end of the run
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
    return recorder.events


def _play(
    agent: ScriptedAgent, session: Session, world: World, tools: Corpus, recorder: Recorder, max_steps: int
) -> None:
    def run(call: Call) -> Outcome:
        return tools.run(call, world)

    for _ in range(max_steps):
        act = agent.act()
        if isinstance(act, Say):
            recorder.finish("answered", answer=act.text)
            return
        agent.observe(act, render(session.call(act.tool, act.arguments, run)))
    recorder.finish("steps", detail=f"no answer within {max_steps} steps")


def run_direct(
    episodes: Sequence[Episode],
    agent: str,
    *,
    max_steps: int = 25,
    recovery: str = "off",
    jobs: int | None = None,
) -> Iterator[list[str]]:
    """Run episodes on all cores.

    Args:
        episodes: what to run.
        agent: a scripted agent's name.
        max_steps: calls and answer together.
        recovery: `active` puts the recovery layer on the seam.
        jobs: processes; as many as there are cores by default. One runs in this process.

    Yields:
        each finished episode as the lines of its record, in no fixed order.
    """
    jobs = jobs or os.cpu_count() or 1
    chunks = [episodes[start : start + CHUNK] for start in range(0, len(episodes), CHUNK)]
    if jobs == 1 or len(chunks) == 1:
        for chunk in chunks:
            yield from _run_chunk(chunk, agent, max_steps, recovery)
        return
    with workers(min(jobs, len(chunks))) as pool:
        running = [pool.submit(_run_chunk, chunk, agent, max_steps, recovery) for chunk in chunks]
        try:
            for done in as_completed(running):
                yield from done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _run_chunk(chunk: Sequence[Episode], agent: str, max_steps: int, recovery: str) -> list[list[str]]:
    return [[line(event) for event in run_episode(episode, agent, max_steps, recovery)] for episode in chunk]
