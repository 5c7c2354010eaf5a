"""An exemplar: a failure as it looks, what was the matter, what to do step by step, and when to stop.

Banks are files of them, in YAML or JSON; reading one reports every mistake at once. What an agent reads of an exemplar
begins with `Recovery:` and is short and imperative. Where the failure leaves open whether the call took effect, no
advice to repeat it goes without a warning (`safety`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from sealegs.faults.plan_files import read_data_file
from sealegs.faults.problems import abbreviate
from sealegs.faults.user_error import UserError
from sealegs.recovery.causes import causes, read_shipped_yaml
from sealegs.recovery.failure_category import FailureCategory, categorize_failure
from sealegs.recovery.masking import masked
from sealegs.recovery.signature import Signature

LONGEST = 600  # characters that an agent reads
BEGINNING = "Recovery:"
WARNING = "If the call changes anything, first read whether it took effect."
_LOOKS_FIRST = "took effect"
_FORBIDS = ("Do not", "Never", "Stop")
_REPEATS = re.compile(r"\bagain\b|\bonce more\b|\brepeat|\banew\b", re.IGNORECASE)
Sentence = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)]


class Exemplar(BaseModel):
    """One failure and what helps."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: Name = Field(description="What it is called in records: small letters, digits and hyphens.")
    cause: str = Field(description="What is the matter: one of the causes that `sealegs bank check` lists.")
    status: tuple[Annotated[int, Field(ge=100, le=599)], ...] = Field(
        default=(), description="HTTP statuses that it comes with."
    )
    types: tuple[str, ...] = Field(default=(), description="Names of errors that it comes with, without modules.")
    looks: tuple[Sentence, ...] = Field(min_length=1, description="Messages, as they look; what varies is masked.")
    invariants: tuple[str, ...] = Field(default=(), description="Families of invariants that the answer breaks.")
    breaks_schema: bool = Field(
        default=False, alias="schema", description="Whether the answer breaks the tool's output schema."
    )
    repeated: int = Field(default=0, ge=0, description="It is for a call that came to this so many times before.")
    tools: tuple[str, ...] = Field(
        default=(), description="Tools that it is for, with `*` and `?`; all where none is named."
    )
    diagnosis: Sentence = Field(description="What is the matter, in one sentence.")
    steps: tuple[Sentence, ...] = Field(min_length=1, max_length=5, description="What to do, each an order.")
    stop: Sentence = Field(description="When to give up; reads on after `Stop when`.")
    mined: str = Field(default="", description="The episode that it was found in, where it was found in one.")

    @field_validator("cause")
    @classmethod
    def _known(cls, cause: str) -> str:
        if cause not in causes():
            raise ValueError(f"is not a cause; give one of {', '.join(causes())}")
        return cause

    @field_validator("steps")
    @classmethod
    def _whole(cls, steps: tuple[str, ...]) -> tuple[str, ...]:
        torn = [step for step in steps if step.count("(") != step.count(")")]
        if torn:
            raise ValueError(f"holds a part of a sentence ({torn[0]!r}); put a step with a comma in quotation marks")
        return steps

    @model_validator(mode="after")
    def _short(self) -> Exemplar:
        if len(self.text) > LONGEST:
            raise ValueError(f"makes an advice of {len(self.text)} characters; at most {LONGEST} are read, shorten it")
        return self

    def changed(self, **fields: Any) -> Exemplar:
        """The exemplar with other fields, checked."""
        return Exemplar.model_validate({**self.data(), **fields})

    @cached_property
    def text(self) -> str:
        """The text that an agent reads."""
        steps = " ".join(f"{place}. {step.rstrip('.')}." for place, step in enumerate(self.steps, start=1))
        return f"{BEGINNING} {self.diagnosis.rstrip('.')}. {steps} Stop when {self.stop.rstrip('.')}."

    def advice_on(self, signature: Signature) -> str:
        """The text that an agent reads on this failure, with a warning before a call that may repeat what was done.

        Words never prove that a call did nothing: a refusal may be that of an inner call, after the work was done. So
        for a tool that may have done something, every proposed call gets the warning, be it the same call, a
        corrected one, or one of another tool. There is none before the same call where it is proven that a repetition
        does no harm. Where the tool is unknown, there is none before a different call that is proposed because a
        check turned the first one down.
        """
        if not self._warns(signature):
            return self.text
        head, first, rest = self.text.partition(" 1. ")
        return f"{head} {WARNING}{first}{rest}"

    def _warns(self, signature: Signature) -> bool:
        checked = causes()[self.cause].checked
        if _LOOKS_FIRST in self.text or (signature.harmless and not (signature.doubtful and checked)):
            return False
        if signature.doubtful:
            return not all(step.startswith(_FORBIDS) for step in self.steps)
        return self._repeats and not checked

    @cached_property
    def _repeats(self) -> bool:
        return any(_REPEATS.search(step) and not step.startswith(_FORBIDS) for step in self.steps)

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """Its messages, with the parts that vary masked."""
        return tuple(masked(look) for look in self.looks)

    @cached_property
    def silent(self) -> bool:
        """Whether it is for answers that came as data."""
        return not self.status and not self.types and (bool(self.invariants) or self.breaks_schema)

    @cached_property
    def category(self) -> FailureCategory:
        """The kind of help that the failure asks for."""
        return categorize_failure(self.signature)

    @cached_property
    def signature(self) -> Signature:
        """The signature of the failure that it is for, as far as it says."""
        return Signature(
            status=self.status[0] if self.status else None,
            type=self.types[0] if self.types else "" if self.silent else "ToolError",
            message=self.masks[0],
            invariants=self.invariants,
            schema=("breaks the schema",) if self.breaks_schema else (),
            repeated=self.repeated,
        )

    def data(self) -> dict[str, Any]:
        """The exemplar as it appears in a file, without fields left at their defaults."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


class BankFile(BaseModel):
    """A file of exemplars."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    shipped: bool = Field(default=True, description="Whether the exemplars that come with Sealegs count too.")
    exemplars: tuple[Exemplar, ...] = Field(description="One entry for each failure.")

    @model_validator(mode="after")
    def _names_differ(self) -> BankFile:
        twice = [name for name, count in Counter(one.name for one in self.exemplars).items() if count > 1]
        if twice:
            raise ValueError(f"has several exemplars of one name ({', '.join(twice)}); give each its own")
        return self


def bank_schema() -> dict[str, Any]:
    """The JSON Schema of bank files."""
    schema = BankFile.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Sealegs exemplar bank"}


def read_bank_file(path: str | Path) -> BankFile:
    """The exemplars in a file (YAML, or JSON where its name ends so).

    Raises:
        UserError: it cannot be read, or is not a bank; the message holds everything that is wrong.
    """
    return bank_file(read_data_file(path), str(path))


def bank_file(data: Any, source: str) -> BankFile:
    """The bank that this data describes: an object with `exemplars`, a list of them, or a single one.

    Raises:
        UserError: it describes none; the message holds everything that is wrong.
    """
    if isinstance(data, Mapping) and "exemplars" not in data and "diagnosis" in data:
        data = [data]
    if isinstance(data, Sequence) and not isinstance(data, str):
        data = {"exemplars": data}
    if not isinstance(data, Mapping):
        held = "nothing" if data is None else abbreviate(data)
        wanted = "give an object with `exemplars`, a list of them, or a single one"
        raise UserError(f"{source} is not an exemplar bank: it holds {held}; {wanted}")
    try:
        return BankFile.model_validate(data)
    except ValidationError as error:
        raise UserError(
            "\n".join([f"{source} is not an exemplar bank:", *map(_describe_problem, error.errors())])
        ) from None


def shipped_exemplars() -> tuple[Exemplar, ...]:
    """The exemplars that come with Sealegs."""
    return BankFile.model_validate(read_shipped_yaml("exemplars.yaml")).exemplars


def _describe_problem(problem: Any) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).lstrip(".")
    if problem["type"] == "missing":
        return f"  {where}: is missing; add it"
    if problem["type"] == "extra_forbidden":
        return f"  {where}: is not a field here; remove it"
    text = problem["msg"].removeprefix("Value error, ")
    value = problem["input"]
    shown = f" {abbreviate(value)}" if not isinstance(value, Mapping) else ""
    return f"  {where or 'bank'}:{shown} {text}"
