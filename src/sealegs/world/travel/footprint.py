"""The carbon dioxide of a journey, from its length or from what one traveller causes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.rail_facts import KG_PER_KM

KG_BY_MODE = {"train": KG_PER_KM, "coach": 0.027, "ferry": 0.112, "car": 0.17, "plane": 0.195}
"""Kilograms of carbon dioxide per traveller and kilometre; a car carries one."""

KG_PER_TREE = 21.0
"""What a grown tree takes up in a year, in kilograms."""

Travellers = Annotated[int, Field(ge=1, le=200, description="People who travel")]


def _times(kg: float, travellers: int) -> float:
    return round(kg * travellers, 2)


def _per_head(distance_km: float, factor: float) -> float:
    return round(distance_km * factor, 2)


def _trees(kg: float) -> float:
    return round(kg / KG_PER_TREE, 2)


class Footprint(Answer):
    """What a journey emits."""

    distance_km: float = Field(description="Length of the journey in kilometres")
    mode: str = Field(description="Means of transport")
    travellers: int = Field(description="People who travel")
    kg_per_km: float = Field(description="Emission factor per traveller and kilometre")
    kg_per_traveller: float = Field(description="Carbon dioxide per traveller in kilograms")
    kg_co2: float = Field(description="Carbon dioxide of all travellers in kilograms")


@simulated_tool(
    category="processor",
    answer=Footprint,
    examples=(
        {"distance_km": 492, "mode": "train", "travellers": 4},
        {"distance_km": 2310.5, "mode": "plane"},
        {"distance_km": 185, "mode": "car", "travellers": 2},
        {"distance_km": 760, "mode": "coach", "travellers": 31},
    ),
    refusals=(
        ({"distance_km": 0, "mode": "train"}, 400),
        ({"distance_km": 492, "mode": "zeppelin"}, 422),
        ({"distance_km": -3, "mode": "train"}, 422),
    ),
    echoes=("distance_km", "mode", "travellers"),
    invariants=(
        Known("kg_per_km", "mode", KG_BY_MODE),
        Formula(
            "kg_per_traveller", ("distance_km", "kg_per_km"), _per_head, "kg_per_traveller is distance times factor"
        ),
        Formula("kg_co2", ("kg_per_traveller", "travellers"), _times, "kg_co2 is kg_per_traveller times travellers"),
        Bounds("kg_co2", 0, 1_000_000),
    ),
)
def carbon_footprint(
    world: World,
    distance_km: Annotated[
        float, Field(ge=0, le=25_000, allow_inf_nan=False, description="Length of the journey in kilometres")
    ],
    mode: Annotated[Literal["train", "coach", "ferry", "car", "plane"], Field(description="Means of transport")],
    travellers: Travellers = 1,
) -> dict[str, Any]:
    """Estimate the carbon dioxide of a journey in kilograms from distance, means of transport and travellers."""
    if distance_km == 0:
        raise Refusal(400, "NoJourney", "A journey of 0 km emits nothing; give its length.")
    each = _per_head(distance_km, KG_BY_MODE[mode])
    return {"kg_per_km": KG_BY_MODE[mode], "kg_per_traveller": each, "kg_co2": _times(each, travellers)}


class GroupEmissions(Answer):
    """What a party of travellers emits."""

    kg_per_traveller: float = Field(description="Carbon dioxide per traveller in kilograms")
    travellers: int = Field(description="People who travel")
    total_kg: float = Field(description="Carbon dioxide of all travellers in kilograms")
    tree_years: float = Field(description="Years that a grown tree needs to take up as much")


@simulated_tool(
    category="processor",
    answer=GroupEmissions,
    examples=(
        {"kg_per_traveller": 17.22, "travellers": 4},
        {"kg_per_traveller": 450.5, "travellers": 12},
        {"kg_per_traveller": 26.6, "travellers": 2},
    ),
    refusals=(
        ({"kg_per_traveller": 17.22, "travellers": 0}, 422),
        ({"kg_per_traveller": -1, "travellers": 4}, 422),
    ),
    echoes=("kg_per_traveller", "travellers"),
    invariants=(
        Formula("total_kg", ("kg_per_traveller", "travellers"), _times, "total_kg is kg_per_traveller x travellers"),
        Formula("tree_years", ("total_kg",), _trees, "tree_years are total_kg over 21 kg a year"),
        Bounds("total_kg", 0, 2_000_000),
    ),
)
def group_emissions(
    world: World,
    kg_per_traveller: Annotated[
        float, Field(gt=0, le=10_000, allow_inf_nan=False, description="Carbon dioxide per traveller in kilograms")
    ],
    travellers: Travellers,
) -> dict[str, Any]:
    """Scale one traveller's carbon dioxide to a party and tell how many tree years would take it up."""
    total = _times(kg_per_traveller, travellers)
    return {"total_kg": total, "tree_years": _trees(total)}
