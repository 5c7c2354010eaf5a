"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

from pathlib import Path

from sealegs.engines.inspect_runner import Display
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.highwater.highwater_logs import SCHEMA
from sealegs.suites.highwater.inspect_task import highwater
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.inspect_entry import play_rest_in_inspect


def run_highwater_in_inspect(settings: HighwaterOptions, folder: Path, *, display: Display | None = None) -> None:
    """Run what is left of a run through Inspect; see `run_left`."""
    play_rest_in_inspect(highwater, settings, folder, SCHEMA, display)
