"""Finding flights: those of one day, or the cheapest of each day in a period."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date as calendar_date
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, Ordered, Requires
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import AIRPORTS, CURRENCY_OF, PLACES, future_day, rounded_money
from sealegs.world.travel.flight_facts import Flight, route
from sealegs.world.travel.seats import seats_left
from sealegs.world.travel.travel_arguments import Cabin, CityName, Day

AIRPORT_OF = {name: found.code for name, found in AIRPORTS.items()}
Offers = Sequence[Mapping[str, Any]]


def flight_minutes(departs_at: str, arrives_at: str, origin: str, destination: str) -> float:
    """Minutes in the air and on the ground between two local times, each at its own city."""
    offsets = PLACES[origin].utc_offset - PLACES[destination].utc_offset
    gap = datetime.fromisoformat(arrives_at) - datetime.fromisoformat(departs_at)
    return gap.total_seconds() / 60 + 60 * offsets


def least(field: str) -> Callable[[Offers], float]:
    """A function that gives the lowest value of the field over the offers."""
    return lambda offers: min(float(offer[field]) for offer in offers)


class FlightOffer(BaseModel):
    """One flight of a search."""

    flight_number: str = Field(description="Carrier code and number")
    carrier: str = Field(description="Carrier code")
    departs_at: str = Field(description="Local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Local arrival, YYYY-MM-DDTHH:MM")
    stops: int = Field(description="Stops on the way")
    seats_left: int = Field(description="Seats for sale in the cabin")
    fare: float = Field(description="Price of one seat, taxes included")


class FlightSearch(Answer):
    """The flights of one day and the cheapest of them."""

    origin: str = Field(description="City of departure")
    destination: str = Field(description="City of arrival")
    origin_airport: str = Field(description="IATA code of the airport of departure")
    destination_airport: str = Field(description="IATA code of the airport of arrival")
    date: str = Field(description="Day of departure")
    cabin: str = Field(description="Cabin class")
    status: str = Field(description="available: at least one flight has seats")
    count: int = Field(description="Flights found")
    cheapest_flight: str = Field(description="Number of the cheapest flight")
    cheapest_fare: float = Field(description="Its price for one seat, taxes included")
    currency: str = Field(description="ISO 4217 code of the fares: the origin's")
    departs_at: str = Field(description="Its local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Its local arrival, YYYY-MM-DDTHH:MM")
    duration_minutes: int = Field(description="Its travel time in minutes, stops included")
    flights: list[FlightOffer] = Field(description="All flights found, by departure")


@simulated_tool(
    category="source",
    answer=FlightSearch,
    examples=(
        {"origin": "Lisbon", "destination": "Berlin", "date": "2026-03-18"},
        {"origin": "Tokyo", "destination": "San Francisco", "date": "2026-04-07", "cabin": "business"},
        {"origin": "New York", "destination": "Toronto", "date": "2026-03-24", "max_stops": 0},
        {"origin": "Mumbai", "destination": "London", "date": "2026-05-12"},
        {"origin": "Zurich", "destination": "Stockholm", "date": "2026-03-27", "cabin": "business"},
    ),
    refusals=(
        ({"origin": "Lisbon", "destination": "Atlantis", "date": "2026-03-18"}, 404),
        ({"origin": "Lisbon", "destination": "Lisbon", "date": "2026-03-18"}, 400),
        ({"origin": "Lisbon", "destination": "Berlin", "date": "2026-02-18"}, 400),
        ({"origin": "London", "destination": "Sydney", "date": "2026-03-18", "max_stops": 0}, 404),
        ({"origin": "Lisbon", "destination": "Berlin", "date": "next Monday"}, 422),
    ),
    echoes=("origin", "destination", "date", "cabin"),
    invariants=(
        Known("currency", "origin", CURRENCY_OF),
        Known("origin_airport", "origin", AIRPORT_OF),
        Known("destination_airport", "destination", AIRPORT_OF),
        Counts("count", "flights"),
        Requires("cheapest_flight", "status", "available"),
        Bounds("cheapest_fare", 1, 20_000_000),
        Bounds("duration_minutes", 30, 2400),
        Formula("cheapest_fare", ("flights",), least("fare"), "cheapest_fare is the lowest fare of flights"),
        Ordered("argument:date", "departs_at"),
        Ordered("argument:date", "arrives_at"),
        Formula(
            "duration_minutes",
            ("departs_at", "arrives_at", "origin", "destination"),
            flight_minutes,
            "duration_minutes lies between the local times departs_at and arrives_at",
        ),
    ),
)
def search_flights(
    world: World,
    origin: CityName,
    destination: CityName,
    date: Day,
    cabin: Cabin = "economy",
    max_stops: Annotated[int, Field(ge=0, le=1, description="Most stops on the way")] = 1,
) -> dict[str, Any]:
    """Search the flights between two cities on one day, with times, seats and fares, and name the cheapest."""
    choice = route(origin, destination)
    day = future_day(date, "date")
    found = [f for f in choice if f.stops <= max_stops and seats_left(world, f, day, cabin) > 0]
    start, end = choice[0].origin.name, choice[0].destination.name
    if not found:
        raise Refusal(
            404, "NoFlights", f"No flight from {start} to {end} on {date} has {cabin} seats within the limits."
        )
    best = cheapest(found, day, cabin)
    return {
        "origin": start,
        "destination": end,
        "origin_airport": AIRPORT_OF[start],
        "destination_airport": AIRPORT_OF[end],
        "status": "available",
        "count": len(found),
        "cheapest_flight": best.number,
        "cheapest_fare": best.fare(day, cabin),
        "currency": best.origin.currency,
        "departs_at": best.departs(day),
        "arrives_at": best.arrives(day),
        "duration_minutes": best.minutes,
        "flights": [_offer(world, f, day, cabin) for f in found],
    }


def cheapest(flights: Sequence[Flight], day: calendar_date, cabin: str) -> Flight:
    """The flight of the lowest fare; of equal ones the first by number."""
    return min(flights, key=lambda f: (f.fare(day, cabin), f.number))


def _offer(world: World, found: Flight, day: calendar_date, cabin: str) -> dict[str, Any]:
    return {
        "flight_number": found.number,
        "carrier": found.carrier,
        "departs_at": found.departs(day),
        "arrives_at": found.arrives(day),
        "stops": found.stops,
        "seats_left": seats_left(world, found, day, cabin),
        "fare": found.fare(day, cabin),
    }


class DayFare(BaseModel):
    """The lowest fare of one day."""

    date: str = Field(description="Day of departure")
    flight_number: str = Field(description="The flight of that fare")
    fare: float = Field(description="Price of one seat, taxes included")


class FareCalendar(Answer):
    """The lowest fare of each day of a period."""

    origin: str = Field(description="City of departure")
    destination: str = Field(description="City of arrival")
    from_date: str = Field(description="First day of the period")
    to_date: str = Field(description="Last day of the period")
    cabin: str = Field(description="Cabin class")
    status: str = Field(description="available: at least one day has seats")
    days_priced: int = Field(description="Days with a fare")
    cheapest_date: str = Field(description="Day of the lowest fare")
    cheapest_flight: str = Field(description="Number of the flight of the lowest fare")
    cheapest_fare: float = Field(description="The lowest fare for one seat, taxes included")
    average_fare: float = Field(description="Mean of the days' lowest fares")
    currency: str = Field(description="ISO 4217 code of the fares: the origin's")
    calendar: list[DayFare] = Field(description="The lowest fare of each day, in order")


def _last_day(from_date: str, days: int) -> str:
    return (calendar_date.fromisoformat(from_date) + timedelta(days=days - 1)).isoformat()


@simulated_tool(
    category="source",
    answer=FareCalendar,
    examples=(
        {"origin": "Paris", "destination": "Rome", "from_date": "2026-03-16", "days": 7},
        {"origin": "Singapore", "destination": "Sydney", "from_date": "2026-04-20", "days": 14},
        {"origin": "Chicago", "destination": "Mexico City", "from_date": "2026-03-09", "days": 5, "cabin": "business"},
        {"origin": "Seoul", "destination": "Beijing", "from_date": "2026-06-01", "days": 1},
    ),
    refusals=(
        ({"origin": "Paris", "destination": "Gotham", "from_date": "2026-03-16", "days": 7}, 404),
        ({"origin": "Paris", "destination": "Rome", "from_date": "2027-01-20", "days": 31}, 400),
        ({"origin": "Paris", "destination": "Rome", "from_date": "2026-03-16", "days": 40}, 422),
    ),
    echoes=("origin", "destination", "from_date", "cabin"),
    invariants=(
        Known("currency", "origin", CURRENCY_OF),
        Counts("days_priced", "calendar"),
        Mean("average_fare", "calendar.fare"),
        Requires("cheapest_flight", "status", "available"),
        Bounds("cheapest_fare", 1, 20_000_000),
        Bounds("average_fare", 1, 20_000_000),
        Formula("cheapest_fare", ("calendar",), least("fare"), "cheapest_fare is the lowest fare of calendar"),
        Formula("to_date", ("from_date", "argument:days"), _last_day, "to_date ends the period of the asked length"),
        Ordered("argument:from_date", "cheapest_date"),
        Ordered("cheapest_date", "to_date"),
    ),
)
def fare_calendar(
    world: World,
    origin: CityName,
    destination: CityName,
    from_date: Day,
    days: Annotated[int, Field(ge=1, le=31, description="Length of the period in days")] = 7,
    cabin: Cabin = "economy",
) -> dict[str, Any]:
    """Lowest fare between two cities for every day of a period, with the cheapest day and its flight number."""
    choice = route(origin, destination)
    future_day(_last_day(future_day(from_date, "from_date").isoformat(), days), "the last day")
    calendar = []
    for turn in range(days):
        day = calendar_date.fromisoformat(from_date) + timedelta(days=turn)
        open_flights = [f for f in choice if seats_left(world, f, day, cabin) > 0]
        if open_flights:
            best = cheapest(open_flights, day, cabin)
            calendar.append({"date": day.isoformat(), "flight_number": best.number, "fare": best.fare(day, cabin)})
    if not calendar:
        raise Refusal(404, "NoFares", f"No {cabin} seat is left on any day of the period.")
    lowest = min(calendar, key=lambda entry: (float(str(entry["fare"])), str(entry["date"])))
    currency = choice[0].origin.currency
    return {
        "origin": choice[0].origin.name,
        "destination": choice[0].destination.name,
        "to_date": _last_day(from_date, days),
        "status": "available",
        "days_priced": len(calendar),
        "cheapest_date": lowest["date"],
        "cheapest_flight": lowest["flight_number"],
        "cheapest_fare": lowest["fare"],
        "average_fare": rounded_money(sum(float(str(entry["fare"])) for entry in calendar) / len(calendar), currency),
        "currency": currency,
        "calendar": calendar,
    }
