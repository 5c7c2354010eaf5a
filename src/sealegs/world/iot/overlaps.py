"""Tools of the iot domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

__all__ = ["READINGS"]

READINGS = Overlap.of("latest_reading", "reading_history", "device_shadow", "meter_consumption")
