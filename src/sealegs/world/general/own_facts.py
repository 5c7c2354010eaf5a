"""The user's own data besides notes: contacts, alarms that are set, and lists shared with others."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.world.state import identifier


@dataclass(frozen=True, slots=True)
class Contact:
    """A person in the user's contacts."""

    name: str
    email: str
    city: str

    @property
    def contact_id(self) -> str:
        """The contact's id, a function of name and address."""
        return identifier("CON", self.name, self.email)


@dataclass(frozen=True, slots=True)
class SharedList:
    """A list that the user shares with others: item -> quantity."""

    name: str
    members: int
    entries: tuple[tuple[str, int], ...]

    @property
    def list_id(self) -> str:
        """The list's id, a function of its name."""
        return identifier("LST", self.name)


CONTACTS = {
    contact.contact_id: contact
    for contact in (
        Contact("Amara Okafor", "amara.okafor@brightmail.example", "London"),
        Contact("Bruno Salgado", "bruno.salgado@brightmail.example", "Lisbon"),
        Contact("Celia Wendt", "celia.wendt@postfach.example", "Berlin"),
        Contact("Dario Leone", "dario.leone@postino.example", "Rome"),
        Contact("Esra Yilmaz", "esra.yilmaz@brightmail.example", "Vienna"),
        Contact("Finn Aaltonen", "finn.aaltonen@posten.example", "Stockholm"),
        Contact("Gloria Mendez", "gloria.mendez@correo.example", "Mexico City"),
        Contact("Haruto Inoue", "haruto.inoue@yubin.example", "Tokyo"),
        Contact("Isla Drummond", "isla.drummond@brightmail.example", "Sydney"),
        Contact("Jeroen Maas", "jeroen.maas@brightmail.example", "Zurich"),
        Contact("Kavita Rao", "kavita.rao@dakghar.example", "Mumbai"),
        Contact("Lowell Banks", "lowell.banks@brightmail.example", "Chicago"),
    )
}

ALARMS = {
    "Take the bread out": "2026-03-02T09:40",
    "Stand-up meeting": "2026-03-02T10:15",
    "Leave for the gym": "2026-03-02T18:30",
    "Wake up": "2026-03-03T06:45",
    "Airport taxi": "2026-03-07T05:10",
}

LISTS = {
    shared.name: shared
    for shared in (
        SharedList("groceries", 3, (("Oat milk", 2), ("Tomatoes", 6), ("Rye bread", 1), ("Olive oil", 1))),
        SharedList("office supplies", 8, (("Whiteboard markers", 12), ("Envelopes", 100), ("Batteries AA", 16))),
        SharedList("trip packing", 2, (("Travel adapter", 1), ("Rain jackets", 2), ("First-aid kit", 1))),
        SharedList("household repairs", 2, (("Kitchen tap washer", 2), ("Door hinge", 1))),
        SharedList("gift ideas", 4, (("Board game", 1), ("Tea sampler", 2), ("Concert tickets", 2))),
        SharedList("reading list", 5, (("The Copper Meridian", 1), ("Notes on Harbours", 1))),
    )
}
