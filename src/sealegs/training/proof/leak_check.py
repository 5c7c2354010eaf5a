"""A search of finished rows for what an evaluation keeps from training: in the rows' text, not in their labels.

A request of an evaluation, the name of a tool that is kept, an error's name or words that are kept, a code that is
kept: none may occur in any row, the first phase's symbols included.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.training.data.trajectory_player import TrajectoryOrder
from sealegs.training.proof.synthetic_failures import coded_errors, synthetic_kinds
from sealegs.training.proof.synthetic_world import STEMS, is_unseen_tool

NAME = re.compile(rf"\b(?:{'|'.join(STEMS)})_\d\d\b")
CODE = re.compile(r"\bE\d{4}\b")
NAMED = 3


class HoldoutLeak(UserError):
    """Something that the evaluation keeps is in a training row."""


def kept_words() -> frozenset[str]:
    """The types and messages of the errors that are kept."""
    shown = [kind.shown for kind in synthetic_kinds(new=True) if kind.shown is not None]
    return frozenset({word for one in shown for word in (one.type, one.message) if word})


def leaks(texts: Iterable[str], episodes: Iterable[TrajectoryOrder]) -> Iterator[str]:
    """Everything kept that is in a row, in sentences."""
    requests = {order.variant.task.request for order in episodes}
    names = {kind.name for kind in synthetic_kinds(new=True)}
    kept_codes, words = {kind.name for kind in coded_errors(new=True)}, kept_words()
    for text in texts:
        row = json.loads(text)
        where = f"row {row['id']}"
        if row["messages"][0]["content"] in requests:
            yield f"{where} asks what an episode asks"
        if row["failure_kind"] in names:
            yield f"{where} fails by {row['failure_kind']}, which is kept"
        yield from (
            f"{where} names the tool {name}, which is kept" for name in NAME.findall(text) if is_unseen_tool(name)
        )
        yield from (
            f"{where} shows the code {code}, which is kept" for code in CODE.findall(text) if code in kept_codes
        )
        yield from (f"{where} says {word!r}, which is kept" for word in words if word in text)


def check_apart(files: Iterable[Path], episodes: Iterable[TrajectoryOrder]) -> int:
    """Check the rows, and return how many there were.

    Raises:
        HoldoutLeak: something kept is in one.
    """
    texts = [line for file in files for line in file.read_text("utf-8").splitlines()]
    found = list(leaks(texts, episodes))
    if found:
        raise HoldoutLeak("\n".join([f"{len(found)} leaks into training:", *(f"  {one}" for one in found[:NAMED])]))
    return len(texts)
