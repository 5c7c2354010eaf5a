"""What a run of an eval refuses, in one line, and before anything is played where that can be known."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai._eval import registry

from sealegs.cli.verbs.run import command_of
from sealegs.engines.logs import LogError
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval.eval_logs import read_eval_logs
from sealegs.suites.inspect_eval.eval_runner import PROBED, EvalRunner
from sealegs.suites.inspect_eval.foreign_task import load_eval
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, read_knowledge
from sealegs.suites.inspect_eval.options import InspectOptions
from sealegs.suites.inspect_eval.suite import SUITE
from tests.suites.inspect_eval.played import OUTAGE, SHOP, injections, named, options_for, play, sealegs

PLAIN = named("plain")
BROKEN = {  # files of which the eval cannot be loaded
    "lacking.py": "def lacking():\n    import nosuchpackage\n\n    return Task()\n",
    "raising.py": "def raising():\n    raise RuntimeError('no\\ndata')\n",
    "ending.py": "def ending(data: str = ''):\n    raise SystemExit('fetch the data first')\n",
    "misspelt.py": "def misspelt(:\n    return Task()\n",
}


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["--model", "mockllm/model"], ["no eval is named", "--task"]),
        (["--task", "inspect_evals/tau7", "--model", "mockllm/model"], ["inspect_evals/tau7"]),
        (["--task", "nowhere.py@x", "--model", "mockllm/model"], ["nowhere.py"]),
        (["--task", str(SHOP), "--model", "mockllm/model"], ["holds 16 evals", "@plain"]),
        (["--task", f"{SHOP}@plan", "--model", "mockllm/model"], ["'plan'", "plain"]),
        (["--task", PLAIN], ["neither is given"]),
        (["--task", PLAIN, "--model", "nosuch/model"], ["nosuch/model"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "-T", "count"], ["-T 'count'", "key=value"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "-T", "colour=red"], ["'colour'", "count, pause"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "--modes", "P7"], ["'P7'", "P1"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "--model-role", "user"], ["--model-role 'user'"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "--plan", "none.yaml"], ["none.yaml"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "--recovery", "on"], ["'on'", "active"]),
        (["--task", PLAIN, "--model", "shopclerk/patient", "--knowledge", "none.yaml"], ["none.yaml"]),
        (["--task", PLAIN, "--agent", "gold"], ["no reference agent"]),
        (["--task", PLAIN, "--agent", "goldd"], ["'goldd'", "gold"]),
        (["--task", named("toolless"), "--model", "shopclerk/patient"], ["no tools"]),
        (["--task", named("unscored"), "--model", "mockllm/model"], ["no scorer"]),
        (["--task", named("twins"), "--model", "mockllm/model"], ["several samples", "'s0'"]),
        (["--task", "lacking.py@lacking", "--model", "mockllm/model"], ["nosuchpackage", "not installed"]),
        (["--task", "raising.py@raising", "--model", "mockllm/model"], ["RuntimeError: no data"]),
        (["--task", "ending.py", "--model", "mockllm/model", "-T", "data=x"], ["-T data=x", "fetch the data first"]),
        (["--task", "misspelt.py", "--model", "mockllm/model"], ["cannot be read as Python", "line 5"]),
        (["--task", "evalless.py@x", "--model", "mockllm/model"], ["holds no eval", "@task"]),
        (["--task", PLAIN, "--model", "mockllm/model", "-T", "count=few"], ["-T count=few", "TypeError"]),
        (["--task", PLAIN, "--model", "mockllm/model", "--agent", "gold"], ["both are given"]),
        (
            ["--task", PLAIN, "--model", "shopclerk/patient", "--knowledge", "tau2_retail"],
            ["--knowledge tau2_retail is about inspect_evals/tau2_retail", "not about", "plain", "`tasks`"],
        ),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], messages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, function in BROKEN.items():
        (tmp_path / name).write_text(f"from inspect_ai import Task, task\n\n\n@task\n{function}")
    (tmp_path / "evalless.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as error:
        command_of(SUITE).main(args=[*arguments, "--out", "here"], standalone_mode=False)
    assert "\n" not in str(error.value) or "has 1 mistake:\n" in str(error.value), "a file's mistakes are a list"
    for words in messages:
        assert words in str(error.value)
    assert not list((tmp_path / "here").glob("*")), "nothing is half written"


def test_an_argument_that_the_eval_does_not_take_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    """Inspect would log it, too."""
    with pytest.raises(UserError, match="takes no argument 'colour'"):
        load_eval(PLAIN, {"colour": "red"})
    assert not caplog.records
    logging.getLogger(registry.__name__).warning("something else")
    assert [record.getMessage() for record in caplog.records] == ["something else"]


@pytest.mark.parametrize("name", ["tau2_airline", "agentdojo", "tau2_airlin"])
def test_a_missing_package_of_evals_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sealegs.suites.inspect_eval.foreign_task.find_spec", lambda name: None)
    monkeypatch.setattr("sealegs.suites.inspect_eval.foreign_task.load_tasks", lambda names, arguments: [])
    with pytest.raises(UserError, match=r"needs inspect-evals, which is not installed; pip install .sealegs\[evals\]."):
        load_eval(f"inspect_evals/{name}", {})


@pytest.mark.parametrize(("name", "remedy"), [("tau2_retail", "sealegs[evals]"), ("swe_bench", "the eval's own extra")])
def test_a_missing_module_of_an_eval_is_named(name: str, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(names: list[str], arguments: dict[str, object]) -> list[object]:
        raise ModuleNotFoundError("No module named 'deepdiff'", name="deepdiff")

    monkeypatch.setattr("sealegs.suites.inspect_eval.foreign_task.load_tasks", load)
    with pytest.raises(UserError) as error:
        load_eval(f"inspect_evals/{name}", {})
    assert "needs deepdiff, which is not installed" in str(error.value)
    assert remedy in str(error.value)


def test_the_command_ends_with_that_line_and_2(tmp_path: Path) -> None:
    done = sealegs("run", "inspect", "--task", named("unscored"), "--model", "shopclerk/patient", cwd=tmp_path)
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if "no scorer" in line and line.startswith("sealegs: ")]
    assert "Traceback" not in done.stderr


def test_a_plan_for_tools_that_the_eval_does_not_have_can_be_mended(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE.replace("order", "odrer"))
    with pytest.raises(UserError, match=r"strikes no tool of .*order") as error:
        play(tmp_path / "run", "plain", plan=str(plan), limit=3)
    assert "\n" not in str(error.value)
    assert {key.mode for key in read_eval_logs(tmp_path / "run").played} == {"NP"}
    plan.write_text(OUTAGE)
    logs = play(tmp_path / "run", "plain", plan=str(plan), limit=3)
    assert len([key for key in logs.played if key.mode == "plan"]) == 3
    assert len(list((tmp_path / "run").glob("*.eval"))) == 2, "the clean samples were kept"
    plan.write_text(OUTAGE.replace("first: 1", "first: 2"))
    with pytest.raises(LogError, match="another run"):
        play(tmp_path / "run", "plain", plan=str(plan), limit=3)


def test_a_plan_is_refused_after_the_first_samples_where_no_file_is_about_the_eval(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE.replace("order", "odrer"))
    command = ["run", "inspect", "--task", named("plain"), "--model", "shopclerk/patient", "--plan", "plan.yaml"]
    done = sealegs(*command, "--out", "run", cwd=tmp_path)
    assert done.returncode == 2
    (line,) = [one for one in done.stderr.splitlines() if "odrer" in one or "strikes no tool" in one]
    assert line.startswith("sealegs: the plan's rule ")
    assert "which has order, ..." in line
    assert "--knowledge" in line
    assert len(read_eval_logs(tmp_path / "run").played) == PROBED, "three of six samples, and not all"
    (tmp_path / "known.yaml").write_text("tasks: [plain]\ntools:\n  odrer: {}\n", encoding="utf-8")
    named_there = play(tmp_path / "known", "plain", plan=str(plan), knowledge=str(tmp_path / "known.yaml"))
    assert len(named_there.played) == 12


def test_a_trial_is_played_only_where_it_could_refuse_something(tmp_path: Path) -> None:
    def clean_logs(name: str, **more: str) -> int:
        play(tmp_path / name, "plain", modes="NP", **more)
        return len(list((tmp_path / name).glob("*.eval")))

    known = str(_knowledge(tmp_path, "look_up: {acts: false}"))
    assert clean_logs("unknown") == 2, "three samples, and the other three"
    assert clean_logs("known", knowledge=known) == 1
    assert clean_logs("scored", knowledge=known, score="right_orders") == 2


def test_a_plan_for_a_tool_that_only_a_later_sample_has_is_no_mistake(tmp_path: Path) -> None:
    """The first samples differ in their tools, so these do not show which tools there are."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE.replace("order", "wrap_up"))
    logs = play(tmp_path / "run", "differing", plan=str(plan))
    assert len([key for key in logs.played if key.mode == "plan"]) == 6


def test_a_plan_may_strike_how_an_agent_submits(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE.replace("order", "submit"))
    logs = play(tmp_path / "run", "reacting", plan=str(plan), limit=2)
    assert all(found for key, found in injections(logs).items() if key.mode == "plan")


def test_what_the_eval_does_not_have_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scorer is known from the task; the tools are, where a shipped file is about the eval."""
    monkeypatch.setattr(EvalRunner, "_play_in_inspect", lambda *_: pytest.fail("a sample was played"))
    with pytest.raises(UserError, match=r"--score nobody: .* choose from right_orders$"):
        play(tmp_path / "score", "plain", score="nobody")
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE)
    shipped = read_knowledge(_knowledge(tmp_path, "search: {acts: false}"))
    monkeypatch.setattr("sealegs.suites.inspect_eval.eval_runner.load_knowledge", lambda name: shipped)
    with pytest.raises(UserError, match=r"strikes no tool of .*, which has search; correct it$"):
        play(tmp_path / "plan", "plain", plan=str(plan))
    close = {"tools": {name: {"acts": False} for name in ("borders", "orders", "search")}, "tasks": ["plain"]}
    monkeypatch.setattr(
        "sealegs.suites.inspect_eval.eval_runner.load_knowledge", lambda name: EvalKnowledge.model_validate(close)
    )
    with pytest.raises(UserError, match=r"strikes no tool of .*, which has orders, borders, \.\.\.; correct it$"):
        play(tmp_path / "plan", "plain", plan=str(plan))
    assert not (tmp_path / "score").exists()
    assert not (tmp_path / "plan").exists()


def test_a_tool_that_only_another_suite_of_the_eval_has_is_refused_once_the_clean_samples_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shipped file may be about several suites; a file of the user's own, and a shard, are taken at their word."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(OUTAGE.replace("order", "send_email"))
    both = {"tasks": ["plain"], "tools": {name: {"acts": False} for name in ("look_up", "order", "send_email")}}
    monkeypatch.setattr(
        "sealegs.suites.inspect_eval.eval_runner.load_knowledge", lambda name: EvalKnowledge.model_validate(both)
    )
    monkeypatch.setattr(InspectOptions, "known", lambda self: EvalKnowledge.model_validate(both))
    with pytest.raises(UserError, match=r"strikes no tool of .*, which has look_up, order; .*clean samples are kept"):
        play(tmp_path / "run", "plain", plan=str(plan), limit=2)
    assert {key.mode for key in read_eval_logs(tmp_path / "run").played} == {"NP"}
    assert play(tmp_path / "shard", "plain", plan=str(plan), shard="1/2").played
    monkeypatch.undo()
    own = str(_knowledge(tmp_path, "send_email: {acts: false}"))
    assert play(tmp_path / "own", "plain", plan=str(plan), knowledge=own, limit=1).played


def _knowledge(folder: Path, tools: str) -> Path:
    path = folder / "known.yaml"
    path.write_text(f"tasks: [plain]\ntools:\n  {tools}\n", encoding="utf-8")
    return path


def test_a_known_plan_tool_is_refused_before_anything_runs(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("version: 1\nname: empty\nrules: []\n")
    with pytest.raises(UserError, match="no rules"):
        options_for("plain", plan=str(plan))
