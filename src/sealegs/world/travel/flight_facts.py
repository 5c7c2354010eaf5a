"""The flight schedule with its fares and seats, and the seats held when the episode begins.

The schedule is drawn once from the airports and their cities' coordinates: every ordered pair of cities has two
or three flights a day.
Seats that an episode takes live in the world's state, not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import asin, cos, radians, sin, sqrt

from sealegs.faults.seeds import digest, uniform
from sealegs.world.general.facts import City
from sealegs.world.state import NOW, TODAY, identifier
from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import PLACES, PRICE_LEVEL, WHOLE_UNITS, format_local_moment, served_city


@dataclass(frozen=True, slots=True)
class Flight:
    """A daily flight. `departure` is minutes after midnight at the origin; `level` scales its fares."""

    number: str
    carrier: str
    origin: City
    destination: City
    departure: int
    minutes: int
    stops: int
    level: float
    may_sell_out: bool

    @property
    def base_eur(self) -> float:
        """The economy fare at the price level of the euro, before the day is known."""
        mean: float = 38 + 0.11 * distance(self.origin, self.destination) ** 0.95
        return mean * self.level

    def departs(self, day: date) -> str:
        """Local time of departure, YYYY-MM-DDTHH:MM."""
        return format_local_moment(datetime.combine(day, datetime.min.time()) + timedelta(minutes=self.departure))

    def arrives(self, day: date) -> str:
        """Local time of arrival, YYYY-MM-DDTHH:MM."""
        shift = self.minutes + 60 * (self.destination.utc_offset - self.origin.utc_offset)
        return format_local_moment(datetime.fromisoformat(self.departs(day)) + timedelta(minutes=shift))

    def fare(self, day: date, cabin: str) -> float:
        """The price of one seat, taxes included, in the origin's currency."""
        weekday = (1.0, 0.92, 0.94, 1.02, 1.14, 0.97, 1.17)[day.weekday()]
        ahead = (day - date.fromisoformat(TODAY)).days
        early = 1.28 if ahead < 7 else 1.08 if ahead < 21 else 0.95
        price = self.base_eur * weekday * early * (2.9 if cabin == "business" else 1.0)
        local = price * PRICE_LEVEL[self.origin.currency]
        return float(round(local, -2)) if self.origin.currency in WHOLE_UNITS else round(local, 2)

    def seats(self, day: date, cabin: str) -> int:
        """Seats for sale on that day before anybody in the episode takes one."""
        drawn = digest("seats", self.number, day, cabin)
        return 0 if self.may_sell_out and drawn % 11 == 0 else 2 + drawn % 8


def distance(start: City, end: City) -> float:
    """Great-circle distance in kilometres (haversine, R = 6371 km)."""
    north, south = radians(start.latitude), radians(end.latitude)
    turn = sin((south - north) / 2) ** 2
    turn += cos(north) * cos(south) * sin(radians(end.longitude - start.longitude) / 2) ** 2
    return 2 * 6371 * asin(sqrt(turn))


HOLD_HOURS = {"economy": 24, "business": 48}
CARRIERS = {
    "NF": "Northfell Air",
    "MW": "Meridian Wings",
    "AQ": "Aurelia Airways",
    "PL": "Pacific Lantern",
    "SV": "Solano Skies",
    "BN": "Blue Heron Air",
}


def _flights() -> tuple[Flight, ...]:
    made: list[Flight] = []
    for origin in PLACES.values():
        for destination in PLACES.values():
            if origin is not destination:
                made += _route(origin, destination, 101 + len(made))
    return tuple(made)


def _route(origin: City, destination: City, first: int) -> list[Flight]:
    km = distance(origin, destination)
    stops = int(km > 12_500)
    minutes = 5 * round((35 + km / 830 * 60 + 110 * stops) / 5)
    # No flight lands on the day before it left, so one that gains many hours leaves in the afternoon.
    gained = 60 * (origin.utc_offset - destination.utc_offset) - minutes
    earliest = max(6 * 60 + 10, 5 * round(gained / 5) + 20)
    count = 3 if km < 4000 else 2
    span = (22 * 60 - earliest) // count
    made = []
    for turn in range(count):
        key = (origin.name, destination.name, turn)
        departure = 5 * round((earliest + span * (turn + 0.8 * uniform("departure", *key))) / 5)
        carrier = sorted(CARRIERS)[digest("carrier", *key) % len(CARRIERS)]
        level = 0.84 + 0.4 * uniform("level", *key)
        number = f"{carrier}{first + turn}"
        made.append(Flight(number, carrier, origin, destination, departure, minutes, stops, level, turn > 0))
    return made


FLIGHTS = {flight.number: flight for flight in _flights()}
ROUTES: dict[tuple[str, str], tuple[Flight, ...]] = {}
for _flight in FLIGHTS.values():
    _ends = (_flight.origin.name, _flight.destination.name)
    ROUTES[_ends] = (*ROUTES.get(_ends, ()), _flight)


def route(origin: str, destination: str) -> tuple[Flight, ...]:
    """The daily flights from one city to another, in order of departure.

    Raises:
        Refusal: 404 where a city is unknown, 400 where both are the same.
    """
    start, end = served_city(origin), served_city(destination)
    if start is end:
        raise Refusal(400, "SameCity", f"Origin and destination are both {start.name}.")
    return ROUTES[start.name, end.name]


def flight(number: str) -> Flight:
    """The flight of this number.

    Raises:
        Refusal: 404 where there is none.
    """
    found = FLIGHTS.get(number)
    if found is None:
        raise Refusal(404, "FlightNotFound", f"No flight {number} is in the schedule.")
    return found


@dataclass(frozen=True, slots=True)
class SeatHold:
    """A seat held for a passenger until `expires_at`."""

    id: str
    flight: str
    day: str
    cabin: str
    passenger: str
    held_at: str
    expires_at: str


def seat_hold_id(number: str, day: str, cabin: str, passenger: str) -> str:
    """The id of a passenger's hold, a function of what is held."""
    return identifier("HLD", number, day, cabin, passenger)


def hold_of(found: Flight, day: str, cabin: str, passenger: str, held_at: str) -> SeatHold:
    """A hold that lapses after its cabin's hours, or three hours before departure if that is sooner."""
    leaves = datetime.fromisoformat(found.departs(date.fromisoformat(day)))
    expires = min(datetime.fromisoformat(held_at) + timedelta(hours=HOLD_HOURS[cabin]), leaves - timedelta(hours=3))
    id = seat_hold_id(found.number, day, cabin, passenger)
    return SeatHold(id, found.number, day, cabin, passenger, held_at, expires.isoformat())


def _held(ends: tuple[str, str], day: str, cabin: str, passenger: str, held_at: str) -> SeatHold:
    return hold_of(ROUTES[ends][0], day, cabin, passenger, held_at)


_HOLDS = (
    _held(("Berlin", "Madrid"), "2026-03-18", "economy", "Jonas Keller", "2026-03-01T16:20:00"),
    _held(("Tokyo", "Singapore"), "2026-04-06", "business", "Mei Tanaka", "2026-03-02T01:05:00"),
    _held(("New York", "Toronto"), "2026-03-24", "economy", "Dana Whitfield", "2026-03-01T21:40:00"),
    _held(("Zurich", "London"), "2026-03-12", "business", "Luca Baumann", "2026-02-28T17:15:00"),
    _held(("Mumbai", "Dubai"), "2026-05-11", "economy", "Anil Deshmukh", "2026-03-02T08:30:00"),
    _held(("Paris", "Rome"), "2026-03-20", "economy", "Claire Moreau", "2026-02-26T10:00:00"),
)
HOLDS = {hold.id: hold for hold in _HOLDS}
OPEN_HOLDS = tuple(hold for hold in _HOLDS if hold.expires_at > NOW)
LAPSED_HOLDS = tuple(hold for hold in _HOLDS if hold.expires_at <= NOW)
