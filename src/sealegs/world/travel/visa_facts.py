"""Rules of entry to countries, and the files that are open when the episode begins.

Rules are for short visits and simplified; fees are in the currency of the country that is visited. Files and
applications of an episode are in the world's state, not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from sealegs.world.general.facts import COUNTRIES, COUNTRY_CODES
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import CURRENCY_OF, PLACES, PRICE_LEVEL, future_day, rounded_money, served_city

NAMES = {code: name for name, code in COUNTRY_CODES.items()}
CURRENCY_OF_COUNTRY = {COUNTRY_CODES[COUNTRIES[name]]: currency for name, currency in CURRENCY_OF.items()}

FREE, ONLINE, VISA = "none", "electronic authorisation", "visitor visa"
PERMITS = (ONLINE, VISA)
# Permit: euro, days until the decision.
_TERMS = {FREE: (0.0, 0), ONLINE: (21.0, 3), VISA: (84.0, 15)}

_EUROPE = frozenset({"PT", "DE", "FR", "ES", "IT", "AT", "SE", "CH"})
_SHORT_LIST = _EUROPE | {"GB", "US", "CA", "JP", "KR", "AU", "SG"}
# Countries that want an authorisation even of those on the short list, and countries that want a visa of everybody.
_ONLINE_FOR_ALL = frozenset({"US", "CA", "GB", "AU", "KR"})
_VISA_FOR_ALL = frozenset({"CN", "IN"})


@dataclass(frozen=True, slots=True)
class EntryRules:
    """The rules for a national of one country who visits another."""

    nationality: str
    country: str
    permit: str

    @property
    def currency(self) -> str:
        """ISO 4217 code of the fee."""
        return CURRENCY_OF_COUNTRY[self.country]

    @property
    def fee(self) -> float:
        """The price of the permit."""
        level = 1.0 + 0.25 * (sum(map(ord, self.country)) % 4)
        return rounded_money(round(_TERMS[self.permit][0] * level * PRICE_LEVEL[self.currency]), self.currency)

    @property
    def processing_days(self) -> int:
        """Days until the decision."""
        return _TERMS[self.permit][1] + (sum(map(ord, self.country)) % 5 if self.permit == VISA else 0)

    @property
    def decision_on(self) -> str:
        """The day on which an application of today is decided."""
        return (date.fromisoformat(TODAY) + timedelta(days=self.processing_days)).isoformat()

    @property
    def max_stay_days(self) -> int:
        """The number of days that a visit may last."""
        return 30 if self.country in _VISA_FOR_ALL else 180 if self.country in {"US", "CA", "GB", "MX"} else 90


def entry(nationality: str, country: str) -> EntryRules:
    """The rules for a national of one country who visits another, both by ISO 3166 code.

    Raises:
        Refusal: 404 where a country is not covered, 400 where both are the same.
    """
    for code in (nationality, country):
        if code not in CURRENCY_OF_COUNTRY:
            raise Refusal(404, "CountryNotCovered", f"No rules for {code}.", covered=sorted(CURRENCY_OF_COUNTRY))
    if nationality == country:
        raise Refusal(400, "OwnCountry", f"A national of {NAMES[country]} enters it freely.")
    return EntryRules(nationality, country, _permit(nationality, country))


def _permit(nationality: str, country: str) -> str:
    if country in _VISA_FOR_ALL:
        return VISA
    if nationality not in _SHORT_LIST:
        return VISA
    if country in _ONLINE_FOR_ALL:
        return FREE if {nationality, country} == {"US", "CA"} else ONLINE
    return FREE


def country_of(city: str) -> str:
    """The country of a city, by ISO 3166 code."""
    return PLACES[served_city(city).name].country_code


@dataclass(frozen=True, slots=True)
class VisaCase:
    """A visa file: who wants to go where."""

    id: str
    nationality: str
    country: str
    traveller: str


def case(nationality: str, country: str, traveller: str) -> VisaCase:
    """The file of a traveller, its id a function of who and where."""
    return VisaCase(identifier("VCF", nationality, country, traveller), nationality, country, traveller)


CASES = {
    found.id: found
    for found in (
        case("PT", "IN", "Ines Carvalho"),
        case("IN", "DE", "Anil Deshmukh"),
        case("DE", "US", "Jonas Keller"),
        case("JP", "CA", "Mei Tanaka"),
        case("US", "CN", "Dana Whitfield"),
        case("ZA", "GB", "Thandi Maseko"),
    )
}


def application_id(found: EntryRules, traveller: str, arrival_date: str) -> str:
    """The number of an application, a function of what is applied for."""
    return identifier("VIS", found.nationality, found.country, found.permit, traveller, arrival_date)


def arrival(found: EntryRules, arrival_date: str) -> date:
    """The day of arrival, if the permit can be had before it.

    Raises:
        Refusal: 400 where the text is not a date that can be booked, 409 where the decision would come too late.
    """
    day = future_day(arrival_date, "arrival_date")
    if day.isoformat() < found.decision_on:
        message = f"A {found.permit} takes {found.processing_days} days; {arrival_date} is too soon."
        raise Refusal(409, "TooLate", message, decision_on=found.decision_on)
    return day
