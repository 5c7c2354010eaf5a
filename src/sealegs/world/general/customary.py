"""Metric quantities in the units customary in the United States: one unit stands for each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known
from sealegs.world.general.units import FACTORS, UNITS
from sealegs.world.tool import Answer, World, simulated_tool

CUSTOMARY = {"km": "mi", "m": "ft", "cm": "in", "kg": "lb", "g": "oz", "l": "gal", "km/h": "mph"}
NAMES = {
    "mi": "miles",
    "ft": "feet",
    "in": "inches",
    "lb": "pounds",
    "oz": "ounces",
    "gal": "gallons",
    "mph": "miles per hour",
}
PER_ONE = {metric: FACTORS[f"{metric}>{customary}"] for metric, customary in CUSTOMARY.items()}


class CustomaryMeasure(Answer):
    """A metric quantity in the customary unit."""

    metric_value: float = Field(description="The quantity, as given")
    metric_unit: str = Field(description="Its unit")
    customary_value: float = Field(description="The quantity in the customary unit")
    customary_unit: str = Field(description="Symbol of that unit: " + ", ".join(CUSTOMARY.values()))
    unit_name: str = Field(description="Its name in the plural")
    customary_per_metric: float = Field(description="How many of it make one of the metric unit")
    metric_per_customary: float = Field(description="How many of the metric unit make one of it")
    rounded_value: int = Field(description="The quantity in the customary unit, to the nearest whole")


Metric = Annotated[
    Literal["km", "m", "cm", "kg", "g", "l", "km/h"], Field(description="Metric unit of the value, l for litres")
]
Value = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False, description="The metric quantity")]


@simulated_tool(
    category="processor",
    answer=CustomaryMeasure,
    examples=(
        {"metric_value": 2314.5, "metric_unit": "km"},
        {"metric_value": 23, "metric_unit": "kg"},
        {"metric_value": 58.5, "metric_unit": "l"},
        {"metric_value": 180, "metric_unit": "cm"},
        {"metric_value": 120, "metric_unit": "km/h"},
    ),
    refusals=(
        ({"metric_value": -3, "metric_unit": "km"}, 422),
        ({"metric_value": 12, "metric_unit": "mi"}, 422),
        ({"metric_value": "twelve", "metric_unit": "km"}, 422),
    ),
    echoes=("metric_value", "metric_unit"),
    invariants=(
        Known("customary_unit", "metric_unit", CUSTOMARY),
        Known("unit_name", "customary_unit", NAMES),
        Known("customary_per_metric", "metric_unit", PER_ONE),
        Bounds("customary_value", 0),
        Bounds("rounded_value", 0),
        Bounds("metric_per_customary", 0),
        Formula(
            "customary_value",
            ("metric_value", "customary_per_metric"),
            lambda value, per: value * per,
            "customary_value is metric_value x customary_per_metric",
        ),
        Formula(
            "metric_per_customary",
            ("customary_per_metric",),
            lambda per: 1 / per,
            "metric_per_customary is 1 over customary_per_metric",
        ),
        Formula("rounded_value", ("customary_value",), round, "rounded_value is customary_value rounded"),
    ),
)
def us_customary_measure(world: World, metric_value: Value, metric_unit: Metric) -> dict[str, Any]:
    """Give a metric quantity in the customary US unit for it: kilometres in miles, kilograms in pounds, and so on."""
    unit = CUSTOMARY[metric_unit]
    value = metric_value * PER_ONE[metric_unit]
    return {
        "customary_value": round(value, 4),
        "customary_unit": UNITS[unit].symbol,
        "unit_name": NAMES[unit],
        "customary_per_metric": PER_ONE[metric_unit],
        "metric_per_customary": round(1 / PER_ONE[metric_unit], 6),
        "rounded_value": round(round(value, 4)),
    }
