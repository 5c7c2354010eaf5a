"""Whole episodes with the real LangChain agent: every workload, every fault, both levels."""

from __future__ import annotations

import asyncio
import errno
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))
pytestmark = pytest.mark.filterwarnings("default")

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402

from sealegs.faults.user_error import UserError  # noqa: E402
from sealegs.suites.micro.agent import chat_model, model_mistake, react_agent  # noqa: E402
from sealegs.suites.micro.campaign_faults import (  # noqa: E402
    BurstPattern,
    Permanent,
    ProbabilityPattern,
    Schedule,
    Transient,
    experiment_plan,
)
from sealegs.suites.micro.episode import play_micro_episode  # noqa: E402
from sealegs.suites.micro.episode_summary import read_live, summarize_calls, summarize_cut_off  # noqa: E402
from sealegs.suites.micro.scripted_chat import ScriptedChat  # noqa: E402
from sealegs.suites.micro.workloads import load_workloads  # noqa: E402

SINGLE = [one.name for one in load_workloads().values() if not one.paired]
PAIRED = {"boundary": "inner"}
OFFLINE = ("bmi", "tip", "travel")  # a head can do without a tool


def played(
    workload: str, model: str, fault: str = "none", schedule: Schedule | None = None, **more: Any
) -> dict[str, Any]:
    parameters = more.pop("parameters", {})
    plan = experiment_plan(fault, parameters, schedule or Permanent(), more.pop("seed", 3), more.pop("tool", "*"))
    return play_micro_episode({"workload": workload, "model": f"scripted/{model}", "plan": plan.as_data(), **more})


def right(workload: str, result: Mapping[str, Any]) -> bool:
    return load_workloads()[workload].judge(result["answer"] or "")


@pytest.mark.parametrize("model", ["oracle", "naive", "retrier"])
@pytest.mark.parametrize("workload", SINGLE)
def test_without_a_fault_all_is_right(workload: str, model: str) -> None:
    result = played(workload, model)
    assert right(workload, result)
    assert (result["ended"], result["exposed"], result["strikes"]) == ("answered", False, [])
    assert len(result["calls"]) == len(load_workloads()[workload].task.steps) == result["steps"] - 1
    assert all(call["said"] == call["shown"] is not None for call in result["calls"])
    assert 0 < result["first_call_seconds"] <= result["seconds"] < 20


@pytest.mark.parametrize("workload", SINGLE)
def test_a_tool_that_is_never_reached(workload: str) -> None:
    for model in ("naive", "retrier"):
        result = played(workload, model, "unreachable")
        assert "failed ([Errno 111] Connection refused)" in result["answer"]
        assert len(result["calls"]) == (1 if model == "naive" else 3)
        assert all(call["failed"] and call["struck"] == ["connection"] for call in result["calls"])
    best = played(workload, "oracle", "unreachable")
    assert right(workload, best) is (workload in OFFLINE)
    assert right(workload, best) or "cannot answer" in best["answer"]


@pytest.mark.parametrize("workload", SINGLE)
def test_a_tool_that_comes_back(workload: str) -> None:
    assert right(workload, played(workload, "oracle", "unreachable", Transient(2)))
    assert right(workload, played(workload, "retrier", "unreachable", Transient(2)))
    assert not right(workload, played(workload, "naive", "unreachable", Transient(1)))
    assert not right(workload, played(workload, "retrier", "unreachable", Transient(3)))


@pytest.mark.parametrize("fault", ["incorrect", "delta"])
@pytest.mark.parametrize("workload", SINGLE)
def test_a_tool_that_lies(workload: str, fault: str) -> None:
    for model in ("naive", "retrier"):
        result = played(workload, model, fault)
        assert result["exposed"]
        assert not right(workload, result), result["answer"]
        assert "cannot answer" not in result["answer"]
        assert any(call["said"] != call["shown"] for call in result["calls"])
    best = played(workload, "oracle", fault)
    assert right(workload, best) is (workload in OFFLINE)
    assert right(workload, best) or "cannot answer" in best["answer"]
    assert right(workload, played(workload, "oracle", fault, Transient(1)))


@pytest.mark.parametrize("workload", SINGLE)
def test_a_slow_tool_is_slow_and_right(workload: str) -> None:
    for model in ("naive", "oracle"):
        result = played(workload, model, "slow", parameters={"seconds": 0.05})
        assert right(workload, result)
        assert result["exposed"]
        assert result["seconds"] >= 0.05 * len(result["calls"])
        assert all(call["struck"] == ["delay"] for call in result["calls"])


def test_another_way_is_found_where_one_tool_is_broken() -> None:
    for fault in ("unreachable", "incorrect"):
        result = played("trivia", "oracle", fault, tool="WikipediaTool")
        assert right("trivia", result)
        assert [call["tool"] for call in result["calls"]].count("WikipediaTool") == 3
        assert right("fares", played("fares", "oracle", fault, tool="CalculatorTool"))
        assert not right("voyage", played("voyage", "oracle", fault, tool="DateTool"))


@pytest.mark.parametrize("schedule", [ProbabilityPattern(0.4), BurstPattern(1, 1, 3, 1), Permanent()], ids=repr)
def test_the_same_seed_gives_the_same_faults(schedule: Schedule) -> None:
    def seen(seed: int) -> list[Any]:
        result = played("fares", "retrier", "delta", schedule, seed=seed)
        return [(call["tool"], call["arguments"], call["shown"], call["struck"]) for call in result["calls"]]

    assert seen(1) == seen(1)
    assert len({json.dumps(seen(seed)) for seed in range(8)}) > 1


def test_scripted_models_answer_from_what_the_tools_said() -> None:
    ask = AIMessage("", tool_calls=[{"name": "CalculatorTool", "args": {}, "id": "ask-1"}])
    for value in ("34.5", "77", "-3.25"):
        messages = [HumanMessage("How much?"), ask, ToolMessage(value, tool_call_id="ask-1")]
        assert ScriptedChat(way="naive", workload="tip").invoke(messages).text == f"The tip is {value} dollars."
        more = ScriptedChat(way="oracle", workload="tip").invoke(messages)
        assert bool(more.tool_calls) is (value != "34.5")


def test_the_agent_is_langchains_own_and_works_in_both_ways() -> None:
    from sealegs.suites.micro.langchain_tools import local_tools
    from sealegs.suites.micro.tools import Toolbox

    workload = load_workloads()["voyage"]
    agent = react_agent(chat_model("scripted/naive", workload), local_tools(workload.tools, Toolbox()), None)
    question = {"messages": [{"role": "user", "content": workload.prompt}]}
    assert type(agent).__module__.startswith("langgraph.")
    assert workload.judge(agent.invoke(question)["messages"][-1].text)
    assert workload.judge(asyncio.run(agent.ainvoke(question))["messages"][-1].text)


def test_how_a_run_may_end() -> None:
    raised = played("tip", "naive", "unreachable", errors="raised")
    assert (raised["ended"], raised["answer"]) == ("error", None)
    assert raised["error"].startswith("ConnectionRefusedError: ")
    assert raised["exposed"]
    limited = played("fares", "naive", max_steps=5)
    assert (limited["ended"], limited["answer"], limited["steps"]) == ("step limit", None, 5)
    assert limited["error"] == "no answer after 5 turns of the model"
    assert right("fares", played("fares", "naive", max_steps=6))


def test_the_record_is_written_as_it_happens_and_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "record.jsonl"
    result = played("currency", "retrier", "incorrect", Transient(1), record=str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    kept = summarize_calls(read_live(file))
    assert kept == {key: result[key] for key in kept}
    about = json.loads(file.read_text().splitlines()[0])["about"]
    assert about["workload"] == "currency"
    assert about["model"] == "scripted/retrier"
    whole = file.read_bytes()
    for length in range(0, len(whole), 97):  # cut anywhere, it can be read
        file.write_bytes(whole[:length])
        assert summarize_cut_off(file)["ended"] == "cut off"


@pytest.mark.parametrize("level", ["python", "mcp"])
def test_a_hang_hangs_and_its_record_tells(level: str, tmp_path: Path) -> None:
    file = tmp_path / "record.jsonl"
    plan = experiment_plan("hang", {}, Permanent(), 1, "CalculatorTool").as_data()
    payload = {"workload": "currency", "model": "scripted/oracle", "plan": plan, "level": level, "record": str(file)}
    code = (
        f"from sealegs.suites.micro.episode import play_micro_episode; play_micro_episode({payload!r}); print('over')"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        began = time.monotonic()
        while not summarize_cut_off(file)["exposed"] and time.monotonic() - began < 120:
            time.sleep(0.05)
        time.sleep(0.3)
        assert child.poll() is None
    finally:
        child.kill()
        out, _ = child.communicate()
    assert out == b""
    kept = summarize_cut_off(file)
    assert [call["tool"] for call in kept["calls"]] == ["SearchTool", "CalculatorTool"]
    assert kept["calls"][1]["struck"] == ["hang"]
    assert kept["calls"][1]["shown"] is None
    assert (kept["answer"], kept["exposed"]) == (None, True)


@pytest.mark.parametrize(
    ("workload", "model", "fault", "schedule"),
    [
        ("trivia", "naive", "none", Permanent()),
        ("voyage", "naive", "incorrect", Permanent()),
        ("fares", "retrier", "delta", ProbabilityPattern(0.5)),
        ("currency", "oracle", "unreachable", Transient(1)),
    ],
)
def test_over_mcp_the_same_plan_gives_the_same_faults(
    workload: str, model: str, fault: str, schedule: Schedule, tmp_path: Path
) -> None:
    pytest.importorskip("mcp.client.client", reason=needs.module("mcp.client.client"))
    here = played(workload, model, fault, schedule)
    there = played(workload, model, fault, schedule, level="mcp", record=str(tmp_path / "record.jsonl"))
    keys = ("tool", "arguments", "said", "shown", "failed", "struck")
    assert [[call[key] for key in keys] for call in there["calls"]] == [
        [call[key] for key in keys] for call in here["calls"]
    ]
    assert (there["answer"], there["exposed"]) == (here["answer"], here["exposed"])
    assert there["ended"] == "answered"
    assert 0 < there["first_call_seconds"] < there["seconds"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workload": "tipp"}, "unknown workload 'tipp'"),
        ({"model": "scripted/wise"}, "is not a scripted model; There is scripted/oracle"),
        ({"model": "gpt"}, "is not a model; Write PROVIDER:MODEL"),
        ({"boundary": "inner"}, "it has one agent"),
        ({"workload": "research_age"}, "name a boundary, outer or inner"),
        ({"workload": "research_age", "boundary": "inner", "level": "mcp"}, "two agents, which cannot be played"),
        ({"level": "wire", "max_steps": 0}, r"level: .*\n.*max_steps: "),
        ({"plan": {"name": "x", "rules": [{}]}}, "plan has 2 mistakes"),
        ({"errors": "raised", "level": "mcp"}, "failures are always shown"),
        ({"colour": 1}, "colour: Extra inputs"),
    ],
)
def test_what_cannot_be_played(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        play_micro_episode({"workload": "tip", "model": "scripted/naive", **change})


def test_without_langchain_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sealegs.suites.micro.episode.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r'pip install "sealegs\[micro\]"'):
        play_micro_episode({"workload": "tip", "model": "scripted/naive"})


def test_models_by_name() -> None:
    assert [model_mistake(name) for name in ("scripted/oracle", "openai:gpt-5")] == ["", ""]
    with pytest.raises(UserError, match="cannot be used"):
        chat_model("nobody:nothing", load_workloads()["tip"])


def test_what_a_fork_needs_is_loaded_and_no_thread_lives_on() -> None:
    code = """
import sys, threading
from sealegs.suites.micro.episode import play_micro_episode, prepare
prepare()
loaded = set(sys.modules)
for name in ("fares", "anniversary"):
    play_micro_episode({"workload": name, "model": "scripted/oracle"})
print(threading.active_count(), sorted(set(sys.modules) - loaded))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "1 []\n"


@pytest.mark.parametrize(("workload", "more"), [("tip", {}), ("tip", {"errors": "raised"}), ("research_age", PAIRED)])
def test_a_record_that_cannot_be_written_is_no_result_of_the_agent(
    workload: str, more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it fails, also in the middle of a call, where a framework shows the agent what was raised."""
    file = tmp_path / "record.jsonl"
    whole = played(workload, "retrier", "unreachable", Transient(1), record=str(file), **more)
    assert whole["ended"] != "outside"
    lines = file.read_bytes().count(b"\n")
    assert lines > 3
    for failing in range(1, lines + 1):
        left = failing

        def refuse(out: FileIO, data: bytes) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise OSError(errno.ENOSPC, "No space left on device")
            out.write(data)

        monkeypatch.setattr("sealegs.traces.episode_file.write_all", refuse)
        result = played(workload, "retrier", "unreachable", Transient(1), record=str(file), **more)
        assert (result["ended"], result["answer"], result["calls"]) == ("outside", None, [])
        assert f"the record in {file} lacks the end of the episode (No space left on device)" in result["error"]


def test_a_record_that_cannot_be_opened_is_no_result_of_the_agent(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = played("tip", "oracle", record=str(tmp_path / "file" / "record.jsonl"))
    assert result["ended"] == "outside"
    assert str(tmp_path) in result["error"]


def test_tools_that_cannot_be_served_are_no_result_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sealegs.suites.micro.mcp_level.PROXY", "sealegs.no_such_module")
    result = played("tip", "oracle", level="mcp")
    assert result["ended"] == "outside"
    assert "the tools could not be served over MCP" in result["error"]


@pytest.mark.skipif(sys.platform != "linux", reason=needs.FILE_LIMITS)
def test_a_relay_that_cannot_record_is_no_failure_of_the_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever could still be written, the agent gets its answers, and the run is invalid, not answered or crashed."""
    pytest.importorskip("mcp.client.client", reason=needs.module("mcp.client.client"))
    file = tmp_path / "record.jsonl"
    whole = played("tip", "oracle", level="mcp", record=str(file))
    size = file.stat().st_size
    monkeypatch.setattr("sealegs.suites.micro.mcp_level.PROXY", "tests.suites.micro.limited_proxy")
    for limit in (size // 3, size - 40):
        monkeypatch.setenv("SEALEGS_TEST_FILE_LIMIT", str(limit))
        result = played("tip", "oracle", level="mcp", record=str(file))
        assert (result["ended"], result["calls"]) == ("outside", [])
        assert "could not record the whole run" in result["error"]
    monkeypatch.setenv("SEALEGS_TEST_FILE_LIMIT", str(2 * size))
    assert played("tip", "oracle", level="mcp", record=str(file))["calls"] == whole["calls"]
