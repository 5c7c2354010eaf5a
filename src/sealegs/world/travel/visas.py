"""Entry rules, and applying for what they ask: at once, or through a file that is opened first.

Whichever way an application is made, the ledger shows one opened file and one submitted application.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Invariant, Known, OneOf, Ordered, Requires
from sealegs.world.state import TODAY, World
from sealegs.world.tool import Answer, Refusal, simulated_tool
from sealegs.world.travel.facts import PLACES
from sealegs.world.travel.travel_arguments import CityName, Day, Person
from sealegs.world.travel.visa_facts import (
    CASES,
    CURRENCY_OF_COUNTRY,
    FREE,
    NAMES,
    PERMITS,
    EntryRules,
    VisaCase,
    application_id,
    arrival,
    case,
    country_of,
    entry,
)

CODE_OF = {name: found.country_code for name, found in PLACES.items()}
PROCESSING = 40
WRONG_PERMITS = ("settlement visa", "diplomatic pass", "crew permit")

Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="ISO 3166 code of a country, such as PT")]
Nationality = Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="Nationality as ISO 3166 code, such as PT")]
ArrivalDate = Annotated[Day, Field(description="Planned day of arrival, such as 2026-04-20")]

FACTS: tuple[Invariant, ...] = (
    Known("country", "country_code", NAMES),
    Known("currency", "country_code", CURRENCY_OF_COUNTRY),
    Bounds("fee", 0, 1_000_000),
    Bounds("processing_days", 0, PROCESSING),
    Ordered("checked_on", "decision_on"),
)


def _terms(found: EntryRules) -> dict[str, Any]:
    return {
        "nationality": found.nationality,
        "country": NAMES[found.country],
        "country_code": found.country,
        "permit": found.permit,
        "fee": found.fee,
        "currency": found.currency,
        "processing_days": found.processing_days,
        "checked_on": TODAY,
        "decision_on": found.decision_on,
    }


class Terms(Answer):
    """The rules for a national of one country who visits another."""

    status: str = Field(description="Where the matter stands")
    nationality: str = Field(description="Nationality of the traveller, ISO 3166 code")
    country: str = Field(description="Country that is visited")
    country_code: str = Field(description="Its ISO 3166 code")
    permit: str = Field(description="none, electronic authorisation or visitor visa")
    fee: float = Field(description="What the permit costs")
    currency: str = Field(description="ISO 4217 code of the fee: the visited country's")
    processing_days: int = Field(description="Days until the decision")
    checked_on: str = Field(description="Day of this answer")
    decision_on: str = Field(description="When an application of that day is decided")


class Requirements(Terms):
    """The entry rules for a visit to a city."""

    city: str = Field(description="City that is visited")
    max_stay_days: int = Field(description="How long a visit may last")


@simulated_tool(
    category="source",
    answer=Requirements,
    examples=(
        {"nationality": "PT", "city": "Mumbai"},
        {"nationality": "DE", "city": "New York"},
        {"nationality": "IN", "city": "Paris"},
        {"nationality": "JP", "city": "London"},
        {"nationality": "ES", "city": "Vienna"},
    ),
    refusals=(
        ({"nationality": "PT", "city": "Atlantis"}, 404),
        ({"nationality": "XX", "city": "Mumbai"}, 404),
        ({"nationality": "PT", "city": "Lisbon"}, 400),
        ({"nationality": "Portugal", "city": "Mumbai"}, 422),
    ),
    echoes=("nationality", "city"),
    invariants=(
        *FACTS,
        Known("country_code", "city", CODE_OF),
        OneOf("permit", (FREE, *PERMITS), WRONG_PERMITS),
        Requires("nationality", "status", "in_force"),
        Bounds("max_stay_days", 1, 365),
    ),
)
def entry_requirements(world: World, nationality: Nationality, city: CityName) -> dict[str, Any]:
    """Look up what a traveller of a nationality needs to enter the country of a city: permit, fee, processing time."""
    found = entry(nationality, country_of(city))
    where = next(name for name in PLACES if name.casefold() == city.strip().casefold())
    return {"status": "in_force", **_terms(found), "city": where, "max_stay_days": found.max_stay_days}


class Application(Terms):
    """A submitted application."""

    application_id: str = Field(description="Number of the application")
    traveller: str = Field(description="First and last name")
    arrival_date: str = Field(description="Planned day of arrival")


SUBMITTED: tuple[Invariant, ...] = (
    *FACTS,
    OneOf("permit", PERMITS, WRONG_PERMITS),
    Requires("application_id", "status", "submitted"),
    Requires("traveller", "status", "submitted"),
    Requires("nationality", "status", "submitted"),
    Ordered("decision_on", "arrival_date"),
)


def _open(world: World, found: EntryRules, traveller: str) -> VisaCase:
    if found.permit == FREE:
        message = f"A national of {NAMES[found.nationality]} needs no permit to visit {NAMES[found.country]}."
        raise Refusal(409, "NoPermitNeeded", message)
    opened = case(found.nationality, found.country, traveller)
    kept = world.state("travel.visa_cases")
    if opened.id in kept or opened.id in CASES:
        raise Refusal(409, "CaseExists", f"A file for {traveller} is open already.", case_id=opened.id)
    kept[opened.id] = asdict(opened)
    world.effect("open_visa_file", opened.id, traveller=traveller, country=found.country)
    return opened


def _submit(world: World, found: EntryRules, opened: VisaCase, arrival_date: str) -> dict[str, Any]:
    arrival(found, arrival_date)
    submitted = world.state("travel.visa_applications")
    if opened.id in submitted:
        known = submitted[opened.id]
        raise Refusal(409, "AlreadySubmitted", f"{opened.id} was submitted already.", application_id=known)
    id = application_id(found, opened.traveller, arrival_date)
    submitted[opened.id] = id
    world.effect("submit_visa_application", id, permit=found.permit, fee=found.fee, currency=found.currency)
    return {
        "status": "submitted",
        **_terms(found),
        "application_id": id,
        "traveller": opened.traveller,
        "arrival_date": arrival_date,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_papers_history",
    parts=2,
    answer=Application,
    examples=(
        {
            "nationality": "PT",
            "country_code": "IN",
            "permit": "visitor visa",
            "traveller": "Clara Voss",
            "arrival_date": "2026-04-20",
        },
        {
            "nationality": "DE",
            "country_code": "US",
            "permit": "electronic authorisation",
            "traveller": "Luca Baumann",
            "arrival_date": "2026-03-18",
        },
        {
            "nationality": "IN",
            "country_code": "FR",
            "permit": "visitor visa",
            "traveller": "Priya Nair",
            "arrival_date": "2026-05-11",
        },
        {
            "nationality": "JP",
            "country_code": "GB",
            "permit": "electronic authorisation",
            "traveller": "Kenji Mori",
            "arrival_date": "2026-04-07",
        },
    ),
    refusals=(
        (
            {
                "nationality": "PT",
                "country_code": "IN",
                "permit": "visitor visa",
                "traveller": "Clara Voss",
                "arrival_date": "2026-03-06",
            },
            409,
        ),
        (
            {
                "nationality": "PT",
                "country_code": "US",
                "permit": "visitor visa",
                "traveller": "Clara Voss",
                "arrival_date": "2026-04-20",
            },
            409,
        ),
        (
            {
                "nationality": "PT",
                "country_code": "XX",
                "permit": "visitor visa",
                "traveller": "Clara Voss",
                "arrival_date": "2026-04-20",
            },
            404,
        ),
    ),
    echoes=("nationality", "country_code", "permit", "traveller", "arrival_date"),
    invariants=SUBMITTED,
)
def apply_for_visa(
    world: World,
    nationality: Nationality,
    country_code: Country,
    permit: Annotated[
        Literal["electronic authorisation", "visitor visa"], Field(description="Permit that the entry rules ask for")
    ],
    traveller: Person,
    arrival_date: ArrivalDate,
) -> dict[str, Any]:
    """Apply at once for the permit (visa or electronic authorisation) that a traveller needs to visit a country."""
    found = entry(nationality, country_code)
    arrival(found, arrival_date)
    if found.permit not in (FREE, permit):
        message = f"A national of {NAMES[nationality]} needs another permit for {NAMES[country_code]}."
        raise Refusal(409, "WrongPermit", message, needed=found.permit)
    return _submit(world, found, _open(world, found, traveller), arrival_date)


class OpenedCase(Terms):
    """A file that waits for its application."""

    case_id: str = Field(description="Id of the file")
    traveller: str = Field(description="First and last name")
    city: str = Field(description="City that is visited")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_papers_history",
    answer=OpenedCase,
    examples=(
        {"nationality": "PT", "city": "Mumbai", "traveller": "Clara Voss"},
        {"nationality": "DE", "city": "New York", "traveller": "Luca Baumann"},
        {"nationality": "IN", "city": "Paris", "traveller": "Priya Nair"},
        {"nationality": "JP", "city": "London", "traveller": "Kenji Mori"},
    ),
    refusals=(
        ({"nationality": "ES", "city": "Vienna", "traveller": "Marta Quintela"}, 409),
        ({"nationality": "PT", "city": "Mumbai", "traveller": "Ines Carvalho"}, 409),
        ({"nationality": "PT", "city": "Atlantis", "traveller": "Clara Voss"}, 404),
        ({"nationality": "Portuguese", "city": "Mumbai", "traveller": "Clara Voss"}, 422),
    ),
    echoes=("nationality", "city", "traveller"),
    invariants=(
        *FACTS,
        Known("country_code", "city", CODE_OF),
        OneOf("permit", PERMITS, WRONG_PERMITS),
        Requires("case_id", "status", "open"),
        Requires("traveller", "status", "open"),
        Requires("nationality", "status", "open"),
    ),
)
def open_visa_case(world: World, nationality: Nationality, city: CityName, traveller: Person) -> dict[str, Any]:
    """Open a visa agency's file for a traveller's visit to a city; nothing is applied for until it is submitted."""
    found = entry(nationality, country_of(city))
    where = next(name for name in PLACES if name.casefold() == city.strip().casefold())
    opened = _open(world, found, traveller)
    return {"status": "open", **_terms(found), "case_id": opened.id, "traveller": traveller, "city": where}


class CaseApplication(Application):
    """The application of an open file."""

    case_id: str = Field(description="Id of the file")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_papers_history",
    answer=CaseApplication,
    examples=tuple({"case_id": id, "arrival_date": f"2026-04-{10 + turn}"} for turn, id in enumerate(CASES)),
    refusals=(
        ({"case_id": "VCF-00000000", "arrival_date": "2026-04-20"}, 404),
        ({"case_id": next(iter(CASES)), "arrival_date": "2026-03-05"}, 409),
        ({"case_id": next(iter(CASES)), "arrival_date": "2026-02-05"}, 400),
        ({"case_id": "the file of Clara", "arrival_date": "2026-04-20"}, 422),
    ),
    echoes=("case_id", "arrival_date"),
    invariants=SUBMITTED,
)
def submit_visa_case(
    world: World,
    case_id: Annotated[str, Field(pattern=r"^VCF-[0-9A-F]{8}$", description="Id of an open visa file, VCF-1A2B3C4D")],
    arrival_date: ArrivalDate,
) -> dict[str, Any]:
    """Submit the application of an open visa file for a planned day of arrival. Each file is submitted once."""
    kept = world.state("travel.visa_cases").get(case_id)
    opened = VisaCase(**kept) if kept is not None else CASES.get(case_id)
    if opened is None:
        raise Refusal(404, "CaseNotFound", f"No visa file has the id {case_id}.")
    answer = _submit(world, entry(opened.nationality, opened.country), opened, arrival_date)
    return {**answer, "case_id": case_id}
