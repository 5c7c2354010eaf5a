"""x"""
from __future__ import annotations
from collections.abc import Mapping
from dataclasses import dataclass
from sealegs.scoring import Case, Verdict
from sealegs.scoring.metrics import Result, Row
from sealegs.traces.record import Record
@dataclass(frozen=True)
class Material:
    who: Row
    rows: list[Row]
    results: list[Result]
    episodes: list[tuple[Record, Case, Verdict]]
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, str] = None
    differences: list[Row] = ()
