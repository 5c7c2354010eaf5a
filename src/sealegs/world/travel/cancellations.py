"""Cancelling a hotel stay: by its confirmation, or by hotel, guest and arrival.

Stays at the flexible rate are refunded in full until the day before arrival; later, and always at the saver rate, the
hotel keeps a share. Stays that the episode booked have the flexible rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool
from sealegs.world.travel.facts import CURRENCY_OF, share_of
from sealegs.world.travel.hotel_facts import HOTELS, hotel, nights
from sealegs.world.travel.hotel_rooms import StayQuote
from sealegs.world.travel.travel_arguments import CheckIn, HotelId, Person

KEPT = {"flexible": 0, "saver": 30}
"""What the hotel keeps of the price, in per cent."""


@dataclass(frozen=True, slots=True)
class BookedStay:
    """A booked stay."""

    hotel_id: str
    check_in: str
    check_out: str
    guest: str
    rate: str = "flexible"

    @property
    def confirmation(self) -> str:
        """The id under which the stay was booked."""
        return identifier("HTB", self.hotel_id, self.check_in, self.check_out, self.guest)

    @property
    def quote(self) -> StayQuote:
        """The quote that was paid for it."""
        return StayQuote(HOTELS[self.hotel_id], date.fromisoformat(self.check_in), date.fromisoformat(self.check_out))


BEFORE = (
    BookedStay("HLIS01", "2026-03-09", "2026-03-12", "Jonas Keller"),
    BookedStay("HBER02", "2026-03-16", "2026-03-19", "Marta Quintela", "saver"),
    BookedStay("HHND02", "2026-04-13", "2026-04-18", "Grace O'Neill"),
    BookedStay("HJFK03", "2026-04-20", "2026-04-23", "Tomas Ribeiro"),
    BookedStay("HLHR01", "2026-03-11", "2026-03-13", "Priya Raman", "saver"),
    BookedStay("HCDG02", "2026-05-04", "2026-05-08", "Clara Voss"),
    BookedStay("HVIE02", "2026-03-23", "2026-03-25", "Luca Baumann"),
    BookedStay("HZRH01", "2026-03-17", "2026-03-18", "Ines Duarte", "saver"),
    BookedStay("HYYZ02", "2026-04-06", "2026-04-09", "Dana Whitfield"),
    BookedStay("HSIN02", "2026-05-18", "2026-05-22", "Mei Tanaka"),
    BookedStay("HBOM02", "2026-03-30", "2026-04-03", "Anil Deshmukh", "saver"),
    BookedStay("HSYD01", "2026-06-01", "2026-06-06", "Claire Moreau"),
)


def _stays(world: World) -> Iterator[BookedStay]:
    """All stays that were ever booked, those of the episode too."""
    yield from BEFORE
    for effect in world.effects:
        if effect.action == "reserve_room":
            details = effect.details
            yield BookedStay(effect.subject, details["check_in"], details["check_out"], details["guest"])


class CancelledStay(Answer):
    """A cancelled stay and what is paid back."""

    status: str = Field(description="cancelled")
    cancellation_id: str = Field(description="Id of the cancellation")
    confirmation: str = Field(description="Id of the booking that was cancelled")
    hotel_id: str = Field(description="Id of the hotel")
    hotel_name: str = Field(description="Name of the hotel")
    city: str = Field(description="City")
    guest: str = Field(description="First and last name")
    check_in: str = Field(description="Date of arrival")
    check_out: str = Field(description="Date of departure")
    cancelled_on: str = Field(description="Day of the cancellation")
    paid: float = Field(description="What was paid for the stay")
    fee_percent: int = Field(description="What the hotel keeps, in per cent")
    fee: float = Field(description="What the hotel keeps")
    refund: float = Field(description="What is paid back")
    currency: str = Field(description="ISO 4217 code of the amounts")


CANCELLED: tuple[Invariant, ...] = (
    Known("currency", "city", CURRENCY_OF),
    Known("hotel_name", "hotel_id", {id: found.name for id, found in HOTELS.items()}),
    Requires("cancellation_id", "status", "cancelled"),
    Requires("confirmation", "status", "cancelled"),
    Requires("guest", "status", "cancelled"),
    Requires("city", "status", "cancelled"),
    Requires("hotel_id", "status", "cancelled"),
    Ordered("cancelled_on", "check_in"),
    Ordered("check_in", "check_out"),
    Sums("paid", ("fee", "refund")),
    Formula("fee", ("paid", "fee_percent", "currency"), share_of, "fee is fee_percent of paid"),
    Bounds("fee_percent", 0, 100),
    Bounds("refund", 0, 130_000_000),
)


def _cancel(world: World, found: BookedStay) -> dict[str, Any]:
    cancelled = world.state("travel.stays_cancelled")
    id = identifier("HTC", found.confirmation)
    if found.confirmation in cancelled and found.confirmation not in world.state("travel.stays"):
        raise Refusal(409, "AlreadyCancelled", f"{found.confirmation} was cancelled already.", cancellation_id=id)
    quote, percent = found.quote, KEPT[found.rate]
    fee = share_of(quote.total, percent, quote.hotel.currency)
    refund = round(quote.total - fee, 2)
    cancelled[found.confirmation] = id
    if world.state("travel.stays").pop(found.confirmation, None) is not None:
        taken = world.state("travel.rooms_taken")
        for night in nights(quote.first, quote.last):
            taken[f"{found.hotel_id} {night}"] -= 1
    world.effect("cancel_stay", found.confirmation, guest=found.guest, refund=refund, currency=quote.hotel.currency)
    return {
        "status": "cancelled",
        "cancellation_id": id,
        "confirmation": found.confirmation,
        "hotel_id": found.hotel_id,
        "hotel_name": quote.hotel.name,
        "city": quote.hotel.city,
        "guest": found.guest,
        "check_in": found.check_in,
        "check_out": found.check_out,
        "cancelled_on": TODAY,
        "paid": quote.total,
        "fee_percent": percent,
        "fee": fee,
        "refund": refund,
        "currency": quote.hotel.currency,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="stay_history",
    answer=CancelledStay,
    examples=tuple({"confirmation": found.confirmation} for found in BEFORE[:6]),
    refusals=(({"confirmation": "HTB-00000000"}, 404), ({"confirmation": "Jonas in Lisbon"}, 422)),
    echoes=("confirmation",),
    invariants=CANCELLED,
)
def cancel_hotel_booking(
    world: World,
    confirmation: Annotated[
        str, Field(pattern=r"^HTB-[0-9A-F]{8}$", description="Id of a hotel booking, such as HTB-1A2B3C4D")
    ],
) -> dict[str, Any]:
    """Cancel a hotel booking by its confirmation id; tells what the hotel keeps and what is paid back."""
    found = next((stay for stay in _stays(world) if stay.confirmation == confirmation), None)
    if found is None:
        raise Refusal(404, "BookingNotFound", f"No stay is booked under {confirmation}.")
    return _cancel(world, found)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="stay_history",
    answer=CancelledStay,
    examples=tuple(
        {"hotel_id": found.hotel_id, "guest": found.guest, "check_in": found.check_in} for found in BEFORE[6:]
    ),
    refusals=(
        ({"hotel_id": "HXXX01", "guest": "Jonas Keller", "check_in": "2026-03-09"}, 404),
        ({"hotel_id": "HLIS01", "guest": "Jonas Keller", "check_in": "2026-03-10"}, 404),
        ({"hotel_id": "Alfama Steps Inn", "guest": "Jonas Keller", "check_in": "2026-03-09"}, 422),
    ),
    echoes=("hotel_id", "guest", "check_in"),
    invariants=CANCELLED,
)
def cancel_guest_stay(world: World, hotel_id: HotelId, guest: Person, check_in: CheckIn) -> dict[str, Any]:
    """Have a hotel cancel a guest's stay, found by hotel id, guest and date of arrival; gives fee and refund."""
    wanted = (hotel(hotel_id).id, guest.casefold(), check_in)
    stays = [stay for stay in _stays(world) if (stay.hotel_id, stay.guest.casefold(), stay.check_in) == wanted]
    if not stays:
        raise Refusal(404, "StayNotFound", f"{guest} has no stay at {hotel_id} from {check_in}.")
    return _cancel(world, stays[-1])
