"""Alternative groups over contracts and surveys."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.office.wiring import asked, told

__all__ = ["CONTRACT_NOTICE", "CONTRACT_TERMS", "NOTICE_DAY", "SURVEY_SCORE"]

TERMS = ("contract_id", "ends_on", "notice_months", "annual_value", "currency")
TITLES = tuple(
    {"title": title}
    for title in (
        "Lisbon office lease",
        "New York security guards",
        "Stockholm recruitment retainer",
        "Customer database licence",
        "Legal research access",
        "Payroll bureau services",
    )
)

CONTRACT_TERMS = Pattern(
    name="contract_terms",
    purpose="Find a contract's id, end, months of notice and yearly value by its title.",
    inputs=("title",),
    exports=(*TERMS, "counterparty"),
    ways=(
        Way("record", {"contract_record": asked("title")}, told("contract_record", *TERMS, "counterparty")),
        Way("search", {"contract_search": asked(query="title")}, told("contract_search", *TERMS, "counterparty")),
    ),
    examples=TITLES,
)

NOTICE_DAY = Pattern(
    name="notice_day",
    purpose="Find the last day for giving notice of a contract from its end and its months of notice.",
    inputs=("ends_on", "notice_months"),
    exports=("notice_by", "days"),
    ways=(
        Way(
            "deadline",
            {"notice_deadline": asked("ends_on", "notice_months")},
            told("notice_deadline", "notice_by", days="notice_days"),
        ),
        Way(
            "timeline",
            {"contract_timeline": asked("ends_on", "notice_months")},
            told("contract_timeline", "notice_by", days="days_to_end"),
        ),
    ),
    examples=(
        {"ends_on": "2026-07-31", "notice_months": 3},
        {"ends_on": "2026-12-31", "notice_months": 6},
        {"ends_on": "2027-05-15", "notice_months": 1},
        {"ends_on": "2026-08-30", "notice_months": 18},
    ),
)

CONTRACT_NOTICE = Pattern(
    name="contract_notice",
    purpose="Find by when notice of a contract, known by its title, must be given.",
    inputs=("title",),
    exports=("notice_by", "contract_id", "ends_on"),
    ways=(
        Way(
            "record_and_deadline",
            {
                "contract_record": asked("title"),
                "notice_deadline": told("contract_record", "ends_on", "notice_months"),
            },
            {**told("notice_deadline", "notice_by"), **told("contract_record", "contract_id", "ends_on")},
        ),
        Way(
            "search_and_timeline",
            {
                "contract_search": asked(query="title"),
                "contract_timeline": told("contract_search", "ends_on", "notice_months"),
            },
            {**told("contract_timeline", "notice_by"), **told("contract_search", "contract_id", "ends_on")},
        ),
    ),
    examples=TITLES,
)

SURVEY_SCORE = Pattern(
    name="survey_score",
    purpose="Find the net promoter score of the ratings of a survey.",
    inputs=("ratings",),
    exports=("nps", "verdict", "responses"),
    ways=(
        Way(
            "straight",
            {"nps_from_ratings": asked("ratings")},
            told("nps_from_ratings", "nps", "verdict", responses="response_count"),
        ),
        Way(
            "by_group",
            {
                "rating_groups": asked("ratings"),
                "nps_from_counts": told("rating_groups", "promoters", "passives", "detractors"),
            },
            told("nps_from_counts", "nps", "verdict", "responses"),
        ),
    ),
    examples=(
        {"ratings": [9, 10, 6, 8, 7, 9]},
        {"ratings": [5, 4, 8, 9, 10, 3, 7]},
        {"ratings": [10, 9, 9, 10, 8]},
        {"ratings": [6, 7, 8, 9, 2, 10, 9, 9, 5, 8, 7]},
    ),
)
