"""Charging a vehicle: at once, or by a reservation that is redeemed. Both ways keep the point and charge the same."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires
from sealegs.world.iot.charging_facts import (
    CURRENCY_OF,
    RESERVATIONS,
    ChargerReservation,
    charge,
    charger,
    charging_minutes,
    keep_charger,
    reservation_id,
    rounded_charge,
)
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

ChargerId = Annotated[
    str, Field(pattern=r"^EVC-[A-Z]{3}-\d\d$", description="Id of a charge point, such as EVC-LIS-04")
]
Plate = Annotated[
    str,
    Field(pattern=r"^[A-Z0-9][A-Z0-9 -]{2,10}$", description="Registration plate in capitals, such as B-FH 2041"),
]
Energy = Annotated[float, Field(ge=1, le=200, description="Energy to charge, in kWh")]
KEPT_MINUTES = 30


class ChargingSession(Answer):
    """A charging session that has begun."""

    session_id: str = Field(description="Id of the session")
    charger_id: str = Field(description="Id of the charge point")
    plate: str = Field(description="Registration plate of the vehicle")
    city: str = Field(description="City of the charge point")
    energy_kwh: float = Field(description="Energy to charge")
    power_kw: float = Field(description="Power of the point")
    minutes: int = Field(description="Whole minutes that this takes")
    price_per_kwh: float = Field(description="Price of one kWh")
    cost: float = Field(description="What the charge costs")
    currency: str = Field(description="Currency of price and cost")
    starts_at: str = Field(description="When the session began, local time")
    ends_at: str = Field(description="When it will have ended")
    status: str = Field(description="charging")


SESSION: tuple[Invariant, ...] = (
    Requires("session_id", "status", "charging"),
    Requires("charger_id", "status", "charging"),
    Requires("plate", "status", "charging"),
    Requires("city", "status", "charging"),
    Known("currency", "city", CURRENCY_OF),
    Formula(
        "cost",
        ("energy_kwh", "price_per_kwh", "currency"),
        lambda energy, price, currency: rounded_charge(energy * price, currency),
        "cost is energy_kwh x price_per_kwh",
    ),
    Formula("minutes", ("energy_kwh", "power_kw"), charging_minutes, "minutes are energy_kwh at power_kw"),
    Bounds("power_kw", 3, 400),
    Bounds("cost", 0),
    Bounds("minutes", 1, 6000),
    Ordered("starts_at", "ends_at"),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="charging_history",
    parts=2,
    answer=ChargingSession,
    examples=(
        {"charger_id": "EVC-LIS-03", "plate": "42-XT-18", "energy_kwh": 28},
        {"charger_id": "EVC-BER-01", "plate": "B-FH 2041", "energy_kwh": 12.5},
        {"charger_id": "EVC-TYO-06", "plate": "SN 30-24", "energy_kwh": 40},
        {"charger_id": "EVC-LON-01", "plate": "FH19 KLD", "energy_kwh": 19.2},
    ),
    refusals=(
        ({"charger_id": "EVC-LIS-99", "plate": "42-XT-18", "energy_kwh": 28}, 404),
        ({"charger_id": "EVC-LIS-04", "plate": "AA-11-BB", "energy_kwh": 28}, 409),
        ({"charger_id": "EVC-LIS-03", "plate": "42-XT-18", "energy_kwh": 900}, 422),
    ),
    echoes=("charger_id", "plate", "energy_kwh"),
    invariants=SESSION,
)
def start_charging(world: World, charger_id: ChargerId, plate: Plate, energy_kwh: Energy) -> dict[str, Any]:
    """Start charging a vehicle now at a free charge point: gives the session, its cost and when it will have ended."""
    point = charger(charger_id)
    keep_charger(world, point, plate)
    return {**charge(world, point, plate, energy_kwh), "status": "charging"}


class KeptCharger(Answer):
    """A charge point that is kept for a vehicle."""

    reservation_id: str = Field(description="Id of the reservation, which its redemption takes")
    charger_id: str = Field(description="Id of the charge point")
    plate: str = Field(description="Registration plate of the vehicle")
    bay: str = Field(description="Where the point stands")
    connector: str = Field(description="Its plug")
    power_kw: float = Field(description="Its power")
    reserved_at: str = Field(description="From when it is kept, local time")
    expires_at: str = Field(description="Until when it is kept")
    status: str = Field(description="reserved")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="charging_history",
    answer=KeptCharger,
    examples=(
        {"charger_id": "EVC-LIS-03", "plate": "42-XT-18"},
        {"charger_id": "EVC-BER-01", "plate": "B-FH 2041"},
        {"charger_id": "EVC-TYO-06", "plate": "SN 30-24"},
        {"charger_id": "EVC-LON-01", "plate": "FH19 KLD"},
    ),
    refusals=(
        ({"charger_id": "EVC-LIS-99", "plate": "42-XT-18"}, 404),
        ({"charger_id": "EVC-LIS-04", "plate": "AA-11-BB"}, 409),
        ({"charger_id": "EVC-LIS-03", "plate": "?"}, 422),
    ),
    echoes=("charger_id", "plate"),
    invariants=(
        Requires("reservation_id", "status", "reserved"),
        Requires("charger_id", "status", "reserved"),
        Requires("bay", "status", "reserved"),
        Bounds("power_kw", 3, 400),
        Ordered("reserved_at", "expires_at"),
    ),
)
def reserve_charger(world: World, charger_id: ChargerId, plate: Plate) -> dict[str, Any]:
    """Keep a free charge point for a vehicle for half an hour. Charging begins once the reservation is redeemed."""
    point = charger(charger_id)
    keep_charger(world, point, plate)
    id = reservation_id(point.id, plate)
    world.state("iot.charger_reservations")[id] = ChargerReservation(id, point.id, plate)
    return {
        "reservation_id": id,
        "charger_id": point.id,
        "bay": point.bay,
        "connector": point.connector,
        "power_kw": point.power,
        "reserved_at": NOW,
        "expires_at": (datetime.fromisoformat(NOW) + timedelta(minutes=KEPT_MINUTES)).isoformat(),
        "status": "reserved",
    }


class Redeemed(ChargingSession):
    """A charging session that a reservation was redeemed for."""

    reservation_id: str = Field(description="Id of the reservation")


KEPT = tuple(RESERVATIONS)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="charging_history",
    answer=Redeemed,
    examples=tuple(
        {"reservation_id": id, "energy_kwh": kwh} for id, kwh in zip(KEPT, (30, 22.5, 41, 15), strict=False)
    ),
    refusals=(
        ({"reservation_id": "RSV-00000000", "energy_kwh": 20}, 404),
        ({"reservation_id": KEPT[0], "energy_kwh": 0}, 422),
        ({"reservation_id": "bay 4", "energy_kwh": 20}, 422),
    ),
    echoes=("reservation_id", "energy_kwh"),
    invariants=SESSION,
)
def start_reserved_charging(
    world: World,
    reservation_id: Annotated[
        str, Field(pattern=r"^RSV-[0-9A-F]{8}$", description="Id of a charge point's reservation")
    ],
    energy_kwh: Energy,
) -> dict[str, Any]:
    """Redeem a charge point's reservation: the vehicle that it was made for begins to charge this much energy."""
    kept = {**RESERVATIONS, **world.state("iot.charger_reservations")}.get(reservation_id)
    if kept is None:
        raise Refusal(404, "ReservationNotFound", f"No reservation has the id {reservation_id!r}.")
    session = charge(world, charger(kept.charger), kept.plate, energy_kwh)
    return {**session, "reservation_id": reservation_id, "status": "charging"}
