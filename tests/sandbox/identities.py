"""Running a command as another user, and where no user namespace can be made: what root of this machine can arrange.

python -m tests.sandbox.identities UID yes|no COMMAND...
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

NEW_USER = 0x10000000  # CLONE_NEWUSER
USER, NOBODY = 1000, 65534  # an ordinary one, which needs no account; nobody
# A home folder of root's may hold this Python; nobody else may look into it, so a folder of this command's own takes
# its place.
REACHABLE = """
mount --bind "$1" /mnt && mount -t tmpfs -o mode=755 tmpfs "$2" && mkdir -p "$1" && mount --bind /mnt "$1" || exit 1
shift 2
exec "$@"
"""


def command_as(uid: int, words: list[str], namespaces: bool = True) -> list[str]:
    """The command that runs another one as a user; without `namespaces`, where no user namespace can be made."""
    command = [sys.executable, "-B", str(Path(__file__)), str(uid), "yes" if namespaces else "no", *words]
    home, prefix = Path("/root"), Path(sys.base_prefix).resolve()
    if uid == 0 or not prefix.is_relative_to(home):
        return command
    return ["unshare", "--mount", "sh", "-c", REACHABLE, "sh", str(prefix), str(home), *command]


def forbid_namespaces() -> None:
    """Go where all users are the same and may make no user namespace, as in a container that forbids them."""
    pid, (reading, writing) = os.getpid(), os.pipe()
    if not (helper := os.fork()):  # stays outside, where the right to map every user is
        os.read(reading, 1)
        for kind in ("uid", "gid"):
            Path(f"/proc/{pid}/{kind}_map").write_text("0 0 65536\n", encoding="ascii")
        os._exit(0)
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_USER):
        raise OSError(ctypes.get_errno(), "a user namespace cannot be made")
    os.write(writing, b"x")
    assert os.waitpid(helper, 0)[1] == 0
    Path("/proc/sys/user/max_user_namespaces").write_text("0\n", encoding="ascii")


def main() -> None:
    uid, namespaces, *words = sys.argv[1:]
    if namespaces == "no":
        forbid_namespaces()
    if int(uid):
        os.setgroups([])
        os.setresgid(*[int(uid)] * 3)
        os.setresuid(*[int(uid)] * 3)
    os.execvp(words[0], words)


if __name__ == "__main__":
    main()
