"""Prices that a building pays for electricity: the tariff of its city, and the supply contract of its meter."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires, Sums
from sealegs.world.iot.charging_facts import CURRENCY_OF, TARIFFS, rounded_charge
from sealegs.world.iot.device_arguments import DeviceId
from sealegs.world.iot.facts import SITES, Site, device, devices_in, scatter, site_in
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, World, simulated_tool

PLANS = ("Business Flex", "Business Fixed", "Commercial Standard")
SUPPLIERS = ("Northlight Energy", "Alder Power", "Bluestem Utilities", "Corvane Electric")


def _pick(options: tuple[str, ...], *parts: str) -> str:
    return options[int((1 + scatter(*parts)) / 2 * len(options))]


class EnergyTariff(Answer):
    """A city's tariff for business customers."""

    city: str = Field(description="City that was asked for")
    plan: str = Field(description="Name of the tariff")
    price_per_kwh: float = Field(description="Price of one kWh, all parts together")
    energy_part: float = Field(description="Its part for the energy itself")
    grid_part: float = Field(description="Its part for the grid")
    levy_part: float = Field(description="Its part for levies")
    currency: str = Field(description="Currency of the prices")
    valid_from: str = Field(description="First day of the tariff")
    valid_to: str = Field(description="Last day of the tariff")


@simulated_tool(
    category="source",
    answer=EnergyTariff,
    examples=tuple({"city": name} for name in ("Lisbon", "Tokyo", "New York", "London", "Mumbai")),
    refusals=(({"city": "Atlantis"}, 404), ({"city": "x"}, 422)),
    echoes=("city",),
    invariants=(
        Known("currency", "city", CURRENCY_OF),
        Sums("price_per_kwh", ("energy_part", "grid_part", "levy_part")),
        Bounds("price_per_kwh", 0, 1000),
        Ordered("valid_from", "valid_to"),
    ),
)
def energy_tariff(
    world: World,
    city: Annotated[str, Field(min_length=2, max_length=60, description="City of the building, such as Lisbon")],
) -> dict[str, Any]:
    """Look up the electricity tariff of our building in a city: the price per kWh, its parts and its currency."""
    site = site_in(city)
    price = TARIFFS[site.city]
    energy, grid = round(price * 0.52, 4), round(price * 0.31, 4)
    return {
        "city": site.city,
        "plan": _pick(PLANS, "plan", site.code),
        "price_per_kwh": price,
        "energy_part": energy,
        "grid_part": grid,
        "levy_part": round(price - energy - grid, 4),
        "currency": CURRENCY_OF[site.city],
        "valid_from": "2026-01-01",
        "valid_to": "2026-12-31",
    }


METERS = {
    name: devices_in(SITES[name], "Plant Room", "energy_meter")[0].id
    for name in ("Lisbon", "Berlin", "Tokyo", "New York", "Zurich")
}
NOTICE_DAYS = 90


class SupplyContract(Answer):
    """The contract under which a meter is supplied."""

    meter_id: str = Field(description="Id of the meter")
    contract_id: str = Field(description="Id of the contract")
    status: str = Field(description="active")
    supplier: str = Field(description="Company that supplies the energy")
    unit_rate: float = Field(description="Price of one kWh")
    price_per_mwh: float = Field(description="The same for 1000 kWh")
    standing_charge: float = Field(description="What is charged each month besides, in the same currency")
    currency: str = Field(description="Currency of all amounts")
    supply_city: str = Field(description="City in which the meter stands")
    starts_on: str = Field(description="First day of supply")
    notice_by: str = Field(description="Last day to give notice")
    ends_on: str = Field(description="Last day of supply, unless it is renewed")


def _ends_on(site: Site) -> date:
    return date.fromisoformat(TODAY) + timedelta(days=240 + int(110 * scatter("contract", site.code)))


@simulated_tool(
    category="source",
    answer=SupplyContract,
    examples=tuple({"meter_id": id} for id in METERS.values()),
    refusals=(
        ({"meter_id": "MTR-LIS-0000"}, 404),
        ({"meter_id": devices_in(SITES["Lisbon"], "Reception", "light")[0].id}, 400),
        ({"meter_id": "meter 1"}, 422),
    ),
    echoes=("meter_id",),
    invariants=(
        Requires("contract_id", "status", "active"),
        Requires("supplier", "status", "active"),
        Requires("supply_city", "status", "active"),
        Known("currency", "supply_city", CURRENCY_OF),
        Formula("unit_rate", ("price_per_mwh",), lambda price: price / 1000, "price_per_mwh is 1000 x unit_rate"),
        Bounds("unit_rate", 0, 1000),
        Bounds("standing_charge", 0),
        Ordered("starts_on", "notice_by"),
        Ordered("notice_by", "ends_on"),
    ),
)
def supply_contract(world: World, meter_id: DeviceId) -> dict[str, Any]:
    """Read the supply contract of an energy meter: supplier, rate per kWh, monthly charge, and when notice is due."""
    site = device(meter_id, "energy_meter").site
    price, currency, end = TARIFFS[site.city], CURRENCY_OF[site.city], _ends_on(site)
    return {
        "contract_id": identifier("SUP", site.code, end),
        "status": "active",
        "supplier": _pick(SUPPLIERS, "supplier", site.code),
        "unit_rate": price,
        "price_per_mwh": round(1000 * price, 2),
        "standing_charge": rounded_charge(price * (180 + 60 * scatter("standing", site.code)), currency),
        "currency": currency,
        "supply_city": site.city,
        "starts_on": (end - timedelta(days=729)).isoformat(),
        "notice_by": (end - timedelta(days=NOTICE_DAYS)).isoformat(),
        "ends_on": end.isoformat(),
    }
