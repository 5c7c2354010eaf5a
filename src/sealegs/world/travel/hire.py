"""Hire cars: quotes for a period, and the reservation of one, from a quote or at once.

Whichever way a car is reserved, the ledger shows one reserved hire car.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import CURRENCY_OF, format_local_moment, rounded_money
from sealegs.world.travel.flights import least
from sealegs.world.travel.hire_facts import CITY_OF, CLASSES, CODES, MODELS, Rental, rental
from sealegs.world.travel.travel_arguments import CityName, Moment, Person

PickUp = Annotated[Moment, Field(description="Local time of the pick-up at the airport, such as 2026-03-18T10:00")]
Return = Annotated[Moment, Field(description="Local time of the return to the airport, such as 2026-03-21T18:00")]
CarClassName = Annotated[Literal["economy", "compact", "estate", "suv"], Field(description="Class of car")]


def hire_days(pickup_at: str, return_at: str) -> int:
    """Days of 24 hours between the two, one that has begun counted."""
    gap = datetime.fromisoformat(return_at) - datetime.fromisoformat(pickup_at)
    return -int(-gap.total_seconds() // 86_400)


def _net(daily_rate: float, days: int, currency: str) -> float:
    return rounded_money(daily_rate * days, currency)


PRICED: tuple[Invariant, ...] = (
    Known("currency", "city", CURRENCY_OF),
    Known("model", "car_class", MODELS),
    Ordered("pickup_at", "return_at"),
    Formula("days", ("pickup_at", "return_at"), hire_days, "days are the days of 24 hours from pickup_at to return_at"),
    Formula("net", ("daily_rate", "days", "currency"), _net, "net is daily_rate times days"),
    Sums("total", ("net", "airport_fee")),
    Bounds("days", 1, 60),
    Bounds("daily_rate", 1, 500_000),
    Bounds("total", 1, 30_000_000),
)


class CarOffer(BaseModel):
    """One class of car on offer."""

    quote_id: str = Field(description="Key by which the car is reserved")
    car_class: str = Field(description="Class of car")
    model: str = Field(description="Model")
    cars_left: int = Field(description="Cars left")
    price: float = Field(description="Price of the rental, airport fee included")


class HireSearch(Answer):
    """Cars for a period and the cheapest of them."""

    city: str = Field(description="City")
    pickup_at: str = Field(description="Local time of the pick-up, YYYY-MM-DDTHH:MM")
    return_at: str = Field(description="Local time of the return, YYYY-MM-DDTHH:MM")
    days: int = Field(description="Days of 24 hours that are paid")
    status: str = Field(description="quoted: at least one car is left")
    count: int = Field(description="Classes on offer")
    quote_id: str = Field(description="Key of the cheapest offer")
    car_class: str = Field(description="Its class of car")
    model: str = Field(description="Its model")
    litres_per_100km: float = Field(description="Its consumption of fuel")
    daily_rate: float = Field(description="Its rate of a day")
    net: float = Field(description="The days at that rate")
    airport_fee: float = Field(description="What the airport takes")
    total: float = Field(description="Its price, airport fee included")
    currency: str = Field(description="ISO 4217 code of the prices")
    offers: list[CarOffer] = Field(description="All offers, from the cheapest")


@simulated_tool(
    category="source",
    answer=HireSearch,
    examples=(
        {"city": "Berlin", "pickup_at": "2026-03-18T10:00", "return_at": "2026-03-21T18:00"},
        {"city": "Rome", "pickup_at": "2026-04-07T09:30", "return_at": "2026-04-16T09:30", "car_class": "estate"},
        {"city": "Toronto", "pickup_at": "2026-03-24T14:00", "return_at": "2026-03-26T12:00", "car_class": "suv"},
        {"city": "Sydney", "pickup_at": "2026-05-11T08:00", "return_at": "2026-05-12T20:00"},
    ),
    refusals=(
        ({"city": "Atlantis", "pickup_at": "2026-03-18T10:00", "return_at": "2026-03-21T18:00"}, 404),
        (
            {"city": "Zurich", "pickup_at": "2026-03-18T10:00", "return_at": "2026-03-21T18:00", "car_class": "suv"},
            404,
        ),
        ({"city": "Berlin", "pickup_at": "2026-03-21T10:00", "return_at": "2026-03-18T18:00"}, 400),
        ({"city": "Berlin", "pickup_at": "2026-03-18", "return_at": "2026-03-21"}, 422),
    ),
    echoes=("city", "pickup_at", "return_at"),
    invariants=(
        *PRICED,
        Counts("count", "offers"),
        Requires("quote_id", "status", "quoted"),
        Requires("car_class", "status", "quoted"),
        Known("litres_per_100km", "car_class", {c.name: c.litres_per_100km for c in CLASSES.values()}),
        Formula("total", ("offers",), least("price"), "total is the lowest price of offers"),
    ),
)
def search_hire_cars(
    world: World,
    city: CityName,
    pickup_at: PickUp,
    return_at: Return,
    car_class: Annotated[
        Literal["any", "economy", "compact", "estate", "suv"], Field(description="Class of car, or any")
    ] = "any",
) -> dict[str, Any]:
    """Search hire cars at a city's airport for a period: quotes with daily rate, total price and fuel consumption."""
    wanted = CLASSES if car_class == "any" else [car_class]
    rentals = [rental(city, name, pickup_at, return_at) for name in wanted]
    found = sorted((r for r in rentals if r.left(world) > 0), key=lambda r: (r.total, r.car.name))
    if not found:
        raise Refusal(404, "NoCars", f"No car of the class {car_class} is left in {rentals[0].city} at that time.")
    offers = [
        {
            "quote_id": r.quote_id,
            "car_class": r.car.name,
            "model": r.car.model,
            "cars_left": r.left(world),
            "price": r.total,
        }
        for r in found
    ]
    best = found[0]
    return {
        **_period(best),
        "status": "quoted",
        "count": len(offers),
        "quote_id": best.quote_id,
        "litres_per_100km": best.car.litres_per_100km,
        "offers": offers,
    }


def _period(found: Rental) -> dict[str, Any]:
    return {
        "city": found.city,
        "pickup_at": format_local_moment(found.pickup),
        "return_at": format_local_moment(found.dropoff),
        "days": found.days,
        "car_class": found.car.name,
        "model": found.car.model,
        "daily_rate": found.daily_rate,
        "net": found.net,
        "airport_fee": found.fee,
        "total": found.total,
        "currency": found.currency,
    }


class HireCar(Answer):
    """A reserved hire car."""

    status: str = Field(description="reserved")
    reservation_id: str = Field(description="Id of the reservation")
    driver: str = Field(description="First and last name")
    city: str = Field(description="City")
    pickup_at: str = Field(description="Local time of the pick-up, YYYY-MM-DDTHH:MM")
    return_at: str = Field(description="Local time of the return, YYYY-MM-DDTHH:MM")
    days: int = Field(description="Days of 24 hours that are paid")
    car_class: str = Field(description="Class of car")
    model: str = Field(description="Model")
    daily_rate: float = Field(description="Rate of a day")
    net: float = Field(description="The days at that rate")
    airport_fee: float = Field(description="What the airport takes")
    total: float = Field(description="Price, airport fee included")
    currency: str = Field(description="ISO 4217 code of the price")


RESERVED: tuple[Invariant, ...] = (
    *PRICED,
    Requires("reservation_id", "status", "reserved"),
    Requires("driver", "status", "reserved"),
    Requires("city", "status", "reserved"),
)


def _reserve(world: World, found: Rental, driver: str) -> dict[str, Any]:
    id = identifier(
        "HIR", found.city, found.car.name, format_local_moment(found.pickup), format_local_moment(found.dropoff), driver
    )
    booked = world.state("travel.hire_reservations")
    if id in booked:
        raise Refusal(409, "DuplicateReservation", f"{driver} has this car already.", reservation_id=id)
    if found.left(world) == 0:
        raise Refusal(409, "NoCar", f"No {found.car.name} is left in {found.city} on {found.pickup:%Y-%m-%d}.")
    taken = world.state("travel.hire_cars")
    taken[found.stock_key] = taken.get(found.stock_key, 0) + 1
    booked[id] = True
    world.effect(
        "reserve_hire_car",
        id,
        driver=driver,
        city=found.city,
        car_class=found.car.name,
        total=found.total,
        currency=found.currency,
    )
    return {"status": "reserved", "reservation_id": id, "driver": driver, **_period(found)}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="ground_transport_history",
    answer=HireCar,
    examples=(
        {
            "city": "Berlin",
            "car_class": "compact",
            "pickup_at": "2026-03-18T10:00",
            "return_at": "2026-03-21T18:00",
            "driver": "Ines Carvalho",
        },
        {
            "city": "Rome",
            "car_class": "estate",
            "pickup_at": "2026-04-07T09:30",
            "return_at": "2026-04-16T09:30",
            "driver": "Jonas Keller",
        },
        {
            "city": "Cape Town",
            "car_class": "suv",
            "pickup_at": "2026-05-11T08:00",
            "return_at": "2026-05-14T20:00",
            "driver": "Anil Deshmukh",
        },
    ),
    refusals=(
        (
            {
                "city": "Zurich",
                "car_class": "suv",
                "pickup_at": "2026-03-18T10:00",
                "return_at": "2026-03-21T18:00",
                "driver": "Ines Carvalho",
            },
            409,
        ),
        (
            {
                "city": "Berlin",
                "car_class": "limousine",
                "pickup_at": "2026-03-18T10:00",
                "return_at": "2026-03-21T18:00",
                "driver": "Ines Carvalho",
            },
            422,
        ),
    ),
    echoes=("city", "car_class", "pickup_at", "return_at", "driver"),
    invariants=(
        *RESERVED,
        Requires("car_class", "status", "reserved"),
    ),
)
def book_hire_car(
    world: World, city: CityName, car_class: CarClassName, pickup_at: PickUp, return_at: Return, driver: Person
) -> dict[str, Any]:
    """Book a hire car of a class for a driver at a city's airport, from pick-up to return, without a quote."""
    return _reserve(world, rental(city, car_class, pickup_at, return_at), driver)


class QuotedCar(HireCar):
    """A hire car reserved from a quote."""

    quote_id: str = Field(description="Key of the quote")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="ground_transport_history",
    answer=QuotedCar,
    examples=(
        {"quote_id": "BER-CDMR-202603181000-202603211800", "driver": "Ines Carvalho"},
        {"quote_id": "FCO-SWMR-202604070930-202604160930", "driver": "Jonas Keller"},
        {"quote_id": "YYZ-FFAR-202603241400-202603261200", "driver": "Dana Whitfield"},
        {"quote_id": "SYD-ECMR-202605110800-202605122000", "driver": "Grace O'Neill"},
    ),
    refusals=(
        ({"quote_id": "XXX-CDMR-202603181000-202603211800", "driver": "Ines Carvalho"}, 404),
        ({"quote_id": "BER-CDMR-202602181000-202602211800", "driver": "Ines Carvalho"}, 400),
        ({"quote_id": "ZRH-FFAR-202603181000-202603211800", "driver": "Ines Carvalho"}, 409),
        ({"quote_id": "BER-CDMR", "driver": "Ines Carvalho"}, 422),
    ),
    echoes=("quote_id", "driver"),
    invariants=(
        *RESERVED,
        Known("car_class", "model", {v: k for k, v in MODELS.items()}),
    ),
)
def reserve_hire_quote(
    world: World,
    quote_id: Annotated[
        str,
        Field(
            pattern=r"^[A-Z]{3}-[A-Z]{4}-\d{12}-\d{12}$",
            description="Key of a hire car quote, such as BER-CDMR-202603181000-202603211800",
        ),
    ],
    driver: Person,
) -> dict[str, Any]:
    """Reserve for a driver the hire car that was quoted under a quote id."""
    airport, code, *moments = quote_id.split("-")
    if airport not in CITY_OF or code not in CODES:
        raise Refusal(404, "QuoteNotFound", f"No car was quoted under {quote_id}.")
    start, end = (f"{m[:4]}-{m[4:6]}-{m[6:8]}T{m[8:10]}:{m[10:]}" for m in moments)
    found = rental(CITY_OF[airport], CODES[code], start, end)
    return {**_reserve(world, found, driver), "quote_id": quote_id}
