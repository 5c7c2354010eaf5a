"""A recipe: everything that decides a training run, as data. All mistakes are reported together.

It does not hold the number of processes. That is `accelerate launch`'s business; the effective batch is `batch`
x `accumulation` x processes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sealegs.faults.plan_files import read_data_file
from sealegs.faults.problems import Problem, abbreviate
from sealegs.faults.user_error import UserError

Positive = Annotated[int, Field(ge=1)]
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "up_proj", "down_proj", "gate_proj")


class RecipePart(BaseModel):
    """A part of a recipe: what it does not know is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=False)


class Lora(RecipePart):
    """Low-rank adapters on the named projections.

    Attributes:
        r: the rank.
        alpha: the scale; an adapter's product is multiplied by alpha / r.
        dropout: on what goes into an adapter.
        targets: ends of the names of the linear layers that get one.
    """

    r: Positive = 16
    alpha: Annotated[float, Field(gt=0)] = 32
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    targets: Annotated[tuple[str, ...], Field(min_length=1)] = PROJECTIONS


class RopeScaling(RecipePart):
    """Rotary positions beyond those that the model was made for.

    Attributes:
        type: how they are stretched.
        factor: by how much.
    """

    type: Literal["linear", "dynamic", "yarn"]
    factor: Annotated[float, Field(gt=1)]


class TrainingRecipe(RecipePart):
    """One training run.

    Attributes:
        name: what the run is called in tables.
        model: a folder with a model, or its name on the hub.
        data: a file of rows (JSONL or Parquet), or a folder whose files `train*` are meant.
        validation: rows that are only measured; those in `validation*` of a folder of data by default.
        template: `model` (the tokenizer's own), one that ships (qwen, llama3, gemma, plain), or a Jinja file.
        recovery_weight: lambda, written `lambda` in the file.
        lora: the adapters; null trains all weights.
        precision: of the frozen weights and the arithmetic.
        optimizer: paged_adamw_32bit needs bitsandbytes; muon is for weights that are trained from scratch.
        optimizer_fallback: what takes its place where bitsandbytes is not installed.
        learning_rate: the highest, after the warm-up.
        schedule: of the learning rate.
        warmup_steps: in which it rises to its height.
        epochs: passes over the data.
        max_steps: ends the run earlier; null: the epochs decide.
        context: tokens of one packed row; longer rows are cut.
        batch: packed rows (rows, where packing is off) that one process takes at once.
        accumulation: such batches in one step.
        packing: rows laid end to end up to the context, each seeing itself alone.
        rope_scaling: positions beyond the model's own.
        gradient_checkpointing: less memory for about a third more time.
        attention: auto takes flash_attention_2 where it is installed, else sdpa, on packed rows one by one.
        max_grad_norm: gradients are clipped to it.
        weight_decay: of the optimizer.
        seed: decides the order of rows and the adapters' first values.
        save_every: steps between checkpoints.
        keep: how many checkpoints are kept.
        log_every: steps between two points of the curves.
        memory_limit_gib: what the run may take; null: what the device has free.
        workers: processes that turn text into tokens.
        merge: write the model with the adapters merged in, beside them.
    """

    name: str = "recipe"
    model: str = ""
    data: str = ""
    validation: str | None = None
    template: str = "model"
    recovery_weight: Annotated[float, Field(ge=0, allow_inf_nan=False, alias="lambda")] = 1.0
    lora: Lora | None = Lora()
    precision: Literal["bf16", "fp32"] = "bf16"
    optimizer: Literal["paged_adamw_32bit", "adamw_torch", "muon"] = "adamw_torch"
    optimizer_fallback: Literal["adamw_torch"] | None = None
    learning_rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 2e-4
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_steps: Annotated[int, Field(ge=0)] = 0
    epochs: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    max_steps: Positive | None = None
    context: Annotated[int, Field(ge=8)] = 8192
    batch: Positive = 1
    accumulation: Positive = 8
    packing: bool = True
    rope_scaling: RopeScaling | None = None
    gradient_checkpointing: bool = True
    attention: Literal["auto", "sdpa", "eager", "flash_attention_2"] = "auto"
    max_grad_norm: Annotated[float, Field(gt=0)] = 1.0
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    seed: int = 0
    save_every: Positive = 100
    keep: Positive = 2
    log_every: Positive = 1
    memory_limit_gib: Annotated[float, Field(gt=0)] | None = None
    workers: Positive = 1
    merge: bool = False

    @property
    def digest(self) -> str:
        """The hash that tells this run from others, except by the data, which have a hash of their own."""
        # Apart from the data, none of these changes a trained weight, so a resumed run may have others.
        free = {"name", "data", "validation", "keep", "workers", "memory_limit_gib", "merge"}
        decided = self.model_dump(exclude=free, by_alias=True)
        return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()[:16]


def shipped_training_recipes() -> tuple[str, ...]:
    """The names of the recipes that ship."""
    folder = resources.files("sealegs.training") / "recipes"
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def read_training_recipe(source: str, given: Mapping[str, Any]) -> TrainingRecipe:
    """The recipe in a YAML or JSON file, or one that ships, with fields given on the command line put in.

    Args:
        source: a file, or a shipped recipe's name.
        given: fields of the recipe that take the place of its own.

    Raises:
        UserError: no such recipe, or something is wrong with it; the message reports all mistakes.
    """
    if source in shipped_training_recipes():
        with resources.as_file(resources.files("sealegs.training") / "recipes" / f"{source}.yaml") as path:
            return parse_training_recipe({**_mapping(read_data_file(path), source), **given}, source)
    path = Path(source)
    if not path.is_file() and not path.suffix:
        raise UserError(f"{source} is neither a file nor a recipe that ships ({', '.join(shipped_training_recipes())})")
    data = {"name": path.stem, **_mapping(read_data_file(path), source)}
    for field in ("data", "validation", "model", "template"):  # beside the recipe, where there is such a place
        beside = path.parent / str(data.get(field) or "-")
        if beside.exists():
            data[field] = str(beside)
    return parse_training_recipe({**data, **given}, source)


def parse_training_recipe(data: Any, source: str = "recipe") -> TrainingRecipe:
    """The recipe that this data describes.

    Raises:
        UserError: it describes none; the message reports all mistakes.
    """
    problems: list[Problem] = []
    recipe = None
    try:
        recipe = TrainingRecipe.model_validate(data)
    except ValidationError as error:
        problems = [_problem(item) for item in error.errors(include_url=False)]
    for field, what in (("model", "the model's folder"), ("data", "the rows' file or folder")):
        # Not required by the model's fields, since the command line may give either of them in the recipe's place.
        if isinstance(data, Mapping) and not data.get(field):
            problems.append(Problem(field, "", "is missing", f"Name {what}, in the recipe or with --{field}."))
    if recipe is None or problems:
        count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        raise UserError("\n".join([f"{source} has {count}:", *(f"  {problem}" for problem in problems)]))
    return recipe


def _mapping(data: Any, source: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise UserError(f"{source}: a recipe is a mapping of fields, not {abbreviate(data)}; see docs/training.md")
    return data


def _problem(item: Mapping[str, Any]) -> Problem:
    place = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        return Problem(place, "", "is not a field of a recipe", "See docs/training.md for those there are.")
    return Problem(place, abbreviate(item["input"]), "is wrong", f"{item['msg']}.")
