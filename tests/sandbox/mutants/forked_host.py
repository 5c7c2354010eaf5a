"""A kernel that is a copy of the host's own process, with all that this has in memory: what a new Python prevents."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from sealegs.sandbox import bait, launching, process


def start_by_fork() -> None:
    """Have kernels forked from this process, in the thread that wants one."""
    popen = process.subprocess.Popen

    def start(command: Any, pass_fds: tuple[int, int], **how: Any) -> Any:
        def become_kernel() -> None:
            os.closerange(3, min(pass_fds))
            for one in range(min(pass_fds) + 1, 4096):
                if one not in pass_fds:
                    with contextlib.suppress(OSError):
                        os.close(one)
            sys.argv = ["-c", *map(str, pass_fds), "0"]
            try:
                exec(process.BOOT, {"__name__": "boot"})
            finally:
                os._exit(0)

        return popen(command, pass_fds=pass_fds, preexec_fn=become_kernel, **how)

    process.subprocess = type("subprocess", (), {**vars(process.subprocess), "Popen": staticmethod(start)})
    process._SPAWNER.run = lambda begin: begin()  # in this thread, whose frames the kernel has then
    launching.spawn = process.spawn
    whole = bait.Bait.__enter__

    def enter(self: bait.Bait) -> bait.Bait:
        vars(self)  # Python makes the dictionary of an object's attributes when it is first asked for
        return whole(self)

    bait.Bait.__enter__ = enter  # type: ignore[method-assign]
