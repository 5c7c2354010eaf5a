"""Alternative groups of the office domain."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = [
    "EFFORT_FINISH_DATE",
    "PERSON_CONTACT",
    "ROOM_BOOKED",
    "ROOM_WHERE_PERSON_WORKS",
    "TICKET_ASSIGNED",
    "TICKET_FOR_PERSON",
    "WORKBOOK_COLUMN_TOTAL",
    "WORKING_DAY_DEADLINE",
]

TIME = ("date", "start", "minutes")


def _asked(*names: str, **renamed: str) -> dict[str, str]:
    """Arguments that are inputs of the pattern, under their own names or renamed."""
    return {name: f"in.{name}" for name in names} | {name: f"in.{source}" for name, source in renamed.items()}


def _told(tool: str, *fields: str, **renamed: str) -> dict[str, str]:
    """Fields of a tool's answer, under their own names or renamed."""
    return {name: f"{tool}.{name}" for name in fields} | {name: f"{tool}.{path}" for name, path in renamed.items()}


PERSON_CONTACT = Pattern(
    name="person_contact",
    purpose="Find an employee's id, work address and office by name.",
    inputs=("name",),
    exports=("employee_id", "email", "city"),
    ways=(
        Way(
            "directory",
            {"staff_directory_lookup": _asked("name")},
            _told("staff_directory_lookup", "employee_id", "email", "city"),
        ),
        Way(
            "address_book",
            {"mail_address_book": _asked(recipient="name")},
            _told("mail_address_book", employee_id="account_id", email="smtp_address", city="office_location"),
        ),
    ),
    examples=(
        {"name": "Ines Duarte"},
        {"name": "Ruth Albrecht"},
        {"name": "Naomi Okoro"},
        {"name": "Lucas Penbrook"},
        {"name": "Aiko Sendai"},
    ),
)

WORKING_DAY_DEADLINE = Pattern(
    name="working_day_deadline",
    purpose="Find the date that lies a number of working days after a date in a country.",
    inputs=("start_date", "working_days", "country_code"),
    exports=("due_date", "weekday"),
    ways=(
        Way(
            "add_days",
            {"add_working_days": _asked("start_date", "working_days", "country_code")},
            _told("add_working_days", "due_date", "weekday"),
        ),
        Way(
            "series",
            {
                "expand_recurrence": {
                    **_asked("country_code", first_date="start_date", count="working_days"),
                    "frequency": "workday",
                    "first_counts": False,
                }
            },
            _told("expand_recurrence", due_date="last_date", weekday="last_weekday"),
        ),
    ),
    examples=(
        {"start_date": "2026-03-02", "working_days": 10, "country_code": "PT"},
        {"start_date": "2026-03-28", "working_days": 4, "country_code": "DE"},
        {"start_date": "2026-04-27", "working_days": 15, "country_code": "JP"},
        {"start_date": "2026-06-30", "working_days": 1, "country_code": "CA"},
        {"start_date": "2026-03-12", "working_days": 90, "country_code": "GB"},
    ),
)

WORKBOOK_COLUMN_TOTAL = Pattern(
    name="workbook_column_total",
    purpose="Find the total of a column of a budget workbook, its currency and the workbook's document id.",
    inputs=("workbook", "column"),
    exports=("total", "currency", "document_id"),
    ways=(
        Way(
            "aggregate",
            {"sheet_column_total": _asked("workbook", "column")},
            _told("sheet_column_total", "total", "currency", "document_id"),
        ),
        Way(
            "cells",
            {"sheet_read_column": _asked("workbook", "column")},
            _told("sheet_read_column", "currency", "document_id", total="selection_sum"),
        ),
    ),
    examples=(
        {"workbook": "Lisbon office costs 2026", "column": "spent"},
        {"workbook": "New York office costs 2026", "column": "committed"},
        {"workbook": "Legal retainers 2026", "column": "planned"},
        {"workbook": "Spring offsite budget", "column": "spent"},
        {"workbook": "Tokyo office costs 2026", "column": "committed"},
    ),
)

EFFORT_FINISH_DATE = Pattern(
    name="effort_finish_date",
    purpose="Find the date on which a team of a given size has done a number of hours of work.",
    inputs=("hours", "people", "start_date", "country_code"),
    exports=("finish_date", "weekday"),
    ways=(
        Way(
            "by_days",
            {
                "team_effort": _asked("hours", "people"),
                "add_working_days": {
                    **_asked("start_date", "country_code"),
                    "working_days": "team_effort.working_days",
                },
            },
            _told("add_working_days", "weekday", finish_date="due_date"),
        ),
        Way(
            "by_hours",
            {
                "workload_split": _asked("people", total_hours="hours"),
                "schedule_hours": {
                    **_asked("country_code", start_after="start_date"),
                    "hours": "workload_split.largest_share",
                },
            },
            _told("schedule_hours", "finish_date", weekday="finish_weekday"),
        ),
    ),
    examples=(
        {"hours": 120, "people": 3, "start_date": "2026-03-02", "country_code": "PT"},
        {"hours": 310.5, "people": 5, "start_date": "2026-03-27", "country_code": "DE"},
        {"hours": 48.25, "people": 3, "start_date": "2026-04-24", "country_code": "JP"},
        {"hours": 1000, "people": 12, "start_date": "2026-03-20", "country_code": "US"},
    ),
)

TICKET_ASSIGNED = Pattern(
    name="ticket_assigned",
    purpose="Have a service desk ticket opened and assigned to an employee.",
    inputs=("service", "due_date", "assignee_id"),
    exports=("ticket_id", "assignee_email", "queue"),
    ways=(
        Way(
            "at_once",
            {"create_ticket": _asked("service", "due_date", "assignee_id")},
            _told("create_ticket", "ticket_id", "assignee_email", "queue"),
        ),
        Way(
            "open_then_assign",
            {
                "open_service_request": _asked("service", "due_date"),
                "assign_ticket": {**_asked("assignee_id"), "ticket_id": "open_service_request.ticket_id"},
            },
            _told("assign_ticket", "ticket_id", "assignee_email", "queue"),
        ),
    ),
    examples=(
        {"service": "software access", "due_date": "2026-03-05", "assignee_id": "E-1015"},
        {"service": "visitor badge", "due_date": "2026-03-02", "assignee_id": "E-1095"},
        {"service": "policy question", "due_date": "2026-03-18", "assignee_id": "E-1086"},
        {"service": "new starter", "due_date": "2026-04-01", "assignee_id": "E-1063"},
    ),
)

TICKET_FOR_PERSON = Pattern(
    name="ticket_for_person",
    purpose="Have a service desk ticket opened and assigned to an employee who is known by name.",
    inputs=("name", "service", "due_date"),
    exports=("ticket_id", "email"),
    ways=(
        Way(
            "directory",
            {
                "staff_directory_lookup": _asked("name"),
                "create_ticket": {
                    **_asked("service", "due_date"),
                    "assignee_id": "staff_directory_lookup.employee_id",
                },
            },
            _told("create_ticket", "ticket_id") | _told("staff_directory_lookup", "email"),
        ),
        Way(
            "address_book",
            {
                "open_service_request": _asked("service", "due_date"),
                "mail_address_book": _asked(recipient="name"),
                "assign_ticket": {
                    "ticket_id": "open_service_request.ticket_id",
                    "assignee_id": "mail_address_book.account_id",
                },
            },
            _told("assign_ticket", "ticket_id") | _told("mail_address_book", email="smtp_address"),
        ),
    ),
    examples=(
        {"name": "Tomas Ribeiro", "service": "laptop replacement", "due_date": "2026-03-10"},
        {"name": "Lucas Penbrook", "service": "equipment repair", "due_date": "2026-03-06"},
        {"name": "Yuki Hanabe", "service": "contract review", "due_date": "2026-03-31"},
        {"name": "Chloe Tremont", "service": "supplier setup", "due_date": "2026-03-17"},
    ),
)

ROOM_BOOKED = Pattern(
    name="room_booked",
    purpose="Book the smallest free meeting room of an office that seats enough people.",
    inputs=("city", *TIME, "seats", "organiser_email"),
    exports=("booking_id", "room_id", "room_name", "end"),
    ways=(
        Way(
            "search_and_book",
            {
                "find_meeting_rooms": _asked("city", *TIME, "seats"),
                "book_meeting_room": {**_asked(*TIME, "organiser_email"), "room_id": "find_meeting_rooms.room_id"},
            },
            _told("book_meeting_room", "booking_id", "room_id", "room_name", "end"),
        ),
        Way(
            "hold_and_confirm",
            {
                "hold_meeting_room": _asked("city", *TIME, "seats", "organiser_email"),
                "confirm_room_hold": {"hold_id": "hold_meeting_room.hold_id"},
            },
            _told("confirm_room_hold", "booking_id", "room_id", "room_name", "end"),
        ),
    ),
    examples=tuple(
        {
            "city": city,
            "date": date,
            "start": start,
            "minutes": minutes,
            "seats": seats,
            "organiser_email": f"{organiser}@fernhill.example",
        }
        for city, date, start, minutes, seats, organiser in (
            ("Lisbon", "2026-03-03", "10:00", 60, 5, "ines.duarte"),
            ("London", "2026-03-04", "09:30", 90, 4, "samuel.okoro"),
            ("New York", "2026-03-11", "09:00", 45, 8, "grace.whitlow"),
            ("Tokyo", "2026-03-06", "15:15", 30, 4, "aiko.sendai"),
        )
    ),
)

ROOM_WHERE_PERSON_WORKS = Pattern(
    name="room_where_person_works",
    purpose="Book a meeting room for an employee, known by name, in the office where that person works.",
    inputs=("name", *TIME, "seats"),
    exports=("booking_id", "room_name", "email", "city"),
    ways=(
        Way(
            "directory",
            {
                "staff_directory_lookup": _asked("name"),
                "find_meeting_rooms": {**_asked(*TIME, "seats"), "city": "staff_directory_lookup.city"},
                "book_meeting_room": {
                    **_asked(*TIME),
                    "room_id": "find_meeting_rooms.room_id",
                    "organiser_email": "staff_directory_lookup.email",
                },
            },
            _told("book_meeting_room", "booking_id", "room_name", "city") | _told("staff_directory_lookup", "email"),
        ),
        Way(
            "address_book",
            {
                "mail_address_book": _asked(recipient="name"),
                "hold_meeting_room": {
                    **_asked(*TIME, "seats"),
                    "city": "mail_address_book.office_location",
                    "organiser_email": "mail_address_book.smtp_address",
                },
                "confirm_room_hold": {"hold_id": "hold_meeting_room.hold_id"},
            },
            _told("confirm_room_hold", "booking_id", "room_name", "city")
            | _told("mail_address_book", email="smtp_address"),
        ),
    ),
    examples=(
        {"name": "Marta Quintela", "date": "2026-03-09", "start": "11:30", "minutes": 60, "seats": 7},
        {"name": "Jonas Kellerhals", "date": "2026-03-03", "start": "14:30", "minutes": 45, "seats": 3},
        {"name": "Priya Ramanath", "date": "2026-03-05", "start": "11:00", "minutes": 90, "seats": 6},
        {"name": "Freja Lindahl", "date": "2026-03-05", "start": "13:15", "minutes": 30, "seats": 5},
    ),
)
