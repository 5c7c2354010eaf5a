"""Tables at restaurants: found and reserved, or asked for and confirmed.

Whichever way a table is reserved, the ledger shows one table that was set aside and one reservation.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Invariant, Known, Ordered, Requires
from sealegs.world.state import World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool
from sealegs.world.travel.dining_facts import (
    REQUESTS,
    SITTING_MINUTES,
    Restaurant,
    TableHold,
    best_free,
    restaurant,
    sitting,
    table_hold,
)
from sealegs.world.travel.facts import CURRENCY_OF, format_local_moment, rounded_money
from sealegs.world.travel.travel_arguments import CityName, Moment, Person

Kitchen = Annotated[Literal["italian", "japanese", "indian", "vegetarian"], Field(description="Kitchen")]
At = Annotated[Moment, Field(description="Local time at which the party comes, such as 2026-03-18T19:30")]
Party = Annotated[int, Field(ge=1, le=12, description="People in the party")]


def _bill(price: float, people: int, currency: str) -> float:
    return rounded_money(price * people, currency)


def _sat(at: str, until: str) -> float:
    return (datetime.fromisoformat(until) - datetime.fromisoformat(at)).total_seconds() / 60


FOUND: tuple[Invariant, ...] = (
    Known("currency", "city", CURRENCY_OF),
    Bounds("price_per_guest", 1, 200_000),
    Bounds("rating", 1, 5),
    Bounds("expected_bill", 1, 2_500_000),
    Formula(
        "expected_bill",
        ("price_per_guest", "party_size", "currency"),
        _bill,
        "expected_bill is price_per_guest times party_size",
    ),
)


class Listed(BaseModel):
    """One restaurant of a search."""

    restaurant_id: str = Field(description="Id of the restaurant")
    name: str = Field(description="Name")
    rating: float = Field(description="Guests' rating out of 5")
    price_per_guest: float = Field(description="What a guest spends as a rule")


class DiningTable(Answer):
    """A table for a party at a restaurant."""

    status: str = Field(description="Where the matter stands")
    restaurant_id: str = Field(description="Id of the restaurant")
    restaurant_name: str = Field(description="Name of the restaurant")
    city: str = Field(description="City")
    rating: float = Field(description="Guests' rating out of 5")
    at: str = Field(description="Local time at which the party comes, YYYY-MM-DDTHH:MM")
    party_size: int = Field(description="People in the party")
    price_per_guest: float = Field(description="What a guest spends as a rule")
    expected_bill: float = Field(description="That for the whole party")
    currency: str = Field(description="ISO 4217 code of the prices")


def _table(found: Restaurant, at: datetime, party_size: int) -> dict[str, Any]:
    return {
        "restaurant_id": found.id,
        "restaurant_name": found.name,
        "city": found.city,
        "rating": found.rating,
        "at": format_local_moment(at),
        "party_size": party_size,
        "price_per_guest": found.price,
        "expected_bill": _bill(found.price, party_size, found.currency),
        "currency": found.currency,
    }


class RestaurantSearch(DiningTable):
    """Restaurants with a free table and the best rated of them."""

    kitchen: str = Field(description="Kitchen")
    count: int = Field(description="Restaurants with a free table")
    restaurants: list[Listed] = Field(description="All of them, from the best rated")


WISHES = (
    {"city": "Berlin", "kitchen": "italian", "at": "2026-03-18T19:30", "party_size": 4},
    {"city": "Tokyo", "kitchen": "japanese", "at": "2026-04-07T18:30", "party_size": 2},
    {"city": "New York", "kitchen": "vegetarian", "at": "2026-05-12T12:30", "party_size": 7},
    {"city": "London", "kitchen": "indian", "at": "2026-03-24T20:00", "party_size": 3},
)


def _highest(restaurants: list[dict[str, Any]]) -> float:
    return max(float(entry["rating"]) for entry in restaurants)


@simulated_tool(
    category="source",
    answer=RestaurantSearch,
    examples=WISHES,
    refusals=(
        ({**WISHES[0], "city": "Atlantis"}, 404),
        ({**WISHES[0], "at": "2026-03-18T03:30"}, 400),
        ({**WISHES[0], "at": "2026-02-18T19:30"}, 400),
        ({**WISHES[0], "kitchen": "martian"}, 422),
    ),
    echoes=("city", "kitchen", "at", "party_size"),
    invariants=(
        *FOUND,
        Counts("count", "restaurants"),
        Formula("rating", ("restaurants",), _highest, "rating is the highest rating of restaurants"),
        Requires("restaurant_id", "status", "available"),
        Requires("restaurant_name", "status", "available"),
        Requires("city", "status", "available"),
    ),
)
def find_restaurants(world: World, city: CityName, kitchen: Kitchen, at: At, party_size: Party) -> dict[str, Any]:
    """Find restaurants of a kitchen in a city with a free table for a party; the best rated is named first."""
    when = sitting(at)
    found = best_free(world, city, kitchen, when)
    return {
        "status": "available",
        **_table(found[0], when, party_size),
        "kitchen": kitchen,
        "count": len(found),
        "restaurants": [
            {"restaurant_id": r.id, "name": r.name, "rating": r.rating, "price_per_guest": r.price} for r in found
        ],
    }


class TableReservation(DiningTable):
    """A reserved table."""

    reservation_id: str = Field(description="Id of the reservation")
    guest: str = Field(description="First and last name under which the table is kept")
    until: str = Field(description="Local time at which the table is wanted back, YYYY-MM-DDTHH:MM")
    sitting_minutes: int = Field(description="How long the party may stay")


RESERVED: tuple[Invariant, ...] = (
    *FOUND,
    Requires("reservation_id", "status", "reserved"),
    Requires("restaurant_id", "status", "reserved"),
    Requires("restaurant_name", "status", "reserved"),
    Requires("guest", "status", "reserved"),
    Requires("city", "status", "reserved"),
    Ordered("at", "until"),
    Formula("sitting_minutes", ("at", "until"), _sat, "sitting_minutes lie from at to until"),
    Bounds("party_size", 1, 12),
)


def _set_aside(world: World, found: Restaurant, at: datetime, party_size: int) -> TableHold:
    if found.tables_left(world, at) == 0:
        raise Refusal(409, "NoTable", f"{found.name} has no table left on {at:%Y-%m-%d}.")
    made = table_hold(found, at, party_size)
    kept = world.state("travel.table_requests")
    if made.id in kept or made.id in REQUESTS:
        raise Refusal(409, "AlreadyRequested", "Such a table is set aside already.", request_id=made.id)
    tables = world.state("travel.tables")
    tables[found.key(at)] = tables.get(found.key(at), 0) + 1
    kept[made.id] = asdict(made)
    world.effect("set_table_aside", made.id, restaurant=found.id, at=made.at, party_size=party_size)
    return made


def _reserve(world: World, made: TableHold, guest: str) -> dict[str, Any]:
    reserved = world.state("travel.table_reservations")
    if made.id in reserved:
        raise Refusal(409, "AlreadyConfirmed", f"{made.id} is a reservation already.", reservation_id=reserved[made.id])
    id = identifier("TBL", made.restaurant_id, made.at, made.party_size, guest)
    reserved[made.id] = id
    world.effect("reserve_table", id, restaurant=made.restaurant_id, at=made.at, guest=guest)
    at = datetime.fromisoformat(made.at)
    return {
        "status": "reserved",
        **_table(restaurant(made.restaurant_id), at, made.party_size),
        "reservation_id": id,
        "guest": guest,
        "until": format_local_moment(at + timedelta(minutes=SITTING_MINUTES)),
        "sitting_minutes": SITTING_MINUTES,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="table_history",
    parts=2,
    answer=TableReservation,
    examples=(
        {"restaurant_id": "RBER02", "at": "2026-03-19T19:30", "party_size": 4, "guest": "Ines Carvalho"},
        {"restaurant_id": "RHND05", "at": "2026-04-08T18:30", "party_size": 2, "guest": "Kenji Mori"},
        {"restaurant_id": "RYYZ12", "at": "2026-05-13T12:30", "party_size": 7, "guest": "Dana Whitfield"},
        {"restaurant_id": "RZRH07", "at": "2026-03-26T20:00", "party_size": 3, "guest": "Luca Baumann"},
    ),
    refusals=(
        ({"restaurant_id": "RXXX02", "at": "2026-03-18T19:30", "party_size": 4, "guest": "Ines Carvalho"}, 404),
        ({"restaurant_id": "RBER02", "at": "2026-03-18T23:30", "party_size": 4, "guest": "Ines Carvalho"}, 400),
        ({"restaurant_id": "RBER02", "at": "2026-03-18T19:30", "party_size": 40, "guest": "Ines Carvalho"}, 422),
    ),
    echoes=("restaurant_id", "at", "party_size", "guest"),
    invariants=RESERVED,
)
def reserve_table(
    world: World,
    restaurant_id: Annotated[str, Field(pattern=r"^R[A-Z]{3}\d\d$", description="Id of a restaurant, such as RBER02")],
    at: At,
    party_size: Party,
    guest: Person,
) -> dict[str, Any]:
    """Reserve a table at a restaurant, given by its id, for a party at a time under a guest's name."""
    made = _set_aside(world, restaurant(restaurant_id), sitting(at), party_size)
    return _reserve(world, made, guest)


class TableRequest(DiningTable):
    """A table that is set aside until a name is given."""

    kitchen: str = Field(description="Kitchen")
    request_id: str = Field(description="Id of the request, for its confirmation")
    expires_at: str = Field(description="When the table is given away if nobody confirms, YYYY-MM-DDTHH:MM")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="table_history",
    answer=TableRequest,
    examples=WISHES,
    refusals=(
        ({**WISHES[0], "city": "Gotham"}, 404),
        ({**WISHES[0], "at": "2026-03-18T10:00"}, 400),
        ({**WISHES[0], "party_size": 0}, 422),
    ),
    echoes=("city", "kitchen", "at", "party_size"),
    invariants=(
        *FOUND,
        Requires("request_id", "status", "set_aside"),
        Requires("restaurant_id", "status", "set_aside"),
        Requires("restaurant_name", "status", "set_aside"),
        Ordered("expires_at", "at"),
    ),
)
def request_table(world: World, city: CityName, kitchen: Kitchen, at: At, party_size: Party) -> dict[str, Any]:
    """Have the concierge set a table aside at the best rated free restaurant of a kitchen in a city.

    The table is kept for half an hour, until the request is confirmed under a name.
    """
    when = sitting(at)
    found = best_free(world, city, kitchen, when)[0]
    wish = f"{found.city}|{kitchen}|{at}|{party_size}"
    wishes = world.state("travel.table_wishes")
    if wish in wishes:
        raise Refusal(409, "AlreadyRequested", "Such a table is set aside already.", request_id=wishes[wish])
    made = _set_aside(world, found, when, party_size)
    wishes[wish] = made.id
    return {
        "status": "set_aside",
        **_table(found, when, party_size),
        "kitchen": kitchen,
        "request_id": made.id,
        "expires_at": made.expires_at,
    }


class ConfirmedTable(TableReservation):
    """A table that was asked for and is reserved now."""

    request_id: str = Field(description="Id of the request")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="table_history",
    answer=ConfirmedTable,
    examples=tuple(
        {"request_id": id, "guest": guest}
        for id, guest in zip(
            REQUESTS,
            ("Marta Quintela", "Jonas Keller", "Mei Tanaka", "Grace O'Neill", "Dana Whitfield"),
            strict=True,
        )
    ),
    refusals=(
        ({"request_id": "TBR-00000000", "guest": "Jonas Keller"}, 404),
        ({"request_id": "the table", "guest": "Jonas Keller"}, 422),
        ({"request_id": next(iter(REQUESTS)), "guest": "Jonas"}, 422),
    ),
    echoes=("request_id", "guest"),
    invariants=RESERVED,
)
def confirm_table_request(
    world: World,
    request_id: Annotated[
        str, Field(pattern=r"^TBR-[0-9A-F]{8}$", description="Id of a table request, such as TBR-1A2B3C4D")
    ],
    guest: Person,
) -> dict[str, Any]:
    """Confirm a requested table under a guest's name, which makes it a reservation. Each request is confirmed once."""
    kept = world.state("travel.table_requests").get(request_id)
    made = TableHold(**kept) if kept is not None else REQUESTS.get(request_id)
    if made is None:
        raise Refusal(404, "RequestNotFound", f"No table was set aside under {request_id}.")
    return {**_reserve(world, made, guest), "request_id": request_id}
