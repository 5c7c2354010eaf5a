"""`maze` as a task of Inspect: any model of any provider, its logs, its viewer.

What our judge needs is in the log itself (see `engines.logs`).
"""

from __future__ import annotations

from dataclasses import asdict

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric, transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, accuracy, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState

from sealegs.engines.inspect_runner import note_faults, note_record, transcript_record
from sealegs.engines.inspect_turns import METADATA, take_turns_in_inspect, tell_facts
from sealegs.engines.logs import agent_or_model
from sealegs.faults.call import Call, Outcome
from sealegs.inject import Session
from sealegs.inject.clock import RealClock
from sealegs.scenarios.scenario import SUITE, TOOL_TIMEOUT, Scenario
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scenarios.system_prompts import scenario_prompt
from sealegs.scenarios.task_sets import VERSION
from sealegs.scoring import Verdict
from sealegs.scoring.maze_metrics import DESIGN, PRR, RC, TSR, MazeResult
from sealegs.scoring.metric import EpisodeTable, Metric, estimate
from sealegs.suites.inspect_entry import option_task, setup_solver
from sealegs.suites.maze.maze_logs import SETTINGS, episode_of
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.suite import suite_named
from sealegs.traces import Recorder, build_record
from sealegs.world.state import World


def _maze_task(options: MazeOptions, episodes: list[Scenario]) -> Task:
    """The task of these episodes."""
    kept = [name for name in SETTINGS if name in type(options).model_fields and name not in ("agent", "model")]
    return Task(
        dataset=MemoryDataset([_sample(one, options.prompt, options.epochs) for one in episodes], name=SUITE),
        solver=tool_loop(**options.setup.about()),
        scorer=verdict(),
        headline_metric=HeadlineMetric(metric="tsr"),
        config=GenerateConfig(temperature=1.0, max_tokens=16_000),
        # A sample that fails is invalid and can be made again; the others continue.
        fail_on_error=False,
        score_on_error=True,
        version=VERSION,
        metadata={name: getattr(options, name) for name in kept},
    )


ABOUT = "Tasks of four levels on simulated tools that fail in four ways."
maze = option_task(MazeOptions, _maze_task, name=SUITE, summary=ABOUT, module=__name__)


def _sample(episode: Scenario, prompt: str, epochs: int) -> Sample:
    about = {**asdict(episode), "level": episode.base.level, "epochs": epochs}
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=scenario_prompt(prompt, episode.moment)),
        ChatMessageUser(content=episode.base.request, metadata={METADATA: about}),
    ]
    return Sample(input=messages, id=episode.id, metadata={**about, "prompt": prompt})


def _tool_loop(setup: ScenarioSetup) -> Solver:
    """Model and tools in turns until an answer without calls, with the faults of the sample's episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = episode_of(state.metadata, state.epoch)
        tell_facts(state, {"epoch": episode.epoch})
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        who = {**agent_or_model(str(get_model())), "prompt": state.metadata["prompt"]}
        recorder.start(episode.id, episode.about({**who, **setup.about()}))
        with note_record(recorder):
            await _converse(state, episode, recorder, clock, setup)
        return state

    return solve


tool_loop = setup_solver(ScenarioSetup, _tool_loop, name="tool_loop", module=__name__)


async def _converse(
    state: TaskState,
    episode: Scenario,
    recorder: Recorder,
    clock: RealClock,
    setup: ScenarioSetup,
) -> None:
    world, corpus = World(recorder.effect), episode.set.corpus(episode.task)
    offered = {spec.name: spec for spec in episode.specs}
    session = Session(
        episode.plan,
        episode=episode.id,
        specs=offered.values(),
        layers=setup.layers(episode),
        # Every tool of the world can be run for another, as they share one `run`.
        others=None,
        clock=clock,
        timeout=TOOL_TIMEOUT,
        watcher=recorder,
    )

    def run(call: Call) -> Outcome:
        return corpus.run(call, world)

    await take_turns_in_inspect(state, list(offered.values()), session, run, recorder, setup.max_steps)


@metric(name="tsr", scores="unreduced")
def tsr_metric() -> InspectMetric:
    """Task success rate in %, the mean over the modes."""
    return _metric(TSR)


@metric(name="prr", scores="unreduced")
def prr_metric() -> InspectMetric:
    """Perturbation recovery rate in %."""
    return _metric(PRR)


@metric(name="rc", scores="unreduced")
def rc_metric() -> InspectMetric:
    """Redundancy cost in %."""
    return _metric(RC)


def _metric(metric: Metric[MazeResult]) -> InspectMetric:
    def value(scores: list[SampleScore]) -> float:
        results = [_result(score) for score in scores if score.score.metadata]
        found = estimate(metric, EpisodeTable(results, DESIGN)).value
        return float("nan") if found is None else found

    return value


def _result(score: SampleScore) -> MazeResult:
    about = score.sample_metadata or {}
    facts = (score.score.metadata or {})["verdict"]
    return MazeResult(about["task"], about["level"], about["mode"], about["epoch"], Verdict(**facts))


@scorer(metrics=[tsr_metric(), prr_metric(), rc_metric(), accuracy()])
def verdict() -> Scorer:
    """Our judge's verdict, from the record in the transcript; also under `inspect score`. None of an invalid one."""

    async def score(state: TaskState, target: Target) -> Score | None:
        noted_record = build_record(transcript_record(transcript().events))
        if noted_record.outside:
            return None
        found = suite_named(SUITE).judge(episode_of(state.metadata, state.epoch), noted_record).verdict
        facts = {name: getattr(found, name) for name in found.__slots__}
        why = found.attribution and f"{found.attribution}: {'; '.join(found.reasons)}"
        answer, value = noted_record.answer, "C" if found.success else "I"
        return Score(value=value, answer=answer, explanation=why or "success", metadata={"verdict": facts})

    return score
