"""Tools of the iot domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

READINGS = Overlap.of("latest_reading", "reading_history", "device_shadow", "meter_consumption")
# An asset lies near its city's own coordinates, near enough for the map of charge points and for forecasts.
CITY_COORDINATES = Overlap.of("locate_asset", "asset_trail", "city_profile", "geocode_place")
AMOUNT_AT_PRICE = Overlap.of("energy_cost", "running_cost", "order_total", "amount_at_rate")
