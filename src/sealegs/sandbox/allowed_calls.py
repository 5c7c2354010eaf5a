"""Every system call that the filter permits, tried on everything that a kernel shares with the machine.

The attempts are made from the filter's own table: a row names the forms of its arguments, and each form is tried on
each shared thing. What a call did is seen by the host, which looks at all of it after every single call, while the
kernel waits and still holds what it opened; nothing is taken from what the code says but Linux's answer.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sealegs.faults.call import Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.sandbox.bait import lock_counts
from sealegs.sandbox.code_kernel import Kernel
from sealegs.sandbox.launching import DEVICES, Bare, Bubblewrap, Launcher
from sealegs.sandbox.limits import MIB, Limits
from sealegs.sandbox.seccomp import SyscallEntry, syscall_table

# All attempts are made in one turn, each with a call of the host.
LIMITS = Limits(seconds=300, calls=100_000, requests=64 * MIB, answers=64 * MIB)
SEEN = ToolSpec(
    "seen", "One call was made.", {"properties": {"what": {}, "answer": {}}, "required": ["what", "answer"]}
)
PLACE = "/tmp"  # which every user can reach, unlike the folder that TMPDIR may name
MOVES_DATA = {"read", "write", "readv", "writev", "sendfile", "close"}  # on the kernel's own pipe: what that is for
# Requests to files, to random number devices and to terminals; and those that the filter permits.
IOCTLS = (
    "40086602 401c5820 40049409 c0045877 c0045878 c0185879 80086601 2 5452 5412 8901 "
    "8902 40045201 5204 5206 5207 40045202 5401 5413 541b 5421 5450 5451"
)


@dataclass(frozen=True, slots=True)
class CallAttempt:
    """One call that was made.

    Attributes:
        name: of the system call.
        on: what it was tried on.
        form: of its arguments, as the table has them.
        answer: Linux's: `ok`, or the name of an error.
        did: what the host saw changed by it; `seen` where the code learned of something that is not shared.
    """

    name: str
    on: str
    form: str
    answer: str
    did: tuple[str, ...]


def forms_of(entry: SyscallEntry) -> list[str]:
    """Every form of a call's arguments, its ranges written out; none where it is not tried."""
    found: list[str] = []
    for form in [] if entry.takes.startswith("!") else entry.takes.split("|"):
        made = [""]
        for word in form.split():
            made = [f"{one} {each}".strip() for one in made for each in _each(word)]
        found += made
    return found


def _each(word: str) -> list[str]:
    if word == "each-ioctl":
        return [str(int(one, 16)) for one in IOCTLS.split()]
    if between := re.fullmatch(r"(\d+)\.\.(\d+)", word):
        return [str(number) for number in range(int(between[1]), int(between[2]) + 1)]
    return [word]


class SharedThings:
    """Things that a kernel shares with the machine, and things near it: files, folders, devices, a process."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="shared-", dir=PLACE))
        self._folder.chmod(0o755)
        self.bound = self._folder / "bound"  # is put into the sandbox as Python's own files are
        self.outside = self._folder / "outside"
        for folder in (self.bound, self.outside):
            folder.mkdir()
            (folder / "file").write_bytes(b"\1" * 4096)
        self._victim = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self._last = self._facts()

    def launcher(self, launcher: Launcher) -> tuple[Launcher, Mapping[str, str]]:
        """The same place with the shared files in it, and the path there of everything that calls are tried on."""
        paths = {"device": DEVICES[0], "random": DEVICES[1], "outside": str(self.outside / "file")}
        if launcher.isolation.name == "bubblewrap":
            inside = "/shared"
            return Bubblewrap({inside: self.bound}), {"file": f"{inside}/file", "folder": inside, **paths}
        if launcher.isolation.name == "weak":
            bare = Bare(launcher.isolation.missing, readable=(f"{self.bound}/",))
            return bare, {"file": str(self.bound / "file"), "folder": str(self.bound), **paths}
        raise UserError(f"the calls cannot be tried where code runs {launcher.isolation.words}")

    @property
    def names(self) -> dict[str, Any]:
        """The ids of the processes that the code needs to know."""
        return {"victim": self._victim.pid, "host": os.getpid()}

    def changed(self) -> tuple[str, ...]:
        """The things that have changed since the last call of this."""
        now, last = self._facts(), self._last
        self._last = now
        return tuple(sorted(what for what in now.keys() | last.keys() if now.get(what) != last.get(what)))

    def _facts(self) -> dict[str, object]:
        facts: dict[str, object] = {}
        shared = [*(Path(one) for one in DEVICES), *sorted(self._folder.rglob("*"))]
        locks = lock_counts(shared)
        for path in shared:
            seen = path.lstat()
            name = path.name if path.is_relative_to("/dev") else str(path.relative_to(self._folder))
            facts[f"mode of {name}"] = (seen.st_mode, seen.st_uid, seen.st_gid, seen.st_nlink)
            facts[f"times of {name}"] = (seen.st_mtime_ns, seen.st_ctime_ns)
            # Devices are shared with the whole machine: others read and write them meanwhile.
            if path.is_relative_to(self._folder):
                facts[f"time of reading of {name}"] = seen.st_atime_ns
                facts[f"content of {name}"] = path.read_bytes() if path.is_file() else ""
                facts[f"attributes of {name}"] = tuple(os.listxattr(path))
            facts[f"locks on {name}"] = locks[path]
        facts["the process"] = self._victim.poll()
        if facts["the process"] is None:
            facts["limits of the process"] = Path(f"/proc/{self._victim.pid}/limits").read_text(encoding="ascii")
        facts["waiting signals of the user"] = _waiting_signals()
        return facts | _of_namespaces()

    def close(self) -> None:
        """Take it all away."""
        self._victim.kill()
        self._victim.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _of_namespaces() -> dict[str, object]:
    """The state of the machine's own namespaces, which a kernel could share; and the user's keys.

    Of those of processes and of networks nothing is looked at: processes are seen one by one above, and every row that
    reaches a network (`socket`) is missing from the table.
    """
    system_v = [Path(f"/proc/sysvipc/{kind}") for kind in ("shm", "sem", "msg")]
    keys = Path("/proc/key-users")
    return {
        "name of the machine": os.uname().nodename,
        # The first words of a line are key and id; the others say who used it last, and when.
        "System V objects": [line.split()[:2] for file in system_v for line in _lines(file)],
        "mounts of the machine": _lines(Path("/proc/self/mountinfo")),
        "keys of the user": [line for line in _lines(keys) if line.split(":")[0].strip() == str(os.getuid())],
    }


def _lines(file: Path) -> list[str]:
    """The lines of one of Linux's lists; none where this Linux does not keep it."""
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def _waiting_signals() -> bool:
    """Return whether many signals wait for processes of this user; a few may at any time."""
    found = re.search(r"^SigQ:\s*(\d+)/", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE)
    return found is not None and int(found[1]) > 500


def try_calls(launcher: Launcher) -> Iterator[CallAttempt]:
    """Make every permitted call in every form on everything that is shared, in one kernel.

    Raises:
        UserError: the kernel did not live to the end of it.
    """
    made: list[CallAttempt] = []
    with SharedThings() as things:
        place, paths = things.launcher(launcher)
        table = [[entry.name, dict(entry.numbers), forms_of(entry)] for entry in syscall_table()]
        things_to_try = {"table": table, "paths": dict(paths), "skip": sorted(MOVES_DATA), **things.names}

        def answer(tool: str, arguments: Any) -> Outcome:
            made.append(_attempt(arguments, things.changed()))
            return Value(None)

        with Kernel(place, LIMITS) as kernel:
            kernel.start([SEEN], answer)
            # The start of the kernel has read the shared files, which is not the doing of any call.
            things.changed()
            kernel.run(Path(__file__).with_name("calls_inside.py").read_text(encoding="utf-8"))
            turn = kernel.run(f"try_all({things_to_try!r}, seen)")
    if turn.how != "finished":
        last = f" after {made[-1]}" if made else ""
        raise UserError(f"the kernel did not try all calls: {turn.how}{last}: {(turn.error or '')[-300:]}")
    yield from made


def _attempt(arguments: Mapping[str, Any], did: tuple[str, ...]) -> CallAttempt:
    name, on, form = arguments["what"]
    answer = str(arguments["answer"])
    words = set(form.split())
    # A read leaves no trace that the host could see, so Linux's answer has to count.
    learned = answer == "ok" and (words & {"victim", "host"} or (on == "outside" and "path" in words))
    return CallAttempt(name, on, form, answer, (*did, "seen") if learned else did)


def effects_by_call(attempts: Iterable[CallAttempt]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """The number of attempts at each call, and all effects that they had; in the order of the table."""
    by_name: dict[str, list[CallAttempt]] = {}
    for attempt in attempts:
        by_name.setdefault(attempt.name, []).append(attempt)
    return {
        name: (len(made), tuple(sorted({what for one in made for what in one.did}))) for name, made in by_name.items()
    }


def untried_calls() -> dict[str, str]:
    """The permitted calls that are not tried, and why."""
    return {entry.name: entry.takes[1:] for entry in syscall_table() if entry.takes.startswith("!")}
