"""Finding hotels: offers for a stay, or the city's directory with its published rates."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, Ordered, Requires
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import CURRENCY_OF, bookable_span, rounded_money
from sealegs.world.travel.flights import least
from sealegs.world.travel.hotel_facts import hotels_in
from sealegs.world.travel.hotel_rooms import StayQuote, rooms_left
from sealegs.world.travel.travel_arguments import CheckIn, CheckOut, CityName, Stars


def nights_between(check_in: str, check_out: str) -> int:
    """The length of a stay."""
    return (date.fromisoformat(check_out) - date.fromisoformat(check_in)).days


class HotelOffer(BaseModel):
    """One hotel's offer for a stay."""

    rate_key: str = Field(description="Key by which the offer is booked")
    hotel_id: str = Field(description="Id of the hotel")
    hotel_name: str = Field(description="Name of the hotel")
    stars: int = Field(description="Class in stars")
    rooms_left: int = Field(description="Rooms free on every night")
    net_price: float = Field(description="Price of the stay before lodging tax")


class HotelSearch(Answer):
    """Offers for a stay in a city and the cheapest of them."""

    city: str = Field(description="City")
    check_in: str = Field(description="Date of arrival")
    check_out: str = Field(description="Date of departure")
    nights: int = Field(description="Length of the stay")
    status: str = Field(description="available: at least one hotel has a room")
    count: int = Field(description="Offers found")
    rate_key: str = Field(description="Key by which the cheapest offer is booked")
    hotel_id: str = Field(description="Id of the cheapest hotel")
    hotel_name: str = Field(description="Name of the cheapest hotel")
    net_price: float = Field(description="Its price for the stay before lodging tax")
    tax_percent: float = Field(description="The city's lodging tax in per cent, added on top")
    currency: str = Field(description="ISO 4217 code of the prices")
    offers: list[HotelOffer] = Field(description="All offers, from the cheapest")


@simulated_tool(
    category="source",
    answer=HotelSearch,
    examples=(
        {"city": "Berlin", "check_in": "2026-03-18", "check_out": "2026-03-21"},
        {"city": "Tokyo", "check_in": "2026-04-06", "check_out": "2026-04-10", "min_stars": 4},
        {"city": "Toronto", "check_in": "2026-03-24", "check_out": "2026-03-26", "min_stars": 5},
        {"city": "Mumbai", "check_in": "2026-05-11", "check_out": "2026-05-18"},
        {"city": "London", "check_in": "2026-06-05", "check_out": "2026-06-10", "min_stars": 4},
    ),
    refusals=(
        ({"city": "Atlantis", "check_in": "2026-03-18", "check_out": "2026-03-21"}, 404),
        ({"city": "Berlin", "check_in": "2026-03-21", "check_out": "2026-03-18"}, 400),
        ({"city": "Berlin", "check_in": "2026-02-18", "check_out": "2026-02-21"}, 400),
        ({"city": "Berlin", "check_in": "2026-03-18", "check_out": "2026-03-21", "min_stars": 7}, 422),
    ),
    echoes=("city", "check_in", "check_out"),
    invariants=(
        Known("currency", "city", CURRENCY_OF),
        Ordered("check_in", "check_out"),
        Counts("count", "offers"),
        Requires("rate_key", "status", "available"),
        Requires("hotel_id", "status", "available"),
        Requires("hotel_name", "status", "available"),
        Bounds("net_price", 1, 100_000_000),
        Bounds("tax_percent", 0, 30),
        Bounds("nights", 1, 30),
        Formula("net_price", ("offers",), least("net_price"), "net_price is the lowest net_price of offers"),
        Formula("nights", ("check_in", "check_out"), nights_between, "nights are the days from check_in to check_out"),
    ),
)
def search_hotels(
    world: World, city: CityName, check_in: CheckIn, check_out: CheckOut, min_stars: Stars = 3
) -> dict[str, Any]:
    """Search hotels with a free room for a stay in a city. Offers are net of lodging tax; each has a key to book it."""
    first, last = bookable_span(check_in, check_out)
    quotes = [StayQuote(found, first, last) for found in hotels_in(city, min_stars)]
    offers = [_offer(world, quote) for quote in quotes if rooms_left(world, quote) > 0]
    if not offers:
        raise Refusal(404, "NoRooms", f"No hotel of {min_stars} stars or more in {city} has a room for the stay.")
    best = offers[0]
    return {
        "city": quotes[0].hotel.city,
        "nights": quotes[0].nights,
        "status": "available",
        "count": len(offers),
        "rate_key": best["rate_key"],
        "hotel_id": best["hotel_id"],
        "hotel_name": best["hotel_name"],
        "net_price": best["net_price"],
        "tax_percent": quotes[0].hotel.tax_percent,
        "currency": quotes[0].hotel.currency,
        "offers": offers,
    }


def _offer(world: World, quote: StayQuote) -> dict[str, Any]:
    return {
        "rate_key": f"{quote.hotel.id}-{quote.first:%Y%m%d}-{quote.nights}N",
        "hotel_id": quote.hotel.id,
        "hotel_name": quote.hotel.name,
        "stars": quote.hotel.stars,
        "rooms_left": rooms_left(world, quote),
        "net_price": quote.net,
    }


class Listing(BaseModel):
    """One hotel of the directory."""

    hotel_id: str = Field(description="Id of the hotel")
    hotel_name: str = Field(description="Name of the hotel")
    stars: int = Field(description="Class in stars")
    weeknight_rate: float = Field(description="Rate of a night from Sunday to Thursday, before tax")
    weekend_rate: float = Field(description="Rate of a Friday or Saturday night, before tax")


class HotelDirectory(Answer):
    """A city's hotels with their published rates."""

    city: str = Field(description="City")
    status: str = Field(description="listed")
    count: int = Field(description="Hotels listed")
    hotel_id: str = Field(description="Id of the hotel of the lowest rates")
    hotel_name: str = Field(description="Name of the hotel of the lowest rates")
    weeknight_rate: float = Field(description="Its rate of a night from Sunday to Thursday, before tax")
    weekend_rate: float = Field(description="Its rate of a Friday or Saturday night, before tax")
    average_weeknight_rate: float = Field(description="Mean of the hotels' weeknight rates")
    tax_percent: float = Field(description="The city's lodging tax in per cent")
    currency: str = Field(description="ISO 4217 code of the rates")
    hotels: list[Listing] = Field(description="All hotels, from the cheapest")


@simulated_tool(
    category="source",
    answer=HotelDirectory,
    examples=(
        {"city": "Berlin"},
        {"city": "Singapore", "min_stars": 4},
        {"city": "Stockholm"},
        {"city": "Cape Town", "min_stars": 5},
    ),
    refusals=(({"city": "Atlantis"}, 404), ({"city": "Berlin", "min_stars": 0}, 422), ({"city": "B"}, 422)),
    echoes=("city",),
    invariants=(
        Known("currency", "city", CURRENCY_OF),
        Counts("count", "hotels"),
        Mean("average_weeknight_rate", "hotels.weeknight_rate"),
        Requires("hotel_id", "status", "listed"),
        Requires("hotel_name", "status", "listed"),
        Bounds("weeknight_rate", 1, 5_000_000),
        Bounds("weekend_rate", 1, 5_000_000),
        Bounds("average_weeknight_rate", 1, 5_000_000),
        Bounds("tax_percent", 0, 30),
        Formula("weeknight_rate", ("hotels",), least("weeknight_rate"), "weeknight_rate is the lowest of hotels"),
        Formula("weekend_rate", ("hotels",), least("weekend_rate"), "weekend_rate is the lowest of hotels"),
    ),
)
def hotel_directory(world: World, city: CityName, min_stars: Stars = 3) -> dict[str, Any]:
    """List a city's hotels with class and published weeknight and weekend rates, whether or not they have a room."""
    listed = hotels_in(city, min_stars)
    hotels = [
        {
            "hotel_id": found.id,
            "hotel_name": found.name,
            "stars": found.stars,
            "weeknight_rate": found.weeknight_rate,
            "weekend_rate": found.weekend_rate,
        }
        for found in listed
    ]
    best = listed[0]
    return {
        "city": best.city,
        "status": "listed",
        "count": len(listed),
        "hotel_id": best.id,
        "hotel_name": best.name,
        "weeknight_rate": best.weeknight_rate,
        "weekend_rate": best.weekend_rate,
        "average_weeknight_rate": rounded_money(sum(h.weeknight_rate for h in listed) / len(listed), best.currency),
        "tax_percent": best.tax_percent,
        "currency": best.currency,
        "hotels": hotels,
    }
