"""`paladin` as a task of Inspect: any arm over any model of any provider."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric, transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, accuracy, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.tool import ToolCall

from sealegs.adapters.inspect import tool_info
from sealegs.agents.arms import ARMS, AwaitModel, Message, ModelReply, ModelToolUse
from sealegs.engines.inspect_ends import finish_by_model, model_end
from sealegs.engines.inspect_runner import note_faults, note_record, transcript_record
from sealegs.engines.inspect_turns import METADATA
from sealegs.engines.logs import agent_or_model
from sealegs.faults.call import Call, Failure, Outcome, render
from sealegs.inject import RealClock
from sealegs.scoring import Verdict
from sealegs.scoring.paladin_metrics import CLEAN, PaladinResult, recovery_figure
from sealegs.scoring.paladin_protocol import ProtocolVerdict
from sealegs.suites.inspect_entry import option_task, setup_solver
from sealegs.suites.paladin.arm_engine import EpisodeTools, Setup, session
from sealegs.suites.paladin.backbone_replies import uses_in
from sealegs.suites.paladin.episodes import SUITE, VERSION, PaladinEpisode
from sealegs.suites.paladin.options import PaladinOptions
from sealegs.suites.paladin.paladin_logs import sampled_paladin_episode
from sealegs.suites.suite import suite_named
from sealegs.traces import Recorder, build_record
from sealegs.traces.record import UNREADABLE


def _paladin_task(options: PaladinOptions, episodes: list[PaladinEpisode]) -> Task:
    """The task of these episodes."""
    return Task(
        dataset=MemoryDataset([_sample(episode, options.epochs) for episode in episodes], name=SUITE),
        solver=played_arm(**options.setup.about()),
        scorer=recovery(),
        headline_metric=HeadlineMetric(metric="tsr"),
        config=GenerateConfig(temperature=1.0, max_tokens=16_000),
        fail_on_error=False,
        score_on_error=True,
        version=VERSION,
        metadata={**options.setup.about(), "set": options.set, "seed": options.seed},
    )


ABOUT = "One labelled failure in a task, and an arm that recovers from it or does not."
paladin = option_task(PaladinOptions, _paladin_task, name=SUITE, summary=ABOUT, module=__name__)


def _sample(episode: PaladinEpisode, epochs: int) -> Sample:
    return Sample(input=episode.base.request, id=episode.id, metadata={**episode.about({}), "epochs": epochs})


def _played_arm(setup: Setup) -> Solver:
    """The arm over the model, with the faults of the sample's episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = sampled_paladin_episode(state.metadata, state.epoch)
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        recorder.start(episode.id, episode.about({**_who(str(get_model()), setup.arm), **setup.about()}))
        with note_record(recorder):
            await _converse(state, episode, setup, recorder, clock)
        return state

    return solve


played_arm = setup_solver(Setup, _played_arm, name="played_arm", module=__name__)


def _who(model: str, arm: str) -> dict[str, str]:
    """The player that is recorded: a scripted backbone as an agent, as it is without Inspect."""
    called = agent_or_model(model)
    return {"agent": f"{arm}/{called['agent']}"} if "agent" in called else called


async def _converse(
    state: TaskState, episode: PaladinEpisode, setup: Setup, recorder: Recorder, clock: RealClock
) -> None:
    seam, tools, model = session(episode, setup, clock, recorder), EpisodeTools(episode, recorder), get_model()
    infos = [tool_info(spec) for spec in episode.specs]
    about = episode.about({})

    async def run(call: Call) -> Outcome:
        return tools.run(call)

    steps = ARMS[setup.arm].converse(episode.context())
    turns = 0
    try:
        request = next(steps)
        while True:
            if isinstance(request, AwaitModel):
                turns += 1
                if turns > setup.max_steps:
                    recorder.finish("steps", detail=f"no answer within {setup.max_steps} steps")
                    return
                state.messages = [_chat(message, about) for message in request.messages]
                state.output = await model.generate(state.messages, tools=infos if request.tools else [])
                if _ended_by_model(state, recorder):
                    return
                message = state.output.message
                reply: ModelReply | str = ModelReply(message.text, uses_in(message))
            # A call that cannot be read never reaches the seam; the record needs it all the same.
            elif request.problem:
                failure = Failure(request.problem, type=UNREADABLE)
                recorder.refused(Call(request.tool, request.arguments, request.id), failure)
                reply = render(failure)
            else:
                reply = render(await seam.call_async(request.tool, request.arguments, run))
                _note_use(request, reply)
            request = steps.send(reply)
    except StopIteration as stop:
        answer: str = stop.value
        if answer.strip() in state.output.completion and model_end(state.output):  # it is what the model wrote last
            finish_by_model(recorder, state.output)
        else:
            recorder.finish("answered", answer=answer)
        state.messages.append(state.output.message)


def _ended_by_model(state: TaskState, recorder: Recorder) -> bool:
    """Return whether the model declined, or had no room, so that no arm can continue; the record is closed then."""
    calls = () if state.output.empty else state.output.message.tool_calls or ()
    end = None if calls else model_end(state.output)
    if end is None or not end.last:
        return False
    finish_by_model(recorder, state.output)
    return True


def _note_use(use: ModelToolUse, answer: str) -> None:
    """Note a call for Inspect's viewer, because arms call tools outside Inspect's own loop."""
    transcript().info(
        {"tool": use.tool, "arguments": dict(use.arguments), "answer": answer}, source="sealegs tool call"
    )


def _chat(message: Message, about: dict[str, Any]) -> ChatMessage:
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.text, metadata={METADATA: about})
        case "user":
            return ChatMessageUser(content=message.text)
        case "tool":
            return ChatMessageTool(content=message.text, tool_call_id=message.answers)
        case "assistant":
            calls = [ToolCall(id=c.id, function=c.tool, arguments=dict(c.arguments)) for c in message.calls]
            return ChatMessageAssistant(content=message.text, tool_calls=calls or None)


@metric(name="tsr", scores="unreduced")
def macro_tsr_metric() -> InspectMetric:
    """Task success rate in %, macro over classes."""
    return _metric("tsr")


@metric(name="rr", scores="unreduced")
def rr_metric() -> InspectMetric:
    """Recovery rate in %, macro over classes."""
    return _metric("rr")


@metric(name="csr", scores="unreduced")
def csr_metric() -> InspectMetric:
    """Catastrophic success rate in %, macro over classes; higher is better."""
    return _metric("csr")


@metric(name="es", scores="unreduced")
def es_metric() -> InspectMetric:
    """Efficiency score, macro over classes."""
    return _metric("es")


def _metric(name: str) -> InspectMetric:
    def value(scores: list[SampleScore]) -> float:
        results = [_recovery((score.score.metadata or {})["recovery"]) for score in scores if score.score.metadata]
        faulty = [result for result in results if result.failure_class != CLEAN]
        found = recovery_figure(faulty, name).value
        return float("nan") if found is None else found

    return value


def _recovery(facts: dict[str, Any]) -> PaladinResult:
    made = {"verdict": Verdict(**facts["verdict"]), "protocol": ProtocolVerdict(**facts["protocol"])}
    return PaladinResult(**{**facts, **made})


@scorer(metrics=[macro_tsr_metric(), rr_metric(), csr_metric(), es_metric(), accuracy()])
def recovery() -> Scorer:
    """Our judge's verdict, from the record in the transcript; also under `inspect score`. None of an invalid one."""

    async def score(state: TaskState, target: Target) -> Score | None:
        played = build_record(transcript_record(transcript().events))
        if played.outside:
            return None
        found = suite_named(SUITE).judge(sampled_paladin_episode(state.metadata, state.epoch), played)
        facts = asdict(found)
        why = found.verdict.attribution and f"{found.verdict.attribution}: {'; '.join(found.verdict.reasons)}"
        value = "C" if found.verdict.success else "I"
        return Score(value=value, answer=played.answer, explanation=why or "success", metadata={"recovery": facts})

    return score
