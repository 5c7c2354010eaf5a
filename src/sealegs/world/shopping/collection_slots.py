"""Hours at collection points that are set aside for orders and booked.

Two roads lead to a booking; both go through the functions here, so that they leave the same world behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sealegs.world.shopping.consignments import consignment
from sealegs.world.shopping.facts_collection import ParcelPoint, collection_point
from sealegs.world.shopping.ledger import find_order
from sealegs.world.state import World, identifier
from sealegs.world.tool import Refusal

_LAST_DAY = "2026-04-30"


@dataclass(frozen=True, slots=True)
class CollectionSlot:
    """An hour at a point, set aside for an order; `booked` once it is confirmed."""

    hold_id: str
    point_id: str
    order_id: str
    day: str
    hour: int
    booked: bool = False

    @property
    def point(self) -> ParcelPoint:
        """The collection point of the slot."""
        return collection_point(self.point_id)

    @property
    def collection_id(self) -> str:
        """Number of the booking that it becomes."""
        return identifier("COL", "booked", self.order_id, self.point_id, self.day, self.hour)

    @property
    def times(self) -> tuple[str, str]:
        """Start and end, YYYY-MM-DDTHH:MM."""
        return f"{self.day}T{self.hour:02}:00", f"{self.day}T{self.hour + 1:02}:00"


HELD = (
    CollectionSlot("CLH-7A31D0E5", "CP-MEX-01", "ORD-B20C64EF", "2026-03-06", 13),
    CollectionSlot("CLH-0B96F2C4", "CP-CPT-01", "ORD-F1683D7A", "2026-03-17", 11),
    CollectionSlot("CLH-C85E14D7", "CP-VIE-01", "ORD-D36B8A17", "2026-03-06", 13),
    CollectionSlot("CLH-52F7A96B", "CP-LON-02", "ORD-9E70D2B8", "2026-03-06", 10),
)


def slots_by_hold(world: World) -> dict[str, CollectionSlot]:
    """Every hour that is set aside or booked, by its hold's number."""
    return {old.hold_id: old for old in HELD} | world.state("shopping.collections")


def set_hour_aside(world: World, point: ParcelPoint, order_id: str, day: str) -> CollectionSlot:
    """Take the first free hour of a day at a point for an order's parcel.

    Raises:
        Refusal: 400 for a day on which the parcel does not wait, 404 for an unknown order, 409 where there is nothing
            to collect, the parcel goes elsewhere, an hour is set aside already or none is left.
    """
    try:
        when = date.fromisoformat(day)
    except ValueError as error:
        raise Refusal(400, "BadDate", f"{day!r} is no day: {error}.") from error
    parcel = consignment(find_order(world, order_id))
    if parcel.order.status in ("delivered", "cancelled"):
        raise Refusal(409, "NothingToCollect", f"The order {order_id} is {parcel.order.status}.", order_id=order_id)
    if parcel.order.city != point.city:
        raise Refusal(409, "OtherCity", f"The order {order_id} goes to {parcel.order.city}.", city=parcel.order.city)
    # Days are text, YYYY-MM-DD, which sorts as the days do.
    if not parcel.due_on <= day <= _LAST_DAY:
        raise Refusal(400, "ParcelNotThere", f"The parcel waits from {parcel.due_on} to {_LAST_DAY}.", day=day)
    if when.weekday() == 6:
        raise Refusal(409, "Closed", f"{point.name} is closed on Sundays.", day=day)
    taken = [slot for slot in slots_by_hold(world).values() if slot.order_id == order_id]
    if taken:
        raise Refusal(409, "SlotExists", f"An hour is set aside for {order_id} already.", hold_id=taken[0].hold_id)
    here = {slot.hour for slot in slots_by_hold(world).values() if (slot.point_id, slot.day) == (point.point_id, day)}
    free = [hour for hour in range(point.first_hour(when), point.closes) if hour not in here]
    if not free:
        raise Refusal(409, "DayFull", f"{point.name} has no hour left on {day}.", day=day)
    slot = CollectionSlot(
        identifier("CLH", order_id, point.point_id, day, free[0]), point.point_id, order_id, day, free[0]
    )
    world.state("shopping.collections")[slot.hold_id] = slot
    world.effect("set_hour_aside", point.point_id, order_id=order_id, starts_at=slot.times[0])
    return slot


def book_slot(world: World, slot: CollectionSlot) -> None:
    """Make an hour that was set aside the customer's."""
    world.state("shopping.collections")[slot.hold_id] = CollectionSlot(
        slot.hold_id, slot.point_id, slot.order_id, slot.day, slot.hour, booked=True
    )
    world.effect("book_collection", slot.collection_id, order_id=slot.order_id, point_id=slot.point_id)
