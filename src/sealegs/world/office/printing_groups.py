"""Alternative groups about printing."""

from sealegs.tasks.pattern import Pattern, Way

EXPORTS = ("job_id", "title", "printed_pages", "ready_at")
ASKED = {"document_id": "in.document_id", "copies": "in.copies"}

DOCUMENT_PRINTED = Pattern(
    name="document_printed",
    purpose="Have copies of a document printed in black at an office, where a new job begins first.",
    inputs=("city", "document_id", "copies"),
    exports=EXPORTS,
    ways=(
        Way(
            "at_once",
            {"print_at_office": {"city": "in.city", **ASKED}},
            {name: f"print_at_office.{name}" for name in EXPORTS},
        ),
        Way(
            "by_printer",
            {
                "find_printer": {"city": "in.city"},
                "submit_print_job": {"printer_id": "find_printer.printer_id", **ASKED},
            },
            {name: f"submit_print_job.{name}" for name in EXPORTS},
        ),
    ),
    examples=(
        {"city": "Lisbon", "document_id": "DOC-3101", "copies": 4},
        {"city": "Berlin", "document_id": "DOC-3124", "copies": 12},
        {"city": "New York", "document_id": "DOC-3105", "copies": 1},
        {"city": "Tokyo", "document_id": "DOC-3107", "copies": 6},
    ),
)
