"""Rooms in an episode: how many are left, and the booking of one.

Whichever way a room is booked, the ledger shows one reserved room.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sealegs.world.state import World, identifier
from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import share_of
from sealegs.world.travel.hotel_facts import Hotel, net_of, nights


@dataclass(frozen=True, slots=True)
class StayQuote:
    """The price of a stay: net, tax and total, in the hotel's currency."""

    hotel: Hotel
    first: date
    last: date

    @property
    def net(self) -> float:
        """The price before tax."""
        found = self.hotel
        return net_of(found.weeknight_rate, found.weekend_rate, self.first, self.last, found.currency)

    @property
    def tax(self) -> float:
        """The city's lodging tax."""
        return share_of(self.net, self.hotel.tax_percent, self.hotel.currency)

    @property
    def total(self) -> float:
        """The amount that the guest pays."""
        return round(self.net + self.tax, 2)

    @property
    def nights(self) -> int:
        """Length of the stay."""
        return len(nights(self.first, self.last))


def rooms_left(world: World, quote: StayQuote) -> int:
    """Rooms free on every night of the stay."""
    taken = world.state("travel.rooms_taken")
    free = [
        0 if quote.hotel.is_full(night) else quote.hotel.rooms - int(taken.get(f"{quote.hotel.id} {night}", 0))
        for night in nights(quote.first, quote.last)
    ]
    return max(0, min(free))


def book_stay(world: World, quote: StayQuote, guest: str) -> str:
    """Book a room for the stay and give the confirmation's id.

    Raises:
        Refusal: 409 where the guest has this stay already or no room is free on some night.
    """
    id = identifier("HTB", quote.hotel.id, quote.first, quote.last, guest)
    booked = world.state("travel.stays")
    if id in booked:
        raise Refusal(409, "DuplicateBooking", f"{guest} has this stay at {quote.hotel.name} already.", confirmation=id)
    if rooms_left(world, quote) == 0:
        raise Refusal(409, "NoRoom", f"{quote.hotel.name} has no room free on every night of the stay.")
    taken = world.state("travel.rooms_taken")
    for night in nights(quote.first, quote.last):
        key = f"{quote.hotel.id} {night}"
        taken[key] = taken.get(key, 0) + 1
    booked[id] = True
    world.effect(
        "reserve_room",
        quote.hotel.id,
        guest=guest,
        check_in=quote.first.isoformat(),
        check_out=quote.last.isoformat(),
        total=quote.total,
        currency=quote.hotel.currency,
    )
    return id
