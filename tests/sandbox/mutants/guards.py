"""Guards of the sandbox by name, and how each is removed for good from this process.

`remove_guards` patches modules and takes nothing back: a mutant runs in a process of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import pickle
from collections.abc import Callable
from typing import Any

from sealegs.sandbox import (
    bait,
    code_kernel,
    conversation,
    escapes,
    kernel_protocol,
    launching,
    pipes,
    process,
    seccomp,
)
from sealegs.sandbox.confinement import Handshake
from sealegs.sandbox.launching import Bare, Bubblewrap, Launcher
from sealegs.sandbox.limits import MIB, Limits
from sealegs.sandbox.process import KernelProcess
from sealegs.sandbox.python_files import python_files
from tests.sandbox.mutants.forked_host import start_by_fork

FAR = 10.0  # seconds: beyond every limit of time that the verdict knows, and bearable
SLACK = 5.0  # seconds that a turn which ends at its limit may take longer on a busy machine

# Parts of the code that runs inside, by guard, and the code without the guard.
INSIDE = {
    "timer": [("signal.ITIMER_REAL, seconds)\n", "signal.ITIMER_REAL, 1000.0)\n")],
    "note of the time": [("if self._over and how", "if False and how")],
    "capabilities": [("    _drop_capabilities(libc)\n", "")],
    "hard limits": [("(value, value)", "(value, resource.getrlimit(getattr(resource, name))[1])")],
    "limit of recursion": [("turns, calls = Turns(", "sys.setrecursionlimit(10**9)\n    turns, calls = Turns(")],
    "limit of output": [('Turns(how["output"])', "Turns(10**12)")],
    "plain output, inside": [
        ('return text.replace("\\0", "\\\\x00").encode("utf-8", "backslashreplace").decode()', "return text"),
        ("ensure_ascii=False", "ensure_ascii=True"),
    ],
    "exit at once": [("os._exit(0)", "sys.exit(0)")],
}


class MutantPlace:
    """A place with guards removed."""

    def __init__(self, guards: frozenset[str]) -> None:
        self._guards = guards
        self._whole: Launcher = Bare() if {"bubblewrap", "process of its own"} & guards else Bubblewrap()
        self.isolation = self._whole.isolation

    def launch(self, limits: Limits) -> KernelProcess:
        return self._whole.launch(limits)

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        return self.without_guards(self._whole.confinement(hello, limits))

    def without_guards(self, how: dict[str, Any]) -> dict[str, Any]:
        """A confinement without what the guards are in it."""
        how |= {layer: None for layer in ("landlock", "seccomp") if layer in self._guards}
        if "landlock" in self._guards and "bubblewrap" in self._guards:
            how["folder"] = "/var/tmp"  # one that can be written to, as a working folder is
        if "sealed devices" in self._guards:
            how["sealed"] = []
        for name in [one for one in self._guards if one.startswith("RLIMIT_")]:
            how["limits"].pop(name)
        if how["scratch"] is not None:
            how["scratch"] |= {key: 0 for key in ("bytes", "files") if f"scratch {key}" in self._guards}  # 0: no limit
        return how


def remove_guards(guards: frozenset[str]) -> MutantPlace:
    """Remove guards, and return the place where kernels run then."""
    _change_inside(guards)
    for guard in guards:
        if guard.endswith(" namespace"):
            _change_wrapping(functools.partial(_sharing, name=guard.split()[0]))
        elif guard.startswith("check of "):
            _without_check(guard.removeprefix("check of "))
        elif guard in REMOVALS:
            REMOVALS[guard]()
        elif guard not in KNOWN and not guard.startswith("RLIMIT_"):
            raise KeyError(guard)
    return MutantPlace(guards)


KNOWN = {"bubblewrap", "landlock", "seccomp", "sealed devices", "scratch bytes", "scratch files", *INSIDE}


def _change_inside(guards: frozenset[str]) -> None:
    text = process.kernel_source().decode()
    for guard in guards & INSIDE.keys():
        for old, new in INSIDE[guard]:
            assert old in text, f"the code inside has no {old!r}"
            text = text.replace(old, new)
    process.kernel_source = lambda: text.encode()  # type: ignore[assignment]


def _change_wrapping(change: Callable[[list[str]], list[str]]) -> None:
    words = change(list(launching._wrapping(python_files())))
    launching._wrapping = lambda python: tuple(words)  # type: ignore[assignment]


def _sharing(words: list[str], name: str) -> list[str]:
    left_out = {f"--unshare-{name}"} | ({"--as-pid-1"} if name == "pid" else set())
    if name == "uts":
        words = _without_option(words, "--hostname")
    if name == "user":
        words = _without_option(_without_option(words, "--uid"), "--gid")
    return [word for word in words if word not in left_out]


def _without_option(words: list[str], option: str) -> list[str]:
    at = words.index(option)
    return words[:at] + words[at + 2 :]


def _all_capabilities() -> None:
    _change_wrapping(lambda words: ["--cap-add", "ALL", *_without_option(words, "--cap-drop")])


def _hidden_folders_writable() -> None:
    def change(words: list[str]) -> list[str]:
        for at in range(len(words) - 2, -1, -1):
            if words[at] == "--remount-ro" and "-packages" in words[at + 1]:
                del words[at : at + 2]
        return words

    _change_wrapping(change)


def _without_check(name: str) -> None:
    whole = seccomp.checks
    seccomp.checks = lambda pid: {**whole(pid), name: ()}  # type: ignore[assignment]


def _locks_reach_linux() -> None:
    rows = tuple(row._replace(when="always") if row.name == "flock" else row for row in seccomp.syscall_table())
    seccomp.syscall_table = lambda: rows  # type: ignore[assignment]


def _other_limits(**changed: Any) -> None:
    """Kernels get other limits than the verdict is held against."""
    whole = code_kernel.Kernel.__init__
    code_kernel.Kernel.__init__ = lambda self, place, limits: whole(  # type: ignore[method-assign]
        self, place, dataclasses.replace(limits, **changed)
    )


def _patient_host() -> None:
    _other_limits(grace=FAR)
    escapes.SLOW = SLACK


def _environment_of_host(words: bool) -> None:
    if words:
        _change_wrapping(lambda words: [word for word in words if word != "--clearenv"])
        return
    whole = process.spawn
    launching.spawn = lambda command, environment: whole(command, {**os.environ, **environment})


def _descriptors_kept(inherited: bool) -> None:
    if inherited:
        whole = bait._ear

        def ear(*given: Any) -> Any:
            made = whole(*given)
            made.set_inheritable(True)
            return made

        bait._ear = ear
        return
    popen = process.subprocess.Popen

    def start(*command: Any, pass_fds: tuple[int, ...], **how: Any) -> Any:
        for one in pass_fds:
            os.set_inheritable(one, True)
        return popen(*command, close_fds=False, **how)

    process.subprocess = type("subprocess", (), {**vars(process.subprocess), "Popen": staticmethod(start)})


class Everything(dict[str, Any]):
    """Holds every function, and each takes every argument."""

    def __init__(self, known: Any, functions: bool) -> None:
        super().__init__(known)
        self._functions = functions

    def __contains__(self, name: object) -> bool:
        return self._functions or super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        return super().get(name, {"command"}) if self._functions else AnyArguments()


class AnyArguments:
    """More than any set of names."""

    def __ge__(self, other: object) -> bool:
        return True


def _read_with(change: Callable[..., tuple[Any, ...]]) -> None:
    whole = kernel_protocol.read_kernel_message
    conversation.read_kernel_message = lambda *given: whole(*change(*given))


def _parse_with(parse: Callable[[bytes], Any]) -> None:
    conversation.parse_line = parse


def _json_or_pickle(line: bytes) -> Any:
    try:
        return kernel_protocol.parse_line(line)
    except kernel_protocol.ProtocolViolation:
        return pickle.loads(line) or {}


def _log_of_claims() -> None:
    """Take the calls from what the code printed."""
    whole = code_kernel.Kernel.run

    def run(self: Any, code: str, seconds: float | None = None) -> conversation.CodeTurn:
        turn = whole(self, code, seconds)
        claims = turn.output.count("price") if code != escapes.PRELUDE else 0
        made = conversation.CompletedCall("price", {}, conversation.Failure(""))
        return dataclasses.replace(turn, calls=(made,) * claims) if claims else turn

    code_kernel.Kernel.run = run  # type: ignore[method-assign]


def _not_killed() -> None:
    def end(child: Any, requests: int, replies: int) -> None:
        child.stderr.close()
        os.close(requests)
        os.close(replies)

    process._end = end


def _calls_by_number(message: Any, turn: int, call: int, *rest: Any) -> tuple[Any, ...]:
    return (message, turn, message.get("call", call), *rest)


REMOVALS: dict[str, Callable[[], None]] = {
    "process of its own": start_by_fork,
    "capabilities": _all_capabilities,
    "hidden folders read-only": _hidden_folders_writable,
    "answered locks": _locks_reach_linux,
    "time by the host": _patient_host,
    "environment cleared": lambda: _environment_of_host(True),
    "environment not passed": lambda: _environment_of_host(False),
    "descriptors closed": lambda: _descriptors_kept(False),
    "descriptors not inherited": lambda: _descriptors_kept(True),
    "known functions": lambda: _read_with(lambda m, t, c, f, li: (m, t, c, Everything(f, True), li)),
    "known arguments": lambda: _read_with(lambda m, t, c, f, li: (m, t, c, Everything(f, False), li)),
    "order of calls": lambda: _read_with(_calls_by_number),
    "form of arguments": lambda: setattr(kernel_protocol, "_check", lambda value, levels: None),
    "errors of the reader": lambda: _parse_with(kernel_protocol.json.loads),
    "only JSON": lambda: _parse_with(_json_or_pickle),
    "plain output, host": lambda: setattr(kernel_protocol, "storable_text", str),
    "limit of messages": lambda: _other_limits(message=128 * MIB),
    "limit of calls": lambda: _other_limits(calls=1000),
    "limit of all calls": lambda: _other_limits(requests=1 << 40),
    "end of the pipe": lambda: setattr(pipes, "_taken", lambda pipe: os.read(pipe, pipes.AT_ONCE) or b" " * 65536),
    "log of the host": _log_of_claims,
    "kill at the end": _not_killed,
}
