"""Alternative groups over calendars."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.office.wiring import asked, told

__all__ = ["EVENT_AT_TIME", "FIRST_FREE_TIME", "MEETING_ARRANGED"]

EVENT = ("event_id", "start", "end")

FIRST_FREE_TIME = Pattern(
    name="first_free_time",
    purpose="Find the first free time of a wanted length that a colleague has on a day.",
    inputs=("email", "date", "minutes"),
    exports=("start", "end", "weekday"),
    ways=(
        Way(
            "calendar",
            {"calendar_free_busy": asked("email", "date", "minutes")},
            told("calendar_free_busy", "weekday", start="free_from", end="free_until"),
        ),
        Way(
            "assistant",
            {"scheduling_assistant": asked("date", "minutes", attendee_email="email")},
            told("scheduling_assistant", "weekday", start="best_start", end="best_end"),
        ),
    ),
    examples=(
        {"email": "ines.duarte@fernhill.example", "date": "2026-03-04", "minutes": 60},
        {"email": "noah.fielding@fernhill.example", "date": "2026-03-05", "minutes": 45},
        {"email": "lena.borgmann@fernhill.example", "date": "2026-03-03", "minutes": 30},
        {"email": "ruth.albrecht@fernhill.example", "date": "2026-03-09", "minutes": 120},
        {"email": "aiko.sendai@fernhill.example", "date": "2026-03-06", "minutes": 90},
    ),
)

EVENT_AT_TIME = Pattern(
    name="event_at_time",
    purpose="Have an event with a colleague entered at a given time and the invitation sent.",
    inputs=("email", "date", "start", "minutes", "subject"),
    exports=EVENT,
    ways=(
        Way(
            "at_once",
            {"create_calendar_event": asked("email", "date", "start", "minutes", "subject")},
            told("create_calendar_event", *EVENT),
        ),
        Way(
            "draft_first",
            {
                "draft_invitation": asked("email", "date", "start", "minutes", "subject"),
                "send_invitation": {"draft_id": "draft_invitation.draft_id"},
            },
            told("send_invitation", *EVENT),
        ),
    ),
    examples=(
        {
            "email": "ines.duarte@fernhill.example",
            "date": "2026-03-04",
            "start": "11:00",
            "minutes": 60,
            "subject": "Cloud budget",
        },
        {
            "email": "priya.ramanath@fernhill.example",
            "date": "2026-03-10",
            "start": "15:15",
            "minutes": 45,
            "subject": "Renewal",
        },
        {
            "email": "erik.sandmark@fernhill.example",
            "date": "2026-03-16",
            "start": "09:30",
            "minutes": 30,
            "subject": "Open roles",
        },
        {
            "email": "mei.tan@fernhill.example",
            "date": "2026-03-05",
            "start": "14:00",
            "minutes": 120,
            "subject": "Budget model",
        },
    ),
)

MEETING_ARRANGED = Pattern(
    name="meeting_arranged",
    purpose="Have a meeting with a colleague entered at the first free time of a day and the invitation sent.",
    inputs=("email", "date", "minutes", "subject"),
    exports=EVENT,
    ways=(
        Way(
            "look_and_enter",
            {
                "calendar_free_busy": asked("email", "date", "minutes"),
                "create_calendar_event": {
                    **asked("email", "date", "minutes", "subject"),
                    "start": "calendar_free_busy.free_from",
                },
            },
            told("create_calendar_event", *EVENT),
        ),
        Way(
            "suggest_and_draft",
            {
                "scheduling_assistant": asked("date", "minutes", attendee_email="email"),
                "draft_invitation": {
                    **asked("email", "date", "minutes", "subject"),
                    "start": "scheduling_assistant.best_start",
                },
                "send_invitation": {"draft_id": "draft_invitation.draft_id"},
            },
            told("send_invitation", *EVENT),
        ),
    ),
    examples=(
        {"email": "tomas.ribeiro@fernhill.example", "date": "2026-03-03", "minutes": 60, "subject": "Outage report"},
        {"email": "chloe.tremont@fernhill.example", "date": "2026-03-04", "minutes": 45, "subject": "Open invoices"},
        {"email": "freja.lindahl@fernhill.example", "date": "2026-03-05", "minutes": 30, "subject": "Hiring plan"},
        {"email": "yuki.hanabe@fernhill.example", "date": "2026-03-13", "minutes": 90, "subject": "Patent filing"},
    ),
)
