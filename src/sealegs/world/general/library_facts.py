"""Public libraries, one in each city: the books, the copies that each library has, and when each copy is in.

Copies and loans are functions of library and book alone; which copies were requested since stands in the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from sealegs.faults.seeds import uniform
from sealegs.world.general.civic_facts import CODES
from sealegs.world.general.facts import City, city
from sealegs.world.general.holidays import next_working_day
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Refusal

LIBRARIES = {name: f"{name} City Library" for name in CODES}
KEPT_DAYS = 7


@dataclass(frozen=True, slots=True)
class Book:
    """A title of the union catalogue."""

    title: str
    author: str
    year: int
    pages: int
    shelfmark: str
    loan_days: int = 28

    @property
    def record_id(self) -> str:
        """The title's number in the catalogue of all libraries."""
        return identifier("BIB", self.title, self.author)


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of a title; it is in from `available_on`, which is today where it stands on the shelf."""

    barcode: str
    book: Book
    place: City
    available_on: str

    @property
    def ready_on(self) -> str:
        """The working day on which the copy waits for a reader who asks for it now."""
        return next_working_day(self.place.country_code, date.fromisoformat(self.available_on)).isoformat()

    @property
    def collect_by(self) -> str:
        """The last day on which it waits."""
        return (date.fromisoformat(self.ready_on) + timedelta(days=KEPT_DAYS)).isoformat()


BOOKS = {
    book.record_id: book
    for book in (
        Book("The Copper Meridian", "Ottilie Brandt", 2014, 412, "F BRA"),
        Book("Notes on Harbours", "Piers Halloway", 2009, 188, "387.1 HAL"),
        Book("A Field Guide to Night Trains", "Renske Vos", 2021, 264, "385.2 VOS", 21),
        Book("Bread for Beginners", "Marguerite Aubin", 2017, 220, "641.8 AUB", 21),
        Book("The Quiet Ledger", "Samuel Achterberg", 2011, 356, "F ACH"),
        Book("Winter in the Archive", "Liesbet Moen", 2019, 298, "F MOE"),
        Book("Everyday Statistics", "Parvati Menon", 2016, 344, "519.5 MEN"),
        Book("Gardens on Rooftops", "Emeka Udo", 2020, 176, "635.9 UDO", 21),
        Book("A Short History of Salt", "Conrad Fairley", 2005, 302, "553.6 FAI"),
        Book("Learning Portuguese in Ninety Days", "Teresa Quental", 2018, 280, "469 QUE"),
        Book("The Lighthouse Accountant", "Ingrid Halvorsen", 2022, 334, "F HAL", 14),
        Book("Repairing Small Appliances", "Hugo Lindner", 2013, 240, "643.6 LIN", 21),
        Book("Clouds and How to Read Them", "Akemi Sato", 2015, 208, "551.5 SAT", 21),
        Book("Negotiating without Noise", "Desmond Clarke", 2012, 256, "658.4 CLA"),
        Book("The Cartographer's Daughter", "Valeria Conti", 2023, 390, "F CON", 14),
        Book("Walking the Old Borders", "Jakub Nowak", 2010, 318, "914 NOW"),
    )
}


def _copies(place: City, book: Book) -> tuple[Copy, ...]:
    """The copies of a title in a city's library, the first to be in first."""
    found = []
    for number in range(1 + int(3 * uniform("copies", place.name, book.title))):
        drawn = uniform("loan", place.name, book.title, number)
        days = 0 if drawn < 0.6 else 2 + int(26 * (drawn - 0.6) / 0.4)
        digits = int(10_000_000 * uniform("barcode", place.name, book.title, number))
        back = (date.fromisoformat(TODAY) + timedelta(days=days)).isoformat()
        found.append(Copy(f"{CODES[place.name]}{digits:07d}", book, place, back))
    return tuple(sorted(found, key=lambda copy: (copy.available_on, copy.barcode)))


HOLDINGS = {
    (name, record): _copies(city(name), book)
    for name in CODES
    for record, book in BOOKS.items()
    if uniform("holding", name, book.title) < 0.75
}
COPIES = {copy.barcode: copy for copies in HOLDINGS.values() for copy in copies}


def book_by_record(record_id: str) -> Book:
    """The title with this number.

    Raises:
        Refusal: 404 where there is none.
    """
    if record_id not in BOOKS:
        raise Refusal(404, "RecordNotFound", f"The catalogue has no record {record_id}.", record_id=record_id)
    return BOOKS[record_id]


def book_titled(query: str) -> Book:
    """The first title that has the query in its name, or its author's.

    Raises:
        Refusal: 404 where there is none.
    """
    wanted = query.strip().casefold()
    named = [book for book in BOOKS.values() if wanted in book.title.casefold()]
    written = [book for book in BOOKS.values() if wanted in book.author.casefold()]
    if not named + written:
        raise Refusal(404, "NothingFound", f"The catalogue has nothing under {query!r}.", query=query)
    return (named + written)[0]


def holdings(place: City, wanted: Book) -> tuple[Copy, ...]:
    """The copies of a title in a city's library, the first to be in first.

    Raises:
        Refusal: 404 where the library has none.
    """
    found = HOLDINGS.get((place.name, wanted.record_id))
    if not found:
        raise Refusal(404, "NotHeld", f"{LIBRARIES[place.name]} has no copy of {wanted.title!r}.", title=wanted.title)
    return found
