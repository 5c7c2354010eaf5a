"""The labelled failures: what the tool shows, which class each is of, and how long it can last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sealegs.faults.csv_tables import table_rows
from sealegs.faults.kinds import AnyFault

_FAULT: TypeAdapter[AnyFault] = TypeAdapter(AnyFault)
Lasts = Literal["transient", "permanent", "either"]


class LabelledFailure(BaseModel):
    """One labelled failure.

    Attributes:
        failure: its name, unique.
        failure_class: one of the seven.
        status, type, message: the error that is shown.
        given: the fault's data instead, where the answer itself is bad.
        lasts: whether such a failure passes or stays.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    failure: str
    failure_class: str = Field(alias="class")
    status: int | None = None
    type: str | None = None
    message: str | None = None
    given: dict[str, Any] | None = Field(default=None, alias="fault")
    lasts: Lasts

    @property
    def fault(self) -> AnyFault:
        """The fault that shows it."""
        shown = {"status": self.status, "type": self.type, "message": self.message}
        settings = {name: value for name, value in shown.items() if value is not None}
        return _FAULT.validate_python(self.given or {"kind": "error", **settings})

    @property
    def rewrites(self) -> bool:
        """Whether the tool runs and its answer is made bad: then the call may have had its effect."""
        return self.given is not None

    def can(self, persistence: str) -> bool:
        """Return whether it may last that long."""
        return self.lasts in ("either", persistence)


_ALL: TypeAdapter[list[LabelledFailure]] = TypeAdapter(list[LabelledFailure])


@cache
def assignment() -> Mapping[str, str]:
    """The published class of each of the 58 failures, in the published order."""
    text = resources.files("sealegs.recovery").joinpath("data/toolscan_classes.csv").read_text(encoding="utf-8")
    return {row["failure"]: row["class"] for row in table_rows(text)}


@cache
def classes() -> tuple[str, ...]:
    """The seven classes in the published order."""
    return tuple(dict.fromkeys(assignment().values()))


@cache
def published_failures() -> Mapping[str, LabelledFailure]:
    """The 58 published failures by name."""
    found = _read("failures.yaml")
    return {each.failure: each for each in _ALL.validate_python([_labelled(item) for item in found])}


@cache
def unseen_failures() -> Mapping[str, LabelledFailure]:
    """The failures of the generalisation set by name."""
    return {each.failure: each for each in _ALL.validate_python(_read("unseen.yaml"))}


def _read(name: str) -> list[dict[str, Any]]:
    text = resources.files("sealegs.scenarios.labelled_failures").joinpath(name).read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.safe_load(text)
    return found


def _labelled(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "class": assignment()[item["failure"]]}
