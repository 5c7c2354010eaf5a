"""A Python for code that a model wrote: hostile by assumption, without network, with functions that the host runs.

Isolation is bubblewrap, Landlock, seccomp and limits (`available`); verdicts come from the host's own log of calls.
"""

from sealegs.sandbox.conversation import CodeTurn, CompletedCall, StartFailed
from sealegs.sandbox.finding import available, launcher
from sealegs.sandbox.isolation import Isolation
from sealegs.sandbox.kernel import Dead, Kernel, through
from sealegs.sandbox.launching import Launcher
from sealegs.sandbox.limits import Limits
from sealegs.sandbox.pipes import Answer
from sealegs.sandbox.pool import Pool
from sealegs.sandbox.remote import CommandResult, RemoteKernel

__all__ = [
    "Answer",
    "CodeTurn",
    "CommandResult",
    "CompletedCall",
    "Dead",
    "Isolation",
    "Kernel",
    "Launcher",
    "Limits",
    "Pool",
    "RemoteKernel",
    "StartFailed",
    "available",
    "launcher",
    "through",
]
