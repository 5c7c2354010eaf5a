"""Alternative groups of insurance and visas."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.travel.groups import given, taken

__all__ = ["travel_cover", "visa_application", "visa_lodged"]

POLICY = ("policy_id", "total", "currency", "days", "medical_limit_eur")
TRIP = given("city", "starts_on", "ends_on", "cover", "currency")

travel_cover = Pattern(
    name="travel_cover",
    purpose="Insure a traveller for a trip to a city.",
    inputs=("traveller", "city", "starts_on", "ends_on", "cover", "currency"),
    exports=POLICY,
    ways=(
        Way(
            id="at_once",
            calls={"buy_travel_insurance": {"traveller": "in.traveller", **TRIP}},
            exports=taken("buy_travel_insurance", POLICY),
        ),
        Way(
            id="quote_first",
            calls={
                "quote_travel_insurance": TRIP,
                "bind_insurance_quote": {"quote_id": "quote_travel_insurance.quote_id", "traveller": "in.traveller"},
            },
            exports=taken("bind_insurance_quote", POLICY),
        ),
    ),
    examples=(
        {
            "traveller": "Ines Carvalho",
            "city": "Berlin",
            "starts_on": "2026-03-18",
            "ends_on": "2026-03-21",
            "cover": "standard",
            "currency": "EUR",
        },
        {
            "traveller": "Anil Deshmukh",
            "city": "Tokyo",
            "starts_on": "2026-04-06",
            "ends_on": "2026-04-16",
            "cover": "premium",
            "currency": "GBP",
        },
        {
            "traveller": "Luca Baumann",
            "city": "Chicago",
            "starts_on": "2026-05-29",
            "ends_on": "2026-06-02",
            "cover": "basic",
            "currency": "CHF",
        },
        {
            "traveller": "Dana Whitfield",
            "city": "Cape Town",
            "starts_on": "2026-03-24",
            "ends_on": "2026-03-24",
            "cover": "standard",
            "currency": "USD",
        },
    ),
)

VISA = ("application_id", "permit", "fee", "currency", "decision_on")
BY_FILE = Way(
    id="through_a_file",
    calls={
        "open_visa_case": given("nationality", "city", "traveller"),
        "submit_visa_case": {"case_id": "open_visa_case.case_id", "arrival_date": "in.arrival_date"},
    },
    exports=taken("submit_visa_case", VISA),
)

visa_application = Pattern(
    name="visa_application",
    purpose="Apply for what a traveller of a nationality needs to visit a city.",
    inputs=("nationality", "city", "traveller", "arrival_date"),
    exports=VISA,
    ways=(
        Way(
            id="rules_and_apply",
            calls={
                "entry_requirements": given("nationality", "city"),
                "apply_for_visa": {
                    "country_code": "entry_requirements.country_code",
                    "permit": "entry_requirements.permit",
                    **given("nationality", "traveller", "arrival_date"),
                },
            },
            exports=taken("apply_for_visa", VISA),
        ),
        BY_FILE,
    ),
    examples=(
        {"nationality": "PT", "city": "Mumbai", "traveller": "Clara Voss", "arrival_date": "2026-04-20"},
        {"nationality": "DE", "city": "San Francisco", "traveller": "Luca Baumann", "arrival_date": "2026-03-18"},
        {"nationality": "IN", "city": "Paris", "traveller": "Priya Nair", "arrival_date": "2026-05-11"},
        {"nationality": "JP", "city": "Toronto", "traveller": "Kenji Mori", "arrival_date": "2026-04-07"},
    ),
)

visa_lodged = Pattern(
    name="visa_lodged",
    purpose="Apply for the permit that the entry rules of a city's country ask of a traveller.",
    inputs=("nationality", "city", "country_code", "permit", "traveller", "arrival_date"),
    exports=("application_id", "fee", "decision_on"),
    ways=(
        Way(
            id="at_once",
            calls={"apply_for_visa": given("nationality", "country_code", "permit", "traveller", "arrival_date")},
            exports=taken("apply_for_visa", ("application_id", "fee", "decision_on")),
        ),
        Way(
            id=BY_FILE.id,
            calls=BY_FILE.calls,
            exports=taken("submit_visa_case", ("application_id", "fee", "decision_on")),
        ),
    ),
    examples=(
        {
            "nationality": "PT",
            "city": "Beijing",
            "country_code": "CN",
            "permit": "visitor visa",
            "traveller": "Clara Voss",
            "arrival_date": "2026-04-20",
        },
        {
            "nationality": "FR",
            "city": "Sydney",
            "country_code": "AU",
            "permit": "electronic authorisation",
            "traveller": "Claire Moreau",
            "arrival_date": "2026-03-18",
        },
        {
            "nationality": "ZA",
            "city": "Rome",
            "country_code": "IT",
            "permit": "visitor visa",
            "traveller": "Sipho Dlamini",
            "arrival_date": "2026-05-11",
        },
    ),
)
