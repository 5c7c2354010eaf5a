"""Cities: where they are, what belongs to them, how far apart they lie."""

from __future__ import annotations

from math import asin, cos, radians, sin, sqrt
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, OneOf, Requires
from sealegs.world.general.facts import (
    CITIES,
    COUNTRIES,
    COUNTRY_CODES,
    CURRENCIES,
    OFFSETS,
    PLACES,
    city,
    matching,
)
from sealegs.world.general.place_and_time import CityName, Latitude, Longitude
from sealegs.world.tool import Answer, Refusal, World, simulated_tool


class CityProfile(Answer):
    """A city's profile."""

    city: str = Field(description="City name")
    country: str = Field(description="Country")
    country_code: str = Field(description="ISO 3166-1 alpha-2 code")
    currency: str = Field(description="ISO 4217 code of the currency in use")
    language: str = Field(description="Language most spoken")
    latitude: float = Field(description="Degrees north")
    longitude: float = Field(description="Degrees east")
    population: int = Field(description="Inhabitants of the city proper")
    utc_offset: float = Field(description="Hours ahead of UTC, daylight saving aside")


@simulated_tool(
    category="source",
    answer=CityProfile,
    examples=(
        {"name": "Lisbon"},
        {"name": "Tokyo"},
        {"name": "New York"},
        {"name": "Beijing"},
        {"name": "Zurich"},
        {"name": "Mumbai"},
    ),
    refusals=(({"name": "Atlantis"}, 404), ({"name": "x"}, 422)),
    invariants=(
        Echo("name", "city"),
        Bounds("latitude", -90, 90),
        Bounds("longitude", -180, 180),
        Bounds("population", 1, 50_000_000),
        Bounds("utc_offset", -12, 14),
        Known("utc_offset", "city", OFFSETS),
        Known("country", "city", COUNTRIES),
        Known("country_code", "country", COUNTRY_CODES),
        Known("currency", "country_code", CURRENCIES),
        Known("language", "city", {c.name: c.language for c in CITIES.values()}),
    ),
)
def city_profile(world: World, name: CityName) -> dict[str, Any]:
    """Look a city up in the gazetteer: country, currency, language, coordinates, population and time zone offset."""
    found = city(name)
    return {
        "city": found.name,
        "country": found.country,
        "country_code": found.country_code,
        "currency": found.currency,
        "language": found.language,
        "latitude": found.latitude,
        "longitude": found.longitude,
        "population": found.population,
        "utc_offset": found.utc_offset,
    }


class Candidate(Answer):
    """A place that a query may mean."""

    label: str = Field(description="City and country")
    place_id: str = Field(description="Id of the place")


class LocatedPlace(Answer):
    """The best match of a place search, with annotations."""

    query: str = Field(description="The text that was searched for")
    status: str = Field(description="ok where a place was found")
    match_count: int = Field(description="How many candidates are listed")
    place_id: str = Field(description="Id of the best match, taken by place_forecast")
    city: str = Field(description="City of the best match")
    country: str = Field(description="Its country")
    country_code: str = Field(description="ISO 3166-1 alpha-2 code")
    latitude: float = Field(description="Degrees north")
    longitude: float = Field(description="Degrees east")
    currency: str = Field(description="Annotation: ISO 4217 code of the country's currency")
    utc_offset: float = Field(description="Annotation: hours ahead of UTC, daylight saving aside")
    confidence: int = Field(description="Confidence in the match, 1 to 10")
    candidates: list[Candidate] = Field(description="Best match first")


Query = Annotated[
    str, Field(min_length=2, max_length=120, description="Place or address, such as 'Lisbon' or 'Rua Aurea 5, Lisbon'")
]
Limit = Annotated[int, Field(ge=1, le=5, description="Candidates to list at most")]


@simulated_tool(
    category="source",
    answer=LocatedPlace,
    examples=(
        {"query": "Lisbon"},
        {"query": "Seoul, South Korea", "limit": 1},
        {"query": "Bahnhofstrasse 21, Zurich"},
        {"query": "San", "limit": 5},
        {"query": "Toronto, CA"},
    ),
    refusals=(
        ({"query": "Atlantis"}, 404),
        ({"query": "Paris, Germany"}, 404),
        ({"query": "Lisbon", "limit": 50}, 422),
    ),
    echoes=("query",),
    invariants=(
        Requires("place_id", "status", "ok"),
        OneOf("status", ("ok",), ("zero_results", "denied")),
        Counts("match_count", "candidates"),
        Formula("place_id", ("candidates.0.place_id",), str, "place_id is the first candidate's"),
        Bounds("confidence", 1, 10),
        Bounds("latitude", -90, 90),
        Bounds("longitude", -180, 180),
        Bounds("utc_offset", -12, 14),
        Known("city", "place_id", {key: place.name for key, place in PLACES.items()}),
        Known("country", "city", COUNTRIES),
        Known("country_code", "country", COUNTRY_CODES),
        Known("currency", "country_code", CURRENCIES),
        Known("utc_offset", "city", OFFSETS),
    ),
)
def geocode_place(world: World, query: Query, limit: Limit = 3) -> dict[str, Any]:
    """Search for a place or address and get the best match: place id, coordinates, country, currency, UTC offset."""
    found = matching(query)
    if not found:
        raise Refusal(404, "NoMatch", f"No place matches {query!r}.", query=query)
    best = found[0]
    return {
        "status": "ok",
        "match_count": len(found[:limit]),
        "place_id": best.place_id,
        "city": best.name,
        "country": best.country,
        "country_code": best.country_code,
        "latitude": best.latitude,
        "longitude": best.longitude,
        "currency": best.currency,
        "utc_offset": best.utc_offset,
        "confidence": 9 if best.name.casefold() in query.casefold() else 4,
        "candidates": [{"label": place.label, "place_id": place.place_id} for place in found[:limit]],
    }


class Distance(Answer):
    """The distance between two points on the Earth."""

    from_latitude: float = Field(description="Where it is measured from, degrees north")
    from_longitude: float = Field(description="Where it is measured from, degrees east")
    to_latitude: float = Field(description="Where it is measured to, degrees north")
    to_longitude: float = Field(description="Where it is measured to, degrees east")
    kilometres: float = Field(description="Great-circle distance in kilometres")
    miles: float = Field(description="The same distance in statute miles")


def _kilometres(from_latitude: float, from_longitude: float, to_latitude: float, to_longitude: float) -> float:
    """Great-circle distance by the haversine formula on a sphere of 6371 km."""
    north, south = radians(from_latitude), radians(to_latitude)
    turn = sin((south - north) / 2) ** 2
    turn += cos(north) * cos(south) * sin(radians(to_longitude - from_longitude) / 2) ** 2
    return 2 * 6371 * asin(sqrt(min(1.0, turn)))


_ENDS = ("from_latitude", "from_longitude", "to_latitude", "to_longitude")


@simulated_tool(
    category="processor",
    answer=Distance,
    examples=(
        {"from_latitude": 38.72, "from_longitude": -9.14, "to_latitude": 52.52, "to_longitude": 13.41},
        {"from_latitude": 35.68, "from_longitude": 139.69, "to_latitude": 37.57, "to_longitude": 126.98},
        {"from_latitude": 40.71, "from_longitude": -74.01, "to_latitude": 51.51, "to_longitude": -0.13},
        {"from_latitude": -33.87, "from_longitude": 151.21, "to_latitude": 1.35, "to_longitude": 103.82},
    ),
    refusals=(
        ({"from_latitude": 91, "from_longitude": 0, "to_latitude": 0, "to_longitude": 0}, 422),
        ({"from_latitude": 9, "from_longitude": 0, "to_latitude": 0, "to_longitude": -181}, 422),
    ),
    echoes=_ENDS,
    invariants=(
        Bounds("kilometres", 0, 20_100),
        Bounds("miles", 0, 12_500),
        Formula("miles", ("kilometres",), lambda km: km * 0.621371, "miles is kilometres x 0.621371"),
        Formula("kilometres", _ENDS, _kilometres, "kilometres is the haversine distance of the two points"),
    ),
)
def great_circle_distance(
    world: World, from_latitude: Latitude, from_longitude: Longitude, to_latitude: Latitude, to_longitude: Longitude
) -> dict[str, Any]:
    """Distance over the Earth's surface between two points given by latitude and longitude (haversine, R = 6371 km)."""
    kilometres = _kilometres(from_latitude, from_longitude, to_latitude, to_longitude)
    return {
        "from_latitude": from_latitude,
        "from_longitude": from_longitude,
        "to_latitude": to_latitude,
        "to_longitude": to_longitude,
        "kilometres": round(kilometres, 1),
        "miles": round(kilometres * 0.621371, 1),
    }
