"""A Python for code that a model wrote: assumed hostile, without network, with functions that the host runs.

Isolation is bubblewrap, Landlock, seccomp and limits (`find_isolation`); verdicts come from the host's own log of
calls.
"""

from sealegs.sandbox.available_isolation import find_isolation, launcher
from sealegs.sandbox.code_kernel import Kernel, KernelEnded, answer_through_session
from sealegs.sandbox.conversation import CodeTurn, CompletedCall, StartFailed
from sealegs.sandbox.isolation_status import Isolation
from sealegs.sandbox.launching import Launcher
from sealegs.sandbox.limits import Limits
from sealegs.sandbox.pipes import Answer
from sealegs.sandbox.pool import Pool
from sealegs.sandbox.remote_kernel import CommandResult, RemoteKernel

__all__ = [
    "Answer",
    "CodeTurn",
    "CommandResult",
    "CompletedCall",
    "Isolation",
    "Kernel",
    "KernelEnded",
    "Launcher",
    "Limits",
    "Pool",
    "RemoteKernel",
    "StartFailed",
    "answer_through_session",
    "find_isolation",
    "launcher",
]
