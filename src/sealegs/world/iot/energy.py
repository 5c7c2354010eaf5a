"""Readings of a building's energy meter, and the cost of energy. Tariffs are the caller's to know."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Mean, OneOf, Ordered, Sums
from sealegs.world.general.facts import CITIES
from sealegs.world.iot.device_arguments import Days, DeviceId
from sealegs.world.iot.facts import SITES, day_energy, days_before_today, device, devices_in, meter_register
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

METERS = tuple(
    devices_in(SITES[name], "Plant Room", "energy_meter")[0].id for name in ("Lisbon", "Berlin", "New York", "Tokyo")
)
SENSOR = devices_in(SITES["Lisbon"], "Plant Room", "climate_sensor")[0].id


class Consumption(Answer):
    """What a meter counted over the last complete days."""

    meter_id: str = Field(description="Id of the meter")
    days: int = Field(description="How many days")
    from_date: str = Field(description="First day")
    to_date: str = Field(description="Last day, which is yesterday")
    total_kwh: float = Field(description="Energy over all days")
    daily_mean_kwh: float = Field(description="Mean energy of a day")
    peak_kwh: float = Field(description="Energy of the day with the most")
    peak_date: str = Field(description="That day")
    register_start_kwh: float = Field(description="The meter's register when the first day began")
    register_end_kwh: float = Field(description="The meter's register when the last day ended")
    daily: list[dict[str, Any]] = Field(description="Each day: date, kwh")


@simulated_tool(
    category="source",
    answer=Consumption,
    examples=(
        {"meter_id": METERS[0], "days": 7},
        {"meter_id": METERS[1], "days": 30},
        {"meter_id": METERS[2], "days": 1},
        {"meter_id": METERS[3], "days": 14},
    ),
    refusals=(
        ({"meter_id": "MTR-LIS-0000", "days": 7}, 404),
        ({"meter_id": SENSOR, "days": 7}, 400),
        ({"meter_id": METERS[0], "days": 0}, 422),
    ),
    echoes=("meter_id", "days"),
    invariants=(
        Sums("total_kwh", ("daily.kwh",)),
        Bounds("total_kwh", 0, 1_000_000),
        Sums("register_end_kwh", ("register_start_kwh", "total_kwh")),
        Mean("daily_mean_kwh", "daily.kwh"),
        Formula("peak_kwh", ("daily",), lambda daily: max(d["kwh"] for d in daily), "peak_kwh is the most of a day"),
        Counts("days", "daily"),
        Ordered("from_date", "to_date"),
        Ordered("from_date", "peak_date"),
        Ordered("peak_date", "to_date"),
    ),
)
def meter_consumption(world: World, meter_id: DeviceId, days: Days) -> dict[str, Any]:
    """Read how many kWh a building's energy meter counted over the last complete days, day by day and in total."""
    site = device(meter_id, "energy_meter").site
    dates = days_before_today(days)
    counted = [day_energy(site, day) for day in dates]
    total, peak = round(sum(counted), 1), max(counted)
    return {
        "from_date": dates[0],
        "to_date": dates[-1],
        "total_kwh": total,
        "daily_mean_kwh": round(total / days, 2),
        "peak_kwh": peak,
        "peak_date": dates[counted.index(peak)],
        "register_start_kwh": round(meter_register(site) - total, 1),
        "register_end_kwh": meter_register(site),
        "daily": [{"date": day, "kwh": number} for day, number in zip(dates, counted, strict=True)],
    }


CURRENCIES = tuple(sorted({c.currency for c in CITIES.values()} | {"BRL", "CZK", "DKK", "HKD", "NOK", "NZD", "PLN"}))
WHOLE = ("JPY", "KRW")
Price = Annotated[float, Field(gt=0, le=1000, description="Price of one kWh, in the currency")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 code of the price's currency")]


def _money(amount: float, currency: str) -> float:
    """The amount to the currency's smallest unit in use."""
    return float(round(amount)) if currency in WHOLE else round(amount, 2)


def _known(currency: str) -> None:
    if currency not in CURRENCIES:
        raise Refusal(400, "UnknownCurrency", f"{currency} is no currency of a tariff.", currencies=list(CURRENCIES))


def _priced(energy: float, price: float, currency: str) -> float:
    return _money(energy * price, currency)


class EnergyCost(Answer):
    """What an amount of energy costs."""

    energy_kwh: float = Field(description="Amount of energy")
    price_per_kwh: float = Field(description="Price of one kWh")
    currency: str = Field(description="Currency of all amounts")
    net: float = Field(description="Cost without tax")
    vat: float = Field(description="Value added tax")
    cost: float = Field(description="What is to be paid")


@simulated_tool(
    category="processor",
    answer=EnergyCost,
    examples=(
        {"energy_kwh": 5480.3, "price_per_kwh": 0.31, "currency": "EUR"},
        {"energy_kwh": 912.0, "price_per_kwh": 0.18, "currency": "USD", "vat_percent": 8.5},
        {"energy_kwh": 14250, "price_per_kwh": 31, "currency": "JPY", "vat_percent": 10},
        {"energy_kwh": 37.5, "price_per_kwh": 0.27, "currency": "GBP", "vat_percent": 5},
    ),
    refusals=(
        ({"energy_kwh": 10, "price_per_kwh": 0.3, "currency": "XYZ"}, 400),
        ({"energy_kwh": -3, "price_per_kwh": 0.3, "currency": "EUR"}, 422),
        ({"energy_kwh": 10, "price_per_kwh": 0.3, "currency": "euro"}, 422),
    ),
    echoes=("energy_kwh", "price_per_kwh", "currency"),
    invariants=(
        OneOf("currency", CURRENCIES, ("XXX", "kWh", "???")),
        Formula("net", ("energy_kwh", "price_per_kwh", "currency"), _priced, "net is energy_kwh x price_per_kwh"),
        Sums("cost", ("net", "vat")),
        Bounds("cost", 0),
    ),
)
def energy_cost(
    world: World,
    energy_kwh: Annotated[float, Field(ge=0, le=10_000_000, description="Amount of energy in kWh")],
    price_per_kwh: Price,
    currency: Currency,
    vat_percent: Annotated[float, Field(ge=0, le=30, description="Value added tax in per cent")] = 0,
) -> dict[str, Any]:
    """Work out what an amount of electricity in kWh costs at a price per kWh, with value added tax where asked for."""
    _known(currency)
    net = _priced(energy_kwh, price_per_kwh, currency)
    vat = _money(net * vat_percent / 100, currency)
    return {"net": net, "vat": vat, "cost": round(net + vat, 2)}


class RunningCost(Answer):
    """What a load costs that runs for some time."""

    power_kw: float = Field(description="Mean load in kW")
    hours: float = Field(description="How long it runs")
    energy_kwh: float = Field(description="What it takes in that time")
    price_per_kwh: float = Field(description="Price of one kWh")
    currency: str = Field(description="Currency of the amounts")
    cost: float = Field(description="What that costs, without tax")
    cost_per_day: float = Field(description="What a day of it costs")


@simulated_tool(
    category="processor",
    answer=RunningCost,
    examples=(
        {"power_kw": 1.5, "hours": 72, "price_per_kwh": 0.31, "currency": "EUR"},
        {"power_kw": 38.412, "hours": 168, "price_per_kwh": 0.18, "currency": "USD"},
        {"power_kw": 0.06, "hours": 1000, "price_per_kwh": 150, "currency": "KRW"},
    ),
    refusals=(
        ({"power_kw": 1.5, "hours": 72, "price_per_kwh": 0.31, "currency": "ABC"}, 400),
        ({"power_kw": 1.5, "hours": 0, "price_per_kwh": 0.31, "currency": "EUR"}, 422),
        ({"power_kw": 1.5, "hours": 72, "price_per_kwh": -0.31, "currency": "EUR"}, 422),
    ),
    echoes=("power_kw", "hours", "price_per_kwh", "currency"),
    invariants=(
        OneOf("currency", CURRENCIES, ("XXX", "kWh", "???")),
        Formula("energy_kwh", ("power_kw", "hours"), lambda kw, h: round(kw * h, 2), "energy_kwh is power_kw x hours"),
        Formula("cost", ("energy_kwh", "price_per_kwh", "currency"), _priced, "cost is energy_kwh x price_per_kwh"),
        Bounds("energy_kwh", 0),
        Bounds("cost", 0),
        Bounds("cost_per_day", 0),
    ),
)
def running_cost(
    world: World,
    power_kw: Annotated[float, Field(ge=0, le=100_000, description="Mean load in kW")],
    hours: Annotated[float, Field(gt=0, le=8784, description="How long it runs, in hours")],
    price_per_kwh: Price,
    currency: Currency,
) -> dict[str, Any]:
    """Work out the energy that a load in kW takes over a number of hours, and what that costs at a price per kWh."""
    _known(currency)
    energy = round(power_kw * hours, 2)
    cost = _priced(energy, price_per_kwh, currency)
    return {"energy_kwh": energy, "cost": cost, "cost_per_day": round(cost / hours * 24, 2)}
