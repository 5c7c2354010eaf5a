"""The register of contracts, and the arithmetic of notice. Facts, no tools."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from sealegs.world.office.facts import STAFF
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract that runs on from its end unless notice is given some months before."""

    id: str
    title: str
    counterparty: str
    owner_id: str
    starts_on: str
    ends_on: str
    notice_months: int
    annual_value: float
    currency: str

    @property
    def owner_email(self) -> str:
        """Address of who looks after it."""
        return STAFF[self.owner_id].email


_ROWS = (
    Contract(
        "CTR-7001", "Lisbon office lease", "Ribeira Imoveis", "E-1066",
        "2021-07-01", "2026-06-30", 3, 96_000, "EUR",
    ),
    Contract(
        "CTR-7002", "Berlin cleaning services", "Spreeglanz", "E-1090",
        "2024-10-01", "2026-09-30", 3, 15_800, "EUR",
    ),
    Contract(
        "CTR-7003", "Cloud hosting agreement", "Nordwolke", "E-1012",
        "2023-12-01", "2026-11-30", 6, 186_000, "EUR",
    ),
    Contract(
        "CTR-7004", "Payroll bureau services", "Quillmark", "E-1066",
        "2024-05-01", "2026-04-30", 1, 34_200, "EUR",
    ),
    Contract(
        "CTR-7005", "London lift maintenance", "Tallis Lifts", "E-1043",
        "2022-08-15", "2026-08-14", 2, 7_450, "GBP",
    ),
    Contract(
        "CTR-7006", "New York security guards", "Harrow Gate", "E-1093",
        "2025-01-01", "2026-12-31", 4, 118_500, "USD",
    ),
    Contract(
        "CTR-7007", "Tokyo printer rental", "Midori Leasing", "E-1095",
        "2023-06-01", "2026-05-31", 2, 1_320_000, "JPY",
    ),
    Contract(
        "CTR-7008", "Stockholm recruitment retainer", "Fjallrav", "E-1063",
        "2025-03-16", "2026-07-15", 1, 240_000, "SEK",
    ),
    Contract(
        "CTR-7009", "Toronto parking licence", "Humber Lots", "E-1047",
        "2024-11-01", "2026-10-31", 2, 18_900, "CAD",
    ),
    Contract(
        "CTR-7010", "Singapore fit-out warranty", "Lim and Sons", "E-1052",
        "2025-02-01", "2027-01-31", 3, 26_400, "SGD",
    ),
    Contract(
        "CTR-7011", "Customer database licence", "Ferrowell", "E-1070",
        "2024-06-20", "2026-06-19", 3, 74_000, "USD",
    ),
    Contract(
        "CTR-7012", "Legal research access", "Codexa", "E-1081",
        "2025-09-01", "2026-08-31", 2, 12_600, "GBP",
    ),
    Contract(
        "CTR-7013", "Coffee machine service", "Bohnenwerk", "E-1090",
        "2025-05-12", "2026-05-11", 1, 4_380, "EUR",
    ),
    Contract(
        "CTR-7014", "Travel agency framework", "Wayfinder Desk", "E-1070",
        "2023-04-01", "2027-03-31", 6, 52_000, "USD",
    ),
)  # fmt: skip
TITLES = {contract.id: contract.title for contract in _ROWS}


def contract_titled(title: str) -> Contract:
    """The contract of this title, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = next((contract for contract in _ROWS if contract.title.casefold() == title.strip().casefold()), None)
    if found is None:
        raise Refusal(404, "ContractNotFound", f"The register has no contract {title!r}.", title=title)
    return found


def contracts_like(query: str) -> list[Contract]:
    """The contracts whose title or counterparty shares words with the query, those that share most first."""
    words = set(query.casefold().split())
    shared = [(len(words & set(f"{c.title} {c.counterparty}".casefold().split())), c) for c in _ROWS]
    return [contract for count, contract in sorted(shared, key=lambda pair: -pair[0]) if count]


def months_from(day: str, months: int) -> str:
    """The date so many months after a day (before it where negative); the month's last day where it has no such day."""
    at = date.fromisoformat(day)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    return date(year, month + 1, min(at.day, monthrange(year, month + 1)[1])).isoformat()
