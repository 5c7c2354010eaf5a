"""The pytest plugin, in runs of pytest of its own: what a mark does and prints, and its cost to those who never ask."""

import re
import shlex
from pathlib import Path

import pytest

import sealegs.adapters.pytest_faults
import sealegs.adapters.python  # noqa: F401 - loaded here, so that runs in this process do not each load their own
from tests import needs

pytest_plugins = ("pytester",)

OUTAGE = """
name: outage
rules:
  - match: {tool: weather}
    when: {first: 1}
    fault: {kind: error, status: 503}
"""
DRIFT = """
name: drift
rules:
  - {match: {tool: weather}, when: {probability: 0.5}, fault: {kind: delta, offset: 0.5}}
"""
TOOLS = """
import asyncio
import pytest
from sealegs import tool, wrap

@tool
def weather(city):
    return {"city": city, "degrees": 1000}

@tool
async def weather_async(city):
    return {"city": city, "degrees": 1000}
"""
INI = """
[pytest]
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
"""


@pytest.fixture
def place(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".ini", pytest=INI)
    pytester.path.joinpath("outage.yaml").write_text(OUTAGE)
    pytester.path.joinpath("drift.yaml").write_text(DRIFT)
    return pytester


def lines(*tests: str) -> str:
    return "\n".join([TOOLS, *tests])


MARKED = """
@pytest.mark.faults("outage.yaml")
def test_retries():
    with pytest.raises(Exception, match="503"):
        weather("Oslo")
    assert weather("Oslo")["degrees"] == 1000
"""
FAILING = """
@pytest.mark.faults("drift.yaml")
def test_reads():
    assert [weather("Oslo")["degrees"] for _ in range(20)] == [1000] * 20
"""
UNDELIVERED = """
@pytest.mark.faults("outage.yaml")
def test_calls_nothing():
    pass

@pytest.mark.faults("outage.yaml")
def test_calls_another():
    asyncio.run(weather_async("Oslo"))

@pytest.mark.faults({"name": "x", "rules": [{"match": {"tool": "weather"}, "fault": {"kind": "stale"}}]})
def test_comes_to_nothing():
    weather("Oslo")
"""


def test_a_mark_strikes_and_the_section_tells(place: pytest.Pytester) -> None:
    place.makepyfile(lines(MARKED, "def test_unmarked():\n    assert weather('Oslo')['degrees'] == 1000\n"))
    done = place.runpytest_inprocess()
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(
        [
            "*= faults =*",
            "*::test_retries: outage (seed 0): 2 calls, 1 fault delivered (rule-1 1)",
            "1 test, 2 calls, 1 fault delivered",
        ]
    )


def test_an_undelivered_fault_is_inconclusive(place: pytest.Pytester) -> None:
    place.makepyfile(lines(MARKED, UNDELIVERED))
    done = place.runpytest_inprocess("-v", "--junit-xml=report.xml")
    assert done.ret == 0
    done.stdout.fnmatch_lines(
        [
            "*::test_calls_nothing INCONCLUSIVE*",
            "*::test_calls_nothing: *inconclusive: no call came through the session; *@sealegs.tool*",
            "*::test_calls_another: *inconclusive: no rule fired on its 1 call (weather_async 1)",
            "*::test_comes_to_nothing: *inconclusive: every fault that fired (rule-1 1) came to nothing",
            "4 tests, 4 calls, 1 fault delivered, 3 inconclusive",
            "*1 passed, 3 inconclusive*",
        ]
    )
    junit = Path("report.xml").read_text()
    assert 'skipped="3"' in junit
    assert '<property name="faults.delivered" value="1"' in junit


@pytest.mark.parametrize("how", ["option", "ini"])
def test_strict_runs_fail_it(place: pytest.Pytester, how: str) -> None:
    place.makepyfile(lines(MARKED, UNDELIVERED))
    if how == "ini":
        place.makefile(".ini", pytest=INI + "faults_strict = true\n")
    done = place.runpytest_inprocess(*(["--faults-strict"] if how == "option" else []))
    done.assert_outcomes(passed=1, failed=3)
    done.stdout.fnmatch_lines(["*FAILED *::test_calls_nothing*"])


def test_other_outcomes_stay_as_they_are(place: pytest.Pytester) -> None:
    marks = """
@pytest.mark.faults("outage.yaml")
def test_fails():
    assert False

@pytest.mark.faults("outage.yaml")
def test_skips():
    pytest.skip("not today")

@pytest.mark.faults("outage.yaml")
@pytest.mark.xfail
def test_expected():
    assert False

@pytest.mark.faults({"name": "control"})
def test_without_a_rule():
    weather("Oslo")
"""
    place.makepyfile(lines(marks))
    done = place.runpytest_inprocess("--faults-strict")
    done.assert_outcomes(passed=1, failed=1, skipped=1, xfailed=1)
    done.stdout.fnmatch_lines(["plan outage, seed 0: 0 faults delivered"])


def drifted(output: str) -> list[str]:
    """Every fault that a failure tells of."""
    return re.findall(r"^  weather call \d+: .*$", output, re.MULTILINE)


@pytest.mark.parametrize("options", [[], ["--faults-seed", "11"]])
def test_a_failure_prints_the_plan_and_the_command_that_replays_it(place: pytest.Pytester, options: list[str]) -> None:
    place.makepyfile(test_drift=lines(FAILING, MARKED))
    first = place.runpytest_inprocess(*options, "--show-capture=no")
    first.assert_outcomes(passed=1, failed=1)
    stdout = first.stdout.str()
    assert len(drifted(stdout)) > 3
    assert "- id: rule-1\n  match:\n    tool: weather\n  when:\n    probability: 0.5\n" in stdout
    (command,) = re.findall(r"^replay: pytest (.*)$", stdout, re.MULTILINE)
    again = place.runpytest_inprocess(*shlex.split(command))
    again.assert_outcomes(failed=1)
    assert drifted(again.stdout.str()) == drifted(stdout)
    other = place.runpytest_inprocess(*shlex.split(command), "--faults-seed", "12")
    assert drifted(other.stdout.str()) != drifted(stdout)


def test_a_test_that_failed_is_not_inconclusive_too(place: pytest.Pytester) -> None:
    tests = """
@pytest.mark.faults(LATER, max_calls=2)
def test_endless():
    while True:
        weather("Oslo")

@pytest.mark.faults(LATER)
def test_too_few_calls():
    weather("Oslo")
"""
    later = 'LATER = {"name": "later", "rules": [{"match": {"tool": "weather"}, "when": {"nth": 9}, "fault": ERROR}]}'
    place.makepyfile(lines('ERROR = {"kind": "error", "status": 500}', later, tests))
    done = place.runpytest_inprocess()
    done.stdout.fnmatch_lines(["2 tests, *, 1 inconclusive", "*1 failed, 1 inconclusive*"])


def test_xdist_tells_the_same(place: pytest.Pytester) -> None:
    pytest.importorskip("xdist", reason=needs.module("xdist"))
    place.makepyfile(test_drift=lines(FAILING, MARKED, UNDELIVERED))
    alone = place.runpytest_inprocess("-p", "no:randomly")
    spread = place.runpytest_subprocess("-n", "2")
    for done in (alone, spread):
        done.stdout.fnmatch_lines(
            ["5 tests, 24 calls, * faults delivered, 3 inconclusive", "*1 failed, 1 passed, 3 inc*"]
        )
    assert drifted(spread.stdout.str()) == drifted(alone.stdout.str())
    replay = [line for line in spread.stdout.lines if line.startswith("replay:")]
    assert replay == ["replay: pytest test_drift.py::test_reads"]


def test_async_tests_and_their_tasks_and_threads(place: pytest.Pytester) -> None:
    pytest.importorskip("pytest_asyncio", reason=needs.module("pytest_asyncio"))
    tests = """
PLAN = {"name": "down", "rules": [{"match": {"tool": "weather*"}, "fault": {"kind": "error", "status": 503}}]}

@pytest.mark.faults(PLAN)
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("round", [1, 2])
async def test_one_loop_for_the_module(round, faults):
    for call in (weather_async("Oslo"), asyncio.create_task(weather_async("Oslo")), asyncio.to_thread(weather, "Oslo")):
        with pytest.raises(Exception, match="503"):
            await call
    assert faults.delivered == 3

@pytest.mark.asyncio(loop_scope="module")
async def test_unmarked_in_the_same_loop():
    await weather_async("Oslo")
"""
    other = """
@pytest.fixture
async def warm():
    return await weather_async("a fixture's call passes")

@pytest.mark.faults({"name": "hang", "rules": [{"match": {"tool": "weather*"}, "fault": {"kind": "hang"}}]})
async def test_the_callers_own_timeout_ends_a_hang(warm):
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(weather_async("Oslo"), 0.05)
"""
    place.makepyfile(test_loop=lines(tests), test_hang=lines(other))
    done = place.runpytest_inprocess("-W", "error")
    done.assert_outcomes(passed=4)
    done.stdout.fnmatch_lines(["3 tests, 7 calls, 7 faults delivered"])


def test_the_fixture_opens_sessions_each_an_episode_of_its_own(place: pytest.Pytester) -> None:
    tests = """
def test_twice(faults):
    seen = []
    for _ in range(2):
        with faults("drift.yaml"):
            seen.append([weather("Oslo")["degrees"] for _ in range(10)])
    assert seen[0] != seen[1]
    assert len(faults.calls) == 20
    assert faults.delivered == sum(n != 1000 for run in seen for n in run) == len(faults.injections)

def test_same_episode_same_faults(faults):
    seen = []
    for _ in range(2):
        with faults("drift.yaml", episode="one", seed=4):
            seen.append([weather("Oslo")["degrees"] for _ in range(10)])
    assert seen[0] == seen[1]

@pytest.mark.faults("outage.yaml")
def test_a_tool_bound_to_the_marked_session(faults):
    def weather(city):
        return city
    with pytest.raises(Exception, match="503"):
        wrap(weather, faults.session)("Oslo")

def test_no_mark_no_session(faults):
    with pytest.raises(ValueError, match="no mark"):
        faults.session

def test_requested_late(request):
    with request.getfixturevalue("faults")("outage.yaml"), pytest.raises(Exception, match="503"):
        weather("Oslo")
"""
    place.makepyfile(lines(tests))
    done = place.runpytest_inprocess()
    done.assert_outcomes(passed=5)
    done.stdout.fnmatch_lines(["*::test_requested_late: outage*1 fault delivered*", "4 tests, 42 calls*"])


def test_an_endless_agent_and_a_hang_without_time(place: pytest.Pytester) -> None:
    tests = """
DOWN = {"name": "down", "rules": [{"match": {"tool": "weather"}, "fault": {"kind": "error", "status": 403}}]}

@pytest.mark.faults(DOWN, max_calls=25)
def test_endless():
    while True:
        try:
            weather("Oslo")
        except Exception:
            pass

HANG = {"name": "hang", "rules": [{"match": {"tool": "weather"}, "fault": {"kind": "hang"}}]}

@pytest.mark.faults(HANG, timeout=60.0, clock="virtual")
def test_hang():
    with pytest.raises(TimeoutError):
        weather("Oslo")
"""
    place.makepyfile(lines(tests))
    done = place.runpytest_inprocess()
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        ["*TooManyCalls: the agent made more than 25 calls and did not stop", "plan down, seed 0: 25 faults*"]
    )


def test_unittest_cases_and_single_parameters(place: pytest.Pytester) -> None:
    tests = """
import unittest

class Case(unittest.TestCase):
    @pytest.mark.faults("outage.yaml")
    def test_method(self):
        with self.assertRaises(Exception):
            weather("Oslo")

@pytest.mark.parametrize("city", ["Oslo", pytest.param("Rome", marks=pytest.mark.faults("outage.yaml"))])
def test_cities(city):
    try:
        weather(city)
    except Exception:
        assert city == "Rome"
    else:
        assert city == "Oslo"
"""
    place.makepyfile(lines(tests))
    done = place.runpytest_inprocess()
    done.assert_outcomes(passed=3)
    done.stdout.fnmatch_lines(["2 tests, 2 calls, 2 faults delivered"])


def test_the_plan_lies_beside_the_test_or_at_the_root(place: pytest.Pytester) -> None:
    folder = place.mkdir("deep")
    folder.joinpath("own.yaml").write_text(OUTAGE)
    test = """
@pytest.mark.faults({plan!r})
def test_{n}():
    with pytest.raises(Exception, match="503"):
        weather("Oslo")
"""
    folder.joinpath("test_deep.py").write_text(
        lines(test.format(plan="own.yaml", n=1), test.format(plan="outage.yaml", n=2))
    )
    place.runpytest_inprocess().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        ('"outege.yaml"', "*file: does not exist. Did you mean outage.yaml?"),
        ('"outage.yaml", sed=3', "*test_bad: got an unexpected keyword argument 'sed'*"),
        ("", "*test_bad: missing a required argument: 'plan'*"),
        ('"outage.yaml", clock="fast"', "clock is 'fast'; give 'real' or 'virtual'"),
        ('"outage.yaml", max_calls=0', "max_calls is 0; give 1 or more, or leave it out"),
        ("3", "the plan is 3; give a file's name, a Plan, or a plan's data"),
        ('{"name": "x", "rules": [{}]}', "plan has 2 mistakes:"),
    ],
)
def test_a_bad_mark_is_reported_without_a_traceback(place: pytest.Pytester, mark: str, line: str) -> None:
    place.makepyfile(lines(f"@pytest.mark.faults({mark})\ndef test_bad():\n    raise AssertionError\n"))
    done = place.runpytest_inprocess()
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([line])
    assert "pytest_faults" not in done.stdout.str()


@pytest.mark.parametrize("more", ["", ", runs=5"])
def test_two_marks_on_one_test_are_an_error(place: pytest.Pytester, more: str) -> None:
    marks = f'@pytest.mark.faults("outage.yaml"{more})\n@pytest.mark.faults("outage.yaml", seed=2{more})\n'
    place.makepyfile(lines(f"{marks}def test_two():\n    raise AssertionError\n"))
    done = place.runpytest_inprocess()
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["test_two has several marks @pytest.mark.faults, and one counts; write their rules *"])


def test_the_mark_of_a_test_counts_before_that_of_its_module(place: pytest.Pytester) -> None:
    module = 'pytestmark = pytest.mark.faults("outage.yaml", max_calls=0)\n'
    place.makepyfile(
        lines(f"{module}@pytest.mark.faults('outage.yaml', max_calls=5)\ndef test_one():\n    assert True\n")
    )
    place.runpytest_inprocess().stdout.fnmatch_lines(["*::test_one: outage (seed 0): 0 calls*"])


def test_who_never_asks_loads_nothing(place: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    test = """
import sys

def test_light(pytestconfig):
    heavy = {"sealegs.faults", "sealegs.inject", "sealegs.adapters.pytest_faults", "sealegs.adapters.pytest_report"}
    assert "sealegs.adapters.pytest" in sys.modules
    assert not heavy & set(sys.modules)
    assert not {"pydantic", "yaml"} & set(sys.modules)
    assert not pytestconfig.pluginmanager.has_plugin("sealegs_armed")
"""
    place.makepyfile(test)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugins of others load what they like
    done = place.runpytest_subprocess("-p", "sealegs.adapters.pytest", "--strict-markers")
    done.assert_outcomes(passed=1)
    assert "faults" not in done.stdout.str()


PAYING = """
PLAN = {{
    "name": "lost",
    "rules": [{{"match": {{"tool": "pay"}}, "when": {{"first": 1}}, "moment": {moment!r},
               "fault": {{"kind": "error", "status": 503}}}}],
}}

@tool({declared})
def pay(to, amount):
    return {{"paid": amount}}

def agent():
    for _ in range(2):
        try:
            return pay("Bob", amount=10)
        except Exception:
            pass

{marks}
@pytest.mark.faults(PLAN)
def test_pays():
    assert agent() == {{"paid": 10}}

{marks}
def test_pays_in_a_session_by_hand(faults):
    with faults(PLAN):
        agent()
"""


def paying(moment: str, declared: str, marks: str = "") -> str:
    return lines(PAYING.format(moment=moment, declared=declared, marks=marks))


def test_an_agent_that_paid_twice_fails_whatever_its_test_says(place: pytest.Pytester) -> None:
    place.makepyfile(test_pay=paying("after", "effects=True"))
    done = place.runpytest_inprocess()
    done.assert_outcomes(failed=2)
    line = 'doubled: pay(to="Bob", amount=10) took effect twice: call-1, whose answer was lost (it was shown 503 *'
    done.stdout.fnmatch_lines([f"{line}, and call-2. Look whether *"])
    done.stdout.fnmatch_lines(["*the agent was shown*503*", "*moment: after*", "replay: pytest test_pay.py::test_pays"])


def test_an_expected_double_payment_is_an_expected_failure(place: pytest.Pytester) -> None:
    place.makepyfile(test_pay=paying("after", "effects=True", "@pytest.mark.xfail(strict=True)"))
    place.runpytest_inprocess().assert_outcomes(xfailed=2)


@pytest.mark.parametrize(("moment", "declared"), [("before", "effects=True"), ("after", "effects=False")])
def test_a_retry_that_does_no_harm(moment: str, declared: str, place: pytest.Pytester) -> None:
    place.makepyfile(test_pay=paying(moment, declared))
    done = place.runpytest_inprocess()
    done.assert_outcomes(passed=2)
    done.stdout.no_fnmatch_line("called again*")


BOOKING = """
from sealegs import report_effect

@tool(effects=True)
def book(name):
    {work}
    raise RuntimeError("the receipt could not be printed")

@tool(effects=False)
def bookings():
    return []

@pytest.mark.faults(plan={{"name": "none", "rules": []}})
def test_books():
    for _ in range(2):
        try:
            book("Ada")
        except RuntimeError:
            {between}
"""


@pytest.mark.parametrize(
    ("work", "between", "line"),
    [
        ("pass", "pass", "called again after a failure of its own: book 1; it may have been done before it failed*"),
        ("pass", "bookings()", ""),
        ('report_effect("book", name)', "pass", 'doubled: book(name="Ada") took effect twice: call-1, which failed*'),
    ],
    ids=["in doubt", "read", "reported"],
)
def test_a_tool_that_fails_by_itself_and_is_called_again(
    work: str, between: str, line: str, place: pytest.Pytester
) -> None:
    place.makepyfile(test_book=lines(BOOKING.format(work=work, between=between)))
    done = place.runpytest_inprocess()
    done.assert_outcomes(failed=1) if "report" in work else done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines([line]) if line else done.stdout.no_fnmatch_line("called again*")


def test_a_deed_that_a_tool_reports_twice_fails_whatever_its_other_arguments(place: pytest.Pytester) -> None:
    reporting = paying("after", "effects=True").replace("(to, amount):", "(to, amount, note):")
    reporting = reporting.replace('    return {"paid"', "    report_effect('paid', to)\n    return {\"paid\"")
    reporting = reporting.replace("for _ in", "for nth in").replace("amount=10", "amount=10, note=f'try {nth}'")
    place.makepyfile(test_pay=f"from sealegs import report_effect\n{reporting}")
    done = place.runpytest_inprocess()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["doubled: paid Bob happened twice: by call-1: pay(*try 0*, and by call-2: pay(*try 1*"])


def test_of_a_tool_that_nobody_declared_the_section_asks(place: pytest.Pytester) -> None:
    place.makepyfile(test_pay=paying("after", ""))
    done = place.runpytest_inprocess()
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["called again after a lost answer: pay 2; say by @tool(effects=...) whether *"])
