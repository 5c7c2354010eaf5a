"""The list of escapes, and trying them here.

An escape is data (`escapes.yaml`). It counts as stopped only where its code ran as it was meant to, was refused, and
left no trace that the host can see; and where the next kernel then works as usual. A list that cannot fail proves
nothing: some escapes are marked as controls, which succeed where nothing is confined, and tests run them there.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock
from sealegs.sandbox.bait import Bait, locks_on, processes
from sealegs.sandbox.code_kernel import Kernel
from sealegs.sandbox.conversation import CodeTurn, How, StartFailed
from sealegs.sandbox.isolation_status import Name
from sealegs.sandbox.launching import Launcher
from sealegs.sandbox.limits import MIB, Limits

LIMITS = Limits(
    seconds=0.5,
    grace=0.25,
    cpu_seconds=10,
    memory=192 * MIB,
    scratch=4 * MIB,
    scratch_files=64,
    calls=100,
    requests=MIB,
    answers=8 * MIB,
)
PATIENT = replace(LIMITS, seconds=30.0)  # for those that are to come to an end by themselves, on a busy machine too
SLOW = 20.0  # seconds beyond its limit that a turn which meets it may take to end on a busy machine
LEAVING = 5.0  # seconds that the last process may take to die there
TOOLS = (
    ToolSpec("price", "The price of an item.", {"properties": {"item": {"type": "string"}}, "required": ["item"]}),
    ToolSpec("long", "A long text.", {"properties": {}}),
)
PRELUDE = """
import ctypes, os, stat, sys
bait = {bait}
turn_number = 2
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
_told = set()

def _tell(line):
    if line not in _told:
        _told.add(line)
        print(line)

def attempt(what, act):
    try:
        got = act()
    except Exception as error:
        _tell(f"REFUSED {{what}}: {{type(error).__name__}}: {{str(error)[:60]}}")
    else:
        _tell(f"ESCAPED {{what}}: {{str(got)[:60]}}")

def syscall(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    if number < 0:
        raise OSError("not on this machine")
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    got = libc.syscall(ctypes.c_long(number), *given)
    if got == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got

def say(what):
    import fcntl
    line = what.encode() if isinstance(what, str) else what
    for number in range(3, 4096):  # the process that started this one may have many files open
        try:
            pipe = stat.S_ISFIFO(os.fstat(number).st_mode)
        except OSError:
            continue
        if pipe and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
            while line:
                line = line[os.write(number, line):]
            return
"""


class Escape(BaseModel):
    """One attempt; what the fields mean is at the top of `escapes.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    tries: str
    code: str
    says: str
    stopped: str
    weak: str = ""
    ends: tuple[How, ...] = ("finished",)
    calls: int | None = 0
    open: tuple[Name, ...] = ()
    control: bool = False

    def stopped_by(self, isolation: Name) -> str:
        """The barrier that stops it there."""
        return self.weak or self.stopped if isolation == "weak" else self.stopped


@dataclass(frozen=True, slots=True)
class EscapeVerdict:
    """The verdict on one attempt.

    Attributes:
        escape: the attempt.
        why: everything that indicates an escape; nothing where it was stopped.
        turn: the hostile turn.
        seconds: of it all, with the start of the kernel and its end.
    """

    escape: Escape
    why: tuple[str, ...]
    turn: CodeTurn
    seconds: float

    @property
    def escaped(self) -> bool:
        """Whether it got out, did harm, or did not show that it was stopped."""
        return bool(self.why)


@functools.cache
def escapes() -> tuple[Escape, ...]:
    """The list."""
    import yaml

    text = Path(__file__).with_name("escapes.yaml").read_text(encoding="utf-8")
    return tuple(Escape.model_validate(one) for one in yaml.safe_load(text))


def try_escapes(launcher: Launcher, which: Iterable[Escape]) -> Iterator[EscapeVerdict]:
    """Try escapes one after another, each in a kernel of its own."""
    for escape in which:
        yield try_escape(launcher, escape)


def try_escape(launcher: Launcher, escape: Escape) -> EscapeVerdict:
    """Try one escape, see what it did, and run an honest episode after it."""
    clock = RealClock()
    before = processes()
    limits = LIMITS if "timeout" in escape.ends else PATIENT
    with Bait() as bait:
        with Kernel(launcher, limits) as kernel:
            kernel.start(TOOLS, _answer)
            # In a turn of its own, with time enough: where the prelude fails, the escape does not count as stopped.
            prepared = kernel.run(PRELUDE.format(bait=json.dumps(bait.names)), PATIENT.seconds)
            turn = kernel.run(escape.code) if kernel.alive else prepared
        # Inside the bait's block but after the kernel's, so that late writes of dying processes are seen too.
        why = [*_seen(escape, turn, bait.secret, limits), *bait.harm()]
    if prepared.how != "finished":
        why.append(f"it was not tried: the prelude ended otherwise than it should: {prepared.how}")
    if left := _left(before):
        why.append(f"{left} process(es) were left behind")
    # An escape may do its harm to the next episode instead of its own.
    why += _next_episode(launcher)
    return EscapeVerdict(escape, tuple(why), turn, clock.now())


def _left(before: set[int]) -> int:
    """The number of kernels that are still there after the time that the last to die may take."""
    clock = RealClock()
    while (left := processes() - before) and clock.now() < LEAVING:
        clock.sleep(0.01, lambda: None)
    return len(left)


def _answer(tool: str, arguments: Any) -> Outcome:
    if tool == "long":
        return Value("x" * 200_000)
    # The code cannot see the locks that it left on shared files; the host can.
    if arguments.get("item") == "locks":
        return Value(locks_on(Path(os.__file__)) > 0)
    return Value(12) if arguments.get("item") == "pen" else Failure("no such item", type="LookupError")


def _seen(escape: Escape, turn: CodeTurn, secret: str, limits: Limits) -> Iterator[str]:
    """The signs of an escape in the turn itself."""
    shown = f"{turn.output}\n{turn.error or ''}"
    for line in turn.output.splitlines():
        if line.startswith("ESCAPED"):
            yield line
    if secret in shown:
        yield "the secret was seen"
    if turn.how not in escape.ends:
        yield f"the turn ended otherwise than it should: {turn.how} ({(turn.error or '').strip()[-80:]})"
    # An attempt that failed for another reason, such as a typing error, proves nothing.
    if not re.search(escape.says, turn.output) and not re.search(escape.says, turn.error or ""):
        yield f"nothing shows that it was tried: {shown.strip()[-80:]!r}"
    made = len(turn.calls)
    if escape.calls is not None and made != escape.calls:
        yield f"the host's log has {made} call(s) instead of {escape.calls}"
    if turn.seconds > limits.seconds + limits.grace + (SLOW if "timeout" in escape.ends else 0):
        yield f"it took {turn.seconds:.1f} s"


def _next_episode(launcher: Launcher) -> Iterator[str]:
    """The problems of an honest episode now."""
    try:
        with Kernel(launcher, PATIENT) as kernel:
            turn = kernel.start(TOOLS, _answer).run("price('pen') * 2")
    except (OSError, StartFailed) as error:
        yield f"the next kernel did not start: {error}"
        return
    if turn.output != "24\n" or len(turn.calls) != 1:
        yield f"the next episode went wrong: {turn.output!r} {turn.error or ''}"
