"""Projects on which hours are booked, and boards on which tasks are planned. Facts, no tools."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.world.office.facts import STAFF
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class Project:
    """A project with its budget of hours and the hours booked before this week."""

    code: str
    name: str
    lead_id: str
    budget_hours: float
    booked_hours: float
    starts_on: str
    ends_on: str

    @property
    def lead_email(self) -> str:
        """Address of who leads it."""
        return STAFF[self.lead_id].email


@dataclass(frozen=True, slots=True)
class Board:
    """A board with the prefix and the last number of its tasks."""

    name: str
    key: str
    last_number: int


_PROJECTS = (
    Project("PRJ-2101", "Website relaunch", "E-1012", 640, 212.5, "2026-01-12", "2026-06-30"),
    Project("PRJ-2102", "Ledger migration", "E-1043", 480, 355.25, "2025-10-01", "2026-04-30"),
    Project("PRJ-2103", "Data warehouse", "E-1034", 900, 118, "2026-02-02", "2026-11-27"),
    Project("PRJ-2104", "Tokyo office move", "E-1095", 260, 94.75, "2026-01-19", "2026-05-29"),
    Project("PRJ-2105", "Graduate programme", "E-1063", 320, 76.5, "2026-01-05", "2026-09-30"),
    Project("PRJ-2106", "Partner portal", "E-1021", 720, 401, "2025-09-15", "2026-05-15"),
    Project("PRJ-2107", "Spring trade fair", "E-1070", 180, 62.25, "2026-01-26", "2026-04-17"),
    Project("PRJ-2108", "Privacy audit", "E-1081", 150, 40, "2026-02-09", "2026-04-24"),
    Project("PRJ-2109", "Payroll switch", "E-1066", 300, 187.5, "2025-11-03", "2026-03-31"),
    Project("PRJ-2110", "Energy saving", "E-1090", 220, 31.75, "2026-02-16", "2026-10-30"),
    Project("PRJ-2111", "Singapore launch", "E-1077", 410, 143, "2026-01-08", "2026-07-31"),
    Project("PRJ-2112", "Cost dashboard", "E-1052", 240, 128.25, "2025-12-01", "2026-04-10"),
)
_BOARDS = (
    Board("Platform sprint", "PLT", 418),
    Board("Website content", "WEB", 96),
    Board("Month-end close", "CLO", 233),
    Board("Hiring pipeline", "HIR", 157),
    Board("Sales campaigns", "SAL", 304),
    Board("Legal matters", "LEG", 121),
    Board("Office upkeep", "OFF", 275),
    Board("Data quality", "DAT", 64),
    Board("Customer onboarding", "ONB", 189),
    Board("Trade fair", "FAI", 38),
    Board("Security reviews", "SEC", 82),
    Board("Office move", "MOV", 53),
)
PROJECTS = {project.code: project for project in _PROJECTS}
BOARDS = {board.name: board for board in _BOARDS}
_BY_NAME = {project.name.casefold(): project for project in _PROJECTS}
_BOARD_BY_NAME = {board.name.casefold(): board for board in _BOARDS}


def project_named(name: str) -> Project:
    """The project of this name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = _BY_NAME.get(name.strip().casefold())
    if found is None:
        raise Refusal(404, "ProjectNotFound", f"There is no project {name!r}.", project=name)
    return found


def project_coded(code: str) -> Project:
    """The project with this code.

    Raises:
        Refusal: 404 where there is none.
    """
    if code not in PROJECTS:
        raise Refusal(404, "ProjectNotFound", f"There is no project with the code {code!r}.", project_code=code)
    return PROJECTS[code]


def board_named(name: str) -> Board:
    """The board of this name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = _BOARD_BY_NAME.get(name.strip().casefold())
    if found is None:
        raise Refusal(404, "BoardNotFound", f"There is no board {name!r}.", board=name)
    return found
