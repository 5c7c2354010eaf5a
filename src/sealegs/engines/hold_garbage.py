"""The first import of the process that forks workers: nothing is looked for among what is imported, which all stays.

It took an eighth of the time. `unmask_interrupts`, the last import, ends it. In any other process nothing happens.
"""

from __future__ import annotations

import gc
import signal

if signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()):  # as `workers.start_fork_server` starts it
    gc.disable()
