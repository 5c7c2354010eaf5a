"""The trains between cities, with their fares and seats.

The timetable is drawn once from the lines: every line has three or four trains a day in each direction. Fares are in
the currency of the city of departure. Seats that an episode takes live in the world's state, not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sealegs.faults.seeds import digest, uniform
from sealegs.world.general.facts import City
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import PLACES, PRICE_LEVEL, format_local_moment, rounded_money, served_city

RESERVATION_EUR = 4.0
FIRST_CLASS = 1.55
KG_PER_KM = 0.035
"""Kilograms of carbon dioxide that one traveller by train causes per kilometre."""

STATIONS = {
    "Lisbon": "Oriente", "Madrid": "Chamartín", "Paris": "Gare de l'Est", "London": "St Pancras",
    "Berlin": "Hauptbahnhof", "Vienna": "Hauptbahnhof Wien", "Zurich": "Zürich HB", "Rome": "Roma Termini",
    "Stockholm": "Stockholm Central", "New York": "Penn Station", "Toronto": "Union Station Toronto",
    "Chicago": "Union Station Chicago",
}  # fmt: skip

# Two cities, kilometres of track, minutes of travel.
_LINES = (
    ("Lisbon", "Madrid", 690, 545),
    ("Madrid", "Paris", 1450, 590),
    ("Paris", "London", 492, 140),
    ("Paris", "Zurich", 620, 245),
    ("Paris", "Berlin", 1050, 490),
    ("Paris", "Rome", 1420, 660),
    ("Berlin", "Vienna", 760, 460),
    ("Berlin", "Zurich", 860, 510),
    ("Berlin", "Stockholm", 1110, 930),
    ("London", "Berlin", 1130, 565),
    ("Vienna", "Zurich", 760, 470),
    ("Vienna", "Rome", 1120, 830),
    ("Zurich", "Rome", 850, 410),
    ("New York", "Toronto", 875, 750),
    ("New York", "Chicago", 1540, 1190),
    ("Chicago", "Toronto", 840, 645),
)


@dataclass(frozen=True, slots=True)
class Train:
    """A daily train. `departure` is minutes after midnight at the origin; `level` scales its fares."""

    number: str
    origin: City
    destination: City
    departure: int
    minutes: int
    km: int
    level: float
    may_sell_out: bool

    def departs(self, day: date) -> str:
        """Local time of departure, YYYY-MM-DDTHH:MM."""
        return format_local_moment(datetime.combine(day, datetime.min.time()) + timedelta(minutes=self.departure))

    def arrives(self, day: date) -> str:
        """Local time of arrival, YYYY-MM-DDTHH:MM."""
        shift = self.minutes + 60 * (self.destination.utc_offset - self.origin.utc_offset)
        return format_local_moment(datetime.fromisoformat(self.departs(day)) + timedelta(minutes=shift))

    def base(self, day: date, travel_class: str) -> float:
        """The price of one journey before the reservation, in the origin's currency."""
        ahead = (day - date.fromisoformat(TODAY)).days
        factor = self.level * (1.3 if ahead < 7 else 1.05 if ahead < 30 else 0.9)
        factor *= FIRST_CLASS if travel_class == "first" else 1.0
        return rounded_money((14 + 0.085 * self.km) * factor * PRICE_LEVEL[self.currency], self.currency)

    @property
    def currency(self) -> str:
        """ISO 4217 code of the fares."""
        return self.origin.currency

    @property
    def reservation(self) -> float:
        """The charge for the seat, in the origin's currency."""
        return rounded_money(RESERVATION_EUR * PRICE_LEVEL[self.currency], self.currency)

    def fare(self, day: date, travel_class: str) -> float:
        """The price of one seat, reservation included."""
        return rounded_money(self.base(day, travel_class) + self.reservation, self.currency)

    def seats(self, day: date, travel_class: str) -> int:
        """Seats for sale on that day before anybody in the episode takes one."""
        drawn = digest("train", self.number, day, travel_class)
        return 0 if self.may_sell_out and drawn % 9 == 0 else 2 + drawn % 12


def _trains() -> tuple[Train, ...]:
    made: list[Train] = []
    for line, (one, other, km, minutes) in enumerate(_LINES):
        for way, (start, end) in enumerate(((one, other), (other, one))):
            count = 3 if minutes > 600 else 4
            for turn in range(count):
                key = ("rail", start, end, turn)
                hour = 6 + turn * 12 / count + 1.5 * uniform("leaves", *key)
                level = 0.85 + 0.4 * uniform("fare", *key)
                number = f"{'NX' if minutes > 600 else 'IC'}-{201 + 16 * line + 8 * way + turn}"
                made.append(
                    Train(number, PLACES[start], PLACES[end], 5 * round(hour * 12), minutes, km, level, turn > 0)
                )
    return tuple(made)


TRAINS = {found.number: found for found in _trains()}


def trains_between(origin: str, destination: str) -> tuple[Train, ...]:
    """The daily trains from one city to another, in order of departure.

    Raises:
        Refusal: 404 where a city is unknown or no direct train runs, 400 where both are the same.
    """
    start, end = served_city(origin), served_city(destination)
    if start is end:
        raise Refusal(400, "SameCity", f"Origin and destination are both {start.name}.")
    found = tuple(t for t in TRAINS.values() if t.origin is start and t.destination is end)
    if not found:
        reached = sorted({t.destination.name for t in TRAINS.values() if t.origin is start})
        raise Refusal(404, "NoDirectTrain", f"No direct train runs from {start.name} to {end.name}.", reached=reached)
    return found


def train_by_number(number: str) -> Train:
    """The train of this number.

    Raises:
        Refusal: 404 where there is none.
    """
    found = TRAINS.get(number)
    if found is None:
        raise Refusal(404, "TrainNotFound", f"No train {number} is in the timetable.")
    return found
