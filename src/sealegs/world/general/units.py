"""Units by symbol: each is so many of its dimension's base unit (SI, or the customary one).

Temperature scales, which do not share a zero, are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: 1 of it is `scale` of the base unit."""

    symbol: str
    dimension: str
    scale: float


_ROWS = (
    Unit("mm", "length", 0.001),
    Unit("cm", "length", 0.01),
    Unit("m", "length", 1),
    Unit("km", "length", 1000),
    Unit("in", "length", 0.0254),
    Unit("ft", "length", 0.3048),
    Unit("yd", "length", 0.9144),
    Unit("mi", "length", 1609.344),
    Unit("nmi", "length", 1852),
    Unit("g", "mass", 0.001),
    Unit("kg", "mass", 1),
    Unit("t", "mass", 1000),
    Unit("oz", "mass", 0.028349523125),
    Unit("lb", "mass", 0.45359237),
    Unit("ml", "volume", 0.001),
    Unit("l", "volume", 1),
    Unit("m3", "volume", 1000),
    Unit("gal", "volume", 3.785411784),
    Unit("m/s", "speed", 1),
    Unit("km/h", "speed", 1 / 3.6),
    Unit("mph", "speed", 0.44704),
    Unit("kn", "speed", 1852 / 3600),
    Unit("min", "duration", 1),
    Unit("h", "duration", 60),
    Unit("d", "duration", 1440),
)
UNITS = {unit.symbol: unit for unit in _ROWS}
DIMENSIONS = {unit.symbol: unit.dimension for unit in _ROWS}


def factor(start: Unit, end: Unit) -> float:
    """What a value in `start` is multiplied by to be in `end`."""
    return start.scale / end.scale


FACTORS = {
    f"{start.symbol}>{end.symbol}": factor(start, end)
    for start in _ROWS
    for end in _ROWS
    if start.dimension == end.dimension
}
