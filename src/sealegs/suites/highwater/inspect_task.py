"""`highwater` as a task of Inspect: any model of any provider writes code, which runs in our sandbox.

What our judge needs is in the log itself (see `engines.logs`). Where the sample has a sandbox of Inspect's own,
the code runs there (`containers`).
"""

from __future__ import annotations

import math
from dataclasses import asdict

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric, transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, accuracy, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState

from sealegs.engines.inspect_ends import ModelEnd, finish_by_model, model_end
from sealegs.engines.inspect_runner import note_faults, note_record, transcript_record
from sealegs.engines.inspect_turns import METADATA, tell_facts
from sealegs.engines.logs import agent_or_model
from sealegs.inject.clock import RealClock
from sealegs.scoring.highwater_metrics import CLEAN
from sealegs.suites.highwater.coder_prompts import coder_system_prompt, question
from sealegs.suites.highwater.coder_setup import CODER_FACTS, CoderSetup, LoopSetup
from sealegs.suites.highwater.coding_protocol import NO_ACTION, action, wrap_observation
from sealegs.suites.highwater.environment import Environment
from sealegs.suites.highwater.highwater_logs import sampled_episode
from sealegs.suites.highwater.interpreter import TaskInterpreter
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.highwater.problem_episodes import (
    SUITE,
    VERSION,
    HighwaterEpisode,
)
from sealegs.suites.inspect_entry import option_task, setup_solver
from sealegs.suites.suite import suite_named
from sealegs.traces import Recorder, build_record

STOP = "</execute>"


def _highwater_task(options: HighwaterOptions, episodes: list[HighwaterEpisode]) -> Task:
    """The task of these episodes."""
    setup = options.setup
    setup.check_isolation()  # what is wrong with it is reported before anything runs
    return Task(
        dataset=MemoryDataset([_sample(one, setup, options.epochs) for one in episodes], SUITE),
        solver=code_loop(**asdict(options.part_for(LoopSetup))),
        sandbox=setup.inspect_sandbox(),
        scorer=rows_verdict(),
        headline_metric=HeadlineMetric(metric="accuracy_errors"),
        config=GenerateConfig(temperature=0.0, max_tokens=4_000, stop_seqs=[STOP]),
        fail_on_error=False,
        score_on_error=True,
        version=VERSION,
        metadata={"setting": options.setting, "seed": options.seed, **setup.task_facts()},
    )


ABOUT = "Questions to answer with functions made from SQL, the first of which is refused."
highwater = option_task(HighwaterOptions, _highwater_task, name=SUITE, summary=ABOUT, module=__name__)


def _sample(episode: HighwaterEpisode, setup: CoderSetup, epochs: int) -> Sample:
    about = {**episode.about({}), "data": episode.data, "own": episode.own, "epochs": epochs, **setup.about()}
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=coder_system_prompt(episode, setup.max_steps)),
        ChatMessageUser(content=question(episode), metadata={METADATA: about}),
    ]
    return Sample(input=messages, id=episode.id, metadata=about)


def _code_loop(setup: LoopSetup) -> Solver:
    """Messages and observations in turns until a solution, with the faults of the sample's episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = sampled_episode(state.metadata, state.epoch)
        tell_facts(state, {"epoch": episode.epoch})
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        settings = {name: state.metadata[name] for name in CODER_FACTS}
        recorder.start(episode.id, episode.about({**agent_or_model(str(get_model())), **settings}))
        with note_record(recorder):
            await _converse(state, Environment(episode, recorder, clock, setup.finder), recorder, setup)
        return state

    return solve


code_loop = setup_solver(LoopSetup, _code_loop, name="code_loop", module=__name__)


async def _converse(state: TaskState, environment: Environment, recorder: Recorder, setup: LoopSetup) -> None:
    model = get_model()
    end: ModelEnd | None = None  # of the last message
    async with TaskInterpreter(environment, setup.kernels()) as interpreter:
        for _ in range(setup.max_steps):
            state.output = await model.generate(state.messages)
            end = model_end(state.output)
            if end is not None and end.last:
                finish_by_model(recorder, state.output)
                return
            state.messages.append(_closed(state.output.message))
            message = state.messages[-1].text
            parsed = action(message)
            if parsed.kind == "solution":
                recorder.finish("answered", answer=parsed.text)
                return
            recorder.wrote(message)
            observation = wrap_observation(NO_ACTION) if parsed.kind == "none" else await interpreter.run(parsed.text)
            state.messages.append(ChatMessageUser(content=observation))
    if end is None:
        recorder.finish("steps", detail=f"no answer within {setup.max_steps} messages")
    else:
        recorder.finish(end.reason, detail=end.detail)


def _closed(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """The message with the closing tag at which it was stopped."""
    text = message.text
    if action(text).kind != "execute" or STOP in text.lower():
        return message
    return message.model_copy(update={"content": f"{text.rstrip()}\n{STOP}"})


@metric(name="accuracy_no_errors", scores="unreduced")
def accuracy_clean() -> InspectMetric:
    """Share of right answers without errors, in %."""
    return _accuracy(clean=True)


@metric(name="accuracy_errors", scores="unreduced")
def accuracy_faulty() -> InspectMetric:
    """Share of right answers under errors, in %."""
    return _accuracy(clean=False)


def _accuracy(clean: bool) -> InspectMetric:
    def value(scores: list[SampleScore]) -> float:
        found = [s for s in scores if ((s.sample_metadata or {}).get("mode") == CLEAN) == clean]
        right = [(s.score.metadata or {}).get("verdict", {}).get("right", False) for s in found]
        return 100 * sum(right) / len(right) if right else math.nan

    return value


@scorer(metrics=[accuracy_clean(), accuracy_faulty(), accuracy()])
def rows_verdict() -> Scorer:
    """Our judge's verdict, from the record in the transcript; also under `inspect score`. None of an invalid one."""

    async def score(state: TaskState, target: Target) -> Score | None:
        found = build_record(transcript_record(transcript().events))
        if found.outside:
            return None
        verdict = suite_named(SUITE).judge(sampled_episode(state.metadata, state.epoch), found).verdict
        why = f"{verdict.term}: {verdict.reason}" if verdict.term else "right"
        return Score(value="C" if verdict.right else "I", explanation=why, metadata={"verdict": asdict(verdict)})

    return score
