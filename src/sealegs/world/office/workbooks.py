"""Budget workbooks: one amount per line and column, in the currency of the site they belong to. Facts, no tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sealegs.world.office.facts import site
from sealegs.world.tool import Refusal

Column = Literal["planned", "committed", "spent"]
COLUMNS: tuple[Column, ...] = ("planned", "committed", "spent")


@dataclass(frozen=True, slots=True)
class WorkbookLine:
    """A line of a workbook: its label and its amount in each column, in their order."""

    label: str
    amounts: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Workbook:
    """A workbook with the columns planned, committed and spent from row 2 down."""

    id: str
    title: str
    city: str
    owner_id: str
    created_on: str
    updated_on: str
    lines: tuple[WorkbookLine, ...]

    @property
    def currency(self) -> str:
        """ISO 4217 code of the amounts."""
        return site(self.city).currency

    def cells(self, column: Column) -> tuple[tuple[str, str, float], ...]:
        """Cell, label and amount of each line in the column."""
        place = COLUMNS.index(column)
        letter = "BCD"[place]
        return tuple(
            (f"{letter}{row}", line.label, line.amounts[place]) for row, line in enumerate(self.lines, start=2)
        )


_OFFICE = ("Rent", "Energy", "Cleaning", "Catering", "Supplies")


def _office(
    id: str, city: str, owner_id: str, updated_on: str, *columns: tuple[float, float, float, float, float]
) -> Workbook:
    lines = tuple(
        WorkbookLine(label, (planned, committed, spent))
        for label, planned, committed, spent in zip(_OFFICE, *columns, strict=True)
    )
    return Workbook(id, f"{city} office costs 2026", city, owner_id, "2025-11-17", updated_on, lines)


def _book(
    id: str, title: str, city: str, owner_id: str, created_on: str, updated_on: str, **lines: tuple[float, float, float]
) -> Workbook:
    rows = tuple(WorkbookLine(label.replace("_", " "), amounts) for label, amounts in lines.items())
    return Workbook(id, title, city, owner_id, created_on, updated_on, rows)


_ROWS = (
    _office(
        "DOC-3101", "Lisbon", "E-1066", "2026-02-26",
        (96_000, 14_400, 10_200, 7_800, 3_600), (96_000, 13_950.50, 10_200, 4_120.75, 1_480),
        (16_000, 2_512.40, 1_700, 1_236.90, 655.25),
    ),
    _office(
        "DOC-3102", "Berlin", "E-1090", "2026-02-24",
        (148_000, 26_500, 15_800, 11_400, 5_200), (148_000, 25_875.20, 15_200, 6_340, 2_915.60),
        (24_666.67, 4_905.33, 2_633.34, 1_874.15, 1_022.80),
    ),
    _office(
        "DOC-3103", "London", "E-1043", "2026-02-27",
        (212_000, 23_900, 18_600, 16_200, 6_900), (212_000, 22_640, 18_600, 9_055.50, 3_310.45),
        (35_333.34, 4_118.65, 3_100, 2_987.20, 1_204.10),
    ),
    _office(
        "DOC-3104", "New York", "E-1093", "2026-02-25",
        (264_000, 31_200, 24_000, 21_500, 8_400), (264_000, 30_412.75, 23_400, 12_760, 4_225.90),
        (44_000, 5_390.18, 4_000, 3_642.55, 1_518.35),
    ),
    _office(
        "DOC-3105", "Toronto", "E-1047", "2026-02-20",
        (118_000, 17_300, 12_900, 8_600, 4_100), (118_000, 16_985.40, 12_900, 4_475, 1_760.30),
        (19_666.67, 3_204.95, 2_150, 1_390.45, 702.15),
    ),
    _office(
        "DOC-3106", "Singapore", "E-1052", "2026-02-23",
        (174_000, 28_800, 13_500, 10_900, 4_700), (174_000, 27_930.60, 13_500, 5_815.25, 2_240),
        (29_000, 4_760.85, 2_250, 1_702.70, 866.40),
    ),
    _office(
        "DOC-3107", "Tokyo", "E-1095", "2026-02-27",
        (19_800_000, 2_640_000, 1_920_000, 1_380_000, 610_000), (19_800_000, 2_571_400, 1_920_000, 742_000, 265_300),
        (3_300_000, 448_200, 320_000, 231_650, 104_780),
    ),
    _office(
        "DOC-3108", "Stockholm", "E-1060", "2026-02-19",
        (1_320_000, 204_000, 156_000, 98_000, 47_000), (1_320_000, 198_350, 152_400, 51_200, 21_640),
        (220_000, 35_870.50, 25_400, 16_925.75, 8_310),
    ),
    _book(
        "DOC-3120", "Platform cloud spend 2026", "Lisbon", "E-1012", "2025-12-04", "2026-03-01",
        Compute=(186_000, 171_500, 29_844.62), Storage=(42_000, 38_200, 6_915.08), Network=(27_500, 24_100, 4_402.37),
        Monitoring=(18_400, 18_400, 3_066.66), Backups=(12_600, 9_850, 1_731.90), Licences=(33_000, 33_000, 8_250),
    ),
    _book(
        "DOC-3121", "Sales travel 2026", "New York", "E-1070", "2025-12-09", "2026-02-28",
        Flights=(92_000, 31_460.80, 17_205.35), Hotels=(68_000, 22_915, 12_488.90),
        Ground_transport=(14_500, 4_030, 2_376.15), Meals=(19_800, 5_120.40, 3_844.70), Events=(55_000, 37_500, 9_000),
    ),
    _book(
        "DOC-3122", "Recruiting plan 2026", "Stockholm", "E-1063", "2025-12-15", "2026-02-18",
        Job_boards=(240_000, 138_000, 46_500), Agencies=(620_000, 210_000, 95_400),
        Referral_bonuses=(180_000, 60_000, 40_000), Interview_travel=(95_000, 22_350, 14_870.25),
    ),
    _book(
        "DOC-3123", "Legal retainers 2026", "London", "E-1081", "2025-11-28", "2026-02-27",
        Employment=(48_000, 48_000, 8_000), Contracts=(66_000, 66_000, 11_000), Patents=(84_000, 52_500, 17_640.50),
        Data_protection=(30_000, 30_000, 5_000), Disputes=(75_000, 18_200, 6_325.75),
    ),
    _book(
        "DOC-3124", "Spring offsite budget", "Berlin", "E-1001", "2026-01-12", "2026-02-26",
        Venue=(18_500, 18_500, 9_250), Catering=(9_400, 8_760, 0), Transport=(6_200, 3_415.50, 1_240.60),
        Speakers=(7_000, 4_500, 2_250), Materials=(1_900, 685.40, 310.15),
    ),
)  # fmt: skip
WORKBOOKS = {book.id: book for book in _ROWS}
_BY_TITLE = {book.title.casefold(): book for book in _ROWS}


def workbook_titled(title: str) -> Workbook:
    """The workbook of this title, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = _BY_TITLE.get(title.strip().casefold())
    if found is None:
        raise Refusal(404, "WorkbookNotFound", f"No workbook is titled {title!r}.", workbook=title)
    return found


def workbook_by_id(id: str) -> Workbook:
    """The document with this id.

    Raises:
        Refusal: 404 where there is none.
    """
    if id not in WORKBOOKS:
        raise Refusal(404, "DocumentNotFound", f"There is no document {id!r}.", document_id=id)
    return WORKBOOKS[id]
