"""Lists of numbers and units: statistics, a running tally, unit conversion."""

from __future__ import annotations

from math import fsum
from statistics import fmean, median
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, Mean, Sums
from sealegs.world.general.units import DIMENSIONS, FACTORS, UNITS
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Number = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]


class Statistics(Answer):
    """What describes a list of numbers."""

    values: list[float] = Field(description="The numbers, as given")
    count: int = Field(description="How many there are")
    total: float = Field(description="Their sum")
    mean: float = Field(description="Their arithmetic mean")
    median: float = Field(description="Their median")
    minimum: float = Field(description="The least")
    maximum: float = Field(description="The greatest")
    spread: float = Field(description="Greatest less least")


Values = Annotated[list[Number], Field(min_length=1, max_length=500, description="The numbers, in one unit")]


@simulated_tool(
    category="processor",
    answer=Statistics,
    examples=(
        {"values": [412.5, 389, 455.25, 401]},
        {"values": [21.4, 22.1, 19.8]},
        {"values": [-3.5, 0, 4.25, 7, 1.5]},
        {"values": [1200]},
    ),
    refusals=(({"values": []}, 422), ({"values": ["twelve"]}, 422), ({"values": [1e300]}, 422)),
    echoes=("values",),
    invariants=(
        Counts("count", "argument:values"),
        Bounds("count", 1, 500),
        Formula("total", ("argument:values",), fsum, "total is the sum of the argument values"),
        Formula("mean", ("total", "count"), lambda total, count: total / count, "mean is total over count"),
        Formula("median", ("argument:values",), median, "median is that of the argument values"),
        Formula("minimum", ("argument:values",), min, "minimum is the least of the argument values"),
        Formula("maximum", ("argument:values",), max, "maximum is the greatest of the argument values"),
        Formula("spread", ("minimum", "maximum"), lambda low, high: high - low, "spread is maximum less minimum"),
    ),
)
def list_statistics(world: World, values: Values) -> dict[str, Any]:
    """Describe a list of numbers: count, total, mean, median, minimum, maximum and spread, to four decimals."""
    low, high = min(values), max(values)
    return {
        "count": len(values),
        "total": round(fsum(values), 4),
        "mean": round(fsum(values) / len(values), 4),
        "median": round(median(values), 4),
        "minimum": round(low, 4),
        "maximum": round(high, 4),
        "spread": round(high - low, 4),
    }


class TallyEntry(Answer):
    """One line of a tally."""

    position: int = Field(description="Its place, from 1")
    amount: float = Field(description="The amount")
    running_total: float = Field(description="Opening balance and all amounts so far")


class AmountTally(Answer):
    """Amounts added up line by line."""

    opening_balance: float = Field(description="Where the tally starts")
    entries: list[TallyEntry] = Field(description="The lines in order")
    entry_count: int = Field(description="Number of lines")
    total: float = Field(description="Opening balance and all amounts")
    average_amount: float = Field(description="Mean of the amounts, opening balance aside")
    largest_amount: float = Field(description="The greatest amount")


Amounts = Annotated[
    list[Number], Field(min_length=1, max_length=500, description="The amounts, in one currency or unit")
]
Opening = Annotated[
    float, Field(ge=-1e12, le=1e12, allow_inf_nan=False, description="Amount that the tally starts with")
]


def _last(entries: list[dict[str, Any]]) -> Any:
    return entries[-1]["running_total"]


@simulated_tool(
    category="processor",
    answer=AmountTally,
    examples=(
        {"amounts": [412.5, 389, 455.25, 401]},
        {"amounts": [59.9, 120, 18.45], "opening_balance": 250},
        {"amounts": [-40, 15.5, 15.5]},
        {"amounts": [0.42, 0.38, 0.4, 0.44]},
    ),
    refusals=(({"amounts": []}, 422), ({"amounts": [None]}, 422)),
    echoes=("opening_balance",),
    invariants=(
        Echo("amounts.0", "entries.0.amount"),
        Counts("entry_count", "argument:amounts"),
        Bounds("entry_count", 1, 500),
        Sums("total", ("opening_balance", "entries.amount")),
        Mean("average_amount", "entries.amount"),
        Formula("total", ("entries",), _last, "total is the last running_total"),
        Formula("average_amount", ("argument:amounts",), fmean, "average_amount is the mean of the argument amounts"),
        Formula("largest_amount", ("argument:amounts",), max, "largest_amount is the greatest of the argument amounts"),
    ),
)
def tally_amounts(world: World, amounts: Amounts, opening_balance: Opening = 0) -> dict[str, Any]:
    """Add amounts up line by line, as on an adding machine: running totals, total, average and largest amount."""
    running = [fsum([opening_balance, *amounts[: n + 1]]) for n in range(len(amounts))]
    return {
        "entries": [
            {"position": n + 1, "amount": amount, "running_total": round(running[n], 4)}
            for n, amount in enumerate(amounts)
        ],
        "entry_count": len(amounts),
        "total": round(running[-1], 4),
        "average_amount": round(fsum(amounts) / len(amounts), 4),
        "largest_amount": round(max(amounts), 4),
    }


class ConvertedQuantity(Answer):
    """A quantity in another unit."""

    value: float = Field(description="The quantity, as given")
    from_unit: str = Field(description="Its unit")
    to_unit: str = Field(description="The unit asked for")
    dimension: str = Field(description="What is measured, such as length")
    conversion: str = Field(description="The two units as FROM>TO")
    factor: float = Field(description="What the value is multiplied by")
    result: float = Field(description="The quantity in the unit asked for")


Symbol = Literal[
    "mm", "cm", "m", "km", "in", "ft", "yd", "mi", "nmi", "g", "kg", "t", "oz", "lb", "ml", "l", "m3", "gal",
    "m/s", "km/h", "mph", "kn", "min", "h", "d",
]  # fmt: skip
UnitSymbol = Annotated[
    Symbol,
    Field(
        description="Unit symbol; in inches, mi miles, nmi nautical miles, t tonnes, gal US gallons, kn knots, d days"
    ),
]
Quantity = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False, description="The quantity to convert")]


@simulated_tool(
    category="processor",
    answer=ConvertedQuantity,
    examples=(
        {"value": 42.2, "from_unit": "km", "to_unit": "mi"},
        {"value": 18.5, "from_unit": "kn", "to_unit": "km/h"},
        {"value": 23, "from_unit": "kg", "to_unit": "lb"},
        {"value": 15, "from_unit": "gal", "to_unit": "l"},
        {"value": 90, "from_unit": "min", "to_unit": "h"},
    ),
    refusals=(
        ({"value": 42.2, "from_unit": "km", "to_unit": "kg"}, 400),
        ({"value": 20, "from_unit": "min", "to_unit": "m"}, 400),
        ({"value": 1, "from_unit": "furlong", "to_unit": "m"}, 422),
    ),
    echoes=("value", "from_unit", "to_unit"),
    invariants=(
        Known("dimension", "from_unit", DIMENSIONS),
        Known("dimension", "to_unit", DIMENSIONS),
        Known("factor", "conversion", FACTORS),
        Bounds("factor", 0),
        Formula("conversion", ("from_unit", "to_unit"), "{}>{}".format, "conversion is from_unit>to_unit"),
        Formula(
            "result",
            ("value", "factor"),
            lambda value, factor: value * factor,
            "result is value x factor",
        ),
    ),
)
def convert_units(world: World, value: Quantity, from_unit: UnitSymbol, to_unit: UnitSymbol) -> dict[str, Any]:
    """Convert a quantity between units of length, mass, volume, speed or duration."""
    start, end = UNITS[from_unit], UNITS[to_unit]
    if start.dimension != end.dimension:
        message = f"{from_unit} measures {start.dimension} and {to_unit} {end.dimension}."
        raise Refusal(400, "IncompatibleUnits", message, from_dimension=start.dimension, to_dimension=end.dimension)
    conversion = f"{from_unit}>{to_unit}"
    return {
        "dimension": start.dimension,
        "conversion": conversion,
        "factor": FACTORS[conversion],
        "result": round(value * FACTORS[conversion], 4),
    }
