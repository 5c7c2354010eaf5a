"""The hunt: both planted weaknesses, nothing else, the same by seed; and agents of other makes."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sealegs import tool
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.inject import Session
from tests import needs

pytest.importorskip("hypothesis", reason=needs.module("hypothesis"))

from sealegs.adapters.python import wrap
from sealegs.hunt import example
from sealegs.hunt.callables import CallableTarget, callable_target
from sealegs.hunt.fault_sites import chosen_kinds
from sealegs.hunt.hunt_options import chosen_target
from sealegs.hunt.hunt_report import failure_story, hunt_files
from sealegs.hunt.maze_task import judge_maze_task
from sealegs.hunt.plan_search import HuntLimits, HuntResult, hunt
from sealegs.hunt.trial import error_frames, own_code_of

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]
AGENT, CHECK = "sealegs.hunt.example:buy", "sealegs.hunt.example:sound"
INI = "[pytest]\nasyncio_default_fixture_loop_scope = function\n"


def sealegs(*arguments: str, cwd: Path, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run([*SEALEGS, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, env=environment)


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    """As the hunt's last line says, from the folder in which it was run."""
    folder.joinpath("pytest.ini").write_text(INI)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "here/test_hunt.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def hunted(target: CallableTarget, kinds: str = "", runs: int = 800, **limits: Any) -> HuntResult:
    return hunt(target, HuntLimits(chosen_kinds(kinds), runs=runs, **limits))


def rules(found: HuntResult) -> list[list[str]]:
    return [[rule.id for rule in finding.plan.rules] for finding in found.findings]


def test_the_two_planted_weaknesses(tmp_path: Path) -> None:
    arguments = ["hunt", AGENT, "--check", CHECK, "--json", "found.json", "--out", "here"]
    done = sealegs(*arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["found.json", "here"]
    found = json.loads((tmp_path / "found.json").read_text())
    loop, price = sorted(found["findings"], key=lambda one: one["kind"])
    assert (loop["kind"], price["kind"]) == ("endless", "wrong")
    assert [rule["fault"] for rule in loop["plan"]["rules"]] == [{"kind": "error", "status": 403}]
    assert [rule["fault"] for rule in price["plan"]["rules"]] == [{"kind": "physics_violation"}]
    assert price["plan"]["rules"][0]["match"] == {"tool": "get_price"}
    assert price["plan"]["rules"][0]["when"] == {"nth": 1}
    assert "in _answer_of)" in loop["explanation"]
    assert '{"price": 19.9}, the agent is shown {"price": -' in price["explanation"]
    assert "Assumed of the tool" in price["explanation"]
    for one in found["findings"]:
        assert (one["repeated"], one["of"]) == (3, 3)
        assert " ".join(one["explanation"].split()) in " ".join(done.stdout.split())
        assert sealegs("plan", "check", f"here/{one['file']}", cwd=tmp_path).returncode == 0

    lines = sorted(done.stderr.splitlines())  # which is found first is up to the version of Hypothesis
    assert lines == ["found: get_price error 403", "found: get_price physics_violation"]

    weak = run_tests(tmp_path)
    assert "2 failed" in weak.stdout
    assert "TooManyCalls: the agent made more than 50 calls and did not stop" in weak.stdout
    assert "AssertionError: ordered at {'order-1': -" in weak.stdout

    again = sealegs(*arguments, cwd=tmp_path, hash_seed="77")
    assert again.returncode == 1
    assert again.stdout == done.stdout
    assert json.loads((tmp_path / "found.json").read_text()) == found


def test_a_mended_agent_passes_the_tests_and_the_next_hunt(tmp_path: Path) -> None:
    arguments = ["--check", CHECK, "--out", "here", "--findings", "2"]
    assert sealegs("hunt", AGENT, *arguments, "--seed", "3", cwd=tmp_path).returncode == 1
    source = Path(example.__file__).read_text()
    mended = source.replace('price["price"] > BUDGET', 'not 0 < price["price"] <= BUDGET')
    mended = mended.replace("_status(error) == 403", "False")
    assert mended.count("False") == source.count("False") + 1
    (tmp_path / "mended.py").write_text(mended)
    test = (tmp_path / "here" / "test_hunt.py").read_text()
    (tmp_path / "here" / "test_hunt.py").write_text(test.replace("sealegs.hunt.example", "mended"))
    passed = run_tests(tmp_path)
    assert "2 passed" in passed.stdout, passed.stdout
    done = sealegs("hunt", "mended:buy", "--check", "mended:sound", "--out", "none", "--runs", "1000", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no failure" in done.stdout
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("seed", [1])
def test_another_seed_finds_them_and_nothing_else(seed: int) -> None:
    found = hunted(callable_target(AGENT, CHECK), seed=seed, runs=5000)
    assert sorted(one[0].split(" ", 1)[1] for one in rules(found)) == ["error 403", "physics_violation"]
    assert all(len(one) == 1 for one in rules(found))
    assert found.steady
    assert not found.spent


# Agents of other makes. Each makes fresh tools for every run.


def main_way() -> dict[str, int]:
    return {"cost": 5}


def other_way() -> dict[str, int]:
    return {"cost": 7}


def with_fallback(session: Session) -> int:
    """Takes the second way where the first fails, and believes that one."""
    first, second = wrap([main_way, other_way], session)
    try:
        answer = first()
        if isinstance(answer, dict) and isinstance(answer.get("cost"), int) and answer["cost"] > 0:
            return answer["cost"]
    except Exception:
        pass
    try:
        answer = second()
        return answer["cost"] if isinstance(answer, dict) and isinstance(answer.get("cost"), int) else 0
    except Exception:
        return 0


def not_negative(cost: int) -> bool:
    return cost >= 0


def test_a_tool_that_is_called_under_faults_alone_needs_a_plan_of_two_rules() -> None:
    target = CallableTarget("tests:with_fallback", with_fallback, not_negative, "tests:not_negative")
    found = hunted(target)
    assert found.tools == ("main_way", "other_way")
    assert len(found.findings) == 1
    plan = found.findings[0].plan
    assert sorted(rule.id.split()[0] for rule in plan.rules) == ["main_way", "other_way"]
    assert "other_way physics_violation" in [rule.id for rule in plan.rules]
    failure = failure_story(found, 1)
    assert "None of these faults does this alone." in failure.story
    assert found.target.trial(plan).symptom is not None
    for rule in plan.rules:
        assert found.target.trial(plan.model_copy(update={"rules": (rule,)})).symptom is None
    compile(hunt_files(found, [failure])["test_hunt.py"], "test_hunt.py", "exec")


@tool
async def lookup(name: str) -> dict[str, Any]:
    """A tool of the async agent."""
    return {"name": name, "size": 3}


async def crasher() -> int:
    """Takes every answer as it comes."""
    return int((await lookup("a"))["size"])


def test_an_async_agent_without_a_check_that_breaks_down_in_two_ways() -> None:
    found = hunted(CallableTarget("tests:crasher", crasher), kinds="error,connection,schema_drift")
    assert {finding.symptom.kind for finding in found.findings} == {"crashed"}
    assert len(found.findings) == 1  # one line of the agent's code, whatever strikes
    assert found.findings[0].symptom.place.startswith("test_hunt.py:")
    text = hunt_files(found, [failure_story(found, 1)])["test_hunt.py"]
    assert "    asyncio.run(crasher())\n" in text


def test_the_place_of_a_symptom_is_never_a_line_of_ours() -> None:
    def agent() -> None:
        Session().call("tool", {}, lambda call: 1 / 0)  # type: ignore[arg-type, return-value]

    with pytest.raises(ZeroDivisionError) as error:
        agent()
    frames = error_frames(error.value)
    assert any("sealegs" in frame.f_code.co_filename and frame.f_code.co_name == "drive" for frame, _ in frames)
    assert own_code_of(lambda: None).place(frames[:-1]) == f"test_hunt.py:{agent.__code__.co_firstlineno + 1} in agent"


@tool
def stubborn_tool() -> str:
    """A tool of the stubborn agent."""
    return "done"


def stubborn() -> str:
    """Takes whatever is raised, the end of the world included, for an error of the tool; then gives up."""
    for _ in range(60):
        try:
            return stubborn_tool()
        except BaseException:
            pass
    return "given up"


def test_an_agent_that_swallows_its_end_counts_as_endless() -> None:
    target = CallableTarget("tests:stubborn", stubborn, max_calls=20)
    found = hunted(target, kinds="error,malformed")
    assert [finding.symptom.kind for finding in found.findings] == ["endless"]
    assert "in stubborn" in found.findings[0].symptom.place


def test_what_nobody_could_notice_is_left_out_unless_asked_for() -> None:
    def same(cost: int) -> bool:
        return cost in (0, 5, 7)

    target = CallableTarget("tests:with_fallback", with_fallback, same)
    assert all("physics_violation" in one[-1] or "physics_violation" in one[0] for one in rules(hunted(target)))
    assert rules(hunted(target, kinds="delta")) == [["main_way delta"]]


def test_the_runs_may_be_used_up() -> None:
    found = hunted(callable_target(AGENT, CHECK), runs=10)
    assert found.spent
    assert found.runs <= 10 + 2 + 3


def test_an_agent_that_changes_its_mind_is_reported_as_unsteady() -> None:
    calls = iter(range(10**6))

    def fickle(session: Session) -> str:
        return wrap(lambda n: f"{n}", session, name="count")(next(calls))

    assert not hunted(CallableTarget("tests:fickle", fickle), kinds="delta", runs=5).steady


@pytest.mark.slow
def test_a_scripted_agent_on_a_task_of_maze(tmp_path: Path) -> None:
    done = sealegs("hunt", "maze/c1-01", "--agent", "retrier", "--findings", "2", "--out", "here", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    ran = run_tests(tmp_path)
    assert "2 failed" in ran.stdout
    assert judge_maze_task("c1-01", "retrier", Plan(name="none")).success


MODULE = """
from sealegs import tool

@tool
def ask():
    return 1

def agent():
    return ask()

def never(answer):
    return False

def silent():
    return 1

SPECS = [1]
"""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mine:agnet"], ["agnet", "did you mean agent?"]),
        (["mine"], ["'mine'", "module:function"]),
        (["nowhere:agent"], ["no module 'nowhere'"]),
        (["mine:SPECS"], ["mine:SPECS", "cannot be called"]),
        (["mine:agent", "--specs", "mine:SPECS"], ["mine:SPECS", "ToolSpec"]),
        (["mine:agent", "--check", "mine:never"], ["fails without any fault", "answered False"]),
        (["mine:silent"], ["calls no tool", "@sealegs.tool"]),
        (["mine:agent", "--kinds", "eror"], ["'eror'", "error"]),
        (["mine:agent", "--agent", "planner"], ["--agent planner", "maze/TASK"]),
        (["maze/c1-1", "--agent", "planner"], ["'c1-1'", "did you mean c1-"]),
        (["maze/c1-01"], ["none is given", "planner, retrier, naive"]),
        (["maze/c1-01", "--agent", "oracle"], ["'oracle' is not one of them"]),
        (["maze/c1-01", "--agent", "naive", "--check", "mine:never"], ["leave out --check"]),
    ],
)
def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: list[str]) -> None:
    (tmp_path / "mine.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("mine", None)
    target, *options = arguments
    given = dict(zip((name.removeprefix("--") for name in options[::2]), options[1::2], strict=True))
    kinds = given.pop("kinds", "")
    with pytest.raises(UserError) as raised:
        hunt(chosen_target(target, **given), HuntLimits(chosen_kinds(kinds), runs=10))
    for word in says:
        assert word in str(raised.value)


def test_a_mistake_ends_the_command_with_2(tmp_path: Path) -> None:
    done = sealegs("hunt", "nowhere:agent", cwd=tmp_path)
    assert done.returncode == 2
    assert "no module 'nowhere'" in done.stderr
    assert not list(tmp_path.iterdir())


class Till:
    """Pays and refunds, each declared to have effects."""

    def __init__(self, session: Session) -> None:
        self.paid: list[str] = []
        self.pay: Callable[[str], Any] = wrap(self._pay, session, name="pay", effects=True)

    def _pay(self, to: str) -> dict[str, Any]:
        self.paid.append(to)
        return {"to": to, "status": "paid"}


def pays_until_it_hears_of_it(session: Session) -> str:
    """Takes every failure for work that was not done."""
    till = Till(session)
    for _ in range(3):
        try:
            answer = till.pay("Bob")
        except Exception:
            continue
        if isinstance(answer, dict) and answer.get("status") == "paid":
            return "paid"
    return "stopped"


def pays_once(session: Session) -> str:
    """Says that it does not know, rather than pay again."""
    try:
        return str(Till(session).pay("Bob"))
    except Exception:
        return "unknown"


def test_an_agent_that_pays_twice_after_a_lost_answer_although_its_check_passes() -> None:
    target = CallableTarget("test:agent", pays_until_it_hears_of_it, lambda answer: answer in ("paid", "stopped"))
    found = hunted(target, kinds="error,timeout,lost_ack,malformed")
    kinds = [finding.symptom.kind for finding in found.findings]
    assert set(kinds) == {"doubled"}
    lost = next(one for one in found.findings if not one.plan.rules[0].fault.implicit)
    (rule,) = lost.plan.rules
    assert (rule.moment, lost.repeated) == ("after", 3)
    assert 'pay(to="Bob") took effect twice: call-1, whose answer was lost' in lost.symptom.text
    story = failure_story(found, found.findings.index(lost) + 1)
    assert "moment: after" in story.yaml
    assert "A good agent looks whether a call took effect before it makes it again" in " ".join(story.story.split())


def test_an_agent_that_pays_once_is_found_to_do_nothing_twice() -> None:
    target = CallableTarget("test:agent", pays_once)
    assert not hunted(target, kinds="error,timeout,lost_ack,malformed").findings


def test_a_doubled_effect_is_reported_rather_than_what_the_check_says_of_it() -> None:
    def once(answer: str) -> bool:
        return len(tills[-1].paid) == 1

    tills: list[Till] = []

    def agent(session: Session) -> str:
        tills.append(Till(session))
        for _ in range(2):
            try:
                tills[-1].pay("Bob")
            except Exception:
                continue
            break
        return "done"

    found = hunted(CallableTarget("test:agent", agent, once), kinds="error")
    doubled = next(finding.symptom for finding in found.findings if finding.symptom.kind == "doubled")
    assert doubled.text.endswith("; the check says: the check answered False to 'done'")
    assert [rule.moment for one in found.findings if one.symptom is doubled for rule in one.plan.rules] == ["after"]


def test_a_tool_without_effects_is_struck_at_no_moment() -> None:
    def agent(session: Session) -> Any:
        return wrap(other_way, session, effects=False)()["cost"]

    found = hunted(CallableTarget("test:agent", agent), kinds="error")
    assert {rule.moment for one in found.findings for rule in one.plan.rules} == {None}
