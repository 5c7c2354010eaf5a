"""Inspect's own sandboxes (Docker, and any others it knows) as places where an episode's code runs.

They can run commands and nothing else, so the kernel there is a `RemoteKernel`: the same stubs, the same checks, and
a command of the sandbox for every message that is waited for. `docker` alone means the container in
`compose.yaml` beside this file: no network, no capabilities, limits on memory and processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.sandbox import CommandResult, Kernel, RemoteKernel, launcher
from sealegs.suites.highwater.interpreter import TaskKernel

DOCKER, LOCAL = "docker", "local"
COMPOSE = Path(__file__).with_name("compose.yaml")
UNCONTAINED = (
    "the sandbox local runs code as you and beside your files; name docker, or say --allow-weak-sandbox "
    "(-T allow_weak_sandbox=true) where the code cannot do harm"
)


def problems_of(sandbox: str, allow_weak: bool) -> list[str]:
    """The problems of a sandbox as it is typed: `docker`, `docker:compose.yaml`, or another that Inspect knows."""
    kind, _, config = sandbox.partition(":")
    if sandbox and not kind:
        return [f"--sandbox {sandbox!r} names no kind; give docker, or docker:compose.yaml"]
    if config and not Path(config).is_file():
        return [f"--sandbox {sandbox}: there is no file {config}"]
    if kind not in ("", DOCKER, LOCAL) and (problem := _unknown(kind)):
        return [f"--sandbox {sandbox}: {problem}"]
    return [UNCONTAINED] if kind == LOCAL and not allow_weak else []


def _unknown(kind: str) -> str:
    """The reason why Inspect knows no such sandbox; empty where it knows it."""
    try:
        from inspect_ai.util._sandbox.registry import registry_find_sandboxenv

        registry_find_sandboxenv(kind)
    except (ImportError, ValueError) as error:
        return f"{str(error).rstrip('.')}; give docker, docker:compose.yaml, or one whose package is installed"
    return ""


def resolve_sandbox_path(sandbox: str) -> str:
    """The same sandbox with the full path of its file, so it means the same from any folder."""
    kind, _, config = sandbox.partition(":")
    return f"{kind}:{Path(config).resolve()}" if config else kind


def sandbox_for(sandbox: str) -> tuple[str, str] | str | None:
    """Return a sandbox as Inspect takes it, or None if none was requested."""
    kind, _, config = sandbox.partition(":")
    if kind == DOCKER and not config:
        config = str(COMPOSE)
    return (kind, config) if config else kind or None


def kernels(allow_weak: bool) -> Callable[[], TaskKernel]:
    """A maker of kernels for the sample that runs now: in its sandbox where Inspect made one, otherwise in ours.

    Raises:
        UserError: that is too weak.
    """
    from inspect_ai.util import sandbox

    try:
        place = sandbox()
    except ProcessLookupError:
        return partial(Kernel, launcher(allow_weak))
    if not allow_weak and _local(place):
        raise UserError(UNCONTAINED)
    return partial(RemoteKernel, partial(_ran, place))


def _local(place: Any) -> bool:
    from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

    try:
        place.as_type(LocalSandboxEnvironment)
    except TypeError:
        return False
    return True


async def _ran(
    place: Any, command: Sequence[str], given: bytes, variables: Mapping[str, str], seconds: float
) -> CommandResult:
    """Run a command in a sandbox. What the sandbox itself cannot do passes through, and ends the sample."""
    from inspect_ai.util import OutputLimitExceededError

    quiet = getattr(place, "no_events", nullcontext)  # the log holds our own record; this would be all of it again
    try:
        with quiet():
            done = await place.exec(
                list(command),
                input=given,
                env=dict(variables),
                timeout=math.ceil(seconds),
                timeout_retry=False,  # a message must not be sent twice
                concurrency=False,  # most of them only wait
            )
    except TimeoutError:
        return CommandResult(None, "")
    except (OutputLimitExceededError, UnicodeDecodeError) as error:  # the code that runs there can bring these about
        return CommandResult(1, "", str(error))
    return CommandResult(done.returncode, done.stdout, done.stderr)
