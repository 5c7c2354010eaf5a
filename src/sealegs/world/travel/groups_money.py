"""Alternative groups about what a trip pays and costs: allowances, baggage, shares of a stay."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.travel.groups import given

__all__ = ["baggage_charge", "daily_allowance", "trip_allowance"]

daily_allowance = Pattern(
    name="daily_allowance",
    purpose="Learn what the company allows for a full day on a business trip to a city.",
    inputs=("city",),
    exports=("daily_rate", "currency"),
    ways=(
        Way(
            id="rate",
            calls={"per_diem_rate": given("city")},
            exports={"daily_rate": "per_diem_rate.daily_rate", "currency": "per_diem_rate.currency"},
        ),
        Way(
            id="table",
            calls={"allowance_for_days": {"city": "in.city", "full_days": 1}},
            exports={"daily_rate": "allowance_for_days.total", "currency": "allowance_for_days.currency"},
        ),
    ),
    examples=({"city": "Berlin"}, {"city": "Tokyo"}, {"city": "Zurich"}, {"city": "Toronto"}, {"city": "Mumbai"}),
)

trip_allowance = Pattern(
    name="trip_allowance",
    purpose="Find the per diem allowance of a business trip to a city from its first and last day.",
    inputs=("city", "departs_on", "returns_on"),
    exports=("allowance", "currency"),
    ways=(
        Way(
            id="rate_and_dates",
            calls={
                "per_diem_rate": given("city"),
                "per_diem_allowance": {
                    "daily_rate": "per_diem_rate.daily_rate",
                    "currency": "per_diem_rate.currency",
                    **given("departs_on", "returns_on"),
                },
            },
            exports={"allowance": "per_diem_allowance.total", "currency": "per_diem_allowance.currency"},
        ),
        Way(
            id="days_and_table",
            calls={
                "count_travel_days": given("departs_on", "returns_on"),
                "allowance_for_days": {
                    "city": "in.city",
                    "full_days": "count_travel_days.full_days",
                    "part_days": "count_travel_days.part_days",
                },
            },
            exports={"allowance": "allowance_for_days.total", "currency": "allowance_for_days.currency"},
        ),
    ),
    examples=(
        {"city": "Berlin", "departs_on": "2026-03-18", "returns_on": "2026-03-21"},
        {"city": "Tokyo", "departs_on": "2026-04-06", "returns_on": "2026-04-16"},
        {"city": "Singapore", "departs_on": "2026-03-24", "returns_on": "2026-03-24"},
        {"city": "Mexico City", "departs_on": "2026-05-29", "returns_on": "2026-06-02"},
    ),
)

RULES = ("included_pieces", "max_kg_per_piece", "extra_piece_fee", "overweight_fee_per_kg", "currency")

baggage_charge = Pattern(
    name="baggage_charge",
    purpose="Find what checked baggage of given weights costs on a flight.",
    inputs=("flight_number", "cabin", "weights_kg"),
    exports=("fee", "currency"),
    ways=(
        Way(
            id="rules_and_reckon",
            calls={
                "baggage_rules": given("flight_number", "cabin"),
                "baggage_fee": {"weights_kg": "in.weights_kg", **{name: f"baggage_rules.{name}" for name in RULES}},
            },
            exports={"fee": "baggage_fee.total", "currency": "baggage_fee.currency"},
        ),
        Way(
            id="weigh_and_price",
            calls={
                "weigh_baggage": given("weights_kg", "cabin"),
                "excess_baggage_price": {
                    **given("flight_number", "cabin"),
                    "pieces": "weigh_baggage.pieces",
                    "overweight_kg": "weigh_baggage.overweight_kg",
                },
            },
            exports={"fee": "excess_baggage_price.amount_due", "currency": "excess_baggage_price.currency"},
        ),
    ),
    examples=(
        {"flight_number": "SV101", "cabin": "economy", "weights_kg": [21.5, 26, 18]},
        {"flight_number": "BN226", "cabin": "business", "weights_kg": [31, 35.5, 33, 12]},
        {"flight_number": "AQ311", "cabin": "economy", "weights_kg": [24.5]},
        {"flight_number": "PL831", "cabin": "economy", "weights_kg": [22, 23, 27.5]},
    ),
)
