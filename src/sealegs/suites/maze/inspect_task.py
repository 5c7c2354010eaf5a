"""`maze` as a task of Inspect: any model of any provider, its logs, its viewer.

What our judge needs is in the log itself (see `running.inspecting`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sealegs.engines.inspect_runner import METADATA, note_faults, note_record, transcript_record
from sealegs.engines.inspect_turns import take_turns_in_inspect
from sealegs.engines.logs import agent_or_model
from sealegs.faults.call import Call, Layer, Outcome
from sealegs.faults.plan_files import read_plan
from sealegs.inject import Session
from sealegs.inject.clock import RealClock
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.moments import DRAW, SETTINGS
from sealegs.scenarios.perturbation import IMPLICIT_SETTINGS, LADDER
from sealegs.scenarios.recovery_alternatives import recovery_layers
from sealegs.scenarios.scenario import TOOL_TIMEOUT, VERSION, Scenario, list_scenarios
from sealegs.scenarios.system_prompts import scenario_prompt
from sealegs.scenarios.task_sets import SHIPPED
from sealegs.scoring import Verdict, judge
from sealegs.scoring.maze_metrics import DESIGN, PRR, RC, TSR, MazeResult
from sealegs.scoring.metric import EpisodeTable, Metric, estimate
from sealegs.suites.maze.maze_logs import episode_of
from sealegs.traces import Recorder, build_record
from sealegs.world.state import World


@task
def maze(
    levels: str | Sequence[str] = ",".join(LEVELS),
    modes: str | Sequence[str] = ",".join(MODES),
    prompt: str = "standard",
    limit: int | None = None,
    epochs: int = 1,
    seed: int = 0,
    max_steps: int = 25,
    plan: str = "",
    tasks: str = SHIPPED,
    recovery: str = "off",
    moment: str = DRAW,
    implicit: str = LADDER,
    only: Sequence[str] | None = None,
) -> Task:
    """Tasks of four levels on simulated tools that fail in four ways.

    Args:
        levels: some of C1, C2, C3, C4, with commas.
        modes: some of NP, P1, P2, P3, P4, with commas.
        prompt: `standard` or `failure-aware`.
        limit: at most this many base tasks of each level.
        epochs: how many times each is run, each time as its own sample, so that a run can be resumed.
        seed: decides victims and faults.
        max_steps: model calls until an episode is cut off.
        plan: your own fault plan as JSON, or the name of its file; it replaces the modes.
        tasks: a folder of your own tasks (`sealegs maze generate` makes one) in place of those that ship.
        recovery: `active` puts the recovery layer on the seam, `advise` its modest form.
        moment: when faults strike actions: `draw`, or `before` (the published protocol), `during`, `after`.
        implicit: `ladder`, or `published` (the nine families as they fit).
        only: ids of episodes (`c1-01/P2/1`) to run and no others.
    """
    own = json.dumps(read_plan(plan).as_data()) if plan and not plan.startswith("{") else plan
    chosen = [
        episode
        for episode in list_scenarios(
            _listed(levels, LEVELS),
            _listed(modes, MODES),
            limit=limit,
            epochs=epochs,
            seed=seed,
            own=own,
            tasks=tasks,
            moment=_listed(moment, SETTINGS)[0],
            implicit=_listed(implicit, IMPLICIT_SETTINGS)[0],
        )
        if only is None or episode.id in only
    ]
    return Task(
        dataset=MemoryDataset([_sample(episode, prompt, epochs) for episode in chosen], name="maze"),
        solver=tool_loop(max_steps, recovery),
        scorer=verdict(),
        config=GenerateConfig(temperature=1.0, max_tokens=16_000),
        fail_on_error=False,
        score_on_error=True,
        version=VERSION,
        metadata={
            "prompt": prompt,
            "seed": seed,
            "max_steps": max_steps,
            "recovery": recovery,
            "moment": moment,
            "implicit": implicit,
        },
    )


def _listed(names: str | Sequence[str], known: Sequence[str]) -> list[str]:
    chosen = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise ValueError(f"{', '.join(map(repr, unknown))} unknown; choose from {', '.join(known)}")
    return chosen


def _sample(episode: Scenario, prompt: str, epochs: int) -> Sample:
    about = {"task": episode.task, "level": episode.base.level, "mode": episode.mode, "seed": episode.seed}
    about |= {"epoch": episode.epoch, "epochs": epochs, "own": episode.own, "tasks": episode.tasks}
    about |= {"moment": episode.moment, "implicit": episode.implicit}
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=scenario_prompt(prompt, episode.moment)),
        ChatMessageUser(content=episode.base.request, metadata={METADATA: about}),
    ]
    return Sample(input=messages, id=episode.id, metadata={**about, "prompt": prompt})


@solver
def tool_loop(max_steps: int = 25, recovery: str = "off") -> Solver:
    """Model and tools in turns until an answer without calls, with the faults of the sample's episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = episode_of(state.metadata, state.epoch)
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        recorder.start(
            episode.id,
            episode.about(
                {
                    **agent_or_model(str(get_model())),
                    "prompt": state.metadata["prompt"],
                    "max_steps": max_steps,
                    "recovery": recovery,
                }
            ),
        )
        with note_record(recorder):
            await _converse(state, episode, recorder, clock, max_steps, recovery_layers(recovery, episode))
        return state

    return solve


async def _converse(
    state: TaskState,
    episode: Scenario,
    recorder: Recorder,
    clock: RealClock,
    max_steps: int,
    between: Sequence[Layer],
) -> None:
    world, corpus = World(recorder.effect), episode.set.corpus(episode.task)
    offered = {spec.name: spec for spec in episode.specs}
    session = Session(
        episode.plan,
        episode=episode.id,
        specs=offered.values(),
        layers=between,
        others=None,
        clock=clock,
        timeout=TOOL_TIMEOUT,
        watcher=recorder,
    )

    def run(call: Call) -> Outcome:
        return corpus.run(call, world)

    await take_turns_in_inspect(state, list(offered.values()), session, run, recorder, max_steps)


@metric(name="tsr")
def tsr_metric() -> InspectMetric:
    """Task success rate in %, the mean over the modes."""
    return _metric(TSR)


@metric(name="prr")
def prr_metric() -> InspectMetric:
    """Perturbation recovery rate in %."""
    return _metric(PRR)


@metric(name="rc")
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


@scorer(metrics=[tsr_metric(), prr_metric(), rc_metric()])
def verdict() -> Scorer:
    """Our judge's verdict, from the record in the transcript; also under `inspect score`. None of an invalid one."""

    async def score(state: TaskState, target: Target) -> Score | None:
        noted_record = build_record(transcript_record(transcript().events))
        if noted_record.outside:
            return None
        found = judge(noted_record, episode_of(state.metadata, state.epoch).case(noted_record))
        facts = {name: getattr(found, name) for name in found.__slots__}
        why = found.attribution and f"{found.attribution}: {'; '.join(found.reasons)}"
        said, value = noted_record.answer, "C" if found.success else "I"
        return Score(value=value, answer=said, explanation=why or "success", metadata={"verdict": facts})

    return score
