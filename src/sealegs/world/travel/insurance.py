"""Travel insurance: a quote, and the policy that comes of it, or a policy at once.

Whichever way a policy is taken out, the ledger shows one policy. The premium depends on where the trip goes, how long
it lasts and what is covered; it is charged in the currency that the customer names.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Invariant, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import (
    AIRPORTS,
    CURRENCIES,
    PLACES,
    PRICE_LEVEL,
    future_day,
    known_currency,
    rounded_money,
    served_city,
    share_of,
)
from sealegs.world.travel.travel_arguments import CityName, Currency, Day, Person

TAX_PERCENT = 12.0
COVERS = {"basic": ("BAS", 2.1, 50_000), "standard": ("STD", 3.4, 250_000), "premium": ("PRM", 5.6, 1_000_000)}
"""Cover: code, euro a day, what medical treatment is insured for."""
LIMITS = {name: limit for name, (_, _, limit) in COVERS.items()}
CODES = {code: name for name, (code, _, _) in COVERS.items()}
DEAR = frozenset({"US", "CA", "CH", "JP", "SG", "AU"})
COUNTRY_OF = {name: found.country for name, found in PLACES.items()}
CITY_OF = {airport.code: name for name, airport in AIRPORTS.items()}

Cover = Annotated[Literal["basic", "standard", "premium"], Field(description="What is covered")]
Start = Annotated[Day, Field(description="First day of the trip, such as 2026-03-18")]
End = Annotated[Day, Field(description="Last day of the trip, such as 2026-03-21")]


@dataclass(frozen=True, slots=True)
class TripRisk:
    """A trip to insure."""

    city: str
    cover: str
    first: date
    last: date
    currency: str

    @property
    def days(self) -> int:
        """Days of the trip, first and last included."""
        return (self.last - self.first).days + 1

    @property
    def premium(self) -> float:
        """The premium before insurance tax."""
        factor = 1.6 if PLACES[self.city].country_code in DEAR else 1.0
        daily = COVERS[self.cover][1] * factor
        return rounded_money((4 + daily * self.days) * PRICE_LEVEL[self.currency], self.currency)

    @property
    def tax(self) -> float:
        """Insurance tax."""
        return share_of(self.premium, TAX_PERCENT, self.currency)

    @property
    def quote_id(self) -> str:
        """Airport, cover, first day, days and currency."""
        code = COVERS[self.cover][0]
        return f"{AIRPORTS[self.city].code}-{code}-{self.first:%Y%m%d}-{self.days:02}D-{self.currency}"


def _risk(city: str, cover: str, starts_on: str, ends_on: str, currency: str) -> TripRisk:
    where = served_city(city).name
    first, last = future_day(starts_on, "starts_on"), future_day(ends_on, "ends_on")
    if not 0 <= (last - first).days < 90:
        raise Refusal(400, "InvalidTrip", f"A trip lasts 1 to 90 days, {starts_on} to {ends_on} does not.")
    return TripRisk(where, cover, first, last, known_currency(currency))


def insured_days(starts_on: str, ends_on: str) -> int:
    """Days from the first to the last, both counted."""
    return (date.fromisoformat(ends_on) - date.fromisoformat(starts_on)).days + 1


class Insured(Answer):
    """An insured trip and its price."""

    status: str = Field(description="quoted, or in_force for a policy")
    city: str = Field(description="City that the trip goes to")
    country: str = Field(description="Its country")
    cover: str = Field(description="What is covered")
    starts_on: str = Field(description="First day of the trip")
    ends_on: str = Field(description="Last day of the trip")
    days: int = Field(description="Days of the trip, first and last included")
    medical_limit_eur: int = Field(description="What medical treatment is insured for, in euro")
    premium: float = Field(description="Price before insurance tax")
    tax: float = Field(description="Insurance tax")
    total: float = Field(description="Price, tax included")
    currency: str = Field(description="ISO 4217 code of the price")


def _shown(risk: TripRisk) -> dict[str, Any]:
    return {
        "city": risk.city,
        "country": COUNTRY_OF[risk.city],
        "cover": risk.cover,
        "starts_on": risk.first.isoformat(),
        "ends_on": risk.last.isoformat(),
        "days": risk.days,
        "medical_limit_eur": LIMITS[risk.cover],
        "premium": risk.premium,
        "tax": risk.tax,
        "total": rounded_money(risk.premium + risk.tax, risk.currency),
        "currency": risk.currency,
    }


PRICED: tuple[Invariant, ...] = (
    Known("country", "city", COUNTRY_OF),
    Known("medical_limit_eur", "cover", LIMITS),
    OneOf("currency", CURRENCIES, ("EUX", "UDS", "PTS", "XXX")),
    Ordered("starts_on", "ends_on"),
    Formula("days", ("starts_on", "ends_on"), insured_days, "days run from starts_on to ends_on"),
    Sums("total", ("premium", "tax")),
    Bounds("days", 1, 90),
    Bounds("premium", 1, 2_000_000),
    Bounds("total", 1, 2_500_000),
)


class InsuranceQuote(Insured):
    """A quote for a policy."""

    quote_id: str = Field(description="Key by which the policy is taken out")
    valid_until: str = Field(description="Last day of the quote")


TRIPS = (
    {"city": "Berlin", "starts_on": "2026-03-18", "ends_on": "2026-03-21", "cover": "standard"},
    {"city": "Tokyo", "starts_on": "2026-04-06", "ends_on": "2026-04-16", "cover": "premium", "currency": "GBP"},
    {"city": "New York", "starts_on": "2026-05-29", "ends_on": "2026-06-02", "cover": "basic", "currency": "CHF"},
    {"city": "Cape Town", "starts_on": "2026-03-24", "ends_on": "2026-03-24", "cover": "standard", "currency": "USD"},
)


@simulated_tool(
    category="source",
    answer=InsuranceQuote,
    examples=TRIPS,
    refusals=(
        ({**TRIPS[0], "city": "Atlantis"}, 404),
        ({**TRIPS[0], "ends_on": "2026-03-11"}, 400),
        ({**TRIPS[0], "starts_on": "2026-02-11"}, 400),
        ({**TRIPS[0], "cover": "everything"}, 422),
    ),
    echoes=("city", "cover", "starts_on", "ends_on", "currency"),
    invariants=(*PRICED, Requires("quote_id", "status", "quoted"), Ordered("valid_until", "starts_on")),
)
def quote_travel_insurance(
    world: World, city: CityName, starts_on: Start, ends_on: End, cover: Cover, currency: Currency = "EUR"
) -> dict[str, Any]:
    """Quote travel insurance for a trip to a city: premium, tax, medical limit, and a quote id to take it out."""
    risk = _risk(city, cover, starts_on, ends_on, currency)
    until = min(risk.first, date.fromisoformat(TODAY) + timedelta(days=14))
    return {"status": "quoted", **_shown(risk), "quote_id": risk.quote_id, "valid_until": until.isoformat()}


class InsurancePolicy(Insured):
    """A travel insurance policy."""

    policy_id: str = Field(description="Number of the policy")
    insured: str = Field(description="First and last name of the traveller")


POLICY: tuple[Invariant, ...] = (
    Echo("traveller", "insured"),
    *PRICED,
    Requires("policy_id", "status", "in_force"),
    Requires("insured", "status", "in_force"),
    Requires("city", "status", "in_force"),
    Requires("cover", "status", "in_force"),
)


def _insure(world: World, risk: TripRisk, traveller: str) -> dict[str, Any]:
    id = identifier("POL", risk.city, risk.cover, risk.first, risk.last, traveller)
    policies = world.state("travel.policies")
    if id in policies:
        raise Refusal(409, "AlreadyInsured", f"{traveller} is insured for this trip already.", policy_id=id)
    policies[id] = True
    answer = _shown(risk)
    world.effect(
        "insure_trip", id, traveller=traveller, city=risk.city, total=answer["total"], currency=answer["currency"]
    )
    return {"status": "in_force", **answer, "policy_id": id, "insured": traveller}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_papers_history",
    answer=InsurancePolicy,
    examples=(
        {**TRIPS[0], "traveller": "Ines Carvalho"},
        {**TRIPS[1], "traveller": "Anil Deshmukh"},
        {**TRIPS[2], "traveller": "Luca Baumann"},
        {**TRIPS[3], "traveller": "Dana Whitfield"},
    ),
    refusals=(
        ({**TRIPS[0], "traveller": "Ines Carvalho", "city": "Gotham"}, 404),
        ({**TRIPS[0], "traveller": "Ines Carvalho", "currency": "XAU"}, 400),
        ({**TRIPS[0], "traveller": "Ines"}, 422),
    ),
    echoes=("city", "cover", "starts_on", "ends_on", "currency"),
    invariants=POLICY,
)
def buy_travel_insurance(
    world: World,
    traveller: Person,
    city: CityName,
    starts_on: Start,
    ends_on: End,
    cover: Cover,
    currency: Currency = "EUR",
) -> dict[str, Any]:
    """Buy a traveller travel insurance for a trip to a city at once, without a quote; gives the policy number."""
    return _insure(world, _risk(city, cover, starts_on, ends_on, currency), traveller)


class BoundPolicy(InsurancePolicy):
    """A policy taken out from a quote."""

    quote_id: str = Field(description="Key of the quote")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_papers_history",
    answer=BoundPolicy,
    examples=(
        {"quote_id": "BER-STD-20260318-04D-EUR", "traveller": "Ines Carvalho"},
        {"quote_id": "HND-PRM-20260406-11D-GBP", "traveller": "Anil Deshmukh"},
        {"quote_id": "JFK-BAS-20260529-05D-CHF", "traveller": "Luca Baumann"},
    ),
    refusals=(
        ({"quote_id": "BER-XXL-20260318-04D-EUR", "traveller": "Ines Carvalho"}, 404),
        ({"quote_id": "BER-STD-20260218-04D-EUR", "traveller": "Ines Carvalho"}, 400),
        ({"quote_id": "BER-STD-20260318-04D-XAU", "traveller": "Ines Carvalho"}, 400),
        ({"quote_id": "the cheap one", "traveller": "Ines Carvalho"}, 422),
    ),
    echoes=("quote_id",),
    invariants=(
        *POLICY,
        Formula("days", ("argument:quote_id",), lambda key: int(key[17:19]), "days is the number in quote_id"),
    ),
)
def bind_insurance_quote(
    world: World,
    quote_id: Annotated[
        str,
        Field(
            pattern=r"^[A-Z]{3}-[A-Z]{3}-\d{8}-\d\dD-[A-Z]{3}$",
            description="Id of a travel insurance quote, such as BER-STD-20260318-04D-EUR",
        ),
    ],
    traveller: Person,
) -> dict[str, Any]:
    """Take out the travel insurance that was quoted under a quote id for a traveller; gives the policy number."""
    airport, code, start, length, currency = quote_id.split("-")
    if airport not in CITY_OF or code not in CODES:
        raise Refusal(404, "QuoteNotFound", f"No insurance was quoted under {quote_id}.")
    first = future_day(f"{start[:4]}-{start[4:6]}-{start[6:]}", "quote_id")
    last = first + timedelta(days=int(length[:-1]) - 1)
    risk = _risk(CITY_OF[airport], CODES[code], first.isoformat(), last.isoformat(), currency)
    return {**_insure(world, risk, traveller), "quote_id": quote_id}
