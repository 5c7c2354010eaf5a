"""Tests whose body runs many times: verdicts, what a failure tells, drawn faults, async, xdist, JUnit, wrong marks."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import sealegs.adapters.pytest_faults
import sealegs.adapters.python
import sealegs.experiments.pytest_runs  # noqa: F401 - loaded here, so that runs in this process do not each load their own
from tests import needs

pytest_plugins = ("pytester",)

INI = """
[pytest]
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
"""
HEAD = """
import asyncio
import random
import pytest
from sealegs import tool

LOST = {"name": "lost", "rules": [{"match": {"tool": "pay"}, "when": {"first": 1}, "fault": {"kind": "lost_ack"}}]}
DOWN = {"name": "down", "rules": [
    {"match": {"tool": "find"}, "when": {"first": 1}, "fault": {"kind": "error", "status": 503}}]}
OFTEN = {"name": "often", "rules": [
    {"match": {"tool": "find"}, "when": {"probability": 0.5}, "fault": {"kind": "error", "status": 503}}]}
ELSEWHERE = {"name": "elsewhere", "rules": [
    {"match": {"tool": "nothing"}, "fault": {"kind": "error", "status": 503}}]}
BODIES = []

@tool(effects=False)
def find(number):
    return {"number": number, "total": 42.5}

@tool(effects=True)
def pay(amount):
    return {"paid": amount}

def patient(call, *args):
    for _ in range(3):
        try:
            found = call(*args)
            if found and isinstance(found, dict):
                return found
        except Exception:
            pass
    return None

def careful():
    return patient(find, 17)
"""
HOLDS = """
@pytest.mark.faults(DOWN, runs=20)
def test_holds(faults):
    BODIES.append(faults.session.episode)
    assert careful()["total"] == 42.5
    assert faults.delivered <= 1 and len(faults.calls) == 1 + faults.delivered

def test_every_run_was_an_episode_of_its_own():
    assert len(BODIES) == 40
    assert len(set(BODIES)) == 20 and all("test_holds" in name for name in BODIES)
    assert BODIES[:20] == BODIES[20:], "paired"
"""
WEAK = """
@pytest.mark.faults(OFTEN, runs=40, min_pass_rate=0.9)
def test_weak():
    try:
        assert find(17)["total"] == 42.5
    except RuntimeError:
        pass
"""


@pytest.fixture
def place(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".ini", pytest=INI)
    return pytester


def test(*tests: str) -> str:
    return "\n".join([HEAD, *tests])


test.__test__ = False  # type: ignore[attr-defined]


def properties(report: str) -> dict[str, str]:
    """The properties of the first case that has some."""
    found = ElementTree.fromstring(Path(report).read_text()).iter("property")
    return {one.get("name", ""): one.get("value", "") for one in found}


def test_a_body_that_holds_passes(place: pytest.Pytester) -> None:
    place.makepyfile(test(HOLDS))
    done = place.runpytest_inprocess("--junit-xml=report.xml", "-p", "no:randomly")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(
        [
            "*::test_holds: down (seed 0): held, it passed 20 of 20 runs under faults; 80 % is required; "
            "20 of 20 passed without faults",
            "1 test, 60 calls, 20 faults delivered",
        ]
    )
    assert properties("report.xml") == {
        "faults.plan": "down",
        "faults.calls": "60",
        "faults.delivered": "20",
        "faults.runs": "20",
        "faults.exposed": "20",
        "faults.passed": "20",
        "faults.verdict": "held",
    }


def test_a_weakness_fails_and_tells_how_to_replay_a_run(place: pytest.Pytester) -> None:
    place.makepyfile(test_weak=test(WEAK))
    done = place.runpytest_inprocess("--junit-xml=report.xml")
    done.assert_outcomes(failed=1)
    output = done.stdout.str()
    assert re.search(r"it passed 0 of \d+ runs under faults, fewer than 90 %:", output)
    failing = re.findall(r"^.*  run (\d+) \(find error 503\): the agent crashed: \w+: .*503", output, re.MULTILINE)
    assert len(failing) >= 2
    assert "run 1 without faults" not in output
    assert re.search(rf"^plan often, run {failing[0]}, seed 0: 1 fault delivered", output, re.MULTILINE)
    assert "  find call 1: rule-1 (error), the agent was shown" in output
    assert "    probability: 0.5" in output
    assert ">           assert find(17)" in output or ">       assert find(17)" in output, "the traceback of that run"
    assert properties("report.xml")["faults.verdict"] == "weakness"
    (command,) = re.findall(r"^replay: pytest (.*)$", output, re.MULTILINE)
    assert command.endswith(f"--faults-run {failing[0]}")
    again = place.runpytest_inprocess(*shlex.split(command))
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["*503*", f"plan often, run {failing[0]}, seed 0: 1 fault delivered"])
    passing = next(number for number in map(str, range(1, 41)) if number not in failing)
    place.runpytest_inprocess("--faults-run", passing).assert_outcomes(passed=1)
    place.runpytest_inprocess("--faults-run", "0").assert_outcomes(passed=1)
    place.runpytest_inprocess("--faults-run", "41").stdout.fnmatch_lines(["*there is no run 41; the runs are 1 to 40"])


def test_the_runs_stop_once_the_verdict_is_settled(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(DOWN, runs=20, baseline=False)
def test_weak():
    BODIES.append(1)
    find(17)

def test_count():
    assert len(BODIES) == 8
"""
    place.makepyfile(test(tests))
    place.runpytest_inprocess("-p", "no:randomly").assert_outcomes(failed=1, passed=1)


def test_a_doubled_effect_is_a_weakness_at_once(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(LOST, runs=20)
def test_pays():
    assert patient(pay, 10) == {"paid": 10}
"""
    place.makepyfile(test_pay=test(tests))
    done = place.runpytest_inprocess()
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*run 1 broke no_action_twice:",
            "*  run 1 (pay lost_ack*): no_action_twice: pay(amount=10) took effect twice*",
            "*replay: pytest test_pay.py::test_pays --faults-run 1",
        ]
    )


def test_a_contract_is_asked_for_by_name(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(DOWN, runs=20, contracts=["same_call_at_most:1"])
def test_once():
    assert careful()
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess()
    done.stdout.fnmatch_lines(["*run 1 broke same_call_at_most:1:"])


def test_a_contract_on_the_answer_needs_one(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(DOWN, runs=20, contracts=["no_invented_value"])
def test_without_an_answer():
    assert careful()

@pytest.mark.faults(DOWN, runs=20, contracts=["no_invented_value"])
def test_with_an_answer(faults):
    faults.answered(f"the total is {careful()['total']}", to="What is the total of order 17?")

@pytest.mark.faults(DOWN, runs=20, contracts=["no_invented_value"])
def test_invented(faults):
    careful()
    faults.answered("the total is 42.5" if not faults.delivered else "the total is 99.5")
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess("-p", "no:randomly")
    done.assert_outcomes(failed=2, passed=1)
    done.stdout.fnmatch_lines(["*call faults.answered(answer, to=question)", "*run 1 broke no_invented_value:*"])


def test_too_few_runs_and_no_fault_are_inconclusive(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(DOWN, runs=5)
def test_few():
    assert careful()

@pytest.mark.faults(ELSEWHERE, runs=5)
def test_elsewhere():
    assert careful()
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess("-v", "-p", "no:randomly")
    assert done.ret == 0
    done.stdout.fnmatch_lines(
        [
            "*::test_few INCONCLUSIVE*",
            "*::test_few: *inconclusive: it passed 5 of 5 runs *; 14 runs that all pass would show it",
            "*::test_elsewhere: *5 runs met no fault *; inconclusive: no fault was delivered in any run",
            "*2 inconclusive*",
        ]
    )
    place.runpytest_inprocess("--faults-strict").assert_outcomes(failed=2)


def test_a_body_that_fails_by_itself_is_no_doubt_about_faults(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(DOWN, runs=20)
def test_baseline():
    assert careful()["total"] == 1

@pytest.mark.faults(ELSEWHERE, runs=1, baseline=False)
def test_unexposed():
    pytest.fail("never")

@pytest.mark.faults(DOWN, runs=1, baseline=False)
def test_exposed():
    find(17)
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess("-p", "no:randomly")
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(
        [
            "*it passed 0 of 8 runs in which no fault was delivered:",
            "*run 1 without faults: the check failed: assert 42.5 == 1*",
            "*replay: pytest *::test_baseline --faults-run 0",
            "*it passed 0 of 1 runs in which no fault was delivered:",
            "*run 1 (no fault was delivered): the check failed: never",
            "*it passed 0 of 1 runs under faults:",
        ]
    )


def test_without_a_plan_faults_are_drawn_from_the_tools_seen(place: pytest.Pytester) -> None:
    tests = """
def read(number):
    seen = [found for found in (patient(find, number) for _ in range(3)) if found]
    return max(seen, key=seen.count)

@pytest.mark.faults(runs=20)
def test_holds(faults):
    assert read(17)["total"] == 42.5
    KINDS.update(injection.kind for injection in faults.injections)

@pytest.mark.faults(runs=20)
def test_weak(faults):
    assert find(17)["total"] == 42.5

@pytest.mark.faults(runs=20)
def test_toolless():
    pass

def test_kinds():
    assert len(KINDS) > 3
"""
    place.makepyfile(test_drawn=test("KINDS = set()", tests))
    done = place.runpytest_inprocess("-p", "no:randomly")
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(["*called no tool through Sealegs in 20 runs*", "*::test_holds: drawn (seed 0): held, *"])
    done.stdout.no_fnmatch_line("During handling*")
    output = done.stdout.str()
    (command,) = re.findall(r"^replay: pytest (.*test_weak.*)$", output, re.MULTILINE)
    again = place.runpytest_inprocess(*shlex.split(command))
    again.assert_outcomes(failed=1)
    delivered = [re.findall(r"^  find call .*$", text, re.MULTILINE) for text in (output, again.stdout.str())]
    assert delivered[0] == delivered[1] != []


def test_a_seed_draws_other_faults(place: pytest.Pytester) -> None:
    place.makepyfile(test_weak=test(WEAK))

    def replay(*options: str) -> str:
        output = place.runpytest_inprocess(*options).stdout.str()
        return "\n".join(re.findall(r"^.*  run \d+ |^replay: .*$", output, re.MULTILINE))

    assert replay() == replay()
    assert replay() != replay("--faults-seed", "5")
    assert "--faults-seed 5 --faults-run" in replay("--faults-seed", "5")


def test_async_bodies_parameters_and_shared_fixtures(place: pytest.Pytester) -> None:
    pytest.importorskip("pytest_asyncio", reason=needs.module("pytest_asyncio"))
    tests = """
@pytest.fixture
async def counted():
    seen = []
    yield seen
    assert len(seen) == 40, "one fixture for all runs"

@pytest.mark.faults(DOWN, runs=20)
@pytest.mark.parametrize("number", [17, 18])
async def test_async(number, counted, faults):
    counted.append(number)
    assert (await asyncio.create_task(asyncio.to_thread(patient, find, number)))["number"] == number
    assert faults.session.episode.count(f"[{number}]") == 1

@pytest.mark.faults(DOWN, runs=20)
@pytest.mark.asyncio(loop_scope="module")
async def test_one_loop_for_the_module():
    await asyncio.sleep(0)
    find(17)
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess("-W", "error")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*it passed 0 of 8 runs under faults, fewer than 80 %:"])


def test_what_waits_costs_no_time(place: pytest.Pytester) -> None:
    tests = """
HANG = {"name": "hang", "rules": [{"match": {"tool": "find"}, "when": {"first": 1}, "fault": {"kind": "hang"}}]}

@pytest.mark.faults(HANG, runs=20)
def test_hang():
    assert careful()
"""
    place.makepyfile(test(tests))
    place.runpytest_inprocess().assert_outcomes(passed=1)


def test_xdist_tells_the_same(place: pytest.Pytester) -> None:
    pytest.importorskip("xdist", reason=needs.module("xdist"))
    place.makepyfile(test_weak=test(WEAK, HOLDS.split("def test_every")[0]))
    alone = place.runpytest_inprocess("-p", "no:randomly")
    spread = place.runpytest_subprocess("-n", "2")
    lines = [
        [line for line in done.stdout.lines if re.search(r"  run \d+ |^replay|calls, |: held", line)]
        for done in (alone, spread)
    ]
    assert sorted(lines[0]) == sorted(lines[1])
    assert len(lines[0]) > 4


def test_other_outcomes_stay_as_they_are(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(DOWN, runs=20)
def test_skips():
    pytest.skip("not today")

@pytest.mark.faults(DOWN, runs=20)
@pytest.mark.xfail(strict=True)
def test_expected():
    find(17)

@pytest.mark.faults(DOWN, runs=20, max_calls=5)
def test_endless():
    while True:
        patient(find, 17)
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess("-p", "no:randomly")
    done.assert_outcomes(skipped=1, xfailed=1, failed=1)
    done.stdout.fnmatch_lines(["*the agent did not stop: more than 5 calls"])


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        ("DOWN, min_pass_rate=0.8", "*test_bad has min_pass_rate and no runs; add runs=20, say"),
        ("DOWN, runs=0", "*runs is 0: Input should be greater than or equal to 1"),
        ("DOWN, runs='x'", "*runs is 'x': Input should be a valid integer*"),
        (
            "DOWN, runs=5, min_pass_rate=0",
            "the required pass rate must be above 0 and at most 100 %, and 0 is not; give a share such as 0.8*",
        ),
        ("DOWN, runs=5, min_pass_rate='x'", "min_pass_rate is 'x'; give a share such as 0.8"),
        ("DOWN, runs=5, contracts=['no_action_twic']", "*did you mean no_action_twice*"),
        ("DOWN, runs=5, contracts='no_action_twice'", "*contracts is a text; give a list*"),
        ("DOWN, runs=5, sed=3", "*test_bad: got an unexpected keyword argument 'sed'*; see *"),
        ("DOWN, runs=5, specs=[1]", "*something other than ToolSpecs*"),
        ("runs=5, baseline=False", "*give a plan, or keep the baseline"),
        ("{'name': 'none'}, runs=5", "the plan 'none' has no rules*"),
        ("'missing.yaml', runs=5", "*file: does not exist*"),
    ],
)
def test_a_bad_mark_is_reported_without_a_traceback(place: pytest.Pytester, mark: str, line: str) -> None:
    place.makepyfile(test(f"@pytest.mark.faults({mark})\ndef test_bad():\n    raise AssertionError\n"))
    done = place.runpytest_inprocess()
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([line])
    assert "sealegs/" not in done.stdout.str()


def test_what_has_no_runs(place: pytest.Pytester) -> None:
    tests = """
import unittest

class Case(unittest.TestCase):
    @pytest.mark.faults(DOWN, runs=5)
    def test_method(self):
        find(17)

@pytest.mark.faults(DOWN, runs=15)
def test_sessions_by_hand(faults):
    with faults(DOWN):
        find(17)
"""
    place.makepyfile(test(tests))
    done = place.runpytest_inprocess()
    done.assert_outcomes(errors=1, failed=1)
    done.stdout.fnmatch_lines(["*runs are for test functions*", "*has a mark with runs, which opens its sessions*"])


def test_who_asks_for_no_runs_loads_nothing_of_them(place: pytest.Pytester) -> None:
    tests = """
import sys

@pytest.mark.faults(DOWN)
def test_light():
    assert careful()
    assert "sealegs.experiments" not in sys.modules and "numpy" not in sys.modules
"""
    place.makepyfile(test(tests))
    place.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    assert "sealegs.experiments" in sys.modules


def test_without_its_entry_point_a_test_with_runs_fails(
    place: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sealegs.adapters.pytest_faults.PARTS", "sealegs.nothing")
    place.makepyfile(test(WEAK))
    done = place.runpytest_inprocess()
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*test_weak has runs, and nothing plays them: *install Sealegs again"])
