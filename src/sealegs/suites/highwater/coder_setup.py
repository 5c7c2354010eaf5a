"""The setup of an episode, whatever its problem and its faults: its most messages, its search, and where code runs.

A record notes the setup by the names of its fields, so runs that differ in one of them are kept apart. Whoever plays,
reads or reports an episode passes the setup on as a whole, and asks here what a field of it means.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from sealegs.sandbox import Pool, launcher
from sealegs.suites.highwater.containers import kernels, sandbox_for
from sealegs.suites.highwater.function_search import BM25, Finder, finder
from sealegs.suites.highwater.interpreter import TaskKernel

UNNOTED = {"noted": False}  # of fields that change nothing of an episode, so that its record does not name them


@dataclass(frozen=True, slots=True)
class LoopSetup:
    """The setup of an episode in which a model writes code, in Inspect: what its solver is told.

    Attributes:
        max_steps: messages, the answer included.
        search: what finds functions: `bm25`, or the name of a model of embeddings.
        allow_weak_sandbox: run code in weak isolation where there is no strong one.
    """

    max_steps: int = 25
    search: str = BM25
    allow_weak_sandbox: bool = field(default=False, metadata=UNNOTED)

    def finder(self, folder: str) -> Finder:
        """The functions of a folder, as they are found.

        Raises:
            UserError: the model that finds them cannot be loaded.
        """
        return finder(folder, self.search)

    def kernels(self) -> Callable[[], TaskKernel]:
        """A maker of kernels for the sample of Inspect's that runs now.

        Raises:
            UserError: the isolation here is too weak.
        """
        return kernels(self.allow_weak_sandbox)


@dataclass(frozen=True, slots=True)
class CoderSetup(LoopSetup):
    """The setup of an episode, whoever plays it.

    Attributes:
        interface: `code`, which runs in a kernel, or `calls`, which a scripted agent makes without one.
        sandbox: the sandbox of Inspect that code runs in; empty for ours.
    """

    interface: str = "code"
    sandbox: str = field(default="", metadata=UNNOTED)

    def about(self) -> dict[str, Any]:
        """The facts that a record notes of it."""
        return {name: getattr(self, name) for name in CODER_FACTS}

    def task_facts(self) -> dict[str, Any]:
        """The facts that a log of Inspect's notes of the whole run."""
        return {"sandbox": self.sandbox, **self.about()}

    @property
    def runs_code(self) -> bool:
        """Whether the agent's code is run, and not its calls made without any."""
        return self.interface == "code"

    def as_played(self, pool: Pool | None) -> Self:
        """The setup with the interface that an episode has whose kernels this pool gives; without one, calls."""
        return replace(self, interface="calls" if pool is None else "code")

    def check_isolation(self) -> None:
        """Check that our own isolation holds, where code will run in it.

        Raises:
            UserError: it is too weak.
        """
        if self.runs_code and not self.sandbox:
            launcher(self.allow_weak_sandbox)

    def pool(self) -> AbstractContextManager[Pool | None]:
        """The pool that gives episodes their kernels, one after the other; None where no code is run.

        Raises:
            UserError: the isolation here is too weak.
        """
        return Pool(launcher(self.allow_weak_sandbox), size=1) if self.runs_code else nullcontext()

    def inspect_sandbox(self) -> tuple[str, str] | str | None:
        """The sandbox as Inspect takes it; None if none was requested."""
        return sandbox_for(self.sandbox)


CODER_FACTS = tuple(one.name for one in fields(CoderSetup) if one.metadata.get("noted", True))
