"""The first import of the process that forks workers: it stops the search for garbage among what is imported.

All of that stays, and the search took an eighth of the time. `fork_imports_end`, the last import, starts it again. In
any other process nothing happens.
"""

from __future__ import annotations

import gc
import signal

if signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()):  # as `workers.start_fork_server` starts it
    gc.disable()
