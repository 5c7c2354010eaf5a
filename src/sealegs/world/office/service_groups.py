"""Alternative groups over training and printing."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.office.wiring import asked, told

__all__ = ["PRINT_COST", "TRAINING_BOOKED"]

ENROLMENT = ("enrolment_id", "date", "city", "fee", "currency")
COST = ("sheets", "total_cost", "currency")

TRAINING_BOOKED = Pattern(
    name="training_booked",
    purpose="Have a colleague enrolled in the next session of a training course.",
    inputs=("course", "email"),
    exports=ENROLMENT,
    ways=(
        Way(
            "catalogue",
            {
                "training_catalogue": asked("course"),
                "enrol_in_session": {**asked("email"), "session_id": "training_catalogue.session_id"},
            },
            told("enrol_in_session", *ENROLMENT),
        ),
        Way(
            "kept_place",
            {
                "reserve_training_place": asked("course", "email"),
                "confirm_training_place": {"place_id": "reserve_training_place.place_id"},
            },
            told("confirm_training_place", *ENROLMENT),
        ),
    ),
    examples=(
        {"course": "Negotiation basics", "email": "grace.whitlow@fernhill.example"},
        {"course": "Business Japanese", "email": "ruth.albrecht@fernhill.example"},
        {"course": "Spreadsheet modelling", "email": "naomi.okoro@fernhill.example"},
        {"course": "Leading small teams", "email": "freja.lindahl@fernhill.example"},
        {"course": "Project estimating", "email": "hanna.vogt@fernhill.example"},
    ),
)

PRINT_COST = Pattern(
    name="print_cost",
    purpose="Find the paper and the money that copies in black, printed on both sides, take in an office.",
    inputs=("city", "pages", "copies"),
    exports=COST,
    ways=(
        Way(
            "tariff",
            {
                "print_tariff": asked("city"),
                "print_job_cost": {
                    **asked("pages", "copies"),
                    **told("print_tariff", "page_price", "sheet_price", "currency"),
                },
            },
            told("print_job_cost", *COST),
        ),
        Way(
            "printer",
            {
                "find_printer": asked("city"),
                "estimate_print_job": {**asked("pages", "copies"), "printer_id": "find_printer.printer_id"},
            },
            told("estimate_print_job", *COST),
        ),
    ),
    examples=(
        {"city": "Lisbon", "pages": 24, "copies": 10},
        {"city": "Tokyo", "pages": 31, "copies": 8},
        {"city": "London", "pages": 9, "copies": 60},
        {"city": "Stockholm", "pages": 48, "copies": 15},
        {"city": "Toronto", "pages": 3, "copies": 200},
    ),
)
