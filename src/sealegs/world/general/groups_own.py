"""Alternative groups on the user's own things: alarms and contacts."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = ["alarm_after_moment", "alarm_at_moment", "contact_saved"]

alarm_at_moment = Pattern(
    name="alarm_at_moment",
    purpose="Have the user's device ring at a moment, under a label.",
    inputs=("label", "at"),
    exports=("alarm_id", "rings_at", "minutes_from_now"),
    ways=(
        Way(
            "alarm",
            {"set_alarm": {"at": "in.at", "label": "in.label"}},
            {
                "alarm_id": "set_alarm.alarm_id",
                "rings_at": "set_alarm.rings_at",
                "minutes_from_now": "set_alarm.minutes_from_now",
            },
        ),
        Way(
            "countdown",
            {
                "time_between": {"end": "in.at"},
                "start_timer": {"label": "in.label", "minutes": "time_between.minutes"},
            },
            {
                "alarm_id": "start_timer.timer_id",
                "rings_at": "start_timer.ends_at",
                "minutes_from_now": "start_timer.duration_minutes",
            },
        ),
    ),
    examples=(
        {"label": "Check-in opens", "at": "2026-03-17T19:35"},
        {"label": "Call the notary", "at": "2026-03-05T14:45"},
        {"label": "Video call with Tokyo", "at": "2026-03-03T08:00:00"},
        {"label": "Collect the rental car", "at": "2026-03-11T11:30"},
    ),
)

alarm_after_moment = Pattern(
    name="alarm_after_moment",
    purpose="Have the user's device ring a number of hours after a moment, under a label.",
    inputs=("label", "moment", "hours"),
    exports=("alarm_id", "rings_at"),
    ways=(
        Way(
            "shift_and_alarm",
            {
                "shift_moment": {"moment": "in.moment", "hours": "in.hours"},
                "set_alarm": {"at": "shift_moment.result", "label": "in.label"},
            },
            {"alarm_id": "set_alarm.alarm_id", "rings_at": "set_alarm.rings_at"},
        ),
        Way(
            "wait_and_timer",
            {
                "time_between": {"end": "in.moment"},
                "start_timer": {"label": "in.label", "hours": "in.hours", "minutes": "time_between.minutes"},
            },
            {"alarm_id": "start_timer.timer_id", "rings_at": "start_timer.ends_at"},
        ),
    ),
    examples=(
        {"label": "Ring the hotel", "moment": "2026-03-18T19:35", "hours": 2},
        {"label": "Ask about the parcel", "moment": "2026-03-06T18:00", "hours": 24},
        {"label": "Check the oven", "moment": "2026-03-02T18:15", "hours": 1},
        {"label": "Join the webinar", "moment": "2026-03-10T09:45:00", "hours": 5},
    ),
)

_SAVED = ("contact_id", "email", "country", "utc_offset")

contact_saved = Pattern(
    name="contact_saved",
    purpose="Have a person with e-mail address and city among the user's own contacts.",
    inputs=("name", "email", "city"),
    exports=_SAVED,
    ways=(
        Way(
            "fields",
            {"add_contact": {"name": "in.name", "email": "in.email", "city": "in.city"}},
            {name: f"add_contact.{name}" for name in _SAVED},
        ),
        Way(
            "card",
            {
                "compose_contact_card": {"name": "in.name", "email": "in.email", "city": "in.city"},
                "import_contact_card": {"card": "compose_contact_card.card"},
            },
            {name: f"import_contact_card.{name}" for name in _SAVED},
        ),
    ),
    examples=(
        {"name": "Nadia Ferreira", "email": "nadia.ferreira@brightmail.example", "city": "Lisbon"},
        {"name": "Ines Duarte", "email": "ines.duarte@fernhill.example", "city": "Lisbon"},
        {"name": "Kenji Mori", "email": "kenji.mori@yubin.example", "city": "Tokyo"},
        {"name": "Grace O'Neill", "email": "grace.oneill@brightmail.example", "city": "San Francisco"},
    ),
)
