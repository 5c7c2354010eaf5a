"""The options of a campaign. Its file names models, faults and repetitions, so most of the usual options are out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from pydantic import model_validator

from sealegs.suites.choices import MOST_JOBS
from sealegs.suites.run_options import (
    ModelOptions,
    RunOptions,
    hidden_option,
    option,
    run_only_option,
    time_limit_option,
)


class MicroOptions(RunOptions):
    """The options of `micro`."""

    unused: ClassVar[frozenset[str]] = (
        frozenset(ModelOptions.model_fields) | {"agent", "limit", "epochs", "seed", "max_steps"}
    ) - {"max_invalid"}

    campaign: str = option("paper", "A campaign file, or one that ships: paper, transient, two-agents or mcp.")
    model: str = option("", "This model in place of all that the file names.")
    time_limit: float = time_limit_option(60.0, 0.1)
    engine: str = hidden_option("langchain")
    jobs: int | None = run_only_option(None, "Runs at a time; one by default.", ge=1, le=MOST_JOBS)

    @model_validator(mode="before")
    @classmethod
    def _settled(cls, given: Any) -> Any:
        """Agents and models alike are those of LangChain."""
        return given

    @property
    def name(self) -> str:
        """A folder's name for the run."""
        who = [self.model.replace("/", "-").replace(":", "-")] if self.model else []
        return "-".join(["micro", Path(self.campaign).stem, *who])

    @property
    def at_once(self) -> int:
        """The number of runs at a time."""
        return self.jobs or 1

    @property
    def label(self) -> str:
        """The name of the campaign, for the progress line."""
        return Path(self.campaign).stem

    def problems(self) -> Iterator[str]:
        """The problems of the options: none here, since the campaign's file is checked when it is read."""
        return iter(())
