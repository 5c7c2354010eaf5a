"""Facts of the shop's collection points: their places, and the hours that other customers have taken.

A point gives parcels out from Monday to Saturday in slots of an hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sealegs.world.general.facts import city as known_city
from sealegs.world.tool import Refusal

Hours = tuple[int, int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class ParcelPoint:
    """A collection point.

    Attributes:
        distance_km: from the middle of the city.
        closes: hour at which the last slot ends.
        free_from: hour of the first slot that others left free, for Monday to Saturday.
    """

    point_id: str
    city: str
    name: str
    address: str
    distance_km: float
    closes: int
    free_from: Hours

    def first_hour(self, day: date) -> int:
        """The hour of the first slot that is free on this day before the episode begins."""
        return self.free_from[day.weekday()]


# fmt: off
_POINTS = ( ParcelPoint("CP-LIS-01", "Lisbon", "Rossio Parcel Desk", "Rua das Flores 18", 0.4, 19, (10, 9, 12, 11, 15,
    9)), ParcelPoint("CP-LIS-02", "Lisbon", "Alvalade Lockers", "Avenida do Prado 203", 4.1, 20, (9, 9, 10, 9, 12, 9)),
    ParcelPoint("CP-BER-01", "Berlin", "Mitte Parcel Desk", "Lindenufer 7", 0.8, 19, (11, 10, 9, 13, 14, 12)),
    ParcelPoint("CP-BER-02", "Berlin", "Westend Kiosk", "Kastanienring 61", 5.6, 18, (9, 9, 9, 10, 9, 10)),
    ParcelPoint("CP-LON-01", "London", "Holborn Parcel Desk", "14 Carver Lane", 0.9, 19, (12, 11, 9, 10, 14, 11)),
    ParcelPoint("CP-LON-02", "London", "Dockside Lockers", "88 Quay Road", 6.3, 21, (9, 9, 9, 9, 10, 9)),
    ParcelPoint("CP-PAR-01", "Paris", "Marais Parcel Desk", "9 rue du Puits", 0.7, 19, (10, 12, 11, 9, 13, 10)),
    ParcelPoint("CP-PAR-02", "Paris", "Bercy Kiosk", "140 quai des Tilleuls", 3.8, 18, (9, 9, 10, 9, 11, 9)),
    ParcelPoint("CP-VIE-01", "Vienna", "Ring Parcel Desk", "Opernzeile 22", 0.5, 18, (9, 11, 10, 12, 13, 9)),
    ParcelPoint("CP-ROM-01", "Rome", "Trevi Parcel Desk", "Via dei Cedri 31", 0.6, 19, (10, 9, 13, 11, 12, 10)),
    ParcelPoint("CP-MAD-01", "Madrid", "Sol Parcel Desk", "Calle del Olmo 12", 0.3, 20, (11, 10, 9, 12, 16, 11)),
    ParcelPoint("CP-STO-01", "Stockholm", "Norrmalm Lockers", "Bryggargatan 44", 0.9, 20, (9, 10, 9, 9, 13, 9)),
    ParcelPoint("CP-ZUR-01", "Zurich", "Lakeside Kiosk", "Seequai 5", 1.1, 18, (10, 9, 9, 11, 12, 10)),
    ParcelPoint("CP-TOR-01", "Toronto", "Yonge Parcel Desk", "512 Maple Row", 1.2, 19, (9, 10, 12, 9, 11, 10)),
    ParcelPoint("CP-TOR-02", "Toronto", "Harbour Lockers", "30 Pier Street", 2.7, 21, (9, 9, 9, 9, 9, 9)),
    ParcelPoint("CP-NYC-01", "New York", "Chelsea Parcel Desk", "231 West Alder Street", 1.4, 20, (13, 11, 10, 12, 15,
    12)), ParcelPoint("CP-CHI-01", "Chicago", "Loop Lockers", "77 South Birch Avenue", 0.6, 20, (9, 10, 9, 11, 12, 9)),
    ParcelPoint("CP-MEX-01", "Mexico City", "Centro Parcel Desk", "Calle del Fresno 90", 0.8, 19, (10, 12, 9, 11, 13,
    10)), ParcelPoint("CP-TYO-01", "Tokyo", "Kanda Parcel Desk", "2-14 Hinoki-dori", 1.0, 20, (9, 11, 10, 13, 14, 12)),
    ParcelPoint("CP-TYO-02", "Tokyo", "Shinagawa Lockers", "5-3 Minato-zaka", 6.1, 22, (9, 9, 9, 9, 10, 9)),
    ParcelPoint("CP-SEL-01", "Seoul", "Jongno Parcel Desk", "41 Eunhaeng-ro", 0.7, 20, (10, 9, 11, 12, 13, 9)),
    ParcelPoint("CP-SIN-01", "Singapore", "Bugis Lockers", "19 Rain Tree Street", 1.3, 21, (9, 10, 9, 12, 11, 10)),
    ParcelPoint("CP-DXB-01", "Dubai", "Creek Parcel Desk", "6 Ghaf Road", 2.2, 20, (10, 9, 12, 11, 14, 9)),
    ParcelPoint("CP-CPT-01", "Cape Town", "Gardens Kiosk", "58 Protea Street", 1.5, 18, (9, 11, 9, 10, 12, 9)),
    ParcelPoint("CP-BOM-01", "Mumbai", "Fort Parcel Desk", "27 Banyan Road", 0.9, 20, (11, 10, 12, 9, 14, 11)),
    ParcelPoint("CP-SYD-01", "Sydney", "Wharf Lockers", "3 Wattle Street", 1.1, 19, (9, 10, 9, 11, 12, 10)),
)
# fmt: on
POINTS = {point.point_id: point for point in _POINTS}


def collection_point(point_id: str) -> ParcelPoint:
    """The collection point with this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = POINTS.get(point_id.strip().upper())
    if found is None:
        raise Refusal(404, "PointNotFound", f"There is no collection point {point_id!r}.", point_id=point_id)
    return found


def points_in(city: str) -> tuple[ParcelPoint, ...]:
    """The collection points of a city, the most central first.

    Raises:
        Refusal: 404 for an unknown city or one without a collection point.
    """
    name = known_city(city).name
    found = sorted((point for point in POINTS.values() if point.city == name), key=lambda point: point.distance_km)
    if not found:
        raise Refusal(404, "NoCollectionPoint", f"There is no collection point in {name}.", city=name)
    return tuple(found)
