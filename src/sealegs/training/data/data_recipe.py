"""A recipe: the composition of a set of trajectories. Shares are of rows; all of a file's mistakes are reported."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sealegs.faults.problems import abbreviate
from sealegs.faults.user_error import UserError
from sealegs.scenarios.system_prompts import PROMPTS
from sealegs.training.data import SPLITS

Share = Annotated[float, Field(ge=0, le=1)]
STRICT = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Shares(BaseModel):
    """Parts of a whole."""

    model_config = STRICT

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = sum(self.parts().values())
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the shares add up to {total:g}; make it 1")
        return self

    def parts(self) -> dict[str, float]:
        """Each part's share."""
        return {name: float(getattr(self, name)) for name in type(self).model_fields}


class Splits(Shares):
    """Shares of the splits."""

    train: Share = 0.8
    validation: Share = 0.05
    test: Share = 0.05
    generalisation: Share = 0.1


class Modes(Shares):
    """Shares of the failing rows: explicit (P1, P2) or implicit (P3, P4), transient (P1, P3) or permanent (P2, P4)."""

    P1: Share = 0.3
    P2: Share = 0.3
    P3: Share = 0.2
    P4: Share = 0.2


class DataRecipe(BaseModel):
    """The composition of a set.

    Attributes:
        name: names the recipe in the card.
        clean: the share of trajectories without a failure.
        continuation: who continues after the failure: the planner, a model (`--teacher`), or nobody.
        splits, modes: shares.
        slips: of the explicit transient rows, the share in which the agent's own call is wrong.
        exemplars: of the failing rows, the share in which the bank's nearest exemplar is in the tool's message.
        variants: how many variants of a task, with other numbers in the request, are tried at most, besides its own.
        distractors: tools that do not help, offered with those of the task.
        prompts: the system prompts; one is drawn.
        unseen_kinds: of the failures of each class, the share kept for generalisation.
        similarity: trajectories of one base task that are more alike than this are near duplicates.
        tries: attempts at one row before it is given up.
        leave_out: ids of base tasks, as patterns, that no split may hold (those of a later evaluation).
    """

    model_config = STRICT
    name: Annotated[str, Field(min_length=1)]
    clean: Share = 0.2
    continuation: Literal["expert", "teacher", "none"] = "expert"
    splits: Splits = Splits()
    modes: Modes = Modes()
    slips: Share = 0.4
    exemplars: Share = 0.25
    variants: Annotated[int, Field(ge=0, le=1000)] = 24
    distractors: Annotated[int, Field(ge=0, le=50)] = 4
    prompts: Annotated[tuple[str, ...], Field(min_length=1)] = tuple(PROMPTS)
    unseen_kinds: Annotated[float, Field(gt=0, lt=1)] = 0.2
    similarity: Annotated[float, Field(gt=0, le=1)] = 0.95
    tries: Annotated[int, Field(ge=1, le=1000)] = 40
    leave_out: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known_prompts(self) -> Self:
        unknown = [name for name in self.prompts if name not in PROMPTS]
        if unknown:
            raise ValueError(f"there is no prompt {unknown[0]!r}; choose from {', '.join(PROMPTS)}")
        return self

    def data(self) -> dict[str, Any]:
        """The recipe as JSON data, defaults included."""
        return self.model_dump(mode="json")


def shipped_data_recipes() -> list[str]:
    """The names of the recipes that come with Sealegs."""
    return sorted(file.name.removesuffix(".yaml") for file in _folder().iterdir() if file.name.endswith(".yaml"))


def read_data_recipe(name: str) -> DataRecipe:
    """The recipe of a file, or a shipped one by its name.

    Raises:
        UserError: there is none, or it is not a recipe; the message names every mistake.
    """
    try:
        text = _text(name)
        data = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"cannot read {name}: {error}; name a YAML file, or one of {', '.join(shipped_data_recipes())}"
        ) from error
    except yaml.YAMLError as error:
        raise UserError(f"{name} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise UserError(f"{name} should hold an object with a recipe's fields, and holds {abbreviate(data)}")
    try:
        return DataRecipe.model_validate(data)
    except ValidationError as error:
        lines = [_describe_problem(one["loc"], one["msg"], one["input"]) for one in error.errors()]
        count = "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
        raise UserError("\n".join([f"{name} has {count}:", *lines])) from error


def _describe_problem(place: tuple[int | str, ...], message: str, value: Any) -> str:
    odd = message.startswith("Extra inputs") and len(place) == 1
    known = f" (known: {', '.join(DataRecipe.model_fields)})" if odd else ""
    where = ".".join(map(str, place)) or "recipe"
    given = "" if isinstance(value, dict) else f" (given: {abbreviate(value)})"
    return f"  {where}: {message.removeprefix('Value error, ')}{given}{known}"


def _text(name: str) -> str:
    if name in shipped_data_recipes():
        text: str = _folder().joinpath(f"{name}.yaml").read_text(encoding="utf-8")
        return text
    return Path(name).read_text(encoding="utf-8")


def _folder() -> Any:
    return resources.files("sealegs.training.data").joinpath("recipes")


assert set(Splits.model_fields) == set(SPLITS)
