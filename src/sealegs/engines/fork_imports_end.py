"""The last import of the process that forks workers: it drops a Ctrl-C that came during the imports, and unblocks it.

The server was started with the signal blocked (`workers.start_fork_server`). One that waits would be obeyed as soon as
it is let through, so it is ignored meanwhile. The search for garbage, which `fork_imports_begin` stopped, starts again,
but not among what was imported. In any other process nothing is blocked, and nothing happens.
"""

from __future__ import annotations

import gc
import signal

if signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, before)
    gc.freeze()
    gc.enable()
