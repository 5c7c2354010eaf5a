"""Your own suite as a task of Inspect: any model, Inspect's logs and viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric, transcript
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, accuracy, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sealegs.engines.inspect_runner import note_faults, note_record, transcript_record
from sealegs.engines.inspect_turns import METADATA, scripted_output, take_turns_in_inspect, tell_facts
from sealegs.engines.logs import agent_or_model
from sealegs.inject.clock import RealClock
from sealegs.scoring.metric import EpisodeTable, estimate
from sealegs.scoring.suite_metrics import DESIGN, SUITE_METRICS, EpisodeResult
from sealegs.suites.suite import suite_named
from sealegs.suites.tool_episode import JudgingSuite, LedgeredTools, ToolEpisode, open_session
from sealegs.traces import Recorder, build_record


def task_of(suite: JudgingSuite, episodes: Sequence[ToolEpisode], max_steps: int, epochs: int) -> Task:
    """A task of these episodes; `epochs` is how many times the run has each of them."""
    return Task(
        name=suite.name,
        dataset=MemoryDataset([_sample(suite, episode, max_steps, epochs) for episode in episodes], name=suite.name),
        solver=suite_turns(),
        scorer=suite_judgement(),
        headline_metric=HeadlineMetric(metric="success"),
        fail_on_error=False,
        score_on_error=True,
        version=suite.version,
    )


def _sample(suite: JudgingSuite, episode: ToolEpisode, max_steps: int, epochs: int) -> Sample:
    about = {"suite": suite.name, "max_steps": max_steps, "epochs": epochs, "episode": episode.model_dump(mode="json")}
    instructions = [ChatMessageSystem(content=episode.instructions)] if episode.instructions else []
    messages: list[ChatMessage] = [*instructions, ChatMessageUser(content=episode.request, metadata={METADATA: about})]
    return Sample(input=messages, id=episode.id, metadata=about)


def _known(about: dict[str, Any], round: int = 1) -> tuple[JudgingSuite, ToolEpisode]:
    """The suite and the episode of a sample, in this round of Inspect's own epochs."""
    suite: JudgingSuite = cast("JudgingSuite", suite_named(about["suite"]))
    episode = suite.episode_from(about["episode"])
    return suite, episode.model_copy(update={"epoch": episode.epoch + (round - 1) * about["epochs"]})


@solver
def suite_turns() -> Solver:
    """Model and tools in turns until an answer without calls, with the faults of the sample's episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        suite, episode = _known(state.metadata, state.epoch)
        tell_facts(state, {"episode": episode.model_dump(mode="json")})
        max_steps = state.metadata["max_steps"]
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        recorder.start(episode.id, suite.facts(episode, {**agent_or_model(str(get_model())), "max_steps": max_steps}))
        with note_record(recorder):
            tools, session = LedgeredTools(episode, recorder), open_session(episode, clock, recorder)
            await take_turns_in_inspect(state, list(episode.specs), session, tools.run, recorder, max_steps)
        return state

    return solve


def scripted_reply(name: str, conversation: list[ChatMessage], about: dict[str, Any]) -> ModelOutput:
    """The next message of a suite's scripted agent, for `--model sealegs/NAME`.

    Raises:
        ValueError: the suite has no such agent.
    """
    suite, episode = _known(about)
    if name not in suite.agents:
        raise ValueError(f"{suite.name} has no scripted agent {name!r}; choose one of {', '.join(suite.agents)}")
    return scripted_output(name, suite.agents[name](episode), conversation)


@metric(name="success", scores="unreduced")
def suite_success() -> InspectMetric:
    """Share of successes in %, the mean over the modes."""
    return _metric("success")


@metric(name="recovered", scores="unreduced")
def suite_recovered() -> InspectMetric:
    """Share of successes among the episodes in which a fault was delivered, in %."""
    return _metric("recovered")


def _metric(name: str) -> InspectMetric:
    (wanted,) = (one for one in SUITE_METRICS if one.name == name)

    def value(scores: list[SampleScore]) -> float:
        results = [EpisodeResult(**score.score.metadata["result"]) for score in scores if score.score.metadata]
        found = estimate(wanted, EpisodeTable(results, DESIGN)).value
        return float("nan") if found is None else found

    return value


@scorer(metrics=[suite_success(), suite_recovered(), accuracy()])
def suite_judgement() -> Scorer:
    """The suite's judgement, from the record in the transcript; also under `inspect score`. None of an invalid one."""

    async def score(state: TaskState, target: Target) -> Score | None:
        suite, episode = _known(state.metadata, state.epoch)
        record = build_record(transcript_record(transcript().events))
        if record.outside:
            return None
        result = suite.judge(episode, record)
        value = "C" if result.success else "I"
        return Score(
            value=value,
            answer=record.answer,
            explanation=result.reason or "success",
            metadata={"result": asdict(result)},
        )

    return score
