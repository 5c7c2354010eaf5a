"""Labels of traces by name: of a file, or of a set that ships with a suite."""

from __future__ import annotations

from pathlib import Path

from sealegs.scoring.trace_labels import Labels, read_label_file
from sealegs.suites.suite import Suite, suites, suites_with


def read_trace_labels(name: str) -> Labels:
    """Labels by trace: of a file, or of a set that ships with a suite; a file of that name comes first.

    Raises:
        UserError: the file cannot be read, has lines without an id, or an id twice; every mistake is named.
    """
    shipped = {known: read for suite in suites().values() for known, read in suite.label_sets.items()}
    if name in shipped and not Path(name).exists():
        return shipped[name]()
    return read_label_file(Path(name), shipped)


def labelled_suite(*names: str) -> str:
    """The name of the suite that labels of these names are of; files do not say, and are of the first with questions.

    Args:
        names: of files, or of sets that ship.
    """
    owners = [suite.name for suite in suites().values() if suite.label_sets.keys() & set(names)]
    return next(iter([*owners, *suites_with(Suite.grade)]))
