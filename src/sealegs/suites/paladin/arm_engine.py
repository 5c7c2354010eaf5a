"""Episodes played: an arm between a backbone and the tools; with a scripted backbone, without Inspect."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, partial

from sealegs.agents.arms import ARMS, AwaitModel
from sealegs.agents.arms.arm_base import ModelReply
from sealegs.agents.backbones import backbone_reply
from sealegs.engines.direct import EpisodeLines
from sealegs.engines.workers import in_chunks
from sealegs.faults.call import Call, Failure, Layer, Outcome, Wait, no_such_tool, render
from sealegs.inject import Clock, EndlessWait, Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Advise, Adviser
from sealegs.suites.paladin.episodes import ATTEMPTS, TOOL_TIMEOUT, PaladinEpisode
from sealegs.suites.played_tables import Note, noted_lines
from sealegs.traces import Event, Recorder
from sealegs.world.state import World

CHUNK = 16


@dataclass(frozen=True, slots=True)
class Setup:
    """The settings under which an episode is played.

    Attributes:
        arm: one of `ARMS`.
        retrieval: `on` puts the exemplar bank on the seam.
        max_steps: questions to the model, those of critics and reflections included, until an episode is cut off.
    """

    arm: str
    retrieval: str = "off"
    max_steps: int = 40

    def about(self) -> dict[str, object]:
        """The facts that a record notes of the setup."""
        return asdict(self)


ARM_FACTS = tuple(field.name for field in fields(Setup))
ARM_BEFORE = {"retrieval": "off"}  # of fields that older records do not name


def arm_words(facts: Mapping[str, str]) -> list[str]:
    """The words for the setup in the name of a run with these facts; that of a scripted agent holds its arm."""
    arm = [] if facts["agent"] else [facts["arm"]]
    return [*arm, "with retrieval"] if facts["retrieval"] == "on" else arm


class Attempts:
    """A layer that lets a tool be called so many times, and no more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[str, int] = {}

    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """Pass the call on, or refuse it."""
        self._made[call.tool] = self._made.get(call.tool, 0) + 1
        if self._made[call.tool] > self._most:
            return Failure(f"{call.tool} was tried {self._most} times; no attempt is left.", type="AttemptsExhausted")
        return (yield call)


@cache
def shipped_adviser() -> Adviser:
    """The exemplar bank that ships with Sealegs."""
    from sealegs.recovery.bank import shipped_bank

    return shipped_bank()


def arm_layers(episode: PaladinEpisode, setup: Setup, adviser: Adviser | None = None) -> list[Layer]:
    """The layers on the seam of an episode."""
    found: list[Layer] = [Attempts(ATTEMPTS)] if episode.set == "toolreflect" else []
    if setup.retrieval == "on":
        found.append(RecoveryLayer(Advise(adviser or shipped_adviser())))
    return found


def session(
    episode: PaladinEpisode, setup: Setup, clock: Clock, recorder: Recorder, adviser: Adviser | None = None
) -> Session:
    """The seam of an episode."""
    return Session(
        episode.plan,
        episode=episode.id,
        specs=episode.specs,
        layers=arm_layers(episode, setup, adviser),
        clock=clock,
        timeout=TOOL_TIMEOUT,
        watcher=recorder,
    )


class EpisodeTools:
    """The tools of an episode, with their own world."""

    def __init__(self, episode: PaladinEpisode, recorder: Recorder) -> None:
        self._corpus = episode.tasks.corpus(episode.task)
        self._offered = {spec.name for spec in episode.specs}
        self._world = World(recorder.effect)

    def run(self, call: Call) -> Outcome:
        """Run one."""
        if call.tool not in self._offered:
            return no_such_tool(call)
        return self._corpus.run(call, self._world)


def play_paladin_episode(
    episode: PaladinEpisode, backbone: str, setup: Setup, adviser: Adviser | None = None
) -> list[Event]:
    """Play one episode with a scripted backbone; whatever happens, the events end with an end."""
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start(episode.id, episode.about({"agent": f"{setup.arm}/{backbone}", **setup.about()}))
    seam, tools = session(episode, setup, clock, recorder, adviser), EpisodeTools(episode, recorder)
    briefing = episode.briefing
    steps = ARMS[setup.arm].converse(episode.context())
    turns = 0
    try:
        request = next(steps)
        while True:
            if isinstance(request, AwaitModel):
                turns += 1
                if turns > setup.max_steps:
                    recorder.finish("steps", detail=f"no answer within {setup.max_steps} steps")
                    break
                answer: ModelReply | str = backbone_reply(backbone, briefing, request)
            else:
                answer = render(seam.call(request.tool, request.arguments, tools.run))
            request = steps.send(answer)
    except StopIteration as stop:
        recorder.finish("answered", answer=stop.value)
    except EndlessWait as error:
        recorder.finish("hung", detail=str(error))
    except Exception as error:  # an arm that breaks down is a result, not the end of the run
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
    return recorder.events


def play_paladin_episodes(
    episodes: Sequence[PaladinEpisode],
    note: Note[PaladinEpisode],
    backbone: str,
    setup: Setup,
    *,
    jobs: int | None = None,
) -> Iterator[EpisodeLines]:
    """Play episodes on all cores, and note something about each; see `in_chunks`."""
    yield from in_chunks(episodes, partial(_run_chunk, note=note, backbone=backbone, setup=setup), jobs, CHUNK)


def _run_chunk(
    chunk: Sequence[PaladinEpisode], note: Note[PaladinEpisode], backbone: str, setup: Setup
) -> list[EpisodeLines]:
    return [noted_lines(episode, play_paladin_episode(episode, backbone, setup), note) for episode in chunk]
