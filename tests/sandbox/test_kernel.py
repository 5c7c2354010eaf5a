"""A kernel as its user meets it: turns, what is shown, functions under faults, limits, ends."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults import Plan, Rule, ToolSpec
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.kinds import Connection, Error, Poisoned
from sealegs.faults.triggers import Nth, Tool
from sealegs.inject import Session, VirtualClock
from sealegs.sandbox import CodeTurn, CompletedCall, Kernel, KernelEnded, Limits, answer_through_session
from sealegs.traces import Recorder, build_record
from tests.sandbox.places import place

RATE = ToolSpec(
    "rate",
    "The rate between two currencies.",
    {"properties": {"base": {"type": "string"}, "quote": {"type": "string"}}, "required": ["base"]},
)


CATCH = "try:\n    f()\nexcept {} as e:\n    print(f'{{type(e).__name__}}: {{e}}')"


def rate(base: str, quote: str = "USD") -> dict[str, Any]:
    if base == "XXX":
        raise LookupError("no currency XXX")
    return {"pair": base + quote, "rate": 1.25}


def answer(tool: str, arguments: Mapping[str, Any]) -> Outcome:
    try:
        return Value(rate(**arguments))
    except LookupError as error:
        return Failure(str(error), type="LookupError")


@pytest.fixture(params=["bubblewrap", "weak"], scope="module")
def kernel(request: pytest.FixtureRequest) -> Iterator[Kernel]:
    with Kernel(place(request.param), Limits(seconds=5)) as made:
        yield made.start([RATE], answer)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("", ""),
        ("6 * 7", "42\n"),
        ("'text'", "'text'\n"),
        ("None", ""),
        ("x = 5", ""),
        ("print('a'); 'b'", "a\n'b'\n"),
        ("if True:\n    7", ""),
        ("import sys\n_ = sys.stderr.write('warned')", "warned"),
        ("rate('EUR')", "{'pair': 'EURUSD', 'rate': 1.25}\n"),
        ("rate('EUR', quote='NOK')['pair']", "'EURNOK'\n"),
        ("rate(quote='NOK', base='EUR')['pair']", "'EURNOK'\n"),
        ("[rate(base=b)['pair'] for b in ('A', 'B')]", "['AUSD', 'BUSD']\n"),
        ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(5)", "120\n"),
        (
            "import dataclasses, pickle\n@dataclasses.dataclass\nclass P:\n    x: int\n"
            "pickle.loads(pickle.dumps(P(3)))",
            "P(x=3)\n",
        ),
        ("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 5\nasyncio.run(f())", "5\n"),
        ("list({'b', 'a', 'c'}) == list({'b', 'a', 'c'})", "True\n"),
        ("print('å', '\\u20ac')", "å €\n"),
        ("import math, json, re, datetime, statistics, sqlite3, decimal, zoneinfo, itertools, csv, random", ""),
        (
            "try:\n    rate('XXX')\nexcept LookupError as e:\n    print(type(e).__name__, e)",
            "LookupError no currency XXX\n",
        ),
        ("try:\n    rate('XXX')\nexcept ToolError as e:\n    print(e)", "no currency XXX\n"),
        ("print(rate.__doc__)", "rate(base, quote=...)\n\nThe rate between two currencies.\n"),
        ("try:\n    input()\nexcept EOFError:\n    print('no input')", "no input\n"),
    ],
)
def test_what_is_shown(kernel: Kernel, code: str, shown: str) -> None:
    turn = kernel.run(code)
    assert (turn.how, turn.error) == ("finished", None)
    assert turn.output == shown


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("1/0", 'Traceback (most recent call last):\n  File "<turn N>", line 1, in <module>\n    1/0\n    ~^~\n'
                "ZeroDivisionError: division by zero"),
        ("def f():\n    return rate('XXX')\nf()", "LookupError: no currency XXX"),
        ("rate()", "TypeError: rate() missing 1 required positional argument: 'base'"),
        ("rate(1, 2, 3)", "TypeError: rate() takes 2 positional arguments but 3 were given"),
        ("rate('a', base='b')", "TypeError: rate() got multiple values for argument 'base'"),
        ("rate(x=1)", "TypeError: rate() got an unexpected keyword argument 'x'"),
        ("rate({1})", "TypeError: Object of type set is not JSON serializable"),
        ("rate(float('nan'))", "ValueError: Out of range float values are not JSON compliant"),
        ("rate('\\ud800')", "surrogates not allowed"),
        ("x = []\nfor _ in range(40): x = [x]\nrate(x)", "ValueError: rate(): the arguments are nested too deeply"),
        ("rate('x' * 2**21)", "ValueError: rate(): the arguments are too long (2097201 bytes, at most 1048576)"),
        ("if", 'File "<turn N>", line 1\n    if\n      ^\nSyntaxError: invalid syntax'),
        ("\x00", "null bytes"),
        ("\ud800", "surrogates not allowed"),
        ("import json\njson.loads('{')", "JSONDecodeError"),
        ("try:\n    1/0\nexcept Exception as e:\n    raise KeyError('x') from e", "direct cause of the following"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise ExceptionGroup('g', [ValueError('a')])", "ExceptionGroup: g (1 sub-exception)"),
    ],
)  # fmt: skip
def test_what_an_error_looks_like(kernel: Kernel, code: str, error: str) -> None:
    """The traceback holds the code's own frames and nothing else."""
    turn = kernel.run(code)
    assert turn.how == "raised"
    assert turn.error is not None
    text = turn.error.replace(f"<turn {kernel_turn(turn)}>", "<turn N>") if "<turn " in turn.error else turn.error
    assert error in text
    for ours in ("kernel", "sealegs", "/python/", "inside.py", "lib/python"):
        assert ours not in turn.error
    assert kernel.alive


def kernel_turn(turn: CodeTurn) -> str:
    assert turn.error is not None
    return turn.error.split("<turn ")[1].split(">")[0]


def test_state_is_kept_between_turns(kernel: Kernel) -> None:
    kernel.run("total = 1\ndef add(n):\n    global total\n    total += n")
    assert kernel.run("add(5)").output == ""
    assert kernel.run("total").output == "6\n"
    kernel.run("before = 1\n1/0\nafter = 2")
    assert kernel.run("before, 'after' in globals()").output == "(1, False)\n"


def test_the_traceback_of_a_function_of_an_earlier_turn(kernel: Kernel) -> None:
    kernel.run("def early():\n    raise ValueError('late')")
    error = kernel.run("early()").error
    assert error is not None
    assert "raise ValueError('late')" in error
    assert "in early" in error


def test_the_host_logs_the_calls_it_made(kernel: Kernel) -> None:
    turn = kernel.run("a = rate('EUR')\ntry:\n    rate('XXX')\nexcept ToolError:\n    pass")
    assert turn.calls == (
        CompletedCall("rate", {"base": "EUR"}, Value({"pair": "EURUSD", "rate": 1.25})),
        CompletedCall("rate", {"base": "XXX"}, Failure("no currency XXX", type="LookupError")),
    )
    assert kernel.calls[-2:] == list(turn.calls)


@pytest.mark.parametrize(
    ("outcome", "code", "shown"),
    [
        (Value({"when": "x", "n": [1, 2.5, None, True]}), "f()", "{'when': 'x', 'n': [1, 2.5, None, True]}\n"),
        (Value("line\nline"), "print(f())", "line\nline\n"),
        (Value(float("inf")), "f()", "inf\n"),
        (Value("\ud800"), "len(f())", "1\n"),
        (Failure("busy", type="TimeoutError"), CATCH.format("TimeoutError"), "TimeoutError: busy\n"),
        (Failure("no", type="KeyError"), CATCH.format("KeyError"), "KeyError: no\n"),
        (Failure("no", type="UnicodeDecodeError"), CATCH.format("ToolError"), "UnicodeDecodeError: no\n"),
        (Failure("no", type="not a name"), CATCH.format("ToolError"), "ToolError: no\n"),
        (Failure("", type="SystemExit"), CATCH.format("Exception"), "SystemExit: \n"),
        (Failure("down", type="Down", status=503), CATCH.format("ToolError"),
         'Down: {"error": {"status": 503, "type": "Down", "message": "down"}}\n'),
    ],
)  # fmt: skip
def test_answers_of_functions(outcome: Outcome, code: str, shown: str) -> None:
    with Kernel(place("weak")) as kernel:
        turn = kernel.start([ToolSpec("f")], lambda tool, arguments: outcome).run(code)
    assert (turn.output, turn.error) == (shown, None)
    assert turn.calls[0].outcome == outcome


def test_an_answer_that_cannot_be_shown_is_reported_as_such() -> None:
    endless: list[Any] = []
    endless.append(endless)
    answers = iter([Value(endless), Value("x" * (2 << 20))])
    with Kernel(place("weak")) as kernel:
        kernel.start([ToolSpec("f")], lambda tool, arguments: next(answers))
        assert "ToolError: The answer cannot be shown" in (kernel.run("f()").error or "")
        assert "ToolError: The answer is too long: 2097166 bytes" in (kernel.run("f()").error or "")


def test_faults_of_a_plan_reach_the_code() -> None:
    plan = Plan(
        name="outage",
        rules=(
            Rule(match=Tool("rate"), when=Nth(1), fault=Error(status=503)),
            Rule(match=Tool("rate"), when=Nth(2), fault=Poisoned()),
            Rule(match=Tool("rate"), when=Nth(3), fault=Connection()),
        ),
    )
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("episode", {})
    session = Session(plan, episode="episode", clock=clock, watcher=recorder, specs=[RATE])
    with session, Kernel(place("weak")) as kernel:
        kernel.start([RATE], answer_through_session(session, {"rate": rate}))
        first, second, third, fourth = (kernel.run("rate('EUR')") for _ in range(4))
    recorder.finish("answered", answer="")
    assert first.error is not None
    assert first.error.endswith('ServiceUnavailable: {"error": {"status": 503, "type": "ServiceUnavailable", '
                                '"message": "Service Unavailable"}}')  # fmt: skip
    assert second.how == "finished"
    assert second.output != fourth.output
    assert "ConnectionRefusedError: [Errno 111] Connection refused" in (third.error or "")
    assert fourth.output == "{'pair': 'EURUSD', 'rate': 1.25}\n"
    seen = build_record(recorder.events)
    assert [turn.faulted for turn in seen.turns] == [True, True, True, False]
    assert "seam" not in first.error + (third.error or "")


def test_what_a_function_raises_is_its_failure() -> None:
    with Session() as session, Kernel(place("weak")) as kernel:
        kernel.start([RATE], answer_through_session(session, {"rate": rate}))
        assert (kernel.run("rate('XXX')").error or "").endswith("LookupError: no currency XXX")


def test_functions_may_be_added_and_be_many() -> None:
    with Kernel(place("weak")) as kernel:
        assert "NameError" in (kernel.start([RATE], answer).run("f7()").error or "")
        kernel.start(ToolSpec(f"f{n}", "Says its name.") for n in range(4500))
        kernel.start(answer=lambda tool, arguments: Value(tool))
        assert kernel.run("f7(), f4499(), rate('EUR')").output == "('f7', 'f4499', 'rate')\n"


def test_two_kernels_do_the_same() -> None:
    shown = set()
    for _ in range(2):
        with Kernel(place("weak")) as kernel:
            shown.add(kernel.start().run("list({str(n) for n in range(50)}), hash('x')").output)
    assert len(shown) == 1


def test_the_output_is_cut() -> None:
    with Kernel(place("weak"), Limits(output=100)) as kernel:
        turn = kernel.start().run("print('x' * 90); print('y' * 90)")
        assert turn.output == "x" * 90 + "\n" + "y" * 9 + "\n... (82 more characters were cut)"
        long = kernel.run("raise ValueError('z' * 500)")
        assert long.error is not None
        assert long.error.endswith("z" * 100)
        assert "characters were cut" in long.error


def test_a_timeout_keeps_what_was_and_a_stubborn_one_does_not() -> None:
    with Kernel(place("weak"), Limits(seconds=0.3, grace=4)) as kernel:
        kernel.start([RATE], answer)
        turn = kernel.run("kept = rate('EUR')\nprint('so far')\nwhile True:\n    pass")
        assert (turn.how, turn.output, turn.alive, len(turn.calls)) == ("timeout", "so far\n", True, 1)
        assert (turn.error or "").endswith("TimeLimit: the turn took too long")
        assert kernel.run("kept['pair']").output == "'EURUSD'\n"
        stubborn = kernel.run(
            "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
        )
        assert (stubborn.how, stubborn.alive, kernel.alive) == ("timeout", False, False)
        assert stubborn.error == (
            "The interpreter was stopped and its variables are lost: the turn took longer than 0.3 s."
        )
        with pytest.raises(KernelEnded, match="ended"):
            kernel.run("1")


FINALIZER = """
class Last:
    def __del__(self):
        {body}
Last()
print("seems finished")
"""


@pytest.mark.parametrize("name", ["bubblewrap", "weak"])
def test_a_limit_that_python_swallows_is_a_timeout(name: str) -> None:
    """Finalizers and texts of errors swallow what is raised in them, the interrupt too."""
    with Kernel(place(name), Limits(seconds=0.5, grace=20)) as one:
        turn = one.run(FINALIZER.format(body="while True: pass"))
        assert (turn.how, turn.output, turn.error) == (
            "timeout",
            "seems finished\n",
            "TimeLimit: the turn took too long",
        )
        text = one.run("class Odd(Exception):\n    def __str__(self):\n        while True: pass\nraise Odd")
        assert text.how == "timeout"
        assert text.error is not None
        assert text.error.endswith("TimeLimit: the turn took too long")
        assert one.run("1 + 1").output == "2\n"


@pytest.mark.parametrize("name", ["bubblewrap", "weak"])
def test_an_error_in_a_finalizer_shows_the_codes_own_frames_alone(name: str) -> None:
    with Kernel(place(name)) as one:
        turn = one.run(FINALIZER.format(body="1 / 0"))
    assert turn.how == "finished"
    assert "ZeroDivisionError: division by zero" in turn.output
    assert 'File "<turn 1>", line 4, in __del__' in turn.output
    assert "<kernel>" not in turn.output


def test_a_database_in_the_scratch_folder_works() -> None:
    """SQLite locks its file; the filter answers that in Linux's stead."""
    code = """
import sqlite3
for _ in range(2):
    with sqlite3.connect("own.sqlite") as own:
        own.execute("create table if not exists t (n)")
        own.execute("insert into t values (1)")
    own.close()
sqlite3.connect("own.sqlite").execute("select sum(n) from t").fetchone()
"""
    with Kernel(place("bubblewrap")) as one:
        assert one.run(code).output == "(2,)\n"


def test_the_time_of_the_host_is_not_the_turns() -> None:
    def slow(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        time.sleep(1.6)
        return Value(1)

    with Kernel(place("weak"), Limits(seconds=2, grace=0.5)) as kernel:
        turn = kernel.start([ToolSpec("f")], slow).run("f() + f()")
        assert (turn.output, turn.how) == ("2\n", "finished")
        assert turn.seconds > 2.5


def test_cpu_time_is_the_whole_episodes() -> None:
    burn = "import time\nuntil = time.process_time() + 0.6\nwhile time.process_time() < until:\n    pass"
    with Kernel(place("weak"), Limits(seconds=10, cpu_seconds=1)) as kernel:
        ends = [kernel.start().run(burn)]
        while kernel.alive and len(ends) < 4:
            ends.append(kernel.run(burn))
        assert ends[0].how == "finished"
        assert "the episode's CPU time is used up" in "".join(turn.error or "" for turn in ends)
        assert ends[-1].how == "died"
        assert "signal 9" in (ends[-1].error or "")


def test_more_calls_than_allowed() -> None:
    with Kernel(place("weak"), Limits(calls=3)) as kernel:
        turn = kernel.start([RATE], answer).run("for n in range(5):\n    rate('EUR')")
        assert len(turn.calls) == 3
        assert (turn.error or "").endswith("TooManyCalls: There were 3 calls in this turn; no more are made.")
        assert kernel.run("rate('EUR')['rate']").output == "1.25\n"


def test_the_calls_of_an_episode_have_a_limit_together() -> None:
    with Kernel(place("weak"), Limits(requests=10_000)) as kernel:
        kernel.start([ToolSpec("f", parameters={"properties": {"x": {}}})], lambda tool, arguments: Value(1))
        assert len(kernel.run("f('x' * 6_000)").calls) == 1
        over = kernel.run("f('x' * 6_000)")
        assert over.calls == ()
        assert "TooManyCalls: The calls of this episode have taken 10000 bytes" in (over.error or "")
    with Kernel(place("weak"), Limits(answers=10_000)) as kernel:
        kernel.start([ToolSpec("f")], lambda tool, arguments: Value("x" * 6_000))
        assert len(kernel.run("for _ in range(5):\n    f()").calls) == 2


def test_a_forged_end_shows_by_the_next_turn() -> None:
    forged = '{"done": 1, "how": "finished", "output": "42", "error": null}\n'
    code = f"""
import os, fcntl
for n in range(3, 4096):
    try:
        mode = fcntl.fcntl(n, fcntl.F_GETFL) & 3
    except OSError:
        continue
    if mode == os.O_WRONLY:
        os.write(n, {forged.encode()!r})
"""
    with Kernel(place("weak")) as kernel:
        turn = kernel.start([RATE], answer).run(code)
        assert turn.calls == ()
        if turn.alive:  # its own end came after the host had looked
            assert turn.output == "42"
            turn = kernel.run("1")
        assert (turn.how, turn.alive) == ("violated", False)


async def test_tasks_and_async_functions() -> None:
    async def later(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        await asyncio.sleep(0.01)
        return Value(arguments["base"])

    async def one(name: str) -> str:
        with Kernel(place("weak"), Limits(seconds=5)) as kernel:
            await kernel.start_async([RATE], later)
            first = await kernel.run_async(f"x = rate({name!r})\nx")
            second = await kernel.run_async("x * 2")
            return first.output + second.output

    assert await asyncio.gather(*(one(name) for name in "abc")) == [f"'{n}'\n'{n * 2}'\n" for n in "abc"]


async def test_async_limits_and_long_answers() -> None:
    with Kernel(place("weak"), Limits(seconds=2, grace=0.1)) as kernel:
        await kernel.start_async([ToolSpec("f")], lambda tool, arguments: Value("x" * 500_000))
        assert (await kernel.run_async("len(f())")).output == "500000\n"
        assert (await kernel.run_async("from collections import deque\nfrom itertools import repeat\n"
                                       "deque(repeat(None), maxlen=0)")).how == "timeout"  # fmt: skip


async def test_a_session_of_tasks() -> None:
    plan = Plan(name="outage", rules=(Rule(match=Tool("rate"), when=Nth(1), fault=Error(status=503)),))
    with Session(plan) as session:

        async def run(call: Call) -> Outcome:
            return Value(rate(**call.arguments))

        with Kernel(place("weak")) as kernel:
            await kernel.start_async([RATE], lambda tool, arguments: session.call_async(tool, arguments, run))
            assert "ServiceUnavailable" in ((await kernel.run_async("rate('EUR')")).error or "")
            assert (await kernel.run_async("rate('EUR')['rate']")).output == "1.25\n"


async def test_a_cancelled_turn_ends_the_kernel() -> None:
    with Kernel(place("weak"), Limits(seconds=30)) as kernel:
        await kernel.start_async()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await kernel.run_async("while True:\n    pass")
        assert not kernel.alive


def test_async_functions_need_a_task() -> None:
    async def later(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        return Value(1)

    with Kernel(place("weak")) as kernel:
        kernel.start([ToolSpec("f")], later)
        with pytest.raises(TypeError, match="run_async"):
            kernel.run("f()")


def test_an_error_of_the_hosts_own_passes_and_ends_the_kernel() -> None:
    def broken(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        raise RuntimeError("the host's mistake")

    with Kernel(place("weak")) as kernel:
        kernel.start([ToolSpec("f")], broken)
        with pytest.raises(RuntimeError, match="the host's mistake"):
            kernel.run("f()")
        assert not kernel.alive


def test_a_name_that_is_none() -> None:
    with Kernel(place("weak")) as kernel, pytest.raises(ValueError, match="'get-rate' cannot be a function's name"):
        kernel.start([ToolSpec("get-rate")], answer)


def test_a_kernel_outlives_the_thread_that_made_it() -> None:
    made: list[Kernel] = []
    launcher = place("bubblewrap")
    thread = threading.Thread(target=lambda: made.append(Kernel(launcher).start()))
    thread.start()
    thread.join()
    time.sleep(0.05)
    with made[0] as kernel:
        assert kernel.run("1 + 1").output == "2\n"


@pytest.mark.parametrize("name", ["bubblewrap", "weak"])
def test_kernels_die_with_the_host(name: str) -> None:
    """Killed without a chance to clean up, the host leaves nothing behind."""
    place(name)
    program = (
        "import sys; from sealegs.sandbox import *; from sealegs.sandbox.available_isolation import weakest\n"
        f"k = Kernel({'launcher()' if name == 'bubblewrap' else 'weakest()'}, Limits(seconds=60)).start()\n"
        "k.run('import os'); print('up', flush=True); k.run('while True: pass')"
    )
    host = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "up\n"
    mark = b"\0%d\0" % host.pid
    assert kernels_of(mark)
    host.kill()
    host.wait()
    host.stdout.close()
    until = time.monotonic() + 60
    while kernels_of(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert not kernels_of(mark)


def kernels_of(mark: bytes) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if (folder / "cmdline").read_bytes().endswith(mark):
                found.append(folder.name)
        except OSError:
            continue
    return found
