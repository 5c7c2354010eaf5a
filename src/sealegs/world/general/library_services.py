"""Public libraries: the catalogue, and a copy put aside for a reader, by its title's record or by its own barcode."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.general.facts import city as city_named
from sealegs.world.general.library_facts import BOOKS, COPIES, HOLDINGS, LIBRARIES, Copy, book_titled, holdings
from sealegs.world.general.library_facts import book_by_record as book_of
from sealegs.world.general.place_and_time import CityName, days_between
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Reader = Annotated[
    str, Field(pattern=r"^\S+( \S+)+$", max_length=60, description="Reader's first and last name, Nadia Ferreira")
]
RecordId = Annotated[
    str,
    Field(
        pattern=r"^BIB-[0-9A-F]{8}$",
        description="A title's number in the catalogue, as library_catalogue gives it, such as BIB-0A1B2C3D",
    ),
]
Barcode = Annotated[
    str, Field(pattern=r"^[A-Z]{3}\d{7}$", description="Barcode of one copy in one library, such as LIS0123456")
]

TITLES = {key: book.title for key, book in BOOKS.items()}
AUTHORS = {book.title: book.author for book in BOOKS.values()}
LOANS = {book.title: book.loan_days for book in BOOKS.values()}
RECORDS = {book.title: key for key, book in BOOKS.items()}
CITIES = {library: name for name, library in LIBRARIES.items()}


def _barcode_of(city: str, title: str) -> str:
    return HOLDINGS[city, RECORDS[title]][0].barcode


def _free(world: World, city: str, record_id: str) -> list[Copy]:
    requested = world.state("general.library_requests")
    return [copy for copy in holdings(city_named(city), book_of(record_id)) if copy.barcode not in requested]


class HeldCopy(Answer):
    """A copy of a title."""

    barcode: str = Field(description="Barcode of the copy")
    available_on: str = Field(description="When it is in; today where it stands on the shelf")


class CatalogueRecord(Answer):
    """What the catalogue tells of a title and of its copies in a city."""

    query: str = Field(description="What was searched for")
    status: str = Field(description="held where the library has a copy")
    record_id: str = Field(description="The title's number, taken by place_title_hold")
    title: str = Field(description="Title of the book")
    author: str = Field(description="Who wrote it")
    year: int = Field(description="Year of publication")
    pages: int = Field(description="Number of pages")
    shelfmark: str = Field(description="Where it stands")
    loan_days: int = Field(description="For how many days it is lent")
    city: str = Field(description="City of the library")
    library: str = Field(description="Name of the library")
    copy_count: int = Field(description="Copies that can be requested")
    barcode: str = Field(description="The copy that is in first, taken by request_library_copy")
    as_of: str = Field(description="Day of this answer")
    available_on: str = Field(description="When that copy is in; today where it stands on the shelf")
    copies: list[HeldCopy] = Field(description="The copies, the first to be in first")


Query = Annotated[
    str, Field(min_length=3, max_length=80, pattern=r"\S{2}", description="Title of the book, a part of it, or author")
]


@simulated_tool(
    category="source",
    answer=CatalogueRecord,
    examples=(
        {"query": "The Copper Meridian", "city": "Lisbon"},
        {"query": "Night Trains", "city": "Berlin"},
        {"query": "Akemi Sato", "city": "Tokyo"},
        {"query": "The Cartographer's Daughter", "city": "London"},
        {"query": "Everyday Statistics", "city": "Toronto"},
    ),
    refusals=(
        ({"query": "How to Sink Slowly", "city": "Lisbon"}, 404),
        ({"query": "The Copper Meridian", "city": "Atlantis"}, 404),
        ({"query": "x", "city": "Lisbon"}, 422),
    ),
    echoes=("query", "city"),
    invariants=(
        Requires("barcode", "status", "held"),
        OneOf("status", ("held",), ("withdrawn", "missing")),
        Known("title", "record_id", TITLES),
        Known("record_id", "title", RECORDS),
        Known("author", "title", AUTHORS),
        Known("pages", "title", {book.title: book.pages for book in BOOKS.values()}),
        Known("shelfmark", "title", {book.title: book.shelfmark for book in BOOKS.values()}),
        Known("loan_days", "title", LOANS),
        Known("library", "city", LIBRARIES),
        Bounds("year", 1450, 2026),
        Bounds("pages", 1, 5000),
        Counts("copy_count", "copies"),
        Ordered("as_of", "available_on"),
        Formula("barcode", ("copies.0.barcode",), str, "barcode is the first copy's"),
    ),
)
def library_catalogue(world: World, query: Query, city: CityName) -> dict[str, Any]:
    """Search a city library's catalogue by title or author: record, pages, shelfmark, and the copy that is in first."""
    found, place = book_titled(query), city_named(city)
    free = _free(world, city, found.record_id)
    if not free:
        raise Refusal(404, "AllRequested", f"Every copy of {found.title!r} in {place.name} has been requested.")
    return {
        "status": "held",
        "record_id": found.record_id,
        "title": found.title,
        "author": found.author,
        "year": found.year,
        "pages": found.pages,
        "shelfmark": found.shelfmark,
        "loan_days": found.loan_days,
        "city": place.name,
        "library": LIBRARIES[place.name],
        "copy_count": len(free),
        "barcode": free[0].barcode,
        "as_of": TODAY,
        "available_on": free[0].available_on,
        "copies": [{"barcode": copy.barcode, "available_on": copy.available_on} for copy in free],
    }


class BookHold(Answer):
    """A copy that is put aside for a reader."""

    hold_id: str = Field(description="Id of the hold")
    status: str = Field(description="placed")
    title: str = Field(description="Title of the book")
    author: str = Field(description="Who wrote it")
    city: str = Field(description="City of the library")
    library: str = Field(description="Where the copy is collected")
    reader: str = Field(description="Who collects it")
    barcode: str = Field(description="The copy")
    requested_on: str = Field(description="Day of the request")
    ready_on: str = Field(description="From when it waits, YYYY-MM-DD")
    collect_by: str = Field(description="Until when it waits, YYYY-MM-DD")
    days_kept: int = Field(description="Days for which it waits")
    loan_days: int = Field(description="For how many days it is lent")


_HOLD = (
    Echo("reader", "reader"),
    Requires("hold_id", "status", "placed"),
    Requires("reader", "status", "placed"),
    OneOf("status", ("placed",), ("cancelled", "expired")),
    Known("author", "title", AUTHORS),
    Known("loan_days", "title", LOANS),
    Known("library", "city", LIBRARIES),
    Known("city", "library", CITIES),
    Known("title", "barcode", {barcode: copy.book.title for barcode, copy in COPIES.items()}),
    Ordered("requested_on", "ready_on"),
    Ordered("ready_on", "collect_by"),
    Bounds("days_kept", 1, 60),
    Formula("days_kept", ("ready_on", "collect_by"), days_between, "days_kept run from ready_on to collect_by"),
)


def _put_aside(world: World, copy: Copy, reader: str) -> dict[str, Any]:
    """Put a copy aside for a reader.

    Raises:
        Refusal: 409 where it was requested already, or the reader has another copy of the title waiting.
    """
    requests = world.state("general.library_requests")
    if copy.barcode in requests:
        raise Refusal(409, "CopyRequested", f"Copy {copy.barcode} has been requested.", barcode=copy.barcode)
    if any(who == reader and COPIES[other].book == copy.book for other, who in requests.items()):
        raise Refusal(409, "HoldExists", f"{reader} has a copy of {copy.book.title!r} put aside.")
    requests[copy.barcode] = reader
    world.effect("put_book_aside", copy.barcode, reader=reader)
    return {
        "hold_id": identifier("LIB", copy.barcode, reader),
        "status": "placed",
        "title": copy.book.title,
        "author": copy.book.author,
        "city": copy.place.name,
        "library": LIBRARIES[copy.place.name],
        "reader": reader,
        "barcode": copy.barcode,
        "requested_on": TODAY,
        "ready_on": copy.ready_on,
        "collect_by": copy.collect_by,
        "days_kept": days_between(copy.ready_on, copy.collect_by),
        "loan_days": copy.book.loan_days,
    }


class TitleHold(BookHold):
    """A hold on whichever copy of a title is in first."""

    record_id: str = Field(description="The title's number in the catalogue")
    copies_considered: int = Field(description="Copies that could have been taken")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="public_service_history",
    answer=TitleHold,
    examples=(
        {"record_id": RECORDS["The Copper Meridian"], "city": "Lisbon", "reader": "Nadia Ferreira"},
        {"record_id": RECORDS["A Field Guide to Night Trains"], "city": "Berlin", "reader": "Celia Wendt"},
        {"record_id": RECORDS["Clouds and How to Read Them"], "city": "Tokyo", "reader": "Haruto Inoue"},
        {"record_id": RECORDS["Everyday Statistics"], "city": "Toronto", "reader": "Grace Bennett"},
    ),
    refusals=(
        ({"record_id": "BIB-00000000", "city": "Lisbon", "reader": "Nadia Ferreira"}, 404),
        ({"record_id": RECORDS["The Copper Meridian"], "city": "Atlantis", "reader": "Nadia Ferreira"}, 404),
        ({"record_id": "The Copper Meridian", "city": "Lisbon", "reader": "Nadia Ferreira"}, 422),
    ),
    echoes=("record_id", "city"),
    invariants=(
        Known("title", "record_id", TITLES),
        Bounds("copies_considered", 1, 100),
        *_HOLD,
    ),
)
def place_title_hold(world: World, record_id: RecordId, city: CityName, reader: Reader) -> dict[str, Any]:
    """Reserve a book at a city's library for a reader, by the title's record: whichever copy is in first is kept."""
    free = _free(world, city, record_id)
    if not free:
        raise Refusal(409, "AllRequested", f"Every copy of {TITLES[record_id]!r} has been requested.")
    return {**_put_aside(world, free[0], reader), "record_id": record_id, "copies_considered": len(free)}


class CopyRequest(BookHold):
    """A request for one copy."""

    shelfmark: str = Field(description="Where the copy stands")
    available_on: str = Field(description="When the copy is in; today where it stands on the shelf")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="public_service_history",
    answer=CopyRequest,
    examples=(
        {"barcode": _barcode_of("Lisbon", "The Copper Meridian"), "reader": "Nadia Ferreira"},
        {"barcode": _barcode_of("Vienna", "The Quiet Ledger"), "reader": "Esra Yilmaz"},
        {"barcode": _barcode_of("Sydney", "Walking the Old Borders"), "reader": "Isla Drummond"},
        {"barcode": _barcode_of("Chicago", "Bread for Beginners"), "reader": "Lowell Banks"},
    ),
    refusals=(
        ({"barcode": "LIS9999999", "reader": "Nadia Ferreira"}, 404),
        ({"barcode": "0123", "reader": "Nadia Ferreira"}, 422),
        ({"barcode": _barcode_of("Lisbon", "The Copper Meridian"), "reader": "Nadia"}, 422),
    ),
    echoes=("barcode",),
    invariants=(
        Known("shelfmark", "title", {book.title: book.shelfmark for book in BOOKS.values()}),
        Ordered("requested_on", "available_on"),
        Ordered("available_on", "ready_on"),
        *_HOLD,
    ),
)
def request_library_copy(world: World, barcode: Barcode, reader: Reader) -> dict[str, Any]:
    """Request one copy of a library book, by its barcode, and have it put aside for a reader."""
    copy = COPIES.get(barcode)
    if copy is None:
        raise Refusal(404, "CopyNotFound", f"No library has a copy {barcode}.", barcode=barcode)
    held = _put_aside(world, copy, reader)
    return {**held, "shelfmark": copy.book.shelfmark, "available_on": copy.available_on}
