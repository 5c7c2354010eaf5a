"""Public offices, one in each city, the appointments that they give, and the calendar of free ones.

Whether a slot is free is a function of office, service and moment alone; which were taken since stands in the world.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

from sealegs.faults.seeds import uniform
from sealegs.world.general.facts import CITIES, City, city
from sealegs.world.general.holidays import day_type
from sealegs.world.state import NOW, TODAY, identifier
from sealegs.world.tool import Refusal

HORIZON = 60
FREE_SHARE = 0.3
OPENS, CLOSES = 9 * 60, 16 * 60

CODES = {
    "Lisbon": "LIS",
    "Berlin": "BER",
    "Tokyo": "TYO",
    "Beijing": "BJS",
    "New York": "NYC",
    "London": "LON",
    "Paris": "PAR",
    "Madrid": "MAD",
    "Rome": "ROM",
    "Vienna": "VIE",
    "Zurich": "ZRH",
    "Stockholm": "STO",
    "Toronto": "YTO",
    "San Francisco": "SFO",
    "Chicago": "CHI",
    "Sydney": "SYD",
    "Singapore": "SIN",
    "Mumbai": "BOM",
    "Dubai": "DXB",
    "Seoul": "SEL",
    "Mexico City": "MEX",
    "Cape Town": "CPT",
}
CITY_OF = {code: name for name, code in CODES.items()}
OFFICES = {name: f"{name} Citizens' Office" for name in CODES}
PRICE_LEVEL = {"JPY": 150, "CNY": 8, "SEK": 11, "INR": 90, "AED": 4, "KRW": 1400, "MXN": 20, "ZAR": 20}


@dataclass(frozen=True, slots=True)
class Service:
    """A service that an office gives by appointment: its duration, the fee in euro, the papers to bring."""

    name: str
    code: str
    minutes: int
    fee: int
    papers: tuple[str, ...]


SERVICES = {
    service.name: service
    for service in (
        Service("passport renewal", "PR", 30, 72, ("current passport", "photograph")),
        Service("identity card", "IC", 20, 32, ("birth certificate", "photograph")),
        Service("residence registration", "RR", 30, 14, ("passport", "rental contract")),
        Service("driving licence exchange", "DL", 40, 46, ("foreign licence", "certified translation", "photograph")),
        Service("parking permit", "PP", 20, 61, ("vehicle papers", "proof of residence")),
        Service("business registration", "BR", 60, 95, ("identity card", "articles of association", "tax form")),
    )
}
SERVICE_OF = {service.code: service for service in SERVICES.values()}


def fee(service: str, currency: str) -> int:
    """The fee of a service in a currency.

    Raises:
        KeyError: there is no such service.
    """
    return SERVICES[service].fee * PRICE_LEVEL.get(currency, 1)


@dataclass(frozen=True, slots=True)
class AppointmentSlot:
    """An appointment that an office can give."""

    place: City
    service: Service
    start: datetime

    @property
    def slot_id(self) -> str:
        """City, service, day and time, as `LIS-PR-20260305-1030`."""
        return f"{CODES[self.place.name]}-{self.service.code}-{self.start:%Y%m%d-%H%M}"

    @property
    def end(self) -> datetime:
        """The moment when it is over."""
        return self.start + timedelta(minutes=self.service.minutes)


def slot(slot_id: str) -> AppointmentSlot:
    """The free slot with this id.

    Raises:
        Refusal: 404 where the office gives no such appointment.
    """
    code, kind, day, time = slot_id.split("-")
    try:
        start = datetime.fromisoformat(f"{day}T{time}")
        place, service = city(CITY_OF[code]), SERVICE_OF[kind]
    except (KeyError, ValueError) as error:
        raise Refusal(404, "SlotNotFound", f"No office has a slot {slot_id}.") from error
    found = next((free for free in _free_on(place.name, service.name, start.date()) if free.start == start), None)
    if found is None:
        raise Refusal(404, "SlotNotFound", f"No office has a slot {slot_id}.")
    return found


def free_slots(place: City, service: Service, first: date) -> Iterator[AppointmentSlot]:
    """The slots of an office from a day on, in order.

    Raises:
        Refusal: 400 where the day lies outside the booking calendar.
    """
    today = date.fromisoformat(TODAY)
    last = today + timedelta(days=HORIZON)
    if not today <= first <= last:
        raise Refusal(400, "OutsideCalendar", f"Appointments are given from {today} to {last}; {first} lies outside.")
    for days in range((last - first).days + 1):
        yield from _free_on(place.name, service.name, first + timedelta(days=days))


@lru_cache(maxsize=16_384)
def _free_on(city_name: str, service_name: str, day: date) -> tuple[AppointmentSlot, ...]:
    place, service = city(city_name), SERVICES[service_name]
    today = date.fromisoformat(TODAY)
    if day_type(place.country_code, day) != "working_day" or not today <= day <= today + timedelta(days=HORIZON):
        return ()
    midnight = datetime.combine(day, datetime.min.time())
    starts = [midnight + timedelta(minutes=n) for n in range(OPENS, CLOSES, service.minutes)]
    return tuple(
        AppointmentSlot(place, service, start)
        for start in starts
        if start > datetime.fromisoformat(NOW)
        and uniform("appointment", place.name, service.code, f"{start:%Y%m%d%H%M}") < FREE_SHARE
    )


def _first(city_name: str, service: str, day: str) -> AppointmentSlot:
    return next(free_slots(city(city_name), SERVICES[service], date.fromisoformat(day)))


def appointment_hold_id(slot: AppointmentSlot, person: str) -> str:
    """The id of a person's hold on a slot."""
    return identifier("AHD", slot.slot_id, person)


HELD = {
    appointment_hold_id(free, person): (free.slot_id, person)
    for free, person in (
        (_first("Lisbon", "parking permit", "2026-03-16"), "Bruno Salgado"),
        (_first("Zurich", "residence registration", "2026-03-19"), "Jeroen Maas"),
        (_first("Sydney", "passport renewal", "2026-03-23"), "Isla Drummond"),
        (_first("Mumbai", "business registration", "2026-03-11"), "Kavita Rao"),
    )
}
CURRENCY_OF = {place.name: place.currency for place in CITIES.values()}
