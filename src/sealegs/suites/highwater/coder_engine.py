"""Running episodes of scripted agents without Inspect: the same seam, functions and records, on a virtual clock.

With the interface `code` the agent writes Python, which runs in its own kernel; with `calls` its calls are made in
this process, which needs no sandbox and takes a tenth of the time. The calls are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sealegs.agents import CODERS, Coder, CoderTask, Say
from sealegs.engines.direct import EpisodeLines
from sealegs.engines.workers import in_chunks
from sealegs.faults.call import Outcome
from sealegs.inject import EndlessWait, VirtualClock
from sealegs.sandbox import Pool
from sealegs.suites.highwater.code_writer import Writer, printed_outcome, resolve_arguments
from sealegs.suites.highwater.coder_prompts import hint
from sealegs.suites.highwater.coder_setup import CoderSetup
from sealegs.suites.highwater.coding_protocol import action, solution
from sealegs.suites.highwater.environment import Environment
from sealegs.suites.highwater.interpreter import NoKernel, ThreadInterpreter
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode
from sealegs.suites.played_tables import Note, noted_lines
from sealegs.traces import Event, Recorder

CHUNK = 16
USUAL = CoderSetup()
STOPPED = "no answer within {} messages"


def agent_for(name: str, episode: HighwaterEpisode) -> Coder:
    """A scripted agent with what it may know.

    Raises:
        ValueError: the suite has no such agent.
    """
    if name not in CODERS:
        raise ValueError(f"highwater has no scripted agent {name!r}; choose one of {', '.join(CODERS)}")
    functions = None if episode.setting == "open" else tuple(one.spec_in(episode.style.rows) for one in episode.offered)
    # The other agents must find out by themselves what these are given.
    knowing = name in ("oracle", "naive")
    reach = frozenset(one for one in episode.found.functions if episode.callable(one)) if knowing else frozenset()
    solutions = episode.found.solutions if knowing else ()
    return CODERS[name](CoderTask(episode.found.question, functions, solutions, reach, hint(episode)))


def play_highwater_episode(
    episode: HighwaterEpisode, agent: str, setup: CoderSetup = USUAL, *, pool: Pool | None = None
) -> list[Event]:
    """Run one episode of a scripted agent; whatever the agent does, the events end with an end.

    Args:
        episode: what is played.
        agent: its name.
        setup: how it is played, but for the interface, which the pool decides.
        pool: gives the kernel that the agent's code runs in; without one its calls are made here.

    Raises:
        NoKernel: the pool has none, and the episode no result.
    """
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start(episode.id, episode.about({"agent": agent, **setup.as_played(pool).about()}))
    try:
        environment = Environment(episode, recorder, clock, setup.finder)
        player = agent_for(agent, episode)
        if pool is None:
            _play(player, environment, recorder, setup.max_steps)
        else:
            _play_in_code(Writer(player), environment, recorder, setup.max_steps, pool)
    except EndlessWait as error:
        recorder.finish("hung", detail=str(error))
    except NoKernel:
        raise
    except Exception as error:  # an agent that breaks down is a result, not the end of the run
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
    return recorder.events


def _play(agent: Coder, environment: Environment, recorder: Recorder, max_steps: int) -> None:
    answers: list[Outcome] = []
    for _ in range(max_steps):
        act = agent.act()
        if isinstance(act, Say):
            recorder.finish("answered", answer=solution(act.text))
            return
        arguments = resolve_arguments(act, answers)
        recorder.wrote(f"{act.tool}({', '.join(arguments)})")
        answers.append(environment.answer(act.tool, arguments))
        agent.observe(act, printed_outcome(answers[-1]))
    recorder.finish("steps", detail=STOPPED.format(max_steps))


def _play_in_code(writer: Writer, environment: Environment, recorder: Recorder, max_steps: int, pool: Pool) -> None:
    with ThreadInterpreter(environment, pool.take) as interpreter:
        for _ in range(max_steps):
            message = writer.message()
            parsed = action(message)
            if parsed.kind == "solution":
                recorder.finish("answered", answer=parsed.text)
                return
            recorder.wrote(message)
            writer.observe(interpreter.run(parsed.text))
    recorder.finish("steps", detail=STOPPED.format(max_steps))


def play_highwater_episodes(
    episodes: Sequence[HighwaterEpisode],
    note: Note[HighwaterEpisode],
    agent: str,
    setup: CoderSetup = USUAL,
    *,
    jobs: int | None = None,
) -> Iterator[EpisodeLines]:
    """Run episodes on all cores.

    Args:
        episodes: what to run.
        note: finds out something about an episode where it was played.
        agent: a scripted agent's name.
        setup: how each is played.
        jobs: processes; as many as there are cores by default. One runs in this process.

    Yields:
        each finished episode, in no fixed order.

    Raises:
        UserError: the isolation here is too weak, or no kernel comes up.
    """
    setup.check_isolation()  # what is wrong with it is reported once, here
    yield from in_chunks(episodes, partial(_run_chunk, note=note, agent=agent, setup=setup), jobs, CHUNK)


def _run_chunk(
    chunk: Sequence[HighwaterEpisode], note: Note[HighwaterEpisode], agent: str, setup: CoderSetup
) -> list[EpisodeLines]:
    with setup.pool() as pool:
        played = [play_highwater_episode(one, agent, setup, pool=pool) for one in chunk]
    return [noted_lines(one, events, note) for one, events in zip(chunk, played, strict=True)]
