"""Printers of the offices, what printing costs there, and how many pages documents have. Facts, no tools."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from sealegs.world.office.facts import site
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class PrintTariff:
    """The prices of printing in an office: a page of print and a sheet of paper, in the office's currency."""

    city: str
    page_price: float
    colour_page_price: float
    sheet_price: float


@dataclass(frozen=True, slots=True)
class Printer:
    """A printer: pages a minute, pages waiting before this morning's first job."""

    id: str
    city: str
    floor: int
    colour: bool
    pages_per_minute: int
    waiting_pages: int


_TARIFFS = (
    PrintTariff("Lisbon", 0.03, 0.09, 0.02),
    PrintTariff("Berlin", 0.04, 0.11, 0.02),
    PrintTariff("London", 0.03, 0.1, 0.02),
    PrintTariff("Stockholm", 0.35, 0.95, 0.15),
    PrintTariff("New York", 0.05, 0.14, 0.03),
    PrintTariff("Toronto", 0.06, 0.16, 0.03),
    PrintTariff("Singapore", 0.05, 0.15, 0.04),
    PrintTariff("Tokyo", 6, 15, 2),
)
_PRINTERS = (
    Printer("PRN-LIS-01", "Lisbon", 2, False, 30, 20),
    Printer("PRN-LIS-02", "Lisbon", 3, True, 24, 6),
    Printer("PRN-BER-01", "Berlin", 1, False, 35, 70),
    Printer("PRN-BER-02", "Berlin", 4, True, 28, 14),
    Printer("PRN-LON-01", "London", 5, False, 40, 16),
    Printer("PRN-LON-02", "London", 5, True, 22, 44),
    Printer("PRN-STO-01", "Stockholm", 2, False, 30, 0),
    Printer("PRN-STO-02", "Stockholm", 2, True, 20, 10),
    Printer("PRN-NYC-01", "New York", 18, False, 45, 90),
    Printer("PRN-NYC-02", "New York", 19, True, 30, 30),
    Printer("PRN-TOR-01", "Toronto", 7, False, 32, 8),
    Printer("PRN-TOR-02", "Toronto", 7, True, 24, 12),
    Printer("PRN-SIN-01", "Singapore", 12, False, 34, 17),
    Printer("PRN-SIN-02", "Singapore", 12, True, 26, 0),
    Printer("PRN-TYO-01", "Tokyo", 9, False, 38, 19),
    Printer("PRN-TYO-02", "Tokyo", 9, True, 30, 60),
)
PRINTERS = {printer.id: printer for printer in _PRINTERS}
TARIFFS = {tariff.city: tariff for tariff in _TARIFFS}
CITY_OF = {printer.id: printer.city for printer in _PRINTERS}


def tariff(city: str) -> PrintTariff:
    """The prices of printing in an office.

    Raises:
        Refusal: 404 where the company has no office there.
    """
    return TARIFFS[site(city).city]


def printer(id: str) -> Printer:
    """The printer with this id.

    Raises:
        Refusal: 404 where there is none.
    """
    if id not in PRINTERS:
        raise Refusal(404, "PrinterNotFound", f"There is no printer {id!r}.", printer_id=id)
    return PRINTERS[id]


def printers(city: str, colour: bool) -> list[Printer]:
    """The printers of an office that print black only, or in colour, the one with the shortest wait first."""
    found = [p for p in _PRINTERS if p.city == site(city).city and p.colour == colour]
    return sorted(found, key=lambda p: p.waiting_pages / p.pages_per_minute)


def sheets_of(pages: int, copies: int, duplex: bool) -> int:
    """Sheets of paper for so many copies, each begun on a sheet of its own."""
    return copies * (ceil(pages / 2) if duplex else pages)
