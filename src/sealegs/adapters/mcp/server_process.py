"""The server's process: how it is started, asked to end, and ended.

On Windows a process gets no signals but Ctrl-Break, and that only in a group of its own; so a server is asked by that
to end, and otherwise ended. Commands such as `npx` are batch files there, which are found by their whole name alone.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Sequence

from sealegs.adapters.relaying.loop_signals import WINDOWS
from sealegs.faults.user_error import UserError

GROUP = 0x00000200  # CREATE_NEW_PROCESS_GROUP: a Ctrl-C of the terminal does not reach it
BREAK = 1  # CTRL_BREAK_EVENT
GRACE = 2.0  # seconds that a server has to end by itself once it was asked to


def start_server_process(command: Sequence[str], windows: bool = WINDOWS) -> subprocess.Popen[bytes]:
    """Start the server with pipes.

    Raises:
        UserError: it cannot be started.
    """
    words = [(shutil.which(command[0]) or command[0]) if windows else command[0], *command[1:]]
    # A terminal's Ctrl-C reaches the server too, and most would print a traceback: it is ours to end it.
    before = None if windows else signal.signal(signal.SIGINT, signal.SIG_IGN)
    flags = GROUP if windows else 0
    try:
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, creationflags=flags)
    except OSError as error:
        raise UserError(
            f"cannot start {command[0]!r}: {error.strerror}; give the server's command after `--`"
        ) from error
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def ask_to_end(server: subprocess.Popen[bytes], windows: bool = WINDOWS) -> None:
    """Ask the server to end, where it has not."""
    if server.poll() is not None:
        return
    if not windows:
        server.send_signal(signal.SIGTERM)
        return
    try:
        server.send_signal(BREAK)
    except (OSError, ValueError):  # there is no console that could send it
        server.terminate()


def end_server(server: subprocess.Popen[bytes], windows: bool = WINDOWS) -> None:
    """End the server, by force where asking does not do."""
    ask_to_end(server, windows)
    try:
        server.wait(GRACE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def end_of_server(code: int) -> str:
    """The way in which a server ended, in words."""
    if code < 0:
        return f"the server was ended by {signal.Signals(-code).name}"
    return f"the server ended with exit code {code}"
