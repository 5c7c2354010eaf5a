"""Experiments on agents in this process: verdicts, exposure, pairs, drawn faults, resuming, and wrong use."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.experiments import ExperimentReport, experiment
from sealegs.experiments.experiment_report import read_experiment
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import AnyFault, Error, LostAck
from sealegs.faults.triggers import Always, First, Probability, Tool
from sealegs.faults.user_error import UserError
from sealegs.traces.chain_check import check_chains
from tests.experiments import agents

DOWN = Error(status=503)


def plan(tool: str = "find_order", fault: AnyFault = DOWN, when: Any = None) -> Plan:
    return Plan(name="p", rules=(Rule(match=Tool(tool), when=when or First(1), fault=fault),))


def run(agent: Any, *args: Any, **options: Any) -> ExperimentReport:
    return experiment(agent, *args, **{"check": agents.fine, "inputs": ["order 17"], **options})


def decision(report: ExperimentReport) -> str:
    return report.verdict.decision


def row(report: ExperimentReport, mode: str, metric: str) -> dict[str, Any]:
    (found,) = [one for one in report.rows if (one["level"], one["mode"], one["metric"]) == ("all", mode, metric)]
    return dict(found)


def test_a_careful_agent_holds_under_the_default_faults() -> None:
    report = run(agents.careful)
    assert (decision(report), report.exit_code) == ("held", 0), report.summary
    assert row(report, "faults", "pass_rate")["value"] == 100
    assert row(report, "faults", "delivered")["value"] == 100
    assert len({fault for one in report.runs for fault in one.faults}) >= 15, "the faults differ between the runs"


def test_a_hasty_agent_pays_twice_and_is_stopped_at_once() -> None:
    report = run(agents.hasty, plan("refund", LostAck()), contracts=["no_action_twice"])
    assert (decision(report), report.exit_code) == ("weakness", 1)
    assert "run 1 broke no_action_twice" in report.summary
    assert sum(one.arm == "faults" for one in report.runs) == 1, "one broken contract proves it"


def reporting(**declared: Any) -> Any:
    """An agent that pays with another note each time, with a tool that reports the payment if it is declared."""

    @sealegs.tool(**declared)
    def pay(to: str, note: str) -> str:
        if declared:
            sealegs.report_effect("paid", to)
        return "paid"

    def agent(input: str) -> str:
        for nth in range(3):
            try:
                return str(pay("Bob", f"try {nth}" if declared else "rent"))
            except Exception:
                continue
        return "could not pay"

    return agent


@pytest.mark.parametrize("contracts", [[], ["no_action_twice"]])
def test_a_deed_that_is_twice_in_the_ledger_is_a_weakness_whatever_the_arguments(contracts: list[str]) -> None:
    report = experiment(reporting(effects=True), plan("pay", LostAck()), inputs=["x"], contracts=contracts)
    assert decision(report) == "weakness"
    assert report.runs[-1].violations == ("no_action_twice",)
    assert "paid Bob happened twice: by call-1: pay(" in report.runs[-1].problems[0]


def test_an_undeclared_tool_that_was_called_again_is_named_with_the_verdict() -> None:
    report = experiment(reporting(), plan("pay", LostAck()), inputs=["x"], runs=14)
    (note,) = report.notes
    assert decision(report) == "held"
    assert note.startswith("called again after a lost answer: pay 14; say by @tool(effects=...)")
    assert report.summary.endswith(f" Note: {note}.")
    assert report.data()["notes"] == [note]
    assert note in report.page()
    assert not run(agents.careful, plan(), runs=1).notes


def test_a_doubled_action_is_a_weakness_without_being_asked_for() -> None:
    report = experiment(agents.hasty, plan("refund", LostAck()), inputs=["x"])
    assert decision(report) == "weakness"
    assert "took effect twice" in report.runs[-1].problems[0]


def test_a_naive_agent_is_stopped_when_it_cannot_hold_any_more() -> None:
    report = run(agents.naive, plan())
    faults = [one for one in report.runs if one.arm == "faults"]
    assert decision(report) == "weakness"
    assert (len(faults), report.stopped) == (8, True)
    assert all("crashed" in one.problems[0] for one in faults)
    whole = run(agents.naive, plan(), settle=False)
    assert sum(one.arm == "faults" for one in whole.runs) == 20
    assert decision(whole) == "weakness"
    stopped, full = (row(one, "faults", "pass_rate") for one in (report, whole))
    assert stopped["high"] > full["high"], "a stopped sample says less"


def test_an_agent_that_fails_anyway_is_not_called_weak_under_faults() -> None:
    report = run(agents.wrong, plan())
    assert (decision(report), report.exit_code) == ("inconclusive", 3)
    assert "without any fault it passed 0 of 8" in report.summary
    assert not [one for one in report.runs if one.arm == "faults"], "no run under faults is paid for"


def test_runs_that_meet_no_fault_count_nowhere() -> None:
    report = run(agents.naive, plan(when=Probability(0.3)), runs=40, settle=False)
    faulted = [one for one in report.runs if one.counts and one.arm == "faults"]
    assert 0 < len(faulted) < 40
    assert row(report, "faults", "pass_rate")["n"] == len(faulted)
    assert row(report, "faults", "pass_rate")["value"] == 0
    assert row(report, "faults", "delivered")["n"] == 40
    assert report.unexposed == 40 - len(faulted)
    assert f"{report.unexposed} runs met no fault" in report.summary


def test_a_plan_that_never_strikes_says_nothing() -> None:
    report = run(agents.careful, plan("another_tool"))
    assert decision(report) == "inconclusive"
    assert "no fault was delivered" in report.summary


def test_pairs_have_the_same_input_and_number() -> None:
    received: list[str] = []

    def agent(input: str) -> str:
        received.append(input)
        return agents.careful(input)

    report = run(agent, plan(), inputs=["a", "b", "c"], runs=7, fail_under=0.5)
    clean, faulted = ([one for one in report.runs if one.arm == arm] for arm in ("baseline", "faults"))
    assert [one.input for one in clean] == [one.input for one in faulted] == ["a", "b", "c", "a", "b", "c", "a"]
    assert received == [one.input for one in (*clean, *faulted)]
    assert row(report, "faults", "pass_rate_difference")["n"] == 7
    assert {one["level"] for one in report.rows} == {"a", "b", "c", "all"}


def test_inputs_that_no_run_takes_are_named() -> None:
    notes: list[str] = []
    run(agents.careful, plan(), inputs=["a", "b", "c"], runs=2, view=noted(notes))
    assert "2 runs take the first 2 of 3 inputs; --runs 3 takes all" in notes
    assert any("2 runs cannot show a pass rate of 80 %, even if all pass; 14 can" in note for note in notes)


def test_equal_seeds_draw_equal_faults_and_others_do_not() -> None:
    def drawn(seed: int) -> list[tuple[str, ...]]:
        return [one.faults for one in run(agents.careful, seed=seed, settle=False).runs]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_drawn_faults_take_tools_and_kinds_in_turn() -> None:
    faults = [one.faults[0] for one in run(agents.careful, settle=False).runs if one.arm == "faults"]
    tools = [fault.split()[0] for fault in faults[:6]]
    assert len(set(tools[:3])) == 3
    kinds = [fault.split()[1] for fault in faults if fault.startswith("refund ")]
    assert len(set(kinds[:5])) == 5


@pytest.mark.parametrize("agent", [agents.careful, agents.careful_async])
def test_a_callable_may_be_sync_or_async(agent: Callable[[str], Any]) -> None:
    assert decision(run(agent, runs=15)) == "held"


async def test_an_async_agent_runs_where_a_loop_runs_already() -> None:
    assert decision(run(agents.careful_async, plan(), runs=15)) == "held"


@sealegs.tool(effects=False)
def feed() -> Iterator[int]:
    """An endless feed."""
    yield from itertools.count()


def test_an_agent_may_read_a_part_of_an_answer_without_end() -> None:
    report = experiment(lambda _: str([*itertools.islice(feed(), 3)]), plan("none"), inputs=["x"], runs=1)
    assert report.runs[0].problems == ()
    assert report.runs[0].record.answer == "[0, 1, 2]"


def test_an_agent_may_take_the_session() -> None:
    def ask() -> int:
        return 1

    def agent(session: Any) -> int:
        return int(sealegs.wrap(ask, session)())

    report = experiment(agent, plan("ask"), runs=3)
    assert "the agent crashed" in report.runs[-1].problems[0]


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        (agents.endless, "the agent did not stop: more than 10 calls"),
        (agents.leaving, "the agent crashed: SystemExit: 0"),
    ],
)
def test_no_end_is_taken_for_a_pass(agent: Callable[[str], Any], says: str) -> None:
    report = experiment(agent, plan(when=Always()), inputs=["x"], baseline=False, max_calls=10)
    assert decision(report) == "weakness"
    assert report.runs[0].problems[0] == says


def test_usage_is_added_up_and_can_be_limited() -> None:
    def agent(input: str) -> str:
        sealegs.report_usage(tokens=60, cost=0.01)
        sealegs.report_usage(tokens=60)
        return agents.careful(input)

    report = run(agent, plan(), contracts=["tokens_at_most:100"], runs=2)
    assert report.runs[0].record.about["usage"] == {"tokens": 120, "cost": 0.01}
    assert report.runs[0].violations == ("tokens_at_most:100",)
    with pytest.raises(UserError, match="report_usage"):
        run(agents.careful, plan(), contracts=["cost_at_most:1"], runs=2)


def test_a_stopped_experiment_is_resumed(tmp_path: Path) -> None:
    calls: list[str] = []

    def agent(input: str) -> str:
        calls.append(input)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return agents.careful(input)

    with pytest.raises(KeyboardInterrupt):
        run(agent, out=tmp_path / "here")
    notes: list[str] = []
    report = run(agent, out=tmp_path / "here", view=noted(notes))
    assert any("8 runs that had ended are kept" in note for note in notes)
    assert len(calls) == 41, "8 runs, the one that was stopped, and the other 32"
    assert decision(report) == "held"
    fresh = run(agents.careful)
    assert [one.faults for one in report.runs] == [one.faults for one in fresh.runs]
    kept = read_experiment(tmp_path / "here", [])
    assert kept.rows == report.rows
    assert kept.verdict == report.verdict


def test_a_secret_in_an_input_stays_in_no_file_and_the_experiment_is_resumed(tmp_path: Path) -> None:
    secret, calls = "sk-proj-" + "4fT9" * 12, 0

    def agent(input: str) -> str:
        nonlocal calls
        calls += 1
        assert secret in input, "the agent gets it as it is"
        if calls == 3:
            raise KeyboardInterrupt
        return agents.careful("order 17")

    options: dict[str, Any] = {"inputs": [f"order 17, with {secret}"], "out": tmp_path / "here", "runs": 2}
    with pytest.raises(KeyboardInterrupt):
        run(agent, plan(), **options)
    notes: list[str] = []
    run(agent, plan(), **options, view=noted(notes))
    assert any("2 runs that had ended are kept" in note for note in notes), notes
    files = [file for file in (tmp_path / "here").rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {"run.json", "episodes.jsonl", "verdict.json"}
    assert [file.name for file in files if secret.encode() in file.read_bytes()] == []
    assert {oct(file.stat().st_mode & 0o777) for file in files} == {"0o600"}


def test_an_experiment_that_has_ended_begins_again_and_sets_the_last_one_aside(tmp_path: Path) -> None:
    first = run(agents.naive, plan(), out=tmp_path / "here")
    notes: list[str] = []
    second = run(agents.careful, plan(), out=tmp_path / "here", view=noted(notes))
    assert (decision(first), decision(second)) == ("weakness", "held")
    assert "set aside in" in notes[0]
    assert read_experiment(tmp_path / "here" / "previous-1", []).rows == first.rows
    for folder in (tmp_path / "here", tmp_path / "here" / "previous-1"):
        assert [one.state for one in check_chains(folder)] == ["whole"]


def test_runs_of_other_code_are_not_mixed_in(tmp_path: Path) -> None:
    run(agents.careful, plan(), out=tmp_path / "here")
    (tmp_path / "here" / "verdict.json").unlink()
    settings = tmp_path / "here" / "run.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "code": "another"}))
    notes: list[str] = []
    report = run(agents.careful, plan(), out=tmp_path / "here", view=noted(notes))
    assert "the agent's code has changed" in notes[0]
    assert len(report.runs) == 40 - (20 - sum(one.arm == "faults" for one in report.runs))


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty and holds no experiment"):
        run(agents.careful, plan(), out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def needy(one: str, two: str) -> str:
    return one + two


def behind(session: sealegs.Session, question: str) -> str:
    assert isinstance(session, sealegs.Session)
    return agents.careful(question)


def named(*, question: str) -> str:
    return agents.careful(question)


def behind_an_option(model: str = "m", *, question: str) -> str:
    return agents.careful(question) if model == "m" else ""


def after_an_option(session: sealegs.Session, model: str = "m", *, question: str) -> str:
    return agents.careful(question) if model == "m" and session is not None else ""


@pytest.mark.parametrize("agent", [behind, named, behind_an_option, after_an_option])
def test_an_input_behind_the_session_or_after_a_star_is_given_by_name(agent: Any) -> None:
    report = run(agent, plan(), check=agents.correct, runs=3)
    assert row(report, "faults", "pass_rate")["value"] == 100, report.summary


@pytest.mark.parametrize(
    ("agent", "options", "says"),
    [
        (agents.toolless, {}, "called no tool through Sealegs in 20 runs"),
        (agents.careful, {"baseline": False}, "give a plan, or keep the baseline"),
        (agents.careful, {"plan": Plan(name="none")}, "has no rules"),
        (agents.careful, {"inputs": []}, "careful needs an input (input); give it with --input or --inputs"),
        (needy, {}, "needy needs 2 arguments"),
        (lambda: 1, {}, "takes no input, and one is given ('order 17')"),
        (17, {}, "is of type int, which cannot be run: give a function that takes the input"),
        ("nowhere", {}, "'nowhere' is not an agent"),
        (agents.careful, {"fail_under": 0}, "above 0 and at most 100 %, and 0 is not"),
        (agents.careful, {"fail_under": 101}, "above 0 and at most 100 %, and 101 is not"),
        (agents.careful, {"contracts": ["no_action_twic"]}, "did you mean no_action_twice"),
        (agents.careful, {"check": lambda answer: 0.3}, "the check returned 0.3; return True or False"),
        (agents.careful, {"specs": [1]}, "something other than ToolSpecs"),
        (agents.careful, {"jobs": 2}, "several processes need an agent"),
        ("tests.experiments.agents:careful", {"jobs": 2, "check": None, "specs": [1]}, "other than ToolSpecs"),
    ],
)
def test_wrong_use_is_one_sentence(agent: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError) as error:
        run(agent, **{"check": agents.correct, **options})
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_several_processes_need_no_specs() -> None:
    agent = "tests.experiments.agents:careful"
    report = experiment(agent, plan(), check="tests.experiments.agents:correct", inputs=["order 17"], runs=4, jobs=2)
    assert row(report, "faults", "pass_rate")["value"] == 100, report.summary


class noted:  # noqa: N801 (read as a verb)
    """A view that keeps the notes."""

    def __init__(self, notes: list[str]) -> None:
        self.note = notes.append

    def progress(self, done: int, total: int) -> None:
        assert 0 <= done <= total
