"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

from pathlib import Path

from sealegs.engines.inspect_runner import Display
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.inspect_entry import play_rest_in_inspect
from sealegs.suites.paladin.inspect_task import paladin
from sealegs.suites.paladin.options import PaladinOptions
from sealegs.suites.paladin.paladin_logs import SCHEMA


def run_paladin_in_inspect(settings: PaladinOptions, folder: Path, *, display: Display | None = None) -> None:
    """Run what is left of a run through Inspect; see `run_left`."""
    play_rest_in_inspect(paladin, settings, folder, SCHEMA, display)
