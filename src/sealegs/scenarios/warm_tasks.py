"""The shipped tasks, read when this module is imported: what worker processes share that are forked after it."""

from __future__ import annotations

from sealegs.scenarios.task_sets import task_set

task_set()
