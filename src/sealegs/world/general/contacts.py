"""The user's own contacts: a person is entered field by field, or as a card that one makes first."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Requires
from sealegs.world.general.facts import CITIES, COUNTRIES
from sealegs.world.general.facts import city as city_named
from sealegs.world.general.own_facts import CONTACTS, Contact
from sealegs.world.general.place_and_time import CityName
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

SAVED_AT = NOW[:16]
FAILED = ("pending_sync", "discarded")

Name = Annotated[
    str,
    Field(pattern=r"^[^\s:;]+( [^\s:;]+)+$", max_length=60, description="First and last name, such as Nadia Ferreira"),
]
Email = Annotated[
    str,
    Field(pattern=r"^[^@\s:;]+@[^@\s:;]+\.[a-z]{2,}$", max_length=80, description="E-mail address of the person"),
]
Card = Annotated[
    str,
    Field(
        min_length=30,
        max_length=2000,
        pattern=r"^BEGIN:VCARD",
        description="A contact card in vCard 4.0 form, lines set apart by line feeds, as compose_contact_card gives it",
    ),
]


def _save(world: World, name: str, email: str, city: str) -> dict[str, Any]:
    """Enter a person into the contacts.

    Raises:
        Refusal: 404 where the city is unknown, 409 where the name or the address is there.
    """
    home = city_named(city)
    contact = Contact(name, email, home.name)
    saved = world.state("general.contacts")
    for other in (*CONTACTS.values(), *(Contact(*row) for row in saved.values())):
        if other.name.casefold() == name.casefold() or other.email.casefold() == email.casefold():
            message = f"{other.name} <{other.email}> is among the contacts."
            raise Refusal(409, "ContactExists", message, contact_id=other.contact_id)
    saved[contact.contact_id] = (name, email, home.name)
    world.effect("save_contact", name, email=email, city=home.name)
    names = [other.name for other in CONTACTS.values()] + [row[0] for row in saved.values()]
    return {
        "contact_id": contact.contact_id,
        "status": "saved",
        "name": name,
        "email": email,
        "city": home.name,
        "country": home.country,
        "utc_offset": home.utc_offset,
        "saved_at": SAVED_AT,
        "contact_count": len(names),
        "contact_names": names,
    }


class SavedContact(Answer):
    """A person who was entered into the contacts."""

    contact_id: str = Field(description="Id of the contact")
    status: str = Field(description="saved")
    name: str = Field(description="The person's name")
    email: str = Field(description="The person's e-mail address")
    city: str = Field(description="City where the person lives")
    country: str = Field(description="Its country")
    utc_offset: float = Field(description="Hours that the city's clocks are ahead of UTC")
    saved_at: str = Field(description="When the contact was saved")
    contact_count: int = Field(description="Contacts that there are now")
    contact_names: list[str] = Field(description="Their names, the latest last")


_SAVED = (
    Requires("contact_id", "status", "saved"),
    Requires("email", "status", "saved"),
    OneOf("status", ("saved",), FAILED),
    Known("country", "city", COUNTRIES),
    Known("utc_offset", "city", {place.name: place.utc_offset for place in CITIES.values()}),
    Bounds("utc_offset", -12, 14),
    Counts("contact_count", "contact_names"),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="organiser_history",
    answer=SavedContact,
    examples=(
        {"name": "Nadia Ferreira", "email": "nadia.ferreira@brightmail.example", "city": "Lisbon"},
        {"name": "Tobias Krug", "email": "t.krug@postfach.example", "city": "Berlin"},
        {"name": "Mei Lin Chua", "email": "meilin.chua@brightmail.example", "city": "Singapore"},
        {"name": "Rafael Ortega", "email": "rafael@correo.example", "city": "Madrid"},
    ),
    refusals=(
        ({"name": "Haruto Inoue", "email": "h.inoue@yubin.example", "city": "Tokyo"}, 409),
        ({"name": "Nadia Ferreira", "email": "nadia.ferreira@brightmail.example", "city": "Atlantis"}, 404),
        ({"name": "Nadia Ferreira", "email": "nadia.ferreira", "city": "Lisbon"}, 422),
    ),
    echoes=("name", "email", "city"),
    invariants=_SAVED,
)
def add_contact(world: World, name: Name, email: Email, city: CityName) -> dict[str, Any]:
    """Add a person to the user's own contacts: name, e-mail address and the city where the person lives."""
    return _save(world, name, email, city)


class ContactCard(Answer):
    """A contact card."""

    card: str = Field(description="The card in vCard 4.0 form, taken by import_contact_card")
    status: str = Field(description="complete")
    name: str = Field(description="The person on it")
    email: str = Field(description="The person's e-mail address")
    city: str = Field(description="City where the person lives")
    country: str = Field(description="Its country")
    file_name: str = Field(description="A file name for it")
    line_count: int = Field(description="Lines of the card")
    characters: int = Field(description="Characters of the card")


@simulated_tool(
    category="processor",
    answer=ContactCard,
    examples=(
        {"name": "Nadia Ferreira", "email": "nadia.ferreira@brightmail.example", "city": "Lisbon"},
        {"name": "Oskar Lindahl", "email": "oskar.lindahl@posten.example", "city": "Stockholm"},
        {"name": "Grace Bennett", "email": "grace@brightmail.example", "city": "Toronto"},
        {"name": "Rafael Ortega", "email": "rafael@correo.example", "city": "Madrid"},
    ),
    refusals=(
        ({"name": "Nadia Ferreira", "email": "nadia.ferreira@brightmail.example", "city": "Atlantis"}, 404),
        ({"name": "Nadia", "email": "nadia.ferreira@brightmail.example", "city": "Lisbon"}, 422),
        ({"name": "Nadia Ferreira", "email": "nadia at brightmail", "city": "Lisbon"}, 422),
    ),
    echoes=("name", "email", "city"),
    invariants=(
        Requires("card", "status", "complete"),
        OneOf("status", ("complete",), ("truncated", "unsigned")),
        Known("country", "city", COUNTRIES),
        Bounds("characters", 30, 2000),
        Bounds("line_count", 3, 50),
        Formula("characters", ("card",), len, "characters is the length of the card"),
        Formula("line_count", ("card",), lambda card: len(card.splitlines()), "line_count counts the card's lines"),
    ),
)
def compose_contact_card(world: World, name: Name, email: Email, city: CityName) -> dict[str, Any]:
    """Compose a person's contact card (vCard 4.0) from name, e-mail address and city. Nothing is saved."""
    home = city_named(city)
    lines = ("BEGIN:VCARD", "VERSION:4.0", f"FN:{name}", f"EMAIL:{email}", f"ADR:;;;{home.name};;;{home.country}")
    card = "\n".join((*lines, "END:VCARD"))
    return {
        "card": card,
        "status": "complete",
        "city": home.name,
        "country": home.country,
        "file_name": f"{name.casefold().replace(' ', '-')}.vcf",
        "line_count": len(lines) + 1,
        "characters": len(card),
    }


class ImportedContact(SavedContact):
    """A person whose card was imported into the contacts."""

    card: str = Field(description="The card that was read")


def _written(card: str, mark: str) -> str:
    """The text of a card's line with this mark.

    Raises:
        LookupError: there is no such line.
    """
    found = [line.removeprefix(f"{mark}:") for line in card.splitlines() if line.startswith(f"{mark}:")]
    return found[0].strip()


def _card(name: str, email: str, city: str) -> str:
    ends = ("BEGIN:VCARD\nVERSION:4.0", "END:VCARD")
    return f"{ends[0]}\nFN:{name}\nEMAIL:{email}\nADR:;;;{city};;;{COUNTRIES[city]}\n{ends[1]}"


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="organiser_history",
    answer=ImportedContact,
    examples=(
        {"card": _card("Nadia Ferreira", "nadia.ferreira@brightmail.example", "Lisbon")},
        {"card": _card("Oskar Lindahl", "oskar.lindahl@posten.example", "Stockholm")},
        {"card": _card("Grace Bennett", "grace@brightmail.example", "Toronto")},
        {"card": _card("Rafael Ortega", "rafael@correo.example", "Madrid")},
    ),
    refusals=(
        ({"card": _card("Kavita Rao", "kavita@dakghar.example", "Mumbai")}, 409),
        ({"card": "BEGIN:VCARD\nVERSION:4.0\nFN:Nadia Ferreira\nEND:VCARD"}, 400),
        ({"card": "Nadia Ferreira, nadia.ferreira@brightmail.example"}, 422),
    ),
    echoes=("card",),
    invariants=(
        Formula("name", ("argument:card",), lambda card: _written(card, "FN"), "name is the one on the card"),
        Formula("email", ("argument:card",), lambda card: _written(card, "EMAIL"), "email is the one on the card"),
        *_SAVED,
    ),
)
def import_contact_card(world: World, card: Card) -> dict[str, Any]:
    """Import a contact card (vCard 4.0 text) into the user's own contacts."""
    try:
        name, email, city = _written(card, "FN"), _written(card, "EMAIL"), _written(card, "ADR").split(";")[3]
    except LookupError as error:
        raise Refusal(400, "BadCard", "The card lacks its FN, EMAIL or ADR line.") from error
    if len(name) < 3 or "@" not in email:
        raise Refusal(400, "BadCard", "The card names no person or no e-mail address.")
    return {**_save(world, name, email, city), "card": card}
