"""Booking a room: by the key of an offer, or by hotel and dates."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.world.tool import Answer, World, simulated_tool
from sealegs.world.travel.facts import CURRENCY_OF, bookable_span, share_of, travel_date
from sealegs.world.travel.hotel_facts import hotel, weekend_nights
from sealegs.world.travel.hotel_rooms import StayQuote, book_stay
from sealegs.world.travel.hotels import nights_between
from sealegs.world.travel.travel_arguments import CheckIn, CheckOut, HotelId, Person


class Stay(Answer):
    """A booked stay and its price."""

    status: str = Field(description="confirmed")
    confirmation: str = Field(description="Id of the booking")
    hotel_id: str = Field(description="Id of the hotel")
    hotel_name: str = Field(description="Name of the hotel")
    city: str = Field(description="City")
    guest: str = Field(description="First and last name")
    check_in: str = Field(description="Date of arrival")
    check_out: str = Field(description="Date of departure")
    nights: int = Field(description="Length of the stay")
    net: float = Field(description="Price before lodging tax")
    tax: float = Field(description="Lodging tax")
    total: float = Field(description="Price, tax included")
    currency: str = Field(description="ISO 4217 code of the price")


STAY: tuple[Invariant, ...] = (
    Known("currency", "city", CURRENCY_OF),
    Requires("confirmation", "status", "confirmed"),
    Requires("hotel_id", "status", "confirmed"),
    Requires("hotel_name", "status", "confirmed"),
    Requires("guest", "status", "confirmed"),
    Requires("city", "status", "confirmed"),
    Ordered("check_in", "check_out"),
    Formula("nights", ("check_in", "check_out"), nights_between, "nights are the days from check_in to check_out"),
    Bounds("nights", 1, 30),
    Bounds("net", 1, 100_000_000),
    Bounds("tax", 0, 30_000_000),
    Bounds("total", 1, 130_000_000),
    Sums("total", ("net", "tax")),
)


def _stay(quote: StayQuote, guest: str, confirmation: str) -> dict[str, Any]:
    return {
        "status": "confirmed",
        "confirmation": confirmation,
        "hotel_id": quote.hotel.id,
        "hotel_name": quote.hotel.name,
        "city": quote.hotel.city,
        "guest": guest,
        "check_in": quote.first.isoformat(),
        "check_out": quote.last.isoformat(),
        "nights": quote.nights,
        "net": quote.net,
        "tax": quote.tax,
        "total": quote.total,
        "currency": quote.hotel.currency,
    }


class OfferStay(Stay):
    """A stay booked from an offer."""

    rate_key: str = Field(description="Key of the offer that was booked")
    cancel_by: str = Field(description="Last day of free cancellation")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="stay_history",
    answer=OfferStay,
    examples=(
        {"rate_key": "HBER01-20260318-3N", "guest": "Ines Carvalho"},
        {"rate_key": "HHND02-20260406-4N", "guest": "Grace O'Neill"},
        {"rate_key": "HYYZ03-20260324-2N", "guest": "Dana Whitfield"},
        {"rate_key": "HBOM01-20260511-7N", "guest": "Jonas Keller"},
        {"rate_key": "HLHR04-20260326-1N", "guest": "Anil Deshmukh"},
    ),
    refusals=(
        ({"rate_key": "HXXX01-20260318-3N", "guest": "Ines Carvalho"}, 404),
        ({"rate_key": "HBER01-20260218-3N", "guest": "Ines Carvalho"}, 400),
        ({"rate_key": "HBER04-20260310-2N", "guest": "Ines Carvalho"}, 409),
        ({"rate_key": "the cheapest", "guest": "Ines Carvalho"}, 422),
    ),
    echoes=("rate_key", "guest"),
    invariants=(
        *STAY,
        Ordered("cancel_by", "check_in"),
        Formula("nights", ("argument:rate_key",), lambda key: int(key[16:-1]), "nights is the number in rate_key"),
    ),
)
def book_hotel_offer(
    world: World,
    rate_key: Annotated[
        str,
        Field(
            pattern=r"^H[A-Z]{3}\d\d-\d{8}-\d{1,2}N$", description="Key of a hotel offer, such as HLIS01-20260318-3N"
        ),
    ],
    guest: Person,
) -> dict[str, Any]:
    """Book the hotel offer behind a rate key for a guest, with free cancellation until the day before arrival."""
    id, start, length = rate_key.split("-")
    first = travel_date(f"{start[:4]}-{start[4:6]}-{start[6:]}", "rate_key")
    check_out = first + timedelta(days=int(length[:-1]))
    quote = StayQuote(hotel(id), *bookable_span(first.isoformat(), check_out.isoformat()))
    return {
        **_stay(quote, guest, book_stay(world, quote, guest)),
        "rate_key": rate_key,
        "cancel_by": (first - timedelta(days=1)).isoformat(),
    }


class RoomStay(Stay):
    """A stay booked with the hotel."""

    weekend_nights: int = Field(description="Friday and Saturday nights among the nights")
    tax_percent: float = Field(description="The city's lodging tax in per cent")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="stay_history",
    answer=RoomStay,
    examples=(
        {"hotel_id": "HBER01", "check_in": "2026-03-18", "check_out": "2026-03-21", "guest": "Ines Carvalho"},
        {"hotel_id": "HHND02", "check_in": "2026-04-06", "check_out": "2026-04-10", "guest": "Grace O'Neill"},
        {"hotel_id": "HYYZ03", "check_in": "2026-03-24", "check_out": "2026-03-26", "guest": "Dana Whitfield"},
        {"hotel_id": "HBOM01", "check_in": "2026-05-11", "check_out": "2026-05-18", "guest": "Jonas Keller"},
    ),
    refusals=(
        ({"hotel_id": "HXXX01", "check_in": "2026-03-18", "check_out": "2026-03-21", "guest": "Ines Carvalho"}, 404),
        ({"hotel_id": "HBER04", "check_in": "2026-03-08", "check_out": "2026-03-11", "guest": "Ines Carvalho"}, 409),
        ({"hotel_id": "HBER01", "check_in": "2026-03-21", "check_out": "2026-03-21", "guest": "Ines Carvalho"}, 400),
        ({"hotel_id": "Spreeblick", "check_in": "2026-03-18", "check_out": "2026-03-21", "guest": "Ines Diaz"}, 422),
    ),
    echoes=("hotel_id", "check_in", "check_out", "guest"),
    invariants=(
        *STAY,
        Bounds("weekend_nights", 0, 10),
        Bounds("tax_percent", 0, 30),
        Formula("tax", ("net", "tax_percent", "currency"), share_of, "tax is tax_percent of net"),
    ),
)
def book_hotel_room(
    world: World, hotel_id: HotelId, check_in: CheckIn, check_out: CheckOut, guest: Person
) -> dict[str, Any]:
    """Book a room in a given hotel, directly with it, for a guest from check-in to check-out at the published rates."""
    quote = StayQuote(hotel(hotel_id), *bookable_span(check_in, check_out))
    return {
        **_stay(quote, guest, book_stay(world, quote, guest)),
        "weekend_nights": weekend_nights(quote.first, quote.last),
        "tax_percent": quote.hotel.tax_percent,
    }
