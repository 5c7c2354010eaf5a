"""What Inspect finds: the suite as a task."""

from sealegs.suites.inspect_entry import inspect_task
from shelf_suite.suite import SUITE

shelf = inspect_task(SUITE)
