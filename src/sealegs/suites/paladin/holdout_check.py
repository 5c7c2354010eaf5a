"""Check that the generalisation set is new: its failures and tools against all that could have been learned from.

Wordings are compared as sets of words after masking: two that share half of their words count as one. Names of errors
and of tools must not occur at all. A meaning that is known under other words is not noticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from importlib import resources

from sealegs.recovery.bank import shipped_exemplars
from sealegs.recovery.masking import masked
from sealegs.scenarios.labelled_failures.failures import published_failures, unseen_failures
from sealegs.scenarios.toolbench.toolbench_import import shipped_trajectory_tasks
from sealegs.suites.paladin.episodes import episodes_of_set
from sealegs.world.corpus import load_corpus

ALIKE = 0.5  # share of words in common
_WORD = re.compile(r"[^\W\d_]+")


def known_wordings() -> Iterator[str]:
    """Every wording that the bank, the labelled failures and the other sets hold."""
    for exemplar in shipped_exemplars():
        yield from (exemplar.diagnosis, *exemplar.looks, *exemplar.types)
    text = resources.files("sealegs.recovery").joinpath("data/labelled.jsonl").read_text(encoding="utf-8")
    yield from (json.loads(line)["text"] for line in text.splitlines() if line.strip())
    yield from (f"{shown.failure} {shown.type or ''}: {shown.message or ''}" for shown in published_failures().values())


def known_tools() -> set[str]:
    """Every tool of the world, of the other sets, and of the labelled failures."""
    text = resources.files("sealegs.recovery").joinpath("data/labelled.jsonl").read_text(encoding="utf-8")
    labelled = {str(json.loads(line).get("tool", "")) for line in text.splitlines() if line.strip()}
    own = {
        name
        for task in shipped_trajectory_tasks("own").tasks.tasks
        for name in shipped_trajectory_tasks("own").tasks.corpus(task).tools
    }
    return {*load_corpus().tools, *labelled, *own} - {""}


def holdout_leaks(wordings: Iterable[str] = (), tools: Iterable[str] = ()) -> list[str]:
    """The parts of the generalisation set that are not new, in sentences; none where all of it is new.

    Args:
        wordings, tools: further ones that it is held against: of data that something was trained on.
    """
    known = [(text, masked_words(text)) for text in (*known_wordings(), *wordings)]
    problems = []
    for shown in unseen_failures().values():
        own = masked_words(shown.message or "")
        for text, theirs in known:
            if shown.type and re.search(rf"\b{re.escape(shown.type)}\b", text, re.IGNORECASE):
                problems.append(f"{shown.failure}: the name {shown.type} is in {text!r}")
            # A failure without a message is like no other, and two empty sets of words would divide by zero.
            if own and len(own & theirs) / len(own | theirs) >= ALIKE:
                problems.append(f"{shown.failure}: {shown.message!r} is worded as {text!r}")
    taken = known_tools() | set(tools)
    for task in dict.fromkeys(episode.task for episode in episodes_of_set("generalisation")):
        names = shipped_trajectory_tasks("foreign").tasks.corpus(task).tools
        problems += [f"{task}: the tool {name} is known" for name in names if name in taken]
    return problems


def masked_words(text: str) -> frozenset[str]:
    """The words of a message, masked."""
    return frozenset(_WORD.findall(masked(text).casefold()))
