"""Reference agents in real evals: what they solve by the eval's own scorers, clean and under faults."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_evals", reason=needs.module("inspect_evals"))

import inspect_evals.agentdojo
import inspect_evals.tau2.tau2
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ChatMessageTool, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.scorer import value_to_float
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.suites.inspect_eval import reference_agents
from sealegs.suites.inspect_eval.end_states import (
    end_states_in_logs,
    ended_elsewhere,
    logged_end_states,
    solution_states,
)
from sealegs.suites.inspect_eval.eval_judging import judged_episodes
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode, EvalLogs, read_eval_logs
from sealegs.suites.inspect_eval.eval_runner import EvalRunner
from sealegs.suites.inspect_eval.foreign_environments import foreign_eval
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, load_knowledge
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.reference_agents import reference_solver
from sealegs.suites.inspect_eval.reference_calls import ReferenceCaller

DOJO: dict[str, Any] = {"with_injections": False, "with_sandbox_tasks": "no"}
DOJO_ARGUMENTS = ("with_injections=false", "with_sandbox_tasks=no")


def played(task: Task, folder: Path, limit: int | None = None) -> EvalLog:
    (log,) = inspect_eval(
        task, model="mockllm/model", display="none", log_dir=str(folder), log_realtime=False, limit=limit
    )
    assert log.status == "success", log.error
    return log


def solved(log: EvalLog) -> dict[str, bool]:
    number = value_to_float()
    found = {}
    for sample in log.samples or []:
        (score,) = (sample.scores or {}).values()
        value = score.value["utility"] if isinstance(score.value, dict) else score.value
        found[str(sample.id)] = number(value) == 1
    return found


def dojo(suite: str, **more: Any) -> Task:
    return inspect_evals.agentdojo.agentdojo(workspace=suite, **DOJO, **more)


@pytest.mark.parametrize("suite", ["banking", "slack", "travel", "workspace"])
def test_gold_solves_what_the_evals_own_ground_truth_agent_solves(suite: str, tmp_path: Path) -> None:
    own = solved(played(dojo(suite, agent="ground_truth"), tmp_path / "own"))
    ours = task_with(dojo(suite), solver=reference_solver("agentdojo", "gold"))
    assert solved(played(ours, tmp_path / "ours")) == own
    assert sum(own.values()) >= len(own) - 4


@pytest.mark.parametrize(("domain", "limit"), [("telecom", 40), ("airline", 2), ("retail", 2), ("banking", 10)])
def test_tau2_gives_gold_what_its_actions_deserve(domain: str, limit: int, tmp_path: Path) -> None:
    made = getattr(inspect_evals.tau2.tau2, f"tau2_{domain}")(shuffle=False)
    actions = {
        str(one.id): {action["name"] for action in one.metadata["task"]["evaluation_criteria"]["actions"] or ()}
        for one in made.dataset
    }
    task = task_with(made, solver=reference_solver(f"tau2_{domain}", "gold"))
    found = solved(played(task, tmp_path, limit))
    # Inspect reads a whole income as a float, and the state that the eval expects is made without that
    assert found == {sample: "apply_for_credit_card" not in actions[sample] for sample in found}
    assert len(found) == limit


def test_a_stop_in_tau2_is_the_agents_own_words(tmp_path: Path) -> None:
    """Its user ends the talk; what counts as a stop is what the agent said before."""
    options = InspectOptions(
        task="inspect_evals/tau2_retail",
        task_args=("shuffle=false",),
        agent="gold",
        modes=("P2",),
        moment="before",
        limit=2,
    ).checked()
    EvalRunner(options, tmp_path).play(lambda done, total: None)
    logs = read_eval_logs(tmp_path)
    found = {(one.mode, one.sample): one for one in judged_episodes(logs)}
    lost = [key for key, one in found.items() if one.mode == "P2" and one.exposed and not one.solved]
    assert lost
    for mode, sample in lost:
        record = logs.played[EvalEpisode(mode, sample, 1)].record
        assert record is not None
        assert (record.answer or "").startswith("I have to stop here: ")
        assert found[mode, sample].right_stop
        assert not found[mode, sample].early_stop


@modelapi(name="bothsides")
class BothSides(ModelAPI):
    """Plays tau2's agent and its user, as one model does that is given no role: the agent is offered tools."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        if not tools:
            over = any("stop here" in message.text for message in input)
            return ModelOutput.from_content("both", "###STOP###" if over else "I am raj_sanchez_7340. Cancel my trip.")
        last = input[-1]
        if isinstance(last, ChatMessageTool):
            text = "I have to stop here, because I cannot see your account." if last.error else "You need to stop here."
            return ModelOutput.from_content("both", text)
        return ModelOutput.for_tool_call("both", "get_user_details", {"user_id": "raj_sanchez_7340"})


def test_a_model_that_plays_tau2s_user_too_does_not_speak_for_the_agent(tmp_path: Path) -> None:
    options = InspectOptions(
        task="inspect_evals/tau2_airline",
        task_args=("shuffle=false",),
        model="bothsides/one",
        modes=("P2",),
        limit=1,
    ).checked()
    EvalRunner(options, tmp_path).play(lambda done, total: None)
    logs = read_eval_logs(tmp_path)
    (hit,) = [one for key, one in logs.played.items() if key.mode == "P2"]
    assert hit.record is not None
    assert hit.record.exposed
    assert hit.record.answer == "I have to stop here, because I cannot see your account."
    (found,) = [one for one in judged_episodes(logs) if one.mode == "P2"]
    assert found.right_stop == (not found.solved)
    assert not found.early_stop


class CutCaller(ReferenceCaller):
    """Stops before a call of the solution, or after it, as if its answer had been lost."""

    def __init__(self, tool: str, moment: str) -> None:
        super().__init__()
        self._tool, self._moment, self._faulted = tool, moment, False

    async def call(self, wanted: Any, tools: Any, messages: Any) -> Any:
        from sealegs.suites.inspect_eval.reference_calls import ServiceFailure

        if wanted.tool != self._tool or self._faulted:
            return await super().call(wanted, tools, messages)
        self._faulted = True
        if self._moment == "after":
            await super().call(wanted, tools, messages)
        return ServiceFailure("503", "transient")


def run(folder: Path, suite: str, **more: Any) -> EvalLogs:
    options = InspectOptions(
        task="inspect_evals/agentdojo", task_args=(f"workspace={suite}", *DOJO_ARGUMENTS), **more
    ).checked()
    with end_states_in_logs(known_as(f"agentdojo_{suite}")):
        EvalRunner(options, folder).play(lambda done, total: None)
    return read_eval_logs(folder)


def known_as(name: str) -> EvalKnowledge:
    known = load_knowledge(name)
    assert known is not None
    return known


def elsewhere(folder: Path, name: str) -> dict[str, set[str]]:
    """The samples of each mode that ended in a state which their solution, made once, does not leave."""
    foreign = foreign_eval(name)
    samples = {one.id: one for one in foreign.samples()}
    other = ended_elsewhere(
        folder, lambda sample: asyncio.run(solution_states(foreign, known_as(name), samples[sample]))
    )
    modes = {key.mode for key in logged_end_states(folder)}
    return {mode: {key.sample for key in other if key.mode == mode} for mode in modes}


def outcomes(logs: EvalLogs, mode: str) -> dict[str, bool]:
    return {one.sample: one.solved for one in judged_episodes(logs) if one.mode == mode and one.counts}


def faulted(logs: EvalLogs, mode: str) -> dict[str, tuple[str, str]]:
    """The faulted tool and the moment of each exposed sample."""
    found = {}
    for key, one in logs.played.items():
        if key.mode == mode and one.record is not None:
            for turn in one.record.turns:
                for injection in turn.injections:
                    found[key.sample] = turn.call.tool, injection.moment
    return found


SUITES = pytest.mark.parametrize(("suite", "count"), [("banking", 16), ("slack", 20), ("travel", 20)])


@SUITES
def test_gold_loses_what_the_eval_itself_does_not_give_a_solution_that_is_cut_there(
    suite: str, count: int, tmp_path: Path
) -> None:
    """By the eval alone: the same solution, cut without any fault where the fault struck."""
    from sealegs.suites.inspect_eval import reference_agentdojo

    logs = run(tmp_path / "faulted", suite, agent="gold", modes=("NP", "P1"))
    places = faulted(logs, "P1")
    assert len(places) == count  # all of them are exposed
    assert all(outcomes(logs, "NP").values())
    expected = {}
    for sample, (tool, moment) in places.items():

        def cut(tool: str = tool, moment: str = moment) -> Any:
            from inspect_ai.solver import solver

            @solver
            def made() -> Any:
                async def solve(state: Any, generate: Any) -> Any:
                    return await reference_agentdojo.play_ground_truth(state, generate, CutCaller(tool, moment))

                return solve

            return made()

        number = re.findall(r"\d+$", sample)[0]
        task = task_with(dojo(suite, user_task_ids=[int(number)]), solver=cut())
        expected |= solved(played(task, tmp_path / "cut"))
    assert outcomes(logs, "P1") == expected
    assert not all(expected.values())


@SUITES
@pytest.mark.parametrize("more", [{"agent": "gold-retrier"}, {"agent": "gold", "recovery": "active"}], ids=str)
def test_who_tries_again_keeps_all_and_does_nothing_twice(
    more: dict[str, Any], suite: str, count: int, tmp_path: Path
) -> None:
    logs = run(tmp_path, suite, modes=("NP", "P1"), **more)
    assert len(faulted(logs, "P1")) == count
    assert outcomes(logs, "P1") == outcomes(logs, "NP") == dict.fromkeys(outcomes(logs, "NP"), True)
    found = {(one.mode, one.sample): one for one in judged_episodes(logs)}
    assert not any(one.doubled for one in found.values())
    assert elsewhere(tmp_path, f"agentdojo_{suite}") == {"NP": set(), "P1": set()}


class BlindCaller(ReferenceCaller):
    """Makes a call again whenever its service failed, whatever it did."""

    async def call(self, wanted: Any, tools: Any, messages: Any) -> Any:
        if await super().call(wanted, tools, messages) is not None:
            return await super().call(wanted, tools, messages)
        return None


@pytest.mark.parametrize("suite", ["banking", "slack"])
def test_who_repeats_blindly_is_seen_in_the_environments_state(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records and the eval's own state agree on who did something twice."""
    monkeypatch.setattr(reference_agents, "_caller", lambda agent, known: BlindCaller())
    logs = run(tmp_path, suite, modes=("NP", "P1"), moment="after", agent="gold")
    doubled = {one.sample for one in judged_episodes(logs) if one.doubled}
    assert doubled
    assert elsewhere(tmp_path, f"agentdojo_{suite}") == {"NP": set(), "P1": doubled}


def tau2_run(folder: Path, domain: str, agent: str) -> EvalLogs:
    """Three tasks of a domain, clean and with one transient failure."""
    options = InspectOptions(
        task=f"inspect_evals/tau2_{domain}", task_args=("shuffle=false",), agent=agent, modes=("NP", "P1"), limit=3
    ).checked()
    with end_states_in_logs(known_as(f"tau2_{domain}")):
        EvalRunner(options, folder).play(lambda done, total: None)
    return read_eval_logs(folder)


@pytest.mark.parametrize(("domain", "count"), [("airline", 2), ("retail", 3)])  # a task of airline asks for no call
def test_gold_loses_in_tau2_what_the_eval_does_not_give_actions_that_are_cut_there(
    domain: str, count: int, tmp_path: Path
) -> None:
    from inspect_ai.solver import solver

    from sealegs.suites.inspect_eval import reference_tau2

    logs = tau2_run(tmp_path / "faulted", domain, "gold")
    places = faulted(logs, "P1")
    assert len(places) == count
    assert all(outcomes(logs, "NP").values())
    expected = {}
    for sample, (tool, moment) in places.items():

        @solver
        def cut(tool: str = tool, moment: str = moment) -> Any:
            async def solve(state: Any, generate: Any) -> Any:
                return await reference_tau2.play_gold_actions(state, generate, CutCaller(tool, moment))

            return solve

        made = getattr(inspect_evals.tau2.tau2, f"tau2_{domain}")(shuffle=False)
        made.dataset = made.dataset.filter(lambda one, sample=sample: str(one.id) == sample)
        expected |= solved(played(task_with(made, solver=cut()), tmp_path / "cut"))
    assert outcomes(logs, "P1") == expected
    assert not all(expected.values())


def test_who_tries_again_in_tau2_keeps_all_and_does_nothing_twice(tmp_path: Path) -> None:
    logs = tau2_run(tmp_path, "retail", "gold-retrier")
    assert len(faulted(logs, "P1")) == 3
    assert outcomes(logs, "P1") == outcomes(logs, "NP") == dict.fromkeys(outcomes(logs, "NP"), True)
    assert not any(one.doubled for one in judged_episodes(logs))
    assert elsewhere(tmp_path, "tau2_retail") == {"NP": set(), "P1": set()}
