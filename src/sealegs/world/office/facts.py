"""Facts of the office domain: sites, teams, staff, meeting rooms, the service catalogue and its open tickets.

The company and its people are invented. Public holidays are in `holidays`, workbooks in `workbooks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sealegs.world.general.facts import CITIES
from sealegs.world.state import NOW, TODAY, identifier
from sealegs.world.tool import Refusal

MAIL_DOMAIN = "fernhill.example"
QUOTA_MB = 50_000
ADDRESS = r"^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@dataclass(frozen=True, slots=True)
class Office:
    """An office: its city and IANA time zone."""

    city: str
    time_zone: str

    @property
    def country(self) -> str:
        """The country's name."""
        return CITIES[self.city.casefold()].country

    @property
    def currency(self) -> str:
        """ISO 4217 code of the currency in use."""
        return CITIES[self.city.casefold()].currency


@dataclass(frozen=True, slots=True)
class Team:
    """A team, the cost centre it books on, and the id of who leads it."""

    name: str
    cost_centre: str
    lead_id: str


@dataclass(frozen=True, slots=True)
class Employee:
    """A member of staff. `mailbox_mb` is the size of the mailbox in megabytes."""

    id: str
    name: str
    title: str
    team: str
    city: str
    hired_on: str
    extension: str
    mailbox_mb: int

    @property
    def email(self) -> str:
        """The address, made of the name."""
        return f"{self.name.casefold().replace(' ', '.')}@{MAIL_DOMAIN}"


@dataclass(frozen=True, slots=True)
class Room:
    """A meeting room."""

    id: str
    name: str
    city: str
    floor: int
    seats: int


@dataclass(frozen=True, slots=True)
class TimeSlot:
    """A time for which a room is taken."""

    room_id: str
    date: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class RoomHold:
    """A slot kept for somebody until it is confirmed."""

    slot: TimeSlot
    organiser_id: str

    @property
    def id(self) -> str:
        """The hold's id, a function of room, date and start."""
        return room_hold_id(self.slot)


@dataclass(frozen=True, slots=True)
class UnassignedTicket:
    """A ticket that nobody is assigned to yet."""

    service: str
    due_date: str
    priority: str
    opened_at: str

    @property
    def id(self) -> str:
        """The ticket's id, a function of service and due date."""
        return ticket_id(self.service, self.due_date)


_SITES = (
    Office("Lisbon", "Europe/Lisbon"),
    Office("Berlin", "Europe/Berlin"),
    Office("London", "Europe/London"),
    Office("Stockholm", "Europe/Stockholm"),
    Office("New York", "America/New_York"),
    Office("Toronto", "America/Toronto"),
    Office("Singapore", "Asia/Singapore"),
    Office("Tokyo", "Asia/Tokyo"),
)
_TEAMS = (
    Team("Leadership", "EXEC-100", "E-1001"),
    Team("Platform", "PLAT-410", "E-1012"),
    Team("Finance", "FIN-200", "E-1040"),
    Team("People", "PEOP-150", "E-1060"),
    Team("Sales", "SALE-500", "E-1070"),
    Team("Legal", "LEGL-300", "E-1081"),
    Team("Workplace", "WORK-120", "E-1090"),
)
_STAFF = (
    Employee("E-1001", "Ruth Albrecht", "Managing Director", "Leadership", "Berlin", "2014-02-03", "4001", 38_912),
    Employee("E-1012", "Ines Duarte", "Head of Platform", "Platform", "Lisbon", "2016-09-12", "2112", 21_440),
    Employee("E-1015", "Tomas Ribeiro", "Reliability Engineer", "Platform", "Lisbon", "2019-05-06", "2115", 9_875),
    Employee("E-1021", "Hanna Vogt", "Backend Engineer", "Platform", "Berlin", "2020-01-13", "4021", 12_306),
    Employee("E-1034", "Kenji Morioka", "Data Engineer", "Platform", "Tokyo", "2021-04-01", "8134", 17_650),
    Employee("E-1040", "Amelia Hartwell", "Head of Finance", "Finance", "London", "2015-06-01", "3140", 33_218),
    Employee("E-1043", "Oliver Finchley", "Financial Controller", "Finance", "London", "2018-11-19", "3143", 27_904),
    Employee("E-1047", "Chloe Tremont", "Accounts Payable Clerk", "Finance", "Toronto", "2022-03-14", "6147", 6_130),
    Employee("E-1052", "Mei Tan", "Financial Analyst", "Finance", "Singapore", "2023-07-03", "7152", 4_482),
    Employee("E-1060", "Freja Lindahl", "Head of People", "People", "Stockholm", "2017-08-21", "5160", 19_733),
    Employee("E-1063", "Erik Sandmark", "Recruiter", "People", "Stockholm", "2021-10-04", "5163", 24_051),
    Employee("E-1066", "Marta Quintela", "HR Business Partner", "People", "Lisbon", "2019-02-18", "2166", 15_297),
    Employee("E-1070", "Grace Whitlow", "Head of Sales", "Sales", "New York", "2016-01-11", "1170", 41_066),
    Employee("E-1074", "Noah Fielding", "Account Executive", "Sales", "New York", "2020-09-08", "1174", 29_518),
    Employee("E-1077", "Priya Ramanath", "Account Executive", "Sales", "Singapore", "2022-06-20", "7177", 13_842),
    Employee("E-1079", "Jonas Kellerhals", "Sales Engineer", "Sales", "Berlin", "2021-02-15", "4079", 10_995),
    Employee("E-1081", "Samuel Okoro", "General Counsel", "Legal", "London", "2015-10-26", "3181", 36_407),
    Employee("E-1084", "Yuki Hanabe", "Counsel", "Legal", "Tokyo", "2019-12-02", "8184", 22_679),
    Employee("E-1086", "Naomi Okoro", "Paralegal", "Legal", "Toronto", "2024-04-15", "6186", 3_214),
    Employee("E-1090", "Lena Borgmann", "Head of Workplace", "Workplace", "Berlin", "2018-03-05", "4090", 18_126),
    Employee(
        "E-1093", "Lucas Penbrook", "Facilities Coordinator", "Workplace", "New York", "2023-01-09", "1193", 7_758
    ),
    Employee("E-1095", "Aiko Sendai", "Office Manager", "Workplace", "Tokyo", "2022-11-07", "8195", 8_341),
)
_ROOMS = (
    Room("LIS-204", "Tejo", "Lisbon", 2, 6),
    Room("LIS-301", "Alfama", "Lisbon", 3, 14),
    Room("BER-102", "Spree", "Berlin", 1, 4),
    Room("BER-110", "Havel", "Berlin", 1, 8),
    Room("BER-405", "Panke", "Berlin", 4, 20),
    Room("LON-501", "Fleet", "London", 5, 5),
    Room("LON-517", "Tyburn", "London", 5, 12),
    Room("STO-210", "Ekoln", "Stockholm", 2, 6),
    Room("STO-215", "Vattern", "Stockholm", 2, 16),
    Room("NYC-1803", "Hudson", "New York", 18, 7),
    Room("NYC-1810", "Harlem", "New York", 18, 10),
    Room("NYC-1902", "Bronx", "New York", 19, 24),
    Room("TOR-702", "Humber", "Toronto", 7, 8),
    Room("TOR-709", "Rouge", "Toronto", 7, 18),
    Room("SIN-1204", "Kallang", "Singapore", 12, 6),
    Room("SIN-1211", "Punggol", "Singapore", 12, 12),
    Room("TYO-901", "Sumida", "Tokyo", 9, 4),
    Room("TYO-908", "Arakawa", "Tokyo", 9, 10),
)
THIS_MINUTE = NOW[:16]
BOOKED = (
    TimeSlot("LIS-204", "2026-03-03", "10:00", "12:00"),
    TimeSlot("BER-102", "2026-03-03", "14:00", "15:30"),
    TimeSlot("LON-501", "2026-03-04", "09:00", "11:00"),
    TimeSlot("LON-517", "2026-03-04", "15:00", "17:00"),
    TimeSlot("STO-210", "2026-03-05", "13:00", "14:00"),
    TimeSlot("NYC-1803", "2026-03-04", "11:00", "13:00"),
    TimeSlot("TOR-702", "2026-03-06", "09:30", "10:30"),
    TimeSlot("SIN-1204", "2026-03-05", "15:00", "16:00"),
    TimeSlot("SIN-1211", "2026-03-05", "15:00", "16:00"),
    TimeSlot("TYO-901", "2026-03-03", "16:00", "18:00"),
)
HOLDS = (
    RoomHold(TimeSlot("LIS-301", "2026-03-09", "10:00", "11:00"), "E-1066"),
    RoomHold(TimeSlot("BER-405", "2026-03-10", "13:00", "16:00"), "E-1090"),
    RoomHold(TimeSlot("NYC-1902", "2026-03-11", "09:30", "11:00"), "E-1070"),
    RoomHold(TimeSlot("TYO-908", "2026-03-12", "15:00", "15:45"), "E-1084"),
)
SERVICES = {
    "laptop replacement": "IT",
    "software access": "IT",
    "phone setup": "IT",
    "desk move": "Facilities",
    "equipment repair": "Facilities",
    "visitor badge": "Facilities",
    "expense reimbursement": "Finance",
    "supplier setup": "Finance",
    "contract review": "Legal",
    "policy question": "Legal",
    "new starter": "HR",
    "training enrolment": "HR",
}
TARGET_HOURS = {"low": 80, "normal": 40, "high": 16, "urgent": 4}


def room_hold_id(slot: TimeSlot) -> str:
    """The id of a hold on this slot."""
    return identifier("HLD", slot.room_id, slot.date, slot.start)


def ticket_id(service: str, due_date: str) -> str:
    """The id of a ticket for this service, due that day."""
    return identifier("TCK", service, due_date)


SITES = {site.city.casefold(): site for site in _SITES}
TEAMS = {team.name: team for team in _TEAMS}
STAFF = {person.id: person for person in _STAFF}
ROOMS = {room.id: room for room in _ROOMS}
TICKETS = {
    ticket.id: ticket
    for ticket in (
        UnassignedTicket("laptop replacement", "2026-03-06", "high", "2026-02-27T11:20"),
        UnassignedTicket("desk move", "2026-03-13", "low", "2026-02-24T09:05"),
        UnassignedTicket("contract review", "2026-03-20", "normal", "2026-02-26T16:40"),
        UnassignedTicket("supplier setup", "2026-03-11", "normal", "2026-02-27T14:55"),
        UnassignedTicket("training enrolment", "2026-04-02", "low", "2026-02-25T10:15"),
    )
}
EMAIL_OF = {person.name: person.email for person in _STAFF}
NAME_OF = {person.email: person.name for person in _STAFF}
_BY_NAME = {person.name.casefold(): person for person in _STAFF}
_BY_EMAIL = {person.email: person for person in _STAFF}


def employee(id: str) -> Employee:
    """The employee with this id.

    Raises:
        Refusal: 404 where there is none.
    """
    if id not in STAFF:
        raise Refusal(404, "EmployeeNotFound", f"No employee has the id {id!r}.", employee_id=id)
    return STAFF[id]


def employee_named(name: str) -> Employee:
    """The employee of this full name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = _BY_NAME.get(name.strip().casefold())
    if found is None:
        raise Refusal(404, "EmployeeNotFound", f"No employee is named {name!r}; give first and last name.", name=name)
    return found


def mailbox(email: str) -> Employee:
    """The employee with this address, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = _BY_EMAIL.get(email.casefold())
    if found is None:
        raise Refusal(404, "MailboxNotFound", f"There is no mailbox {email!r}.", email=email)
    return found


def manager(person: Employee) -> Employee | None:
    """The person's superior: the lead of the team, for a lead the managing director, for her nobody."""
    lead = STAFF[TEAMS[person.team].lead_id]
    if lead.id != person.id:
        return lead
    top = STAFF[TEAMS["Leadership"].lead_id]
    return None if top.id == person.id else top


def site(city: str) -> Office:
    """The office in this city, in any case.

    Raises:
        Refusal: 404 where the company has none.
    """
    found = SITES.get(city.strip().casefold())
    if found is None:
        offices = ", ".join(office.city for office in _SITES)
        raise Refusal(404, "SiteNotFound", f"There is no office in {city!r}. Offices: {offices}.", city=city)
    return found


def room(id: str) -> Room:
    """The room with this id.

    Raises:
        Refusal: 404 where there is none.
    """
    if id not in ROOMS:
        raise Refusal(404, "RoomNotFound", f"There is no room {id!r}.", room_id=id)
    return ROOMS[id]


def office_date(text: str) -> date:
    """The date written as YYYY-MM-DD.

    Raises:
        Refusal: 400 where the calendar has no such day.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Refusal(400, "InvalidDate", f"{text!r} is no date: {error}.", value=text) from error


def coming_day(text: str) -> date:
    """The date written as YYYY-MM-DD, today or later.

    Raises:
        Refusal: 400 where the calendar has no such day or it is past.
    """
    found = office_date(text)
    if text < TODAY:
        raise Refusal(400, "DateInThePast", f"{text} is before today, {TODAY}.", value=text)
    return found


def clock_after(start: str, minutes: int) -> str:
    """The time of day (`HH:MM`) so many minutes after `start`; past midnight it begins again at 00:00."""
    moment = datetime.fromisoformat(f"{TODAY}T{start}") + timedelta(minutes=minutes)
    return moment.strftime("%H:%M")


def clock_minutes_between(start: str, end: str) -> int:
    """Minutes from one time of day (`HH:MM`) to a later one."""
    (hours, minutes), (later_hours, later_minutes) = (map(int, text.split(":")) for text in (start, end))
    return (later_hours - hours) * 60 + later_minutes - minutes
