"""Hire cars at the airports: classes, models, rates, and how many are left.

Rates are per day of 24 hours, in the currency of the city. Cars that an episode takes live in the world's state.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sealegs.faults.seeds import digest, uniform
from sealegs.world.state import World
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

LONG_DAYS, LONG_DISCOUNT = 7, 10.0
AIRPORT_FEE = 12.0
"""Per cent of the rental that the airport takes."""


@dataclass(frozen=True, slots=True)
class CarClass:
    """A class of car: its code with the agencies, an example of a car, seats, litres per 100 km, euro a day."""

    name: str
    code: str
    model: str
    seats: int
    litres_per_100km: float
    daily_eur: float


CLASSES = {
    found.name: found
    for found in (
        CarClass("economy", "ECMR", "Norwick Pico", 4, 5.1, 29),
        CarClass("compact", "CDMR", "Halden Corsair", 5, 5.8, 37),
        CarClass("estate", "SWMR", "Halden Traverse", 5, 6.4, 52),
        CarClass("suv", "FFAR", "Brightwater Ridge", 5, 8.2, 71),
    )
}
CODES = {found.code: found.name for found in CLASSES.values()}
MODELS = {found.name: found.model for found in CLASSES.values()}
# Classes of car that no airport of the city offers.
WITHOUT = frozenset({("Zurich", "suv"), ("Singapore", "estate"), ("Mumbai", "estate"), ("Lisbon", "suv")})
CITY_OF = {airport.code: name for name, airport in AIRPORTS.items()}


@dataclass(frozen=True, slots=True)
class Rental:
    """A car of a class in a city from one moment to another."""

    city: str
    car: CarClass
    pickup: datetime
    dropoff: datetime

    @property
    def currency(self) -> str:
        """ISO 4217 code of the rates."""
        return CURRENCY_OF[self.city]

    @property
    def days(self) -> int:
        """Days of 24 hours that are paid; one that has begun counts."""
        return -((self.pickup - self.dropoff) // timedelta(days=1))

    @property
    def daily_rate(self) -> float:
        """Rate of a day, with the discount of a long rental."""
        level = 0.85 + 0.45 * uniform("hire", self.city, self.car.name)
        discount = 1 - LONG_DISCOUNT / 100 if self.days >= LONG_DAYS else 1.0
        return rounded_money(self.car.daily_eur * level * discount * PRICE_LEVEL[self.currency], self.currency)

    @property
    def net(self) -> float:
        """The days at their rate."""
        return rounded_money(self.daily_rate * self.days, self.currency)

    @property
    def fee(self) -> float:
        """The airport's fee."""
        return rounded_money(self.net * AIRPORT_FEE / 100, self.currency)

    @property
    def total(self) -> float:
        """The amount that the driver pays."""
        return rounded_money(self.net + self.fee, self.currency)

    @property
    def quote_id(self) -> str:
        """Airport, class, and both moments."""
        start, end = (f"{when:%Y%m%d%H%M}" for when in (self.pickup, self.dropoff))
        return f"{AIRPORTS[self.city].code}-{self.car.code}-{start}-{end}"

    @property
    def stock_key(self) -> str:
        """The key under which the cars of this class and day are counted."""
        return f"{self.city} {self.car.name} {self.pickup:%Y-%m-%d}"

    def left(self, world: World) -> int:
        """Cars of the class that are left on the day of the pick-up."""
        if (self.city, self.car.name) in WITHOUT:
            return 0
        stock = 1 + digest("cars", self.stock_key) % 5
        return max(0, stock - int(world.state("travel.hire_cars").get(self.stock_key, 0)))


def rental(city: str, car_class: str, pickup_at: str, return_at: str) -> Rental:
    """The rental that is meant.

    Raises:
        Refusal: 404 for an unknown city, 400 for moments that cannot be booked or lie in the wrong order.
    """
    where = served_city(city).name
    start, end = local_moment(pickup_at, "pickup_at"), local_moment(return_at, "return_at")
    future_day(format_local_moment(start)[:10], "pickup_at")
    if not timedelta(hours=1) <= end - start <= timedelta(days=60):
        raise Refusal(400, "InvalidRental", f"A rental lasts 1 hour to 60 days, {pickup_at} to {return_at} does not.")
    return Rental(where, CLASSES[car_class], start, end)
