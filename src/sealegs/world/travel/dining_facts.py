"""Restaurants near the hotels and offices: kitchens, prices, and tables that are taken when the episode begins.

The list is drawn once: every city has three restaurants of each kitchen. Prices are in the currency of the city. Tables
that an episode takes live in the world's state, not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sealegs.faults.seeds import digest, uniform
from sealegs.world.state import NOW, World, identifier
from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import (
    AIRPORTS,
    CURRENCY_OF,
    PRICE_LEVEL,
    format_local_moment,
    future_day,
    local_moment,
    rounded_money,
    served_city,
)

SITTING_MINUTES = 120
FIRST_SITTING, LAST_SITTING = "11:30", "21:30"
HOLD_MINUTES = 30

_NAMES = {
    "italian": ("Trattoria Lume", "Osteria Nove Archi", "Da Fiorella", "Cantina Salvia", "La Lanterna Blu"),
    "japanese": ("Kiku Counter", "Ginkgo Table", "Hoshi Kitchen", "Sora Grill", "Ume House"),
    "indian": ("Saffron Veranda", "Tamarind Court", "Lotus Tandoor", "Mint & Cumin", "Peacock Room"),
    "vegetarian": ("Green Ledger", "The Root Cellar", "Field & Fig", "Barley Garden", "Thyme Yard"),
}
KITCHENS = tuple(_NAMES)


@dataclass(frozen=True, slots=True)
class Restaurant:
    """A restaurant. `price` is what a guest spends as a rule."""

    id: str
    name: str
    city: str
    kitchen: str
    rating: float
    price: float
    tables: int

    @property
    def currency(self) -> str:
        """ISO 4217 code of its prices."""
        return CURRENCY_OF[self.city]

    def key(self, at: datetime) -> str:
        """The key under which the tables of an evening are counted."""
        return f"{self.id} {at:%Y-%m-%d}"

    def tables_left(self, world: World, at: datetime) -> int:
        """Tables free on that day; a table serves one party a day."""
        drawn = digest("tables", self.key(at))
        free = 0 if drawn % 8 == 0 else 1 + drawn % self.tables
        return max(0, free - int(world.state("travel.tables").get(self.key(at), 0)))


def _restaurants() -> dict[str, Restaurant]:
    made = []
    for where, airport in AIRPORTS.items():
        for turn, kitchen in enumerate(KITCHENS):
            first = digest("kitchen", where, kitchen) % 5
            for number in range(3):
                name = _NAMES[kitchen][(first + number) % 5]
                rating = round(4.8 - 0.3 * number - 0.1 * (first % 3), 1)
                euro = 19 + 34 * uniform("menu", where, name)
                currency = CURRENCY_OF[where]
                price = rounded_money(round(euro * PRICE_LEVEL[currency]), currency)
                id = f"R{airport.code}{3 * turn + number + 1:02}"
                made.append(Restaurant(id, name, where, kitchen, rating, price, 6))
    return {found.id: found for found in made}


RESTAURANTS = _restaurants()


def restaurant(id: str) -> Restaurant:
    """The restaurant of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = RESTAURANTS.get(id)
    if found is None:
        raise Refusal(404, "RestaurantNotFound", f"No restaurant has the id {id}.")
    return found


def sitting(at: str) -> datetime:
    """The moment of a sitting that can be booked.

    Raises:
        Refusal: 400 where the text names no moment, or one on which no kitchen serves.
    """
    found = local_moment(at, "at")
    future_day(at[:10], "at")
    if not FIRST_SITTING <= at[11:] <= LAST_SITTING:
        raise Refusal(400, "KitchenClosed", f"Parties are seated from {FIRST_SITTING} to {LAST_SITTING}, not at {at}.")
    return found


def best_free(world: World, city: str, kitchen: str, at: datetime) -> list[Restaurant]:
    """The city's restaurants of the kitchen with a free table, from the best rated.

    Raises:
        Refusal: 404 where the city is unknown or no table is free.
    """
    where = served_city(city).name
    found = [r for r in RESTAURANTS.values() if r.city == where and r.kitchen == kitchen and r.tables_left(world, at)]
    if not found:
        raise Refusal(404, "NoTable", f"No {kitchen} restaurant in {where} has a table on {at:%Y-%m-%d}.")
    return sorted(found, key=lambda r: (-r.rating, r.id))


@dataclass(frozen=True, slots=True)
class TableHold:
    """A table set aside for a party that has given no name yet."""

    id: str
    restaurant_id: str
    at: str
    party_size: int
    expires_at: str


def table_hold(found: Restaurant, at: datetime, party_size: int) -> TableHold:
    """The request for a table, its id a function of what is asked."""
    expires = datetime.fromisoformat(NOW) + timedelta(minutes=HOLD_MINUTES)
    id = identifier("TBR", found.id, format_local_moment(at), party_size)
    return TableHold(id, found.id, format_local_moment(at), party_size, format_local_moment(expires))


def _early(id: str, at: str, party_size: int) -> TableHold:
    return table_hold(RESTAURANTS[id], datetime.fromisoformat(at), party_size)


REQUESTS = {
    made.id: made
    for made in (
        _early("RLIS01", "2026-03-05T19:30", 4),
        _early("RBER05", "2026-03-18T20:00", 2),
        _early("RHND04", "2026-04-07T18:30", 6),
        _early("RLHR08", "2026-03-24T13:00", 3),
        _early("RJFK11", "2026-05-12T19:00", 8),
    )
}
