"""Tools of the travel domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

__all__ = ["FARES", "HOTELS", "TAXES"]

HOTELS = Overlap.of("search_hotels", "hotel_directory")
FARES = Overlap.of("search_flights", "fare_calendar")
TAXES = Overlap.of("lodging_tax", "vat_breakdown")
