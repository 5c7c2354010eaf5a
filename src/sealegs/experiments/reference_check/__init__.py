"""Ground truth for one's own agent and tools: a reference learned from clean runs, and maze's judge on it.

The data's path: `checked_tools` reads the tools; `clean_runs` takes the good calls of runs without faults;
`value_search` says where a value came from; `reference_learning` makes a `LearnedReference`, `alternative_search` adds
the ways that gave the same values; `reference_file` writes and reads it; `reference_graph` turns it into a task and
what a judge must know; `check_episodes` draws the faults of P1 to P4; `reference_check` plays the runs and gives a
`CheckReport`.
"""

from sealegs.experiments.reference_check.check_report import CheckReport
from sealegs.experiments.reference_check.reference_check_run import check

__all__ = ["CheckReport", "check"]
