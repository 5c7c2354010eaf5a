"""Leave accounts of 2026 and what a request does to them. Rules, no tools.

Days are whole working days of the country where a person works. Sick leave and half days are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from sealegs.world.general.facts import CITIES
from sealegs.world.office.facts import STAFF, Employee, employee, manager
from sealegs.world.office.office_arguments import period
from sealegs.world.office.working_days import holidays, weekend, working_days_after
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Refusal, World

ENTITLED = {"PT": 22, "DE": 28, "GB": 25, "SE": 30, "US": 20, "CA": 20, "SG": 18, "JP": 20}
STAND_IN: Final = "E-1060"


@dataclass(frozen=True, slots=True)
class Absence:
    """Days off from the first to the last, both counted."""

    employee_id: str
    first_day: str
    last_day: str

    @property
    def request_id(self) -> str:
        """Id of the request for these days."""
        return identifier("LVR", self.employee_id, self.first_day, self.last_day)

    @property
    def draft_id(self) -> str:
        """Id of the draft of that request."""
        return identifier("LVD", self.employee_id, self.first_day, self.last_day)


CARRIED = {
    "E-1001": 4, "E-1012": 2, "E-1015": 0, "E-1021": 3, "E-1034": 5, "E-1040": 1, "E-1043": 0, "E-1047": 2,
    "E-1052": 0, "E-1060": 5, "E-1063": 1, "E-1066": 3, "E-1070": 0, "E-1074": 2, "E-1077": 4, "E-1079": 0,
    "E-1081": 5, "E-1084": 3, "E-1086": 0, "E-1090": 2, "E-1093": 1, "E-1095": 4,
}  # fmt: skip
_TAKEN = (
    Absence("E-1001", "2026-01-07", "2026-01-09"),
    Absence("E-1012", "2026-02-16", "2026-02-18"),
    Absence("E-1015", "2026-01-05", "2026-01-09"),
    Absence("E-1021", "2026-02-02", "2026-02-06"),
    Absence("E-1034", "2026-01-05", "2026-01-06"),
    Absence("E-1040", "2026-02-16", "2026-02-20"),
    Absence("E-1043", "2026-01-02", "2026-01-02"),
    Absence("E-1047", "2026-02-12", "2026-02-13"),
    Absence("E-1052", "2026-02-19", "2026-02-20"),
    Absence("E-1060", "2026-02-23", "2026-02-27"),
    Absence("E-1063", "2026-01-07", "2026-01-08"),
    Absence("E-1066", "2026-02-09", "2026-02-10"),
    Absence("E-1070", "2026-01-20", "2026-01-23"),
    Absence("E-1074", "2026-02-17", "2026-02-18"),
    Absence("E-1077", "2026-02-16", "2026-02-20"),
    Absence("E-1079", "2026-01-12", "2026-01-16"),
    Absence("E-1081", "2026-01-02", "2026-01-06"),
    Absence("E-1084", "2026-02-12", "2026-02-13"),
    Absence("E-1086", "2026-01-29", "2026-01-30"),
    Absence("E-1090", "2026-02-05", "2026-02-09"),
    Absence("E-1093", "2026-02-26", "2026-02-27"),
    Absence("E-1095", "2026-01-13", "2026-01-14"),
)
_PLANNED = (
    Absence("E-1012", "2026-08-03", "2026-08-14"),
    Absence("E-1021", "2026-07-13", "2026-07-24"),
    Absence("E-1040", "2026-07-27", "2026-08-07"),
    Absence("E-1060", "2026-07-06", "2026-07-24"),
    Absence("E-1070", "2026-06-29", "2026-07-10"),
    Absence("E-1081", "2026-08-10", "2026-08-21"),
    Absence("E-1084", "2026-08-10", "2026-08-14"),
    Absence("E-1090", "2026-06-22", "2026-07-03"),
)
DRAFTS = (
    Absence("E-1015", "2026-06-15", "2026-06-19"),
    Absence("E-1043", "2026-05-26", "2026-05-29"),
    Absence("E-1074", "2026-04-06", "2026-04-10"),
    Absence("E-1095", "2026-05-07", "2026-05-08"),
)


def country_code(person: Employee) -> str:
    """ISO 3166-1 alpha-2 code of the country where the person works."""
    return CITIES[person.city.casefold()].country_code


COUNTRY_BY_ID = {person.id: country_code(person) for person in STAFF.values()}


def workdays(first: date, last: date, country: str) -> list[date]:
    """The working days of a period.

    Raises:
        Refusal: 404 for an unknown country.
    """
    free = holidays(country)
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [day for day in days if not weekend(day) and day not in free]


def absence_days(absence: Absence) -> int:
    """The number of days that the absence takes off the account."""
    first, last = period(absence.first_day, absence.last_day)
    return len(workdays(first, last, COUNTRY_BY_ID[absence.employee_id]))


def taken_leave(id: str) -> list[Absence]:
    """The absences that an employee has taken this year."""
    return [absence for absence in _TAKEN if absence.employee_id == id]


def planned_leave(world: World, id: str) -> list[Absence]:
    """The absences that an employee has planned: approved before today, or kept by a request or its draft since."""
    added = world.state("office.absences").values()
    return [absence for absence in (*_PLANNED, *DRAFTS, *added) if absence.employee_id == id]


def remaining(world: World, id: str) -> int:
    """Days left on an employee's account when all that is planned is taken."""
    used = sum(map(absence_days, (*taken_leave(id), *planned_leave(world, id))))
    return ENTITLED[COUNTRY_BY_ID[id]] + CARRIED[id] - used


def approver(person: Employee) -> Employee:
    """The person who decides on somebody's leave: the line manager; for the managing director, the head of people."""
    return manager(person) or STAFF[STAND_IN]


def back_on(absence: Absence) -> str:
    """The first working day after the absence."""
    _, last = period(absence.first_day, absence.last_day)
    return next(working_days_after(last, COUNTRY_BY_ID[absence.employee_id])).isoformat()


def reserve_leave(world: World, employee_id: str, first_day: str, last_day: str) -> Absence:
    """Keep days on the account.

    Raises:
        Refusal: 404 for an unknown employee, 400 for days that are past, hold no working day or end the
            year, 409 where they meet other leave or the account does not hold them.
    """
    person = employee(employee_id)
    period(first_day, last_day)
    absence = Absence(person.id, first_day, last_day)
    if first_day < TODAY:
        raise Refusal(400, "DateInThePast", f"{first_day} is before today, {TODAY}.", first_day=first_day)
    if not absence_days(absence):
        raise Refusal(400, "NoWorkingDay", f"There is no working day from {first_day} to {last_day}.")
    if any(first_day <= other.last_day and other.first_day <= last_day for other in planned_leave(world, person.id)):
        raise Refusal(409, "LeaveOverlaps", f"{person.name} has leave in that time already.", employee_id=person.id)
    back_on(absence)
    left = remaining(world, person.id)
    if absence_days(absence) > left:
        raise Refusal(
            409, "BalanceTooLow", f"{person.name} has {left} days left, not {absence_days(absence)}.", left=left
        )
    world.state("office.absences")[absence.request_id] = absence
    world.effect("reserve_leave", person.id, first_day=first_day, last_day=last_day, days=absence_days(absence))
    return absence


def submit(world: World, absence: Absence) -> None:
    """Send the request to who decides on it."""
    to = approver(STAFF[absence.employee_id]).email
    world.effect("submit_leave", absence.employee_id, first_day=absence.first_day, last_day=absence.last_day, to=to)


def take_leave_draft(world: World, id: str) -> Absence:
    """The drafted absence with this id; it is a draft no longer.

    Raises:
        Refusal: 404 where there is none, 409 where it was handed in already.
    """
    made: tuple[Absence, ...] = (*DRAFTS, *world.state("office.absences").values())
    found = next((absence for absence in made if absence.draft_id == id), None)
    if found is None:
        raise Refusal(404, "DraftNotFound", f"There is no draft {id!r} of a leave request.", draft_id=id)
    if found.request_id in world.state("office.leave_requests"):
        raise Refusal(409, "AlreadySubmitted", f"The draft {id} was handed in already.", draft_id=id)
    world.state("office.leave_requests")[found.request_id] = True
    return found
