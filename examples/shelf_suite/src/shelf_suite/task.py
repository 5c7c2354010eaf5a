"""The suite as a task, which Inspect finds here."""

from sealegs.suites.inspect_entry import inspect_task
from shelf_suite.suite import SUITE

shelf = inspect_task(SUITE)
