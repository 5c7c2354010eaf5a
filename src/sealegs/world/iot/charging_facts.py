"""Prices of electricity in each city, and the charge points for vehicles beside each building.

A charge point's price is the city's tariff with a margin that grows with its power. Changes of an episode
(reservations, sessions) are in the world's state; a few reservations are older. Times are the city's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from sealegs.world.general.facts import CITIES
from sealegs.world.iot.facts import SITES, Site, scatter
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Refusal, World

# Price of one kWh for a business on the standard tariff, in the currency of the country.
TARIFFS = {
    "Lisbon": 0.168,
    "Berlin": 0.247,
    "Tokyo": 27.4,
    "Beijing": 0.72,
    "New York": 0.214,
    "London": 0.243,
    "Paris": 0.189,
    "Madrid": 0.161,
    "Rome": 0.232,
    "Vienna": 0.217,
    "Zurich": 0.264,
    "Stockholm": 1.38,
    "Toronto": 0.148,
    "San Francisco": 0.259,
    "Chicago": 0.132,
    "Sydney": 0.284,
    "Singapore": 0.289,
    "Mumbai": 9.6,
    "Dubai": 0.41,
    "Seoul": 148.0,
    "Mexico City": 3.1,
    "Cape Town": 2.35,
}
CURRENCY_OF = {place.name: place.currency for place in CITIES.values()}
WHOLE = ("JPY", "KRW")

# Bay: connector, power in kW, factor on the tariff.
BAYS = (
    ("Car park level 1", "type2", 11.0, 1.55),
    ("Car park level 2", "type2", 22.0, 1.7),
    ("Forecourt", "ccs", 50.0, 2.05),
    ("Street side", "ccs", 150.0, 2.4),
    ("Delivery yard", "ccs", 75.0, 2.2),
    ("Visitor bays", "chademo", 50.0, 2.1),
    ("Rear court", "chademo", 62.5, 2.25),
)


@dataclass(frozen=True, slots=True)
class Charger:
    """A charge point. `busy` says that a stranger's car stands there."""

    id: str
    site: Site
    bay: str
    connector: str
    power: float
    price: float
    busy: bool

    @property
    def currency(self) -> str:
        """Currency of its price."""
        return CURRENCY_OF[self.site.city]

    @property
    def position(self) -> tuple[float, float]:
        """Degrees north and east."""
        place = CITIES[self.site.city.casefold()]
        north = place.latitude + 0.02 * scatter("north", self.id)
        return round(north, 5), round(place.longitude + 0.02 * scatter("east", self.id), 5)


@dataclass(frozen=True, slots=True)
class ChargerReservation:
    """A charge point that is kept for a vehicle."""

    id: str
    charger: str
    plate: str


def rounded_charge(amount: float, currency: str) -> float:
    """The amount to the currency's smallest unit in use."""
    return float(round(amount)) if currency in WHOLE else round(amount, 2)


def _chargers() -> dict[str, Charger]:
    found = {}
    for site in SITES.values():
        free: set[str] = set()
        for number, (bay, connector, power, factor) in enumerate(BAYS, 1):
            id = f"EVC-{site.code}-{number:02d}"
            price = round(TARIFFS[site.city] * factor * (1 + 0.08 * scatter("price", id)), 3)
            busy = connector in free and scatter("busy", id) > 0.2
            free.add(connector)
            found[id] = Charger(id, site, bay, connector, power, price, busy)
    return found


CHARGERS = _chargers()


def reservation_id(charger: str, plate: str) -> str:
    """The id of a vehicle's reservation of a charge point."""
    return identifier("RSV", charger, plate)


def _standing(charger: str, plate: str) -> ChargerReservation:
    return ChargerReservation(reservation_id(charger, plate), charger, plate)


RESERVATIONS = {
    standing.id: standing
    for standing in (
        _standing("EVC-LIS-04", "42-XT-18"),
        _standing("EVC-BER-05", "B-FH 2041"),
        _standing("EVC-PAR-07", "GK-318-RB"),
        _standing("EVC-STO-02", "KLM 47P"),
        _standing("EVC-NYC-04", "HRB 7716"),
        _standing("EVC-SYD-05", "DWQ 52L"),
    )
}


def charger(id: str) -> Charger:
    """The charge point of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = CHARGERS.get(id)
    if found is None:
        raise Refusal(404, "ChargePointNotFound", f"No charge point has the id {id!r}.")
    return found


def holder(world: World, point: Charger) -> str | None:
    """The plate of the vehicle that a charge point is kept for or charges; `unknown` for a stranger's; else None."""
    taken = world.state("iot.chargers").get(point.id)
    standing = next((r.plate for r in RESERVATIONS.values() if r.charger == point.id), None)
    return taken or standing or ("unknown" if point.busy else None)


def free_chargers(world: World, site: Site, connector: str) -> list[Charger]:
    """The free charge points of a building with this connector, the cheapest first.

    Raises:
        Refusal: 404 where none is free.
    """
    of_kind = [point for point in CHARGERS.values() if (point.site, point.connector) == (site, connector)]
    found = [point for point in of_kind if holder(world, point) is None]
    if not found:
        raise Refusal(404, "NoChargePointFree", f"No {connector} charge point at {site.name} is free.")
    return sorted(found, key=lambda point: (point.price, point.id))


def keep_charger(world: World, point: Charger, plate: str) -> None:
    """Keep a free charge point for a vehicle, with an effect.

    Raises:
        Refusal: 409 where it is taken.
    """
    if holder(world, point) is not None:
        raise Refusal(409, "ChargePointTaken", f"{point.id} is taken.", charger_id=point.id)
    world.state("iot.chargers")[point.id] = plate
    world.effect("reserve_charger", point.id, plate=plate)


def charge(world: World, point: Charger, plate: str, energy: float) -> dict[str, object]:
    """Begin to charge a vehicle at a charge point that is kept for it; the session as both interfaces tell it.

    Raises:
        Refusal: 409 where that session runs already.
    """
    sessions = world.state("iot.charging")
    if point.id in sessions:
        raise Refusal(409, "SessionRunning", f"{point.id} is charging already.", session_id=sessions[point.id])
    id = identifier("CHS", point.id, plate, f"{energy:.2f}")
    sessions[point.id] = id
    world.effect("charge_vehicle", point.id, plate=plate, energy_kwh=energy)
    minutes = charging_minutes(energy, point.power)
    return {
        "session_id": id,
        "charger_id": point.id,
        "plate": plate,
        "city": point.site.city,
        "energy_kwh": energy,
        "power_kw": point.power,
        "minutes": minutes,
        "price_per_kwh": point.price,
        "cost": rounded_charge(energy * point.price, point.currency),
        "currency": point.currency,
        "starts_at": NOW,
        "ends_at": (datetime.fromisoformat(NOW) + timedelta(minutes=minutes)).isoformat(),
    }


def charging_minutes(energy: float, power: float) -> int:
    """Whole minutes that a charge takes at full power."""
    return ceil(round(energy / power * 60, 6))
