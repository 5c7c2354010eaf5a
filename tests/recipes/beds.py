"""Beds and how they are watered."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Requires, Sums
from sealegs.world.history import history
from sealegs.world.tool import Answer, Refusal, World, simulated_tool


class Bed(NamedTuple):
    """A bed of the garden."""

    gardener: str
    plant: str
    area_m2: float
    litres_per_m2: float


BEDS = {
    "BED-01": Bed("Amara Nwosu", "tomatoes", 6.0, 4.5),
    "BED-02": Bed("Jules Perrin", "beans", 4.5, 3.0),
    "BED-03": Bed("Hanna Lund", "lettuce", 2.5, 5.0),
    "BED-04": Bed("Rafael Ortiz", "pumpkins", 8.0, 4.0),
}
TANK = 300.0  # litres in the rain tank when an episode begins
BedId = Annotated[str, Field(pattern=r"^BED-\d{2}$", description="Id of a bed, such as BED-01")]
Litres = Annotated[float, Field(gt=0, le=200, description="Litres of water")]


def bed(id: str) -> Bed:
    """The bed of this id, or the error that a garden's service would answer."""
    if id not in BEDS:
        raise Refusal(404, "BedNotFound", f"There is no bed {id!r}.", bed_id=id)
    return BEDS[id]


class Need(Answer):
    """What a bed needs today."""

    bed_id: str = Field(description="Id of the bed")
    area_m2: float = Field(description="Area in square metres")
    litres_per_m2: float = Field(description="Litres that a square metre of this plant needs")
    litres: float = Field(description="Litres that the bed needs")


@simulated_tool(
    category="source",
    answer=Need,
    examples=[{"bed_id": id} for id in BEDS],
    refusals=[({"bed_id": "BED-99"}, 404), ({"bed_id": "tomatoes"}, 422)],
    invariants=[
        Echo("bed_id", "bed_id"),
        Bounds("litres", 0, 200),
        Formula(
            "litres", ("area_m2", "litres_per_m2"), lambda area, each: area * each, "each square metre has its litres"
        ),
    ],
)
def watering_need(world: World, bed_id: BedId) -> dict[str, Any]:
    """Work out how many litres of water a garden bed needs today from its area and what grows there."""
    found = bed(bed_id)
    litres = round(found.area_m2 * found.litres_per_m2, 2)
    return {"bed_id": bed_id, "area_m2": found.area_m2, "litres_per_m2": found.litres_per_m2, "litres": litres}


class Watered(Answer):
    """A watering that is under way."""

    watering_id: str = Field(description="Id of the watering")
    status: Literal["running"] = Field(description="State of the valve")
    bed_id: str = Field(description="Id of the bed")
    litres: float = Field(description="Litres that it is given")
    tank_before: float = Field(description="Litres in the rain tank before")
    tank_after: float = Field(description="Litres left in the rain tank")


WATERED = (
    Echo("bed_id", "bed_id"),
    Requires("watering_id", "status", "running"),
    Sums("tank_before", ("tank_after", "litres")),
    Bounds("tank_after", 0, TANK),
)


def _water(world: World, id: str, litres: float) -> dict[str, Any]:
    tank = world.state("garden.tank")
    before = tank.get("litres", TANK)
    if litres > before:
        raise Refusal(409, "TankEmpty", f"The tank holds {before:g} litres; {litres:g} are asked for.", litres=before)
    tank["litres"] = round(before - litres, 2)
    world.effect("water", id, litres=litres)
    facts = {"watering_id": f"WTR-{id[-2:]}-{litres:g}", "status": "running", "bed_id": id, "litres": litres}
    return {**facts, "tank_before": before, "tank_after": tank["litres"]}


@simulated_tool(
    category="action",
    repeat="again",
    key="idempotency_key",
    shown_by="watering_history",
    answer=Watered,
    examples=[
        {"bed_id": "BED-01", "litres": 27},
        {"bed_id": "BED-02", "litres": 10.5},
        {"bed_id": "BED-04", "litres": 32},
    ],
    refusals=[({"bed_id": "BED-99", "litres": 5}, 404), ({"bed_id": "BED-01", "litres": 0}, 422)],
    invariants=[*WATERED, Echo("litres", "litres")],
)
def water_bed(world: World, bed_id: BedId, litres: Litres) -> dict[str, Any]:
    """Open the valve of a garden bed for a number of litres out of the rain tank."""
    bed(bed_id)
    return _water(world, bed_id, litres)


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="watering_history",
    answer=Watered,
    examples=[{"bed_id": id} for id in BEDS],
    refusals=[({"bed_id": "BED-99"}, 404)],
    invariants=WATERED,
)
def irrigate_bed(world: World, bed_id: BedId) -> dict[str, Any]:
    """Give a garden bed all the water that it needs today; the irrigation computer works the litres out."""
    found = bed(bed_id)
    return _water(world, bed_id, round(found.area_m2 * found.litres_per_m2, 2))


WATERINGS = history(
    "watering_history",
    water_bed,
    irrigate_bed,
    shows="Show which beds were watered today, and with how much.",
)
