"""Tools of the travel domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

HOTELS = Overlap.of("search_hotels", "hotel_directory")
FARES = Overlap.of("search_flights", "fare_calendar")
TAXES = Overlap.of("lodging_tax", "vat_breakdown")
TRIP_DAYS = Overlap.of("count_travel_days", "stay_cost", "net_workdays", "period_by_week")
INSURED_DAYS = Overlap.of("count_travel_days", "quote_travel_insurance", "per_diem_allowance")
SHARES = Overlap.of("split_trip_bill", "trip_cost")
VISA_TERMS = Overlap.of("entry_requirements", "open_visa_case")
