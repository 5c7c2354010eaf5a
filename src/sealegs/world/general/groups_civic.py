"""Alternative groups on public offices."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = ["office_appointment"]

_BOOKED = ("appointment_id", "office_name", "starts_at", "ends_at", "fee", "currency")

office_appointment = Pattern(
    name="office_appointment",
    purpose="Get a person the first appointment for a service at a city's public office from a day on.",
    inputs=("city", "service", "from_date", "person"),
    exports=_BOOKED,
    ways=(
        Way(
            "slot",
            {
                "find_office_slots": {"city": "in.city", "service": "in.service", "from_date": "in.from_date"},
                "book_office_slot": {"slot_id": "find_office_slots.slot_id", "person": "in.person"},
            },
            {name: f"book_office_slot.{name}" for name in _BOOKED},
        ),
        Way(
            "hold",
            {
                "hold_office_appointment": {
                    "city": "in.city",
                    "service": "in.service",
                    "from_date": "in.from_date",
                    "person": "in.person",
                },
                "confirm_office_appointment": {"hold_id": "hold_office_appointment.hold_id"},
            },
            {name: f"confirm_office_appointment.{name}" for name in _BOOKED},
        ),
    ),
    examples=(
        {"city": "Lisbon", "service": "passport renewal", "from_date": "2026-03-05", "person": "Ines Duarte"},
        {"city": "Mexico City", "service": "identity card", "from_date": "2026-03-13", "person": "Gloria Mendez"},
        {"city": "Stockholm", "service": "parking permit", "from_date": "2026-03-09", "person": "Marta Lindqvist"},
        {"city": "Sydney", "service": "passport renewal", "from_date": "2026-03-23", "person": "Owen Prescott"},
        {"city": "Dubai", "service": "business registration", "from_date": "2026-04-06", "person": "Leila Haddad"},
    ),
)
