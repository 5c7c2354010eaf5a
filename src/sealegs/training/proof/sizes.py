"""Sizes of a proof: its models, the length of their training, and the number of episodes in its measurements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sealegs.training.proof import CODES, SEEN, SETS


@dataclass(frozen=True)
class TrainingArm:
    """An arm of a proof: the rows that adapters are trained on after pre-training.

    Attributes:
        name: unique.
        recipe: one of `sealegs data`'s recipes: `clean`, `failure-only` or `default`; empty: nothing is taught.
        clean: the share of clean rows in place of the recipe's.
        exemplars: the share of failing rows with an exemplar in place of the recipe's.
        rows: the share of the size's rows that it is given; it sees them more often, for as many steps.
        sets: the sets of episodes that it is measured on.
        curve: whether it is measured on the way, too.
    """

    name: str
    recipe: str = ""
    clean: float | None = None
    exemplars: float | None = None
    rows: float = 1.0
    sets: tuple[str, ...] = SETS
    curve: bool = False

    @property
    def slug(self) -> str:
        """The name as a folder has it."""
        return re.sub(r"[^a-z0-9.]+", "-", self.name)

    @property
    def taught(self) -> str:
        """The name of the rows that it is taught."""
        if self.rows < 1 or (self.clean is None and self.exemplars is None):
            return self.recipe
        return self.slug


VANILLA = TrainingArm("vanilla")
TOOLBENCH = TrainingArm("toolbench", "clean")
FAILURE_ONLY = TrainingArm("failure-only", "failure-only")
PALADIN = TrainingArm("paladin", "default", curve=True)
ARMS = (VANILLA, TOOLBENCH, FAILURE_ONLY, PALADIN)
ABLATIONS = (
    TrainingArm("paladin 50 % clean", "default", clean=0.5, sets=(SEEN,)),
    TrainingArm("paladin 80 % clean", "default", clean=0.8, sets=(SEEN,)),
    TrainingArm("paladin, no exemplars", "default", exemplars=0.0, sets=(SEEN, CODES)),
)
SHARES = (0.008, 0.04, 0.2)
AMOUNTS = tuple(TrainingArm(f"paladin, {share:g} of the rows", "default", rows=share, sets=(SEEN,)) for share in SHARES)


@dataclass(frozen=True)
class ModelShape:
    """A Llama's shape."""

    width: int = 128
    inner: int = 320
    layers: int = 4
    heads: int = 4
    pairs: int = 2  # heads of keys and values
    spread: float = 0.04  # standard deviation of the first weights


@dataclass(frozen=True)
class ProofSize:
    """One size of the proof.

    Attributes:
        name: `ci`, `full`, or a test's own.
        seeds: each is a separate model: first weights, adapters, order of rows. They share rows and episodes.
        arms: what is taught.
        symbols, clean: rows and steps of the two phases of pre-training.
        taught: rows and steps of an arm.
        episodes: of each cell of each set.
        points: places on the learning curve.
    """

    name: str
    seeds: tuple[int, ...]
    arms: tuple[TrainingArm, ...]
    symbols: tuple[int, int]
    clean: tuple[int, int]
    taught: tuple[int, int]
    episodes: int
    points: int = 6
    shape: ModelShape = ModelShape()

    def data(self) -> Mapping[str, Any]:
        """The size as JSON data."""
        return asdict(self)


SYMBOLS, CLEAN = (6_000, 400), (8_000, 900)  # with 1,300 steps of clean rows the arms learned less (docs/proof.md)
SIZES: Mapping[str, ProofSize] = {
    "ci": ProofSize("ci", (0, 1, 2), (VANILLA, TOOLBENCH, PALADIN), SYMBOLS, CLEAN, (9_000, 900), 15, 3),
    "full": ProofSize("full", (0, 1, 2), (*ARMS, *ABLATIONS, *AMOUNTS), SYMBOLS, CLEAN, (16_000, 2200), 40),
}
