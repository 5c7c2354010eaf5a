"""Failures in the harbour, those among them that training may hold, and the small bank of exemplars.

A coded error shows a number alone, and whether it passes is a matter of chance, which only the bank tells.
The bank holds the kinds that training holds and every code, and no other kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from sealegs.faults import seeds
from sealegs.recovery.bank import Bank
from sealegs.recovery.bank.exemplar import Exemplar
from sealegs.scenarios.labelled_failures.failures import LabelledFailure
from sealegs.training.data.failure_catalogue import FailureKind

EXPLICIT, IMPLICIT, CODED = "explicit", "implicit", "coded"
TAUGHT, KEPT = 320, 80  # codes in training, and codes for the evaluation alone
CAUSES = {"transient": "overloaded", "permanent": "unavailable", "either": "runtime"}


@cache
def _read() -> Mapping[str, Any]:
    text = resources.files("sealegs.training.proof").joinpath("kinds.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@cache
def synthetic_kinds(*, new: bool) -> tuple[FailureKind, ...]:
    """The kinds that are kept from training, or those that it holds; without codes."""
    found = [
        FailureKind(
            one["name"], EXPLICIT, one["lasts"], shown=_error(one["name"], one["type"], one["message"], one["lasts"])
        )
        for one in _read()[EXPLICIT]
        if one.get("new", False) is new
    ]
    for one in _read()[IMPLICIT]:
        if one.get("new", False) is new:
            shown = _shown(one["name"], fault=one["fault"]) if "fault" in one else None
            found.append(FailureKind(one["name"], IMPLICIT, "either", implicit=True, shown=shown))
    return tuple(found)


@cache
def coded_errors(*, new: bool) -> tuple[FailureKind, ...]:
    """The coded errors that are kept from training, or those that it holds."""
    order = sorted(range(10_000), key=lambda number: seeds.digest("code", number))[: TAUGHT + KEPT]
    found = []
    for number in order[TAUGHT:] if new else order[:TAUGHT]:
        lasts = ("transient", "permanent")[seeds.digest("lasts", number) % 2]
        name = f"E{number:04d}"
        found.append(FailureKind(name, CODED, lasts, shown=_error(name, name, "see the code", lasts), unsaid=True))  # type: ignore[arg-type]
    return tuple(found)


def _error(name: str, type: str, message: str, lasts: str) -> LabelledFailure:
    return _shown(name, type=type, message=message, lasts=lasts)


def _shown(name: str, **given: Any) -> LabelledFailure:
    return LabelledFailure.model_validate({"failure": name, "class": EXPLICIT, "lasts": "either", **given})


@cache
def synthetic_bank() -> Bank:
    """The exemplars of the harbour."""
    known = (*synthetic_kinds(new=False), *coded_errors(new=False), *coded_errors(new=True))
    return Bank([_exemplar(kind) for kind in known])


def _exemplar(kind: FailureKind) -> Exemplar:
    shared = {"name": kind.name.lower().replace("_", "-"), "cause": CAUSES[kind.lasts], **_read()["advice"][kind.lasts]}
    if kind.shown is not None and kind.shown.type is not None:
        return Exemplar(**shared, types=(kind.shown.type,), looks=(kind.shown.message or "",))
    if kind.name == "cut":
        return Exemplar(**shared, looks=("the answer is str, not an object",), breaks_schema=True)
    looks = "not true that of repeats the argument ref" if kind.name == "irrelevant_response" else "code is empty"
    schema = kind.name == "missing_required_fields"
    return Exemplar(**shared, looks=(looks,), breaks_schema=schema, invariants=(kind.name,) if not schema else ())
