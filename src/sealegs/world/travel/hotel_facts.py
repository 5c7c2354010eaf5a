"""The hotels, their rates and rooms.

A hotel has one rate for the nights from Sunday to Thursday and a higher one for Friday and Saturday, in its city's
currency and before the city's lodging tax. Rooms that an episode books live in the world's state, not here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import AIRPORTS, CURRENCY_OF, WEEKEND_NIGHTS, rounded_money, served_city

WEEKEND_SUPPLEMENT = 1.2


@dataclass(frozen=True, slots=True)
class Hotel:
    """A hotel. Rates are per room and night; `full` are the first days of the weeks in which it has no room left."""

    id: str
    name: str
    city: str
    stars: int
    weeknight_rate: float
    rooms: int
    full: tuple[str, ...] = ()

    @property
    def currency(self) -> str:
        """ISO 4217 code."""
        return CURRENCY_OF[self.city]

    @property
    def weekend_rate(self) -> float:
        """The rate of Friday and Saturday nights, in whole units of the currency."""
        return float(round(self.weeknight_rate * WEEKEND_SUPPLEMENT))

    @property
    def tax_percent(self) -> float:
        """The city's lodging tax."""
        return _CITIES[self.city][0]

    def is_full(self, night: date) -> bool:
        """Return whether no room is left on that night when the episode begins."""
        weeks = (date.fromisoformat(first) for first in self.full)
        return any(first <= night < first + timedelta(days=7) for first in weeks)


# City: lodging tax in per cent, then name, stars and weeknight rate of each hotel, from the cheapest.
_Offer = tuple[str, int, float]
_CITIES: dict[str, tuple[float, tuple[_Offer, ...]]] = {
    "Lisbon": (6.0, (("Alfama Steps Inn", 3, 92), ("Tram Line House", 4, 138), ("Ribeira Terrace", 5, 246))),
    "Berlin": (7.5, (("Spreeblick Inn", 3, 88), ("Linden Court", 4, 129), ("Palais am Kanal", 5, 232))),
    "Tokyo": (10.0, (("Shitaya Garden Inn", 3, 14_800), ("Sumida Court", 4, 23_500), ("Kaede Palace", 5, 52_000))),
    "Beijing": (6.0, (("Hutong Lantern Inn", 3, 420), ("North Lake Hotel", 4, 760), ("Jade Bridge Palace", 5, 1480))),
    "New York": (14.75, (("Mercer Row Inn", 3, 198), ("Ferry Street Hotel", 4, 289), ("The Alderman", 5, 545))),
    "London": (20.0, (("Lamb's Yard Inn", 3, 124), ("Tanner House", 4, 189), ("The Cordwainer", 5, 395))),
    "Paris": (5.5, (("Auberge des Quais", 3, 118), ("Maison Lutèce", 4, 194), ("Palais des Tuiles", 5, 460))),
    "Madrid": (10.0, (("Posada del Prado", 3, 84), ("Casa Cibeles", 4, 133), ("Gran Atocha", 5, 258))),
    "Rome": (10.0, (("Locanda del Tevere", 3, 96), ("Casa Aventina", 4, 152), ("Palazzo Celio", 5, 318))),
    "Vienna": (5.0, (("Prater Inn", 3, 91), ("Hof am Graben", 4, 142), ("Palais Rosen", 5, 289))),
    "Zurich": (3.8, (("Limmat Inn", 3, 154), ("Seefeld Court", 4, 228), ("Zunfthaus Palace", 5, 470))),
    "Stockholm": (12.0, (("Skeppsbro Inn", 3, 1190), ("Söder Court", 4, 1740), ("Grand Mälaren", 5, 3350))),
    "Toronto": (13.0, (("Harbour Lane Inn", 3, 158), ("Queen West House", 4, 236), ("The Simcoe", 5, 420))),
    "San Francisco": (14.0, (("Fog Bell Inn", 3, 172), ("Russian Hill House", 4, 264), ("The Embarcadero", 5, 488))),
    "Chicago": (17.4, (("Lakeline Inn", 3, 146), ("River North House", 4, 218), ("The Wabash", 5, 405))),
    "Sydney": (10.0, (("Rocks Corner Inn", 3, 189), ("Darling Court", 4, 275), ("Harbour Crown", 5, 520))),
    "Singapore": (9.0, (("Lotus Lane Inn", 3, 148), ("Keong House", 4, 242), ("Straits Palace", 5, 515))),
    "Mumbai": (18.0, (("Colaba Inn", 3, 5200), ("Malabar House", 4, 9400), ("Arabian Sea Palace", 5, 18_500))),
    "Dubai": (17.0, (("Creek Side Inn", 3, 340), ("Palm Court", 4, 590), ("Desert Crown", 5, 1350))),
    "Seoul": (10.0, (("Bukchon Inn", 3, 98_000), ("Han River House", 4, 168_000), ("Namsan Palace", 5, 345_000))),
    "Mexico City": (19.0, (("Posada Coyote", 3, 1480), ("Casa Roma Norte", 4, 2450), ("Gran Alameda", 5, 5200))),
    "Cape Town": (15.0, (("Signal Hill Inn", 3, 1350), ("Kloof House", 4, 2280), ("Table Bay Crown", 5, 5400))),
}
# A second house of the middle class in the larger places, dearer than the first, and full in the week of a fair.
_FULL = {
    "Berlin": ("Messe Quartier", 4, 164, "2026-03-09"),
    "London": ("Dockside Rooms", 4, 226, "2026-03-16"),
    "New York": ("Hudson Loft Hotel", 4, 342, "2026-04-13"),
    "Tokyo": ("Ariake Bay Hotel", 4, 28_900, "2026-03-23"),
    "Paris": ("Villa Batignolles", 4, 238, "2026-03-09"),
    "Singapore": ("Marina Deck Hotel", 4, 305, "2026-05-04"),
}


def _hotels() -> Iterator[Hotel]:
    for where, (_, offers) in _CITIES.items():
        code = AIRPORTS[where].code
        for turn, (name, stars, rate) in enumerate(offers, 1):
            yield Hotel(f"H{code}{turn:02}", name, where, stars, float(rate), rooms=12 // turn)
        if where in _FULL:
            name, stars, rate, week = _FULL[where]
            yield Hotel(f"H{code}{len(offers) + 1:02}", name, where, stars, float(rate), rooms=5, full=(week,))


HOTELS = {found.id: found for found in _hotels()}


def hotel(id: str) -> Hotel:
    """The hotel of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = HOTELS.get(id)
    if found is None:
        raise Refusal(404, "HotelNotFound", f"No hotel has the id {id}.")
    return found


def hotels_in(name: str, min_stars: int) -> list[Hotel]:
    """The city's hotels of at least so many stars, from the cheapest.

    Raises:
        Refusal: 404 where the city is unknown.
    """
    where = served_city(name).name
    found = [h for h in HOTELS.values() if h.city == where and h.stars >= min_stars]
    return sorted(found, key=lambda h: (h.weeknight_rate, h.id))


def nights(first: date, last: date) -> tuple[date, ...]:
    """The nights of a stay, each by the day on which it begins."""
    return tuple(first + timedelta(days=turn) for turn in range((last - first).days))


def weekend_nights(first: date, last: date) -> int:
    """The number of nights of a stay that begin on a Friday or a Saturday."""
    return sum(night.weekday() in WEEKEND_NIGHTS for night in nights(first, last))


def net_of(weeknight_rate: float, weekend_rate: float, first: date, last: date, currency: str) -> float:
    """The price of a stay before tax."""
    weekend = weekend_nights(first, last)
    return rounded_money((len(nights(first, last)) - weekend) * weeknight_rate + weekend * weekend_rate, currency)
