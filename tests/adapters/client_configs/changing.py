"""One server wrapped or taken out, and a process that is killed at every point of that in turn.

`python -m tests.adapters.client_configs.changing FOLDER FILE` prints a line for each kill: in or out, and whether the
file was the old one, the new one, or neither.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from sealegs.adapters.client_configs.config_places import CLIENTS, ClientEnvironment
from sealegs.adapters.client_configs.installing import found_server, make_change, unwrapped, wrapped

PROXY = ["/opt/sea legs/sealegs", "proxy", "--plan", "/tmp/pl\u00e4n.yaml"]
POINTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "fcntl.flock")  # what Python tells of as it does it
ALIVE = 0


def around(folder: Path) -> ClientEnvironment:
    return ClientEnvironment(folder, folder / "home", {}, "linux")


def change(folder: Path, file: Path, name: str, *, into: bool) -> None:
    found = found_server(CLIENTS["cursor"], name, file, "", around(folder))
    done = wrapped(found, PROXY, around(folder)) if into else unwrapped(found, around(folder))
    make_change(done, keep=into)


def killed(folder: Path, file: Path, point: int, *, into: bool) -> bool:
    """Make the change in a process that is killed at the nth point; whether it was, and did not end before."""
    child = os.fork()
    if child == 0:
        left = [point]

        def count(event: str, args: Any) -> None:
            left[0] -= event in POINTS
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        change(folder, file, "a", into=into)
        left[0] = ALIVE
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def main() -> None:
    folder, file = map(Path, sys.argv[1:])
    old = file.read_bytes()
    change(folder, file, "a", into=True)
    new = file.read_bytes()
    change(folder, file, "a", into=False)
    for into in (True, False):
        point = 1
        while killed(folder, file, point, into=into):
            now = file.read_bytes()
            print("in" if into else "out", {old: "old", new: "new"}.get(now, "neither"))
            if now != (old if into else new):  # back for the next kill
                change(folder, file, "a", into=not into)
            point += 1


if __name__ == "__main__":
    main()
