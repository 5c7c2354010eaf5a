"""For guests of an office: catering from the house menu, and parking bays. Cancelling is not covered."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires, Sums
from sealegs.world.office.facts import MAIL_DOMAIN, THIS_MINUTE, coming_day, site
from sealegs.world.office.office_arguments import COUNTRY_OF, CURRENCY_OF, Day, OfficeCity, StartTime, office_day
from sealegs.world.office.working_days import WEEKDAY_OF
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Menu = Annotated[
    Literal["breakfast", "sandwiches", "hot buffet", "vegetarian buffet", "coffee and cake", "reception"],
    Field(description="Menu of the house caterer"),
]
Guests = Annotated[int, Field(ge=2, le=120, description="People to be served")]
Plate = Annotated[
    str, Field(pattern=r"^[A-Z0-9]{1,4}([ -]?[A-Z0-9]{1,5}){1,2}$", description="Number plate of the car")
]
MENUS: Final = {
    "breakfast": 11.5,
    "sandwiches": 9.8,
    "hot buffet": 22.4,
    "vegetarian buffet": 19.6,
    "coffee and cake": 6.9,
    "reception": 31.0,
}
FACTOR: Final = {
    "Lisbon": 0.8, "Berlin": 1, "London": 1.1, "Stockholm": 12, "New York": 1.5, "Toronto": 1.6, "Singapore": 1.4,
    "Tokyo": 160,
}  # fmt: skip
SERVICE_PERCENT: Final = {
    "Lisbon": 8, "Berlin": 10, "London": 12, "Stockholm": 10, "New York": 18, "Toronto": 15, "Singapore": 10,
    "Tokyo": 10,
}  # fmt: skip
BAYS: Final = {
    "Lisbon": 6, "Berlin": 9, "London": 2, "Stockholm": 5, "New York": 3, "Toronto": 12, "Singapore": 4, "Tokyo": 1,
}  # fmt: skip
FULL: Final = (("London", "2026-03-04"), ("New York", "2026-03-06"), ("Tokyo", "2026-03-05"))
PLACED = (
    Known("country", "city", COUNTRY_OF),
    Known("city", "country", {country: city for city, country in COUNTRY_OF.items()}),
    Known("weekday", "date", WEEKDAY_OF),
)


class Catering(Answer):
    """An order with the house caterer."""

    order_id: str = Field(description="Id of the order")
    status: Literal["accepted"] = Field(description="State of the order")
    city: str = Field(description="City of the office")
    country: str = Field(description="Its country")
    date: str = Field(description="Day of delivery, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    serve_at: str = Field(description="When it is served, HH:MM")
    menu: str = Field(description="Menu")
    people: int = Field(description="People to be served")
    price_per_head: float = Field(description="Price for one person")
    food_cost: float = Field(description="Price of the food")
    service_fee: float = Field(description="The caterer's service fee")
    total: float = Field(description="What is to be paid")
    currency: str = Field(description="ISO 4217 code of the prices")
    ordered_at: str = Field(description="When it was ordered, YYYY-MM-DDTHH:MM")


ORDERS = (
    {"city": "Lisbon", "date": "2026-03-05", "serve_at": "12:30", "menu": "sandwiches", "people": 12},
    {"city": "Tokyo", "date": "2026-03-11", "serve_at": "18:00", "menu": "reception", "people": 20},
    {"city": "New York", "date": "2026-03-13", "serve_at": "08:30", "menu": "breakfast", "people": 8},
    {"city": "Berlin", "date": "2026-03-19", "serve_at": "12:00", "menu": "vegetarian buffet", "people": 35},
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="office_booking_history",
    answer=Catering,
    examples=ORDERS,
    refusals=(
        ({**ORDERS[0], "city": "Atlantis"}, 404),
        ({**ORDERS[0], "date": "2026-03-02"}, 400),
        ({**ORDERS[0], "date": "2026-03-07"}, 400),
        ({**ORDERS[0], "people": 1}, 422),
    ),
    echoes=("city", "date", "serve_at", "menu", "people"),
    invariants=(
        *PLACED,
        *(Requires(field, "status", "accepted") for field in ("order_id", "menu", "date", "serve_at")),
        Known("currency", "city", CURRENCY_OF),
        Formula("food_cost", ("price_per_head", "people"), lambda each, n: each * n, "food_cost is the heads' price"),
        Sums("total", ("food_cost", "service_fee")),
        *(Bounds(field, 0, 10_000_000) for field in ("price_per_head", "food_cost", "service_fee", "total")),
        Ordered("ordered_at", "date"),
    ),
)
def order_catering(
    world: World, city: OfficeCity, date: Day, serve_at: StartTime, menu: Menu, people: Guests
) -> dict[str, Any]:
    """Order food for a meeting in an office from the house caterer, at least a day ahead; gives what it costs."""
    office = site(city).city
    office_day(date)
    if date <= TODAY:
        raise Refusal(400, "TooLate", f"The caterer needs a day's notice; {date} is too soon.", date=date)
    orders, order = world.state("office.catering"), identifier("CAT", office, date, serve_at, menu)
    if order in orders:
        raise Refusal(409, "DuplicateOrder", f"{menu} for {office} on {date} is ordered already.", order_id=order)
    orders[order] = people
    world.effect("order_catering", office, date=date, serve_at=serve_at, menu=menu, people=people)
    digits = 0 if CURRENCY_OF[office] == "JPY" else 2
    each = round(MENUS[menu] * FACTOR[office], digits)
    food = round(each * people, digits)
    fee = round(food * SERVICE_PERCENT[office] / 100, digits)
    return {
        "order_id": order,
        "status": "accepted",
        "city": office,
        "country": COUNTRY_OF[office],
        "weekday": WEEKDAY_OF[date],
        "price_per_head": each,
        "food_cost": food,
        "service_fee": fee,
        "total": round(food + fee, digits),
        "currency": CURRENCY_OF[office],
        "ordered_at": THIS_MINUTE,
    }


class Parking(Answer):
    """A bay that is kept for a car."""

    reservation_id: str = Field(description="Id of the reservation")
    status: Literal["reserved"] = Field(description="State of the reservation")
    city: str = Field(description="City of the office")
    country: str = Field(description="Its country")
    date: str = Field(description="The day, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    plate: str = Field(description="Number plate of the car")
    bay: int = Field(description="Number of the bay")
    bays: int = Field(description="Bays of the office")
    bays_taken: int = Field(description="Bays taken on that day, this one among them")
    bays_left: int = Field(description="Bays left on that day")
    gate_opens: str = Field(description="When the gate opens, HH:MM")
    gate_closes: str = Field(description="When the gate closes, HH:MM")
    contact: str = Field(description="Address for questions")


CARS = (
    {"city": "Lisbon", "date": "2026-03-04", "plate": "AB 12 CD"},
    {"city": "Berlin", "date": "2026-03-10", "plate": "B-KL 4721"},
    {"city": "Toronto", "date": "2026-03-12", "plate": "CXTR 482"},
    {"city": "Stockholm", "date": "2026-03-16", "plate": "JPK 38M"},
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="office_booking_history",
    answer=Parking,
    examples=CARS,
    refusals=(
        ({**CARS[0], "city": "Atlantis"}, 404),
        ({**CARS[0], "date": "2026-02-27"}, 400),
        ({**CARS[0], "city": "London"}, 409),
        ({**CARS[0], "plate": "my car"}, 422),
    ),
    echoes=("city", "date", "plate"),
    invariants=(
        *PLACED,
        *(Requires(field, "status", "reserved") for field in ("reservation_id", "date", "plate", "contact")),
        Sums("bays", ("bays_taken", "bays_left")),
        Formula("bay", ("bays_taken",), lambda taken: taken, "bays are given out in order"),
        Bounds("bay", 1, 100),
        Bounds("bays_left", 0, 100),
        Ordered("gate_opens", "gate_closes"),
    ),
)
def reserve_parking_bay(world: World, city: OfficeCity, date: Day, plate: Plate) -> dict[str, Any]:
    """Reserve a parking bay at an office for a car, by its number plate, for one day."""
    office = site(city).city
    coming_day(date)
    office_day(date)
    cars = world.state("office.parking").setdefault(f"{office} {date}", [])
    if plate in cars:
        raise Refusal(409, "CarExpected", f"A bay is reserved for {plate} on {date} already.", plate=plate)
    if len(cars) == BAYS[office] or (office, date) in FULL:
        raise Refusal(409, "NoBayLeft", f"No bay of the {office} office is left on {date}.", city=office)
    cars.append(plate)
    world.effect("reserve_bay", office, date=date, plate=plate)
    return {
        "reservation_id": identifier("BAY", office, date, plate),
        "status": "reserved",
        "city": office,
        "country": COUNTRY_OF[office],
        "weekday": WEEKDAY_OF[date],
        "bay": len(cars),
        "bays": BAYS[office],
        "bays_taken": len(cars),
        "bays_left": BAYS[office] - len(cars),
        "gate_opens": "06:30",
        "gate_closes": "21:00",
        "contact": f"parking@{MAIL_DOMAIN}",
    }
