"""Printing: printers and tariffs of the offices, what a job takes and costs, and sending a document to a printer."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Known, Ordered, Requires, Sums
from sealegs.world.office.facts import THIS_MINUTE
from sealegs.world.office.office_arguments import CURRENCY_OF, OfficeCity
from sealegs.world.office.print_facts import CITY_OF, printer, printers, sheets_of, tariff
from sealegs.world.office.workbooks import WORKBOOKS, workbook_by_id
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, World, simulated_tool

MOST = 10_000_000_000
Pages = Annotated[int, Field(ge=1, le=2000, description="Pages of one copy")]
Copies = Annotated[int, Field(ge=1, le=500, description="Number of copies")]
Duplex = Annotated[bool, Field(description="Whether both sides of a sheet are printed on")]
Price = Annotated[float, Field(ge=0, le=1000, description="Price of one, in the given currency")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 code of the prices")]
PrinterId = Annotated[str, Field(pattern=r"^PRN-[A-Z]{3}-[0-9]{2}$", description="Id of a printer, such as PRN-LIS-01")]
DocumentId = Annotated[str, Field(pattern=r"^DOC-[0-9]{4}$", description="Document id, such as DOC-3101")]
CITIES = tuple({"city": city} for city in ("Lisbon", "Berlin", "Stockholm", "New York", "Tokyo"))
PAGES_OF = {book.id: 2 + len(book.lines) * 3 for book in WORKBOOKS.values()}
PRICED = (Known("currency", "city", CURRENCY_OF), Bounds("page_price", 0, 1000), Bounds("sheet_price", 0, 1000))


class PriceList(Answer):
    """What printing costs in an office."""

    city: str = Field(description="City of the office")
    status: Literal["in_force"] = Field(description="State of the price list")
    page_price: float = Field(description="Price of a page in black")
    colour_page_price: float = Field(description="Price of a page in colour")
    colour_surcharge: float = Field(description="What colour adds to the price of a page")
    sheet_price: float = Field(description="Price of a sheet of paper")
    currency: str = Field(description="ISO 4217 code of the prices")
    valid_from: str = Field(description="First day of the price list, YYYY-MM-DD")
    valid_until: str = Field(description="Last day of the price list, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=PriceList,
    examples=CITIES,
    refusals=(({"city": "Atlantis"}, 404), ({"city": "Paris"}, 404)),
    echoes=("city",),
    invariants=(
        Requires("page_price", "status", "in_force"),
        Requires("city", "status", "in_force"),
        *PRICED,
        Sums("colour_page_price", ("page_price", "colour_surcharge")),
        Ordered("valid_from", "valid_until"),
    ),
)
def print_tariff(world: World, city: OfficeCity) -> dict[str, Any]:
    """Read what printing costs in an office: prices of a page in black, a page in colour and a sheet of paper."""
    found = tariff(city)
    return {
        "city": found.city,
        "status": "in_force",
        "page_price": found.page_price,
        "colour_page_price": found.colour_page_price,
        "colour_surcharge": round(found.colour_page_price - found.page_price, 2),
        "sheet_price": found.sheet_price,
        "currency": CURRENCY_OF[found.city],
        "valid_from": "2026-01-01",
        "valid_until": "2026-12-31",
    }


class FoundPrinter(Answer):
    """The printer of an office with the shortest wait."""

    city: str = Field(description="City of the office")
    status: Literal["ready"] = Field(description="State of the printer")
    printer_id: str = Field(description="Id of the printer")
    floor: int = Field(description="Floor that it stands on")
    colour: bool = Field(description="Whether it prints in colour")
    pages_per_minute: int = Field(description="Pages that it prints in a minute")
    waiting_pages: int = Field(description="Pages that wait before a new job")
    wait_minutes: float = Field(description="Minutes until a new job begins")


@simulated_tool(
    category="source",
    answer=FoundPrinter,
    examples=(*CITIES, {"city": "London", "colour": True}),
    refusals=(({"city": "Atlantis"}, 404), ({"city": "x"}, 422)),
    echoes=("city", "colour"),
    invariants=(
        Requires("printer_id", "status", "ready"),
        Known("city", "printer_id", CITY_OF),
        Bounds("floor", 0, 200),
        Formula(
            "wait_minutes",
            ("waiting_pages", "pages_per_minute"),
            lambda pages, speed: pages / speed,
            "wait_minutes is waiting_pages / pages_per_minute",
        ),
        Bounds("pages_per_minute", 1, 200),
        Bounds("wait_minutes", 0, 600),
    ),
)
def find_printer(
    world: World,
    city: OfficeCity,
    colour: Annotated[bool, Field(description="Whether it must print in colour")] = False,
) -> dict[str, Any]:
    """Find the printer of an office that would begin a new job first, for black or for colour prints."""
    found = printers(city, colour)[0]
    return {
        "city": found.city,
        "status": "ready",
        "printer_id": found.id,
        "floor": found.floor,
        "colour": found.colour,
        "pages_per_minute": found.pages_per_minute,
        "waiting_pages": found.waiting_pages,
        "wait_minutes": round(found.waiting_pages / found.pages_per_minute, 2),
    }


class JobCost(Answer):
    """The paper that a print job takes, and its cost."""

    pages: int = Field(description="Pages of one copy")
    copies: int = Field(description="Number of copies")
    printed_pages: int = Field(description="Pages of all copies")
    sheets: int = Field(description="Sheets of paper")
    print_cost: float = Field(description="Cost of the print")
    paper_cost: float = Field(description="Cost of the paper")
    total_cost: float = Field(description="Cost of the job")
    currency: str = Field(description="ISO 4217 code of the costs")


class ReckonedJob(JobCost):
    """A job reckoned from prices."""

    page_price: float = Field(description="Price of a page")
    sheet_price: float = Field(description="Price of a sheet")
    status: Literal["priced"] = Field(description="Whether there is a result")


class EstimatedJob(JobCost):
    """A job estimated by a printer."""

    printer_id: str = Field(description="Id of the printer")
    city: str = Field(description="City of the printer's office")
    status: Literal["ready"] = Field(description="State of the printer")
    minutes: int = Field(description="Minutes that printing takes, rounded up")


COST = (
    Formula("printed_pages", ("pages", "copies"), lambda pages, copies: pages * copies, "pages x copies are printed"),
    Formula(
        "sheets",
        ("pages", "copies", "argument:duplex"),
        sheets_of,
        "sheets are those of all copies, half of them where both sides are printed on",
    ),
    Sums("total_cost", ("print_cost", "paper_cost")),
    *(Bounds(field, 0, MOST) for field in ("sheets", "print_cost", "paper_cost", "total_cost")),
)
JOBS = (
    {"pages": 24, "copies": 10, "page_price": 0.03, "sheet_price": 0.02, "currency": "EUR"},
    {"pages": 7, "copies": 3, "page_price": 6, "sheet_price": 2, "currency": "JPY"},
    {"pages": 120, "copies": 1, "page_price": 0.14, "sheet_price": 0.03, "currency": "USD", "duplex": False},
    {"pages": 15, "copies": 40, "page_price": 0.35, "sheet_price": 0.15, "currency": "SEK"},
)


def _cost(pages: int, copies: int, page_price: float, sheet_price: float, duplex: bool) -> dict[str, Any]:
    sheets = sheets_of(pages, copies, duplex)
    printed, paper = round(pages * copies * page_price, 2), round(sheets * sheet_price, 2)
    return {
        "pages": pages,
        "copies": copies,
        "printed_pages": pages * copies,
        "sheets": sheets,
        "print_cost": printed,
        "paper_cost": paper,
        "total_cost": round(printed + paper, 2),
    }


@simulated_tool(
    category="processor",
    answer=ReckonedJob,
    examples=JOBS,
    refusals=(({**JOBS[0], "pages": 0}, 422), ({**JOBS[0], "currency": "euro"}, 422)),
    echoes=("pages", "copies"),
    invariants=(
        *COST,
        Echo("page_price", "page_price"),
        Echo("sheet_price", "sheet_price"),
        Echo("currency", "currency"),
        Requires("currency", "status", "priced"),
        Formula("print_cost", ("printed_pages", "page_price"), lambda n, each: n * each, "each page has its price"),
        Formula("paper_cost", ("sheets", "sheet_price"), lambda n, each: n * each, "each sheet has its price"),
    ),
)
def print_job_cost(
    world: World,
    pages: Pages,
    copies: Copies,
    page_price: Price,
    sheet_price: Price,
    currency: Currency,
    duplex: Duplex = True,
) -> dict[str, Any]:
    """Work out the sheets of paper that a print job takes and what it costs at given prices of a page and a sheet."""
    prices = {"currency": currency, "page_price": page_price, "sheet_price": sheet_price, "status": "priced"}
    return {**_cost(pages, copies, page_price, sheet_price, duplex), **prices}


@simulated_tool(
    category="source",
    answer=EstimatedJob,
    examples=(
        {"printer_id": "PRN-LIS-01", "pages": 24, "copies": 10},
        {"printer_id": "PRN-TYO-01", "pages": 7, "copies": 3},
        {"printer_id": "PRN-NYC-02", "pages": 120, "copies": 1, "duplex": False},
        {"printer_id": "PRN-STO-01", "pages": 15, "copies": 40},
    ),
    refusals=(
        ({"printer_id": "PRN-XXX-01", "pages": 24, "copies": 10}, 404),
        ({"printer_id": "PRN-LIS-01", "pages": 24, "copies": 0}, 422),
    ),
    echoes=("printer_id",),
    invariants=(
        Known("city", "printer_id", CITY_OF),
        Known("currency", "city", CURRENCY_OF),
        Requires("city", "status", "ready"),
        Requires("printer_id", "status", "ready"),
        Echo("pages", "pages"),
        Echo("copies", "copies"),
        *COST,
        Bounds("minutes", 1, 1_000_000),
    ),
)
def estimate_print_job(
    world: World, printer_id: PrinterId, pages: Pages, copies: Copies, duplex: Duplex = True
) -> dict[str, Any]:
    """Have one printer, named by its id, estimate a job: sheets, cost at its office's prices and minutes it takes."""
    found = printer(printer_id)
    prices = tariff(found.city)
    page_price = prices.colour_page_price if found.colour else prices.page_price
    return {
        **_cost(pages, copies, page_price, prices.sheet_price, duplex),
        "currency": CURRENCY_OF[found.city],
        "printer_id": found.id,
        "city": found.city,
        "status": "ready",
        "minutes": ceil(pages * copies / found.pages_per_minute),
    }


class PrintJob(Answer):
    """A job in a printer's queue."""

    job_id: str = Field(description="Id of the job")
    status: Literal["queued"] = Field(description="State of the job")
    printer_id: str = Field(description="Id of the printer")
    city: str = Field(description="City of the printer's office")
    document_id: str = Field(description="Id of the document")
    title: str = Field(description="Title of the document")
    document_pages: int = Field(description="Pages of one copy")
    copies: int = Field(description="Number of copies")
    printed_pages: int = Field(description="Pages of all copies")
    queued_at: str = Field(description="When the job was taken, YYYY-MM-DDTHH:MM")
    ready_at: str = Field(description="When it will be printed, YYYY-MM-DDTHH:MM")


QUEUED = (
    *(Requires(field, "status", "queued") for field in ("job_id", "printer_id", "document_id", "ready_at")),
    Known("city", "printer_id", CITY_OF),
    Known("title", "document_id", {book.id: book.title for book in WORKBOOKS.values()}),
    Bounds("document_pages", 1, 2000),
    Formula("printed_pages", ("document_pages", "copies"), lambda n, copies: n * copies, "all copies are printed"),
    Bounds("printed_pages", 1, 100_000),
    Ordered("queued_at", "ready_at"),
)


@simulated_tool(
    category="action",
    repeat="again",
    key="idempotency_key",
    shown_by="print_history",
    answer=PrintJob,
    examples=(
        {"printer_id": "PRN-LIS-01", "document_id": "DOC-3101", "copies": 4},
        {"printer_id": "PRN-BER-02", "document_id": "DOC-3124", "copies": 12},
        {"printer_id": "PRN-TOR-01", "document_id": "DOC-3105", "copies": 1},
        {"printer_id": "PRN-TYO-02", "document_id": "DOC-3107", "copies": 6},
    ),
    refusals=(
        ({"printer_id": "PRN-XXX-01", "document_id": "DOC-3101", "copies": 4}, 404),
        ({"printer_id": "PRN-LIS-01", "document_id": "DOC-9999", "copies": 4}, 404),
        ({"printer_id": "PRN-LIS-01", "document_id": "DOC-3101", "copies": 0}, 422),
    ),
    echoes=("printer_id", "document_id", "copies"),
    invariants=QUEUED,
)
def submit_print_job(world: World, printer_id: PrinterId, document_id: DocumentId, copies: Copies) -> dict[str, Any]:
    """Send a document, by its id, to a printer, by its id, and learn when the copies will be ready."""
    return _queued(world, printer_id, document_id, copies)


@simulated_tool(
    category="action",
    repeat="again",
    key="idempotency_key",
    shown_by="print_history",
    answer=PrintJob,
    examples=(
        {"city": "Lisbon", "document_id": "DOC-3101", "copies": 4},
        {"city": "Berlin", "document_id": "DOC-3124", "copies": 12},
        {"city": "London", "document_id": "DOC-3105", "copies": 2, "colour": True},
        {"city": "Tokyo", "document_id": "DOC-3107", "copies": 6},
    ),
    refusals=(
        ({"city": "Atlantis", "document_id": "DOC-3101", "copies": 4}, 404),
        ({"city": "Lisbon", "document_id": "DOC-9999", "copies": 4}, 404),
        ({"city": "Lisbon", "document_id": "DOC-3101", "copies": 0}, 422),
    ),
    echoes=("city", "document_id", "copies"),
    invariants=QUEUED,
)
def print_at_office(
    world: World,
    city: OfficeCity,
    document_id: DocumentId,
    copies: Copies,
    colour: Annotated[bool, Field(description="Whether it must be printed in colour")] = False,
) -> dict[str, Any]:
    """Have copies of a document, by its id, printed at an office, on whichever printer there begins a new job first."""
    return _queued(world, printers(city, colour)[0].id, document_id, copies)


def _queued(world: World, printer_id: str, document_id: str, copies: int) -> dict[str, Any]:
    found, text = printer(printer_id), workbook_by_id(document_id)
    queues = world.state("office.print_queues")
    pages, ahead = PAGES_OF[text.id] * copies, queues.get(found.id, found.waiting_pages)
    queues[found.id] = ahead + pages
    world.effect("print", text.id, printer=found.id, copies=copies)
    ready = datetime.fromisoformat(NOW) + timedelta(minutes=ceil((ahead + pages) / found.pages_per_minute))
    return {
        "job_id": identifier("JOB", found.id, text.id, copies, ahead),
        "status": "queued",
        "printer_id": found.id,
        "city": found.city,
        "document_id": text.id,
        "title": text.title,
        "document_pages": PAGES_OF[text.id],
        "copies": copies,
        "printed_pages": pages,
        "queued_at": THIS_MINUTE,
        "ready_at": ready.isoformat(timespec="minutes"),
    }
