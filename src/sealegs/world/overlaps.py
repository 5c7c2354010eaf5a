"""Tools that can stand in for one another on some inputs, and so stand in no group.

An agent must not be offered one beside a task that wants the other: using it would be right, and count as wrong.
"""

OVERLAPS: tuple[frozenset[str], ...] = (
    frozenset({"calendar_day", "add_working_days", "expand_recurrence", "schedule_hours"}),
    frozenset({"calendar_day", "city_profile", "geocode_place"}),
    frozenset({"calendar_day", "shift_moment"}),
    frozenset({"list_statistics", "tally_amounts", "trip_cost", "order_total"}),
    frozenset({"latest_reading", "reading_history", "device_shadow", "meter_consumption"}),
    frozenset({"search_products", "browse_category", "product_details", "choose_offer"}),
    frozenset({"search_hotels", "hotel_directory"}),
    frozenset({"search_flights", "fare_calendar"}),
    frozenset({"save_note", "add_checklist_item"}),
    frozenset({"lodging_tax", "vat_breakdown"}),
)


def kin(tools: set[str]) -> set[str]:
    """The tools themselves and all that overlap with one of them."""
    return tools.union(*(overlap for overlap in OVERLAPS if overlap & tools))
