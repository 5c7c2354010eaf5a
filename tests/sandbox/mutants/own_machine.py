"""A small machine for mutants: own namespaces, a read-only root, own /tmp and loopback, a name server.

What gets out of a mutant sandbox meets this machine and not the real one: its processes, its name, its network.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

from tests.sandbox.identities import USER, command_as

ROOT = Path(__file__).parents[3]
NAMESPACES = ("--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts")
# The shell stays, since the first process of a machine is beyond what others send it, and that must not be the host.
# Not /tmp, where a checkout may be: the folder for what the attempts may write is /var/tmp.
SETUP = """
mount -t tmpfs tmpfs /var/tmp && mount -t tmpfs tmpfs /dev/shm && mount -o remount,bind,ro / && "$@"
exit $?
"""


def command_on_own_machine(words: list[str]) -> list[str]:
    """The command that runs another one as root of a machine of its own."""
    made = ["unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc"]
    return [*made, "sh", "-c", SETUP, "sh", *words]


def run_on_own_machine(words: list[str], as_user: bool, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run Python with these words on a machine of its own, as root or as an ordinary user of the real one."""
    command = command_on_own_machine([sys.executable, "-B", *words])
    if as_user and os.getuid() == 0:
        command = command_as(USER, command)
    environment = {**os.environ, "TMPDIR": "/var/tmp", "HOME": "/var/tmp", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )


def why_no_machine() -> str:
    """The reason why such a machine cannot be had here; empty where it can."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    tried = subprocess.run(command_on_own_machine(["true"]), capture_output=True, text=True, check=False)
    return " ".join(tried.stderr.split()) if tried.returncode else ""


def loopback_up() -> None:
    """Let the machine reach itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1 | 0x40))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING


def serve_names() -> None:
    """Answer every question for an address with 127.0.0.1, at the place where the C library asks by default."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def serve() -> None:
        while True:
            asked, whom = server.recvfrom(512)
            end = asked.index(b"\0", 12) + 5
            is_v4 = asked[end - 4 : end - 2] == b"\0\1"
            head = asked[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_v4 else b"\0\0") + bytes(4)
            address = b"\xc0\x0c\0\1\0\1" + bytes(4) + b"\0\4" + bytes((127, 0, 0, 1)) if is_v4 else b""
            server.sendto(head + asked[12:end] + address, whom)

    threading.Thread(target=serve, daemon=True).start()
