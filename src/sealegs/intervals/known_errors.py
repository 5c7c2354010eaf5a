"""The interval of a figure that others publish with its standard error."""

from __future__ import annotations

from sealegs.intervals.quantiles import normal_point


def normal_interval(value: float, error: float, confidence: float = 0.95) -> tuple[float, float]:
    """The normal interval of a figure with this standard error."""
    half = normal_point(confidence) * error
    return value - half, value + half
