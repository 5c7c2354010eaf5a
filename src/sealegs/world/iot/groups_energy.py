"""Alternative groups of the iot domain around tariffs, a building's energy bill, and moist air."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.iot.facts import SITES, devices_in

__all__ = ["air_dew_point", "building_power_price", "metered_energy_bill"]


def _metered(city: str) -> dict[str, str]:
    return {"city": city, "meter_id": devices_in(SITES[city], "Plant Room", "energy_meter")[0].id}


building_power_price = Pattern(
    name="building_power_price",
    purpose="Find what our building in a city pays for one kWh of electricity, and in which currency.",
    inputs=("city", "meter_id"),
    exports=("price_per_kwh", "currency"),
    ways=(
        Way(
            "tariff",
            {"energy_tariff": {"city": "in.city"}},
            {"price_per_kwh": "energy_tariff.price_per_kwh", "currency": "energy_tariff.currency"},
        ),
        Way(
            "contract",
            {"supply_contract": {"meter_id": "in.meter_id"}},
            {"price_per_kwh": "supply_contract.unit_rate", "currency": "supply_contract.currency"},
        ),
    ),
    examples=tuple(_metered(city) for city in ("Lisbon", "Tokyo", "New York", "Zurich", "Cape Town")),
)

metered_energy_bill = Pattern(
    name="metered_energy_bill",
    purpose="Find how much energy our building in a city took over the last days and what it pays for that, tax aside.",
    inputs=("city", "meter_id", "days"),
    exports=("energy_kwh", "price_per_kwh", "cost", "currency"),
    ways=(
        Way(
            "tariff_and_count",
            {
                "energy_tariff": {"city": "in.city"},
                "meter_consumption": {"meter_id": "in.meter_id", "days": "in.days"},
                "energy_cost": {
                    "energy_kwh": "meter_consumption.total_kwh",
                    "price_per_kwh": "energy_tariff.price_per_kwh",
                    "currency": "energy_tariff.currency",
                },
            },
            {name: f"energy_cost.{name}" for name in ("energy_kwh", "price_per_kwh", "cost", "currency")},
        ),
        Way(
            "contract_and_load",
            {
                "supply_contract": {"meter_id": "in.meter_id"},
                "reading_history": {"device_id": "in.meter_id", "quantity": "power", "days": "in.days"},
                "running_cost": {
                    "power_kw": "reading_history.mean",
                    "hours": "reading_history.hours",
                    "price_per_kwh": "supply_contract.unit_rate",
                    "currency": "supply_contract.currency",
                },
            },
            {name: f"running_cost.{name}" for name in ("energy_kwh", "price_per_kwh", "cost", "currency")},
        ),
    ),
    examples=(
        {**_metered("Lisbon"), "days": 7},
        {**_metered("Tokyo"), "days": 31},
        {**_metered("London"), "days": 14},
        {**_metered("Singapore"), "days": 1},
    ),
)

air_dew_point = Pattern(
    name="air_dew_point",
    purpose="Find the dew point of air from its temperature and relative humidity.",
    inputs=("celsius", "humidity"),
    exports=("dew_point_celsius",),
    ways=(
        Way(
            "dew_point",
            {"dew_point": {"celsius": "in.celsius", "humidity": "in.humidity"}},
            {"dew_point_celsius": "dew_point.dew_point_celsius"},
        ),
        Way(
            "full_state",
            {"moist_air_state": {"celsius": "in.celsius", "humidity": "in.humidity"}},
            {"dew_point_celsius": "moist_air_state.dew_point"},
        ),
    ),
    examples=(
        {"celsius": 21.4, "humidity": 43.2},
        {"celsius": 28, "humidity": 71},
        {"celsius": 4.5, "humidity": 88},
        {"celsius": 17.3, "humidity": 39.6},
    ),
)
