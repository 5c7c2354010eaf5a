"""What the tests have run in processes of their own: small functions, most of them ill-behaved."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import itertools
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEEN: list[str] = []


def act(payload: Mapping[str, Any]) -> Any:
    """Do what is asked for by name."""
    return globals()[payload["act"]](payload)


def fine(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {"got": payload.get("value"), "pid": os.getpid()}


def napping(payload: Mapping[str, Any]) -> dict[str, Any]:
    time.sleep(payload["seconds"])
    return {}


def noted(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Leave a trace outside, so that a test can count how often a run really began."""
    with Path(payload["note"]).open("a") as file:
        file.write(f"{payload['value']}\n")
    time.sleep(payload.get("seconds", 0.0))
    return {"value": payload["value"]}


def stop_supervisor(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Stop the process that watches this run, perhaps before it has seen the run begin."""
    supervisor = os.getppid()
    os.kill(supervisor, signal.SIGSTOP)
    time.sleep(payload["seconds"])
    os.kill(supervisor, signal.SIGCONT)
    time.sleep(0.2)
    return {}


def what_is_seen(_: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that a run before could have left."""
    return {
        "globals": list(SEEN),
        "environment": os.environ.get("LEFT_BEHIND"),
        "folder": names(Path()),
        "temporary": names(Path(tempfile.gettempdir())),
        "umask": os.umask(0o22),
        "path": sys.path[0],
        "modules": "wave" in sys.modules,
        "json": json.dumps({"a": 1}),
        "alarm": str(signal.getsignal(signal.SIGALRM)),
        "policy": type(asyncio.get_event_loop_policy()).__name__,
        "loop": asyncio.run(_loop_state()),
        "rows": sqlite3.connect("runs.db").execute("select count(*) from sqlite_master").fetchone()[0],
        "threads": threading.active_count(),
        "descriptors": descriptors(),
        "recursion": sys.getrecursionlimit(),
        "nice": os.nice(0),
    }


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def descriptors() -> list[str]:
    """What the open descriptors stand for."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that lists
            found.append(entry.readlink().name.partition(":")[0])
    return sorted(found)


async def _loop_state() -> str:
    loop = asyncio.get_running_loop()
    return f"{type(loop).__name__} {loop.is_closed()} {loop.get_debug()}"


class Loops(asyncio.DefaultEventLoopPolicy):
    pass


def pollute(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Leave everything that `what_is_seen` looks at."""
    before = what_is_seen(payload)
    SEEN.append("here")
    os.environ["LEFT_BEHIND"] = "yes"
    Path("left.txt").write_text("left")
    (Path(tempfile.gettempdir()) / "left.txt").write_text("left")
    with sqlite3.connect("runs.db") as base:
        base.execute("create table runs (id)")
    os.umask(0)
    sys.path.insert(0, "/nowhere")
    import wave  # noqa: F401

    json.dumps = lambda *_, **__: "patched"
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    asyncio.set_event_loop_policy(Loops())
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.close()
    socket.socket = None  # type: ignore[assignment, misc]
    time.monotonic = lambda: 0.0
    random.seed(1)
    sys.setrecursionlimit(5000)
    os.nice(1)
    os.chdir("/")
    threading.Thread(target=threading.Event().wait).start()
    sys.stdout.close()
    return before


def drawn(_: Mapping[str, Any]) -> dict[str, Any]:
    numpy = sys.modules.get("numpy")
    return {
        "random": random.random(),
        "numpy": None if numpy is None else float(numpy.random.rand()),
        "hash": hash("text"),
        "environment": dict(os.environ),
        "stdin": sys.stdin.read(),
    }


def raise_it(payload: Mapping[str, Any]) -> dict[str, Any]:
    kinds: dict[str, BaseException] = {
        "value": ValueError("no such city"),
        "exit": SystemExit(3),
        "keyboard": KeyboardInterrupt(),
        "base": Own("own"),
        "mute": Mute(),
        "memory": MemoryError(),
        "group": ExceptionGroup("both", [ValueError("a"), MemoryError()]),
    }
    raise kinds[payload["kind"]]


class Own(BaseException):
    pass


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def wrapped_memory(_: Mapping[str, Any]) -> dict[str, Any]:
    try:
        raise MemoryError
    except MemoryError as error:
        raise RuntimeError("the tool failed") from error


def give_back(payload: Mapping[str, Any]) -> Any:
    return {"list": [1], "text": "text", "none": None, "set": {"a": {1}}, "nan": {"a": float("nan")}}[payload["kind"]]


def leak_threads(_: Mapping[str, Any]) -> dict[str, Any]:
    for _number in range(3):
        threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
    return {"done": True}


def segfault(_: Mapping[str, Any]) -> dict[str, Any]:
    print("before the end")
    ctypes.string_at(0)
    return {}


def leave(payload: Mapping[str, Any]) -> dict[str, Any]:
    os._exit(payload.get("code", 3))


def kill_self(payload: Mapping[str, Any]) -> dict[str, Any]:
    os.kill(os.getpid(), payload["signal"])
    time.sleep(60)
    return {}


def deaf(_: Mapping[str, Any]) -> dict[str, Any]:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(3600)


def endless_c(_: Mapping[str, Any]) -> dict[str, Any]:
    sum(itertools.repeat(0))
    return {}


def close_all(_: Mapping[str, Any]) -> dict[str, Any]:
    os.closerange(0, 4096)
    return {"closed": True}


def open_all(_: Mapping[str, Any]) -> dict[str, Any]:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    kept = []
    while True:
        try:
            kept.append(os.dup(0))
        except OSError:
            SEEN.append(str(kept))
            return {"opened": len(kept)}


def garbage(_: Mapping[str, Any]) -> dict[str, Any]:
    for number in range(4096):
        try:
            os.write(number, b"\x00\x00\x00\x02{}garbage" * 100)
        except OSError:
            continue
    return {"written": True}


def forked_twin(_: Mapping[str, Any]) -> dict[str, Any]:
    """Come back twice: the child's answer is not the run's."""
    child = os.fork()
    time.sleep(0.05 if child else 0.0)
    return {"who": "parent" if child else "child"}


def leave_children(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A child, and a grandchild in a session of its own whose parent is gone; they hold the output open."""
    mark = payload["mark"]
    subprocess.Popen(["sleep", f"3600.{mark}"])
    if not os.fork():
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if not os.fork():
            os.execvp("sleep", ["sleep", f"3600.{mark}"])
        os._exit(0)
    os.wait()
    while len(found(mark)) < 2:
        time.sleep(0.005)
    if payload.get("then") == "hang" or (payload.get("then") == "first hang" and not begun_before(mark)):
        time.sleep(3600)
    if payload.get("then") == "leave":
        os._exit(0)
    return {"left": len(found(mark))}


def begun_before(mark: str) -> bool:
    """Whether this was asked before, under the mark."""
    path = Path(tempfile.gettempdir()).parent.parent.parent / f"sealegs-test-{mark}"
    if path.exists():
        path.unlink()
        return True
    path.touch()
    return False


def found(mark: str) -> list[int]:
    """The processes that sleep under a mark."""
    result = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"3600.{mark}".encode() in (entry / "cmdline").read_bytes():
                result.append(int(entry.name))
        except OSError:
            continue
    return result


def hop(_: Mapping[str, Any]) -> dict[str, Any]:
    """A process that is never the same for long."""
    if not os.fork():
        while True:
            if os.fork():
                os._exit(0)
    return {"hopping": True}


def eat(payload: Mapping[str, Any]) -> dict[str, Any]:
    held: list[Any] = []
    try:
        for _ in range(payload.get("pieces", 100)):
            held.append(bytearray(b"x") * (16 * 2**20))  # noqa: PERF401
    except MemoryError:
        return {"caught": True}
    time.sleep(payload.get("rest", 0.0))
    return {"eaten": len(held)}


def eat_in_children(payload: Mapping[str, Any]) -> dict[str, Any]:
    for _ in range(4):
        if not os.fork():
            eat({"pieces": 4, "rest": 3600})
    time.sleep(payload["rest"])
    return {}


def share_with_children(_: Mapping[str, Any]) -> dict[str, Any]:
    """Much memory, held once, seen by many."""
    held = bytearray(b"x") * (60 * 2**20)
    for _number in range(4):
        if not os.fork():
            time.sleep(3600)
    time.sleep(0.3)
    return {"held": len(held)}


def reserve(_: Mapping[str, Any]) -> dict[str, Any]:
    """Memory that is reserved and not used does not count."""
    room = bytes(2**30)
    time.sleep(0.15)
    return {"reserved": len(room)}


def print_much(payload: Mapping[str, Any]) -> dict[str, Any]:
    line = b"y" * 2**20
    for _ in range(payload["megabytes"]):
        os.write(1, line)
    print("the last words")
    return {}


def kill_supervisor(payload: Mapping[str, Any]) -> dict[str, Any]:
    subprocess.Popen(["sleep", f"3600.{payload['mark']}"], start_new_session=True)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
    return {}


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def whose(_: Mapping[str, Any]) -> dict[str, Any]:
    time.sleep(0.05)
    return {"zygote": parent(os.getppid())}


def kill_zygote(_: Mapping[str, Any]) -> dict[str, Any]:
    os.kill(parent(os.getppid()), signal.SIGKILL)
    time.sleep(60)
    return {}


def big(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {"text": "x" * payload["bytes"]}
