"""Whom the company pays: the address book of payees, and what an account number tells."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Known, Requires
from sealegs.world.financial.books import IBAN_COUNTRIES, IBAN_LENGTHS, PAYEES, payee_named, remainder
from sealegs.world.financial.money_arguments import CODED, PartyName
from sealegs.world.tool import Answer, Refusal, World, simulated_tool


class PayeeContact(Answer):
    """A payee of the address book."""

    payee_id: str = Field(description="Id of the payee")
    payee_name: str = Field(description="Full name of the payee")
    iban: str = Field(description="International bank account number")
    country_code: str = Field(description="Country of the bank account, ISO 3166-1 alpha-2")
    country: str = Field(description="Country of the bank account")
    currency: str = Field(description="Currency that the payee invoices in")
    payment_terms_days: int = Field(description="Days that the payee gives to pay")
    status: Literal["verified", "blocked"] = Field(description="Whether payments to this payee are allowed")


@simulated_tool(
    category="source",
    answer=PayeeContact,
    examples=(
        {"name": "Brightwater Catering"},
        {"name": "Harbour Print Works"},
        {"name": "Lindqvist Office Supply"},
        {"name": "Alpenblick Facility Services"},
        {"name": "Trastevere Design Studio"},
    ),
    refusals=(
        ({"name": "Nobody and Sons"}, 404),
        ({"name": ""}, 422),
    ),
    invariants=(
        Echo("name", "payee_name"),
        Requires("payee_id", "status", "verified"),
        Requires("iban", "status", "verified"),
        CODED,
        Bounds("payment_terms_days", 0, 120),
        Known("country", "country_code", IBAN_COUNTRIES),
        Known("country_code", "country", {name: code for code, name in IBAN_COUNTRIES.items()}),
        Formula("country_code", ("iban",), lambda iban: iban[:2], "country_code opens the iban"),
    ),
)
def find_payee(world: World, name: PartyName) -> dict[str, Any]:
    """Look a supplier up by name in the payee address book: payee id, IBAN, country, invoicing currency and terms."""
    found = payee_named(name)
    return {
        "payee_id": found.id,
        "payee_name": found.name,
        "iban": found.iban,
        "country_code": found.country_code,
        "country": IBAN_COUNTRIES[found.country_code],
        "currency": found.currency,
        "payment_terms_days": found.terms,
        "status": "verified",
    }


class CheckedIban(Answer):
    """What an IBAN says."""

    iban: str = Field(description="The IBAN without spaces")
    valid: bool = Field(description="Whether its check digits are right")
    check_remainder: int = Field(description="Remainder modulo 97 after ISO 7064; 1 where the check digits are right")
    country_code: str = Field(description="Country of the account, ISO 3166-1 alpha-2")
    country: str = Field(description="Country of the account")
    length: int = Field(description="Number of characters")
    bban: str = Field(description="Basic bank account number: the IBAN without country and check digits")


Iban = Annotated[
    str,
    Field(pattern=r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$", description="International bank account number without spaces"),
]


@simulated_tool(
    category="processor",
    answer=CheckedIban,
    examples=(
        {"iban": PAYEES["PYE-2101"].iban},
        {"iban": PAYEES["PYE-2102"].iban},
        {"iban": PAYEES["PYE-2104"].iban},
        {"iban": PAYEES["PYE-2106"].iban},
        {"iban": "NL91MSRT0300065264"},
    ),
    refusals=(
        ({"iban": "ZZ68539007547034"}, 404),
        ({"iban": "DE8937040044053201"}, 400),
        ({"iban": "not an iban"}, 422),
    ),
    echoes=("iban",),
    invariants=(
        Known("country", "country_code", IBAN_COUNTRIES),
        Known("country_code", "country", {name: code for code, name in IBAN_COUNTRIES.items()}),
        Known("length", "country_code", IBAN_LENGTHS),
        Formula("country_code", ("iban",), lambda iban: iban[:2], "country_code opens the iban"),
        Formula("length", ("iban",), len, "length is the number of characters of the iban"),
        Formula("check_remainder", ("iban",), remainder, "check_remainder is that of the iban"),
        Bounds("check_remainder", 0, 96),
        Bounds("length", 15, 34),
    ),
)
def validate_iban(world: World, iban: Iban) -> dict[str, Any]:
    """Take an IBAN apart and verify its check digits and length: country, domestic account number, valid or not."""
    country_code = iban[:2]
    length = IBAN_LENGTHS.get(country_code)
    if length is None:
        raise Refusal(404, "CountryNotInRegistry", f"No country of the IBAN registry has the code {country_code!r}.")
    if len(iban) != length:
        message = f"An IBAN of {country_code} has {length} characters, this one {len(iban)}."
        raise Refusal(400, "IbanLength", message, expected_length=length)
    return {
        "valid": remainder(iban) == 1,
        "check_remainder": remainder(iban),
        "country_code": country_code,
        "country": IBAN_COUNTRIES[country_code],
        "length": length,
        "bban": iban[4:],
    }
