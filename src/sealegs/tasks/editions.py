"""The edition of a set of tasks that was played, and the string by which its data can be found in a corpus.

A set has a version, which people count, and a digest of its contents, which nobody can forget to count. Both are in
every record, row and page. The canary is in every file of test material that the package ships or writes: whoever makes
a training corpus can leave out what holds it, and whoever suspects a model can ask it for the GUID.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

TASK_SET = "task_set"  # in a record and a row: the edition of the tasks
CANARY_FIELD = "canary"  # in a record, and in each row and object of a data file
GUID = "sealegs:cf943f1b-698d-4a5b-aa28-44d629674429"
CANARY = f"Sealegs evaluation data: please keep it out of the text that language models learn from. Canary GUID {GUID}"
DIGITS = 12  # of a digest, as it is shown


def contents_digest(texts: Iterable[bytes]) -> str:
    """The digest that tells these contents, in this order, from others."""
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:DIGITS]


def edition(version: str, digest: str) -> str:
    """The name of an edition, as `4-A:0123456789ab`."""
    return f"{version}:{digest}"


def edition_facts(name: str) -> dict[str, str]:
    """The facts that a record notes on its task's edition."""
    return {TASK_SET: name, CANARY_FIELD: CANARY}
