"""The target and the limits of a hunt, made from the words that a user typed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from sealegs.faults.user_error import UserError
from sealegs.hunt.callables import callable_target
from sealegs.hunt.trial import HuntTarget

if TYPE_CHECKING:
    from sealegs.hunt.plan_search import HuntLimits

MAZE = "maze/"


def chosen_target(
    target: str, check: str = "", specs: str = "", agent: str = "", *, max_calls: int = 50, timeout: float = 30.0
) -> HuntTarget:
    """The target.

    Raises:
        UserError: it cannot be found, or an option does not go with it.
    """
    if target.startswith(MAZE):
        given = [name for name, value in (("--check", check), ("--specs", specs)) if value]
        if given:
            raise UserError(f"a task of maze has its own check and tools; leave out {' and '.join(given)}")
        from sealegs.hunt.maze_task import maze_target  # the simulated world takes its time to load

        return maze_target(target.removeprefix(MAZE), agent, max_calls)
    if agent:
        raise UserError(f"--agent {agent} goes with maze/TASK; {target} is an agent itself")
    return callable_target(target, check, specs, max_calls=max_calls, timeout=timeout)


def chosen_limits(seed: int, runs: int, findings: int, rules: int, kinds: str) -> HuntLimits:
    """The limits of the hunt.

    Raises:
        UserError: Hypothesis is not installed, or a kind of fault is unknown.
    """
    if find_spec("hypothesis") is None:
        raise UserError('the hunt searches with Hypothesis, which is not installed: pip install "sealegs[hunt]"')
    from sealegs.hunt.fault_sites import chosen_kinds
    from sealegs.hunt.plan_search import HuntLimits

    return HuntLimits(chosen_kinds(kinds), seed=seed, runs=runs, findings=findings, rules=rules)


@contextmanager
def without_hypothesis_notes() -> Iterator[None]:
    """Keep Hypothesis' notes in a folder that goes away, not in the working directory. For our own process only."""
    from hypothesis.configuration import set_hypothesis_home_dir

    with tempfile.TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)
        yield
