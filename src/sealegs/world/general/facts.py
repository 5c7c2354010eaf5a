"""Facts of the general domain: cities and the user's own notes. Other domains may read `CITIES`.

Weather is in `climate`, public holidays in `holidays`, units in `units`.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.world.state import identifier
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class City:
    """A real city: degrees, inhabitants of the city proper, UTC offset in hours without daylight saving."""

    name: str
    country: str
    country_code: str
    currency: str
    latitude: float
    longitude: float
    population: int
    utc_offset: float
    language: str

    @property
    def place_id(self) -> str:
        """The city's id with the geocoder and the forecast service."""
        return identifier("PLC", self.name, self.country_code)

    @property
    def label(self) -> str:
        """The city as an address line."""
        return f"{self.name}, {self.country}"


_ROWS = (
    City("Lisbon", "Portugal", "PT", "EUR", 38.72, -9.14, 545_800, 0, "Portuguese"),
    City("Berlin", "Germany", "DE", "EUR", 52.52, 13.41, 3_755_000, 1, "German"),
    City("Tokyo", "Japan", "JP", "JPY", 35.68, 139.69, 13_960_000, 9, "Japanese"),
    City("Beijing", "China", "CN", "CNY", 39.90, 116.41, 21_890_000, 8, "Mandarin"),
    City("New York", "United States", "US", "USD", 40.71, -74.01, 8_336_000, -5, "English"),
    City("London", "United Kingdom", "GB", "GBP", 51.51, -0.13, 8_866_000, 0, "English"),
    City("Paris", "France", "FR", "EUR", 48.86, 2.35, 2_103_000, 1, "French"),
    City("Madrid", "Spain", "ES", "EUR", 40.42, -3.70, 3_332_000, 1, "Spanish"),
    City("Rome", "Italy", "IT", "EUR", 41.90, 12.50, 2_748_000, 1, "Italian"),
    City("Vienna", "Austria", "AT", "EUR", 48.21, 16.37, 1_982_000, 1, "German"),
    City("Zurich", "Switzerland", "CH", "CHF", 47.38, 8.54, 436_300, 1, "German"),
    City("Stockholm", "Sweden", "SE", "SEK", 59.33, 18.07, 988_900, 1, "Swedish"),
    City("Toronto", "Canada", "CA", "CAD", 43.65, -79.38, 2_794_000, -5, "English"),
    City("San Francisco", "United States", "US", "USD", 37.77, -122.42, 808_400, -8, "English"),
    City("Chicago", "United States", "US", "USD", 41.88, -87.63, 2_665_000, -6, "English"),
    City("Sydney", "Australia", "AU", "AUD", -33.87, 151.21, 5_231_000, 10, "English"),
    City("Singapore", "Singapore", "SG", "SGD", 1.35, 103.82, 6_037_000, 8, "English"),
    City("Mumbai", "India", "IN", "INR", 19.08, 72.88, 12_478_000, 5.5, "Hindi"),
    City("Dubai", "United Arab Emirates", "AE", "AED", 25.20, 55.27, 3_655_000, 4, "Arabic"),
    City("Seoul", "South Korea", "KR", "KRW", 37.57, 126.98, 9_411_000, 9, "Korean"),
    City("Mexico City", "Mexico", "MX", "MXN", 19.43, -99.13, 9_209_000, -6, "Spanish"),
    City("Cape Town", "South Africa", "ZA", "ZAR", -33.92, 18.42, 4_772_000, 2, "English"),
)
CITIES = {city.name.casefold(): city for city in _ROWS}
PLACES = {city.place_id: city for city in _ROWS}

OFFSETS = {city.name: city.utc_offset for city in _ROWS}
COUNTRIES = {city.name: city.country for city in _ROWS}
COUNTRY_CODES = {city.country: city.country_code for city in _ROWS}
CURRENCIES = {city.country_code: city.currency for city in _ROWS}


def city(name: str) -> City:
    """The city of this name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = CITIES.get(name.strip().casefold())
    if found is None:
        raise Refusal(404, "CityNotFound", f"No city named {name!r} is known.")
    return found


def city_by_place_id(place_id: str) -> City:
    """The city with this place id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = PLACES.get(place_id)
    if found is None:
        raise Refusal(404, "PlaceNotFound", f"No place has the id {place_id!r}.", place_id=place_id)
    return found


def nearest_city(latitude: float, longitude: float, within: float = 0.5) -> City:
    """The city nearest to a point.

    Args:
        latitude: degrees north.
        longitude: degrees east.
        within: how many degrees each coordinate may be off.

    Raises:
        Refusal: 404 where no city is that near.
    """

    def off(place: City) -> float:
        return max(abs(place.latitude - latitude), abs(place.longitude - longitude))

    found = min(_ROWS, key=off)
    if off(found) > within:
        raise Refusal(404, "NoCoverage", f"No forecast grid cell covers {latitude}, {longitude}.")
    return found


def matching(query: str) -> tuple[City, ...]:
    """The cities that a query means, best first: those it names, else those whose name begins with or contains it.

    Parts after a comma may name the country (`Lisbon, Portugal`); parts that name no city and no country are taken
    for a street.
    """
    parts = [part.strip().casefold() for part in query.split(",") if part.strip()]
    named = [place for place in _ROWS if place.name.casefold() in parts]
    begun = [place for place in _ROWS if parts and place.name.casefold().startswith(parts[0])]
    holding = [place for place in _ROWS if parts and parts[0] in place.name.casefold()]
    found = named or begun or holding
    # Without names that are also a city's (Singapore, Luxembourg), or the city would be taken for a restriction.
    lands = {name for place in _ROWS for name in _lands(place)} - CITIES.keys()
    lands_named = lands.intersection(parts)
    kept = [place for place in found if not lands_named or lands_named & _lands(place)]
    return tuple(sorted(kept, key=lambda place: -place.population))


def _lands(place: City) -> set[str]:
    return {place.country.casefold(), place.country_code.casefold()}


@dataclass(frozen=True, slots=True)
class Note:
    """A note that the user wrote before today."""

    title: str
    notebook: str

    @property
    def note_id(self) -> str:
        """The note's id, a function of its title."""
        return identifier("NOTE", self.title)


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """An open item of the user's checklist with the moment it is due; `alert_at` is when an alert is set already."""

    title: str
    due_at: str
    alert_at: str | None = None

    @property
    def item_id(self) -> str:
        """The item's id, a function of its title."""
        return identifier("ITEM", self.title)


NOTES = {
    note.note_id: note
    for note in (
        Note("Packing list for Tokyo", "travel"),
        Note("Visa appointment", "travel"),
        Note("Hotel shortlist Vienna", "travel"),
        Note("Questions for the quarterly review", "work"),
        Note("Onboarding plan for Ines Duarte", "work"),
        Note("Agenda of the sales meeting", "work"),
        Note("Rent and utilities", "finance"),
        Note("Tax documents to collect", "finance"),
        Note("Boiler service", "home"),
        Note("Window measurements", "home"),
        Note("Birthday ideas for Marco Bianchi", "inbox"),
        Note("Books to return", "inbox"),
    )
}

CHECKLIST = {
    item.item_id: item
    for item in (
        ChecklistItem("Renew passport", "2026-03-20T12:00"),
        ChecklistItem("Pay electricity bill", "2026-03-06T18:00"),
        ChecklistItem("Send expense report", "2026-03-04T17:00"),
        ChecklistItem("Book dentist", "2026-03-09T10:00"),
        ChecklistItem("Return rental car", "2026-03-11T08:30"),
        ChecklistItem("Order printer toner", "2026-03-05T11:00"),
        ChecklistItem("Water the office plants", "2026-03-03T09:30"),
        ChecklistItem("Review supplier contract", "2026-03-13T16:00"),
        ChecklistItem("Back up the laptop", "2026-03-08T20:00"),
        ChecklistItem("Confirm catering", "2026-03-10T15:00", "2026-03-10T15:00"),
        ChecklistItem("Collect parcel", "2026-03-04T19:00"),
        ChecklistItem("Replace smoke detector battery", "2026-03-14T10:00"),
    )
}

TOPICS = (
    "air travel",
    "central banks",
    "consumer electronics",
    "cyber security",
    "electric vehicles",
    "energy prices",
    "exchange rates",
    "food prices",
    "freight and shipping",
    "housing market",
    "labour law",
    "rail strikes",
    "remote work",
    "severe weather",
    "smart home",
    "stock markets",
)
SUBSCRIBED = frozenset({"remote work"})


def topic(name: str) -> str:
    """A news topic as the catalogue writes it. Every known city and country is a topic too.

    Raises:
        Refusal: 404 with up to three suggestions where there is none.
    """
    wanted = name.strip().casefold()
    known = {label.casefold(): label for label in (*TOPICS, *COUNTRIES, *COUNTRY_CODES)}
    if wanted not in known:
        near = [label for key, label in known.items() if set(wanted.split()) & set(key.split())][:3]
        raise Refusal(404, "TopicNotFound", f"The catalogue has no topic {name!r}.", suggestions=near)
    return known[wanted]
