"""`highwater` as a task of Inspect: any model of any provider writes code, which runs in our sandbox.

What our judge needs is in the log itself (see `running.inspecting`). Where the sample has a sandbox of Inspect's own,
the code runs there (`containers`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sealegs.engines.inspect_ends import ModelEnd, finish_by_model, model_end
from sealegs.engines.inspect_runner import METADATA, note_faults, note_record, transcript_record
from sealegs.engines.logs import agent_or_model
from sealegs.faults.plan_files import read_plan
from sealegs.inject.clock import RealClock
from sealegs.sandbox import launcher
from sealegs.scoring.highwater_metrics import CLEAN
from sealegs.suites.highwater.coder_prompts import coder_system_prompt, question
from sealegs.suites.highwater.coding_protocol import NO_ACTION, action, wrap_observation
from sealegs.suites.highwater.containers import kernels, problems_of, resolve_sandbox_path, sandbox_for
from sealegs.suites.highwater.environment import Environment
from sealegs.suites.highwater.function_search import BM25
from sealegs.suites.highwater.highwater_logs import RUN_FACTS, judge_highwater_episode, sampled_episode
from sealegs.suites.highwater.interpreter import TaskInterpreter
from sealegs.suites.highwater.libraries import check_databases
from sealegs.suites.highwater.options import MODES
from sealegs.suites.highwater.problem_episodes import (
    SUITE,
    VERSION,
    HighwaterEpisode,
    choose_problems,
    episodes_of_problems,
)
from sealegs.traces import Recorder, build_record

STOP = "</execute>"


@task
def highwater(
    setting: str = "open",
    distractors: int = 9,
    hints: bool = False,
    errors: str = "both",
    split: str = "test",
    limit: int | None = None,
    epochs: int = 1,
    seed: int = 0,
    max_steps: int = 25,
    search: str = BM25,
    plan: str = "",
    data: str = "",
    allow_weak_sandbox: bool = False,
    sandbox: str = "",
    only: Sequence[str] | None = None,
) -> Task:
    """Questions to answer with functions made from SQL, the first of which is refused.

    Args:
        setting: `open` (functions are searched for), `closed` (solutions and distractors are in the prompt), or
            `distractors` (only those are).
        distractors: how many.
        hints: whether the agent is told which data is meant.
        errors: `off`, `on` or `both`.
        split: `test`, `validation` or `all`.
        limit: at most this many problems.
        epochs: how many times each is run, each time as its own sample, so that a run can be resumed.
        seed: decides distractors, their order, and which problems are the first.
        max_steps: messages of the model until an episode is cut off.
        search: `bm25`, or a sentence-transformers model.
        plan: your own fault plan as JSON, or the name of its file; it replaces the refusals.
        data: a folder that `sealegs highwater build` wrote, in place of the package's own data.
        allow_weak_sandbox: run code where there is no strong isolation.
        sandbox: runs code in a sandbox of Inspect in place of ours: `docker`, `docker:compose.yaml`, ...
        only: ids of episodes to run and no others.
    """
    if errors not in MODES:
        raise ValueError(f"errors={errors!r} is unknown; choose from {', '.join(MODES)}")
    if wrong := problems_of(sandbox, allow_weak_sandbox):
        raise ValueError("; ".join(wrong))
    if not sandbox:
        launcher(allow_weak_sandbox)  # what is wrong with it is reported before anything runs
    own = json.dumps(read_plan(plan).as_data()) if plan and not plan.startswith("{") else plan
    problems = choose_problems(data, split, limit, seed)
    check_databases(data, problems)
    found = episodes_of_problems(
        problems,
        MODES[errors],
        setting=setting,
        distractors=distractors,
        hints=hints,
        seed=seed,
        own=own,
        folder=data,
        epochs=epochs,
    )
    asked = {"max_steps": max_steps, "search": search, "interface": "code"}
    return Task(
        dataset=MemoryDataset([_sample(one, asked, epochs) for one in found if only is None or one.id in only], SUITE),
        solver=code_loop(max_steps, search, allow_weak_sandbox),
        sandbox=sandbox_for(resolve_sandbox_path(sandbox)),
        scorer=rows_verdict(),
        config=GenerateConfig(temperature=0.0, max_tokens=4_000, stop_seqs=[STOP]),
        fail_on_error=False,
        score_on_error=True,
        version=VERSION,
        metadata={"setting": setting, "seed": seed, "sandbox": sandbox, **asked},
    )


def _sample(episode: HighwaterEpisode, asked: dict[str, Any], epochs: int) -> Sample:
    about = {**episode.about({}), "data": episode.data, "own": episode.own, "epochs": epochs, **asked}
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=coder_system_prompt(episode, asked["max_steps"])),
        ChatMessageUser(content=question(episode), metadata={METADATA: about}),
    ]
    return Sample(input=messages, id=episode.id, metadata=about)


@solver
def code_loop(max_steps: int = 25, search: str = BM25, allow_weak_sandbox: bool = False) -> Solver:
    """Messages and observations in turns until a solution, with the faults of the sample's episode."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = sampled_episode(state.metadata, state.epoch)
        clock = RealClock()
        recorder = Recorder(clock, note_faults)
        asked = {name: state.metadata[name] for name in RUN_FACTS}
        recorder.start(episode.id, episode.about({**agent_or_model(str(get_model())), **asked}))
        with note_record(recorder):
            await _converse(
                state, Environment(episode, recorder, clock, search), recorder, max_steps, allow_weak_sandbox
            )
        return state

    return solve


async def _converse(
    state: TaskState, environment: Environment, recorder: Recorder, max_steps: int, allow_weak: bool
) -> None:
    model = get_model()
    end: ModelEnd | None = None  # of the last message
    async with TaskInterpreter(environment, kernels(allow_weak)) as interpreter:
        for _ in range(max_steps):
            state.output = await model.generate(state.messages)
            end = model_end(state.output)
            if end is not None and end.last:
                finish_by_model(recorder, state.output)
                return
            state.messages.append(_closed(state.output.message))
            message = state.messages[-1].text
            asked = action(message)
            if asked.kind == "solution":
                recorder.finish("answered", answer=asked.text)
                return
            recorder.wrote(message)
            told = wrap_observation(NO_ACTION) if asked.kind == "none" else await interpreter.run(asked.text)
            state.messages.append(ChatMessageUser(content=told))
    if end is None:
        recorder.finish("steps", detail=f"no answer within {max_steps} messages")
    else:
        recorder.finish(end.reason, detail=end.detail)


def _closed(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """The message with the closing tag at which it was stopped."""
    text = message.text
    if action(text).kind != "execute" or STOP in text.lower():
        return message
    return message.model_copy(update={"content": f"{text.rstrip()}\n{STOP}"})


@metric(name="accuracy_no_errors")
def accuracy_clean() -> InspectMetric:
    """Share of right answers without errors, in %."""
    return _accuracy(clean=True)


@metric(name="accuracy_errors")
def accuracy_faulty() -> InspectMetric:
    """Share of right answers under errors, in %."""
    return _accuracy(clean=False)


def _accuracy(clean: bool) -> InspectMetric:
    def value(scores: list[SampleScore]) -> float:
        found = [s for s in scores if ((s.sample_metadata or {}).get("mode") == CLEAN) == clean]
        right = [(s.score.metadata or {}).get("verdict", {}).get("right", False) for s in found]
        return 100 * sum(right) / len(right) if right else math.nan

    return value


@scorer(metrics=[accuracy_clean(), accuracy_faulty()])
def rows_verdict() -> Scorer:
    """Our judge's verdict, from the record in the transcript; also under `inspect score`. None of an invalid one."""

    async def score(state: TaskState, target: Target) -> Score | None:
        found = build_record(transcript_record(transcript().events))
        if found.outside:
            return None
        verdict = judge_highwater_episode(sampled_episode(state.metadata, state.epoch), found).verdict
        why = f"{verdict.term}: {verdict.reason}" if verdict.term else "right"
        return Score(value="C" if verdict.right else "I", explanation=why, metadata={"verdict": asdict(verdict)})

    return score
