"""The exemplar bank: the exemplar nearest to a failure, with its distance, or nothing where none is near.

The distance is `STRUCTURE` parts of structure and the rest of text, 0 to 1. Structure: status, error name, cause by the
rules, nature, broken schema and invariants, each counted where the failure tells something of it. Text: one minus the
likeness of the masked messages (BM25, or whatever else is given that has `likeness`). Beyond `FLOOR` nothing is
advised: it is the largest multiple of 0.05 up to which nine of ten nearest exemplars have the right cause when the
rules are silenced, over the labelled failures that rules and exemplars were written with, and no others
(`scoring.diagnosis_accuracy`).

Exemplars that are alike in structure are looked at as one, so a lookup among 100,000 costs some passes over two arrays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sealegs.cli_extra import why_unusable
from sealegs.faults.call import Call
from sealegs.faults.user_error import UserError
from sealegs.recovery.bank.exemplar import Exemplar, read_bank_file, shipped_exemplars
from sealegs.recovery.causes import GENERIC, Cause, cause, causes, error_basename
from sealegs.recovery.classes import NearExemplar
from sealegs.recovery.failure_category import categorize_failure
from sealegs.recovery.policies.advise import Advice
from sealegs.recovery.signature import Signature
from sealegs.search.bm25 import TextIndex, tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STRUCTURE = 0.6
WEIGHTS = {"status": 3.0, "type": 2.0, "cause": 3.0, "nature": 1.0, "invariants": 4.0, "schema": 2.0}
UNSAID = 0.5  # how far an exemplar is from a failure in what the exemplar says nothing of
FLOOR = 0.55
SOME = 8  # of the nearest exemplars are looked at for one that helps
ALIKE = 0.7  # how similar two messages must be for an exemplar to apply to a failure that no rule knows
AKIN = 0.25  # the least similarity if the cause that the rules found is a broad one
COVERED = 0.5  # of the failure's words: what share the exemplar's message must then have
UNTELLING = frozenset({"runtime"})  # causes that say nothing of what helps
UNTELLING_TYPES = frozenset({"RuntimeError", "OSError", "IOError", "Exception", "OperationalError"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class SimilarityIndex(Protocol):
    """Texts that can be compared with one: BM25 here; an index of embeddings fits as well."""

    def likeness(self, query: str) -> NDArray[np.float64]:
        """The similarity of the query to every text, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Match:
    """An exemplar and how far it is from a failure, 0 to 1; `alike`, how alike their messages are, 0 to 1."""

    exemplar: Exemplar
    distance: float
    alike: float = 0.0


class Bank:
    """Exemplars that can be searched for the nearest one.

    Args:
        exemplars: what is known; of several with one name the last counts.
        floor: beyond this distance nothing is advised.
        index: makes what compares texts.
        rules: whether the cause that the rules tell counts.

    Raises:
        UserError: what it searches with is not installed.
        ValueError: there are no exemplars.
    """

    def __init__(
        self,
        exemplars: Iterable[Exemplar],
        *,
        floor: float = FLOOR,
        index: Callable[[tuple[str, ...]], SimilarityIndex] = TextIndex,
        rules: bool = True,
    ) -> None:
        if message := why_unusable("a search of the exemplar bank", ("bm25s", "numpy", "Stemmer")):
            raise UserError(message)
        import numpy as np

        # Keyed by name, so that a user's exemplar replaces the shipped one of the same name.
        self.exemplars = tuple({one.name: one for one in exemplars}.values())
        if not self.exemplars:
            raise ValueError("a bank needs at least one exemplar")
        self.floor = floor
        self._rules = rules
        self._meanings: defaultdict[str, set[str]] = defaultdict(set)  # the causes that an error's name means
        for one in self.exemplars:
            for name in one.types:
                self._meanings[name].add(one.cause)
        texts = [(place, look) for place, one in enumerate(self.exemplars) for look in one.masks]
        self._texts = index(tuple(look for _, look in texts))
        # `reduceat` needs the place at which each exemplar's texts begin.
        self._first = np.flatnonzero(np.diff([-1, *(place for place, _ in texts)]))  # each one's first text
        self._single = len(texts) == len(self.exemplars)
        groups: dict[tuple[Any, ...], int] = {}
        # Most exemplars share their structure with others, so distances are computed once for each structure.
        self._group = np.array([groups.setdefault(_structure(one), len(groups)) for one in self.exemplars])
        self._features = _Features([self.exemplars[place] for place in _firsts(self._group, len(groups))])
        self._texts.likeness("warm")  # what is built on the first question is built now

    def distances(self, signature: Signature, call: Call | None = None) -> NDArray[np.float64]:
        """The distance of every exemplar from a failure, 0 to 1; infinite where it is for other tools."""
        return self._distances(signature, call, self._recognised(signature))[0]

    def _recognised(self, signature: Signature) -> Cause | None:
        """The cause by the rules, where this bank uses them: a search for dozens of patterns, most of a lookup."""
        found = cause(signature) if self._rules else None
        return None if found is None else found[0]

    def _distances(
        self, signature: Signature, call: Call | None, recognised: Cause | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The distances, and how alike the messages are."""
        import numpy as np

        likeness = self._texts.likeness(_words(signature))
        if not self._single:
            # An exemplar with several messages is as near as the nearest of them.
            likeness = np.maximum.reduceat(likeness, self._first)
        structure = self._features.distances(signature, call, recognised)[self._group]
        found: NDArray[np.float64] = structure + (1 - STRUCTURE) * (1 - likeness)
        if signature.repeated:
            for place in self._features.after_repeats(self._group):
                if 0 < self.exemplars[place].repeated <= signature.repeated:
                    found[place] = 0.0
        return found, likeness

    def nearest(self, signature: Signature, call: Call | None = None, count: int = 1) -> tuple[Match, ...]:
        """The nearest exemplars, the nearest first."""
        return self._first_of(*self._distances(signature, call, self._recognised(signature)), count)

    def _first_of(self, found: NDArray[np.float64], alike: NDArray[np.float64], count: int) -> tuple[Match, ...]:
        import numpy as np

        if count == 1:
            places: Sequence[int] = [int(found.argmin())]
        else:
            count = min(count, len(self.exemplars))
            # Partition rather than sort: only a few of perhaps 100,000 are wanted.
            some = np.argpartition(found, count - 1)[:count]
            # ties by place, as `argmin` breaks them
            places = sorted(map(int, some), key=lambda place: (found[place], place))
        return tuple(
            Match(self.exemplars[p], float(found[p]), float(alike[p])) for p in places if np.isfinite(found[p])
        )

    def near(self, signature: Signature, call: Call | None = None) -> NearExemplar | None:
        """The nearest exemplar, where it is not beyond the floor."""
        for match in self.nearest(signature, call):
            if match.distance <= self.floor:
                return NearExemplar(match.exemplar.name, match.exemplar.cause, match.distance)
        return None

    def advice(self, call: Call, signature: Signature) -> Advice | None:
        """The advice of the exemplar that helps here; None where none does."""
        match = self.helps(signature, call)
        return (
            None if match is None else Advice(match.exemplar.advice_on(signature), match.exemplar.name, match.distance)
        )

    def helps(self, signature: Signature, call: Call | None = None) -> Match | None:
        """The nearest exemplar that is known to be about this failure; None where there is none, for a guess misleads.

        It is if its cause is the one that the rules give (for a wide cause, only with the same status or error name,
        or similar words), if its error name is unique, or if its message is all but the same.
        """
        recognised = self._recognised(signature)
        known = recognised.name if recognised is not None and recognised.name not in UNTELLING else ""
        found = self._distances(signature, call, recognised)
        # One first: `argmin` is cheaper, and the nearest usually speaks.
        for count in (1, SOME):
            for match in self._first_of(*found, count):
                if match.distance <= self.floor and self._speaks(match, signature, known):
                    return match
        return None

    def _speaks(self, match: Match, signature: Signature, known: str) -> bool:
        one, name = match.exemplar, error_basename(signature.type)
        if one.repeated:
            return True
        if known and one.cause == known:
            # A wide cause covers failures that need different help.
            same = name in one.types or signature.status in one.status
            if same or not causes()[known].wide or match.alike >= AKIN:
                return True
        # A name that stands for several causes in the bank does not tell which of them this is.
        if name in one.types and name not in UNTELLING_TYPES and len(self._meanings[name]) == 1:
            return True
        return not signature.silent and match.alike >= ALIKE and _covers(one, signature)


@cache
def shipped_bank() -> Bank:
    """The bank that comes with Sealegs."""
    return Bank(shipped_exemplars())


def read_bank(path: str | Path | None = None, embeddings: str = "") -> Bank:
    """The bank in a file, with the shipped one unless the file says otherwise; without a file, the shipped one.

    Args:
        path: the file.
        embeddings: a sentence-transformers model that compares the texts in place of BM25 (`EmbeddingIndex`).

    Raises:
        UserError: the file is not a bank, there is no such model, or what searches it is not installed.
    """
    own = None if path is None or str(path) == "" else read_bank_file(path)
    if own is None and not embeddings:
        return shipped_bank()
    ones = own.exemplars if own is not None else ()
    # A bank needs at least one exemplar.
    if own is None or own.shipped or not ones:
        # Own ones last: of several with one name the last counts.
        ones = (*shipped_exemplars(), *ones)
    if not embeddings:
        return Bank(ones)
    from sealegs.search.embeddings import EmbeddingIndex, NoModel

    try:
        return Bank(ones, index=lambda texts: EmbeddingIndex(texts, embeddings))
    except NoModel as error:
        raise UserError(str(error)) from None


class _Features:
    """The structures of exemplars as arrays: for each thing that a failure can say, how far each is from it."""

    def __init__(self, ones: Sequence[Exemplar]) -> None:
        import numpy as np

        self._ones = ones
        self._status = _table([one.status for one in ones])
        self._type = _table([one.types for one in ones])
        self._cause = _table([(one.cause,) for one in ones])
        self._nature = _table([(one.category,) for one in ones])
        self._silent = np.array([one.silent for one in ones])
        self._schema = np.array([one.breaks_schema for one in ones])
        self._repeats = np.array([one.repeated > 0 for one in ones])
        self._bound = [place for place, one in enumerate(ones) if one.tools]

    def distances(self, signature: Signature, call: Call | None, recognised: Cause | None) -> NDArray[np.float64]:
        """The structural part of the distance of every structure."""
        import numpy as np

        total, weight = np.zeros(len(self._ones)), 0.0
        for name, part in self._parts(signature, recognised):
            total += WEIGHTS[name] * part
            weight += WEIGHTS[name]
        found: NDArray[np.float64] = STRUCTURE * (total / weight if weight else np.full(len(self._ones), UNSAID))
        # A failure and a wrong answer have nothing in common: the greatest structural distance.
        found[self._silent != signature.silent] = STRUCTURE
        # These are found by repetition alone, see `_distances`.
        found[self._repeats] = np.inf
        for place in self._bound:
            if call is None or not any(fnmatchcase(call.tool, pattern) for pattern in self._ones[place].tools):
                found[place] = np.inf
        return found

    def after_repeats(self, group: NDArray[Any]) -> Sequence[int]:
        """The exemplars that are for repeated failures."""
        found: list[int] = self._repeats[group].nonzero()[0].tolist()
        return found

    def _parts(self, signature: Signature, recognised: Cause | None) -> Iterable[tuple[str, Any]]:
        # Only what the failure says is weighed; the rest must not make every exemplar equally far.
        if signature.status is not None:
            yield "status", _looked_up(self._status, signature.status)
        name = error_basename(signature.type)
        if name not in GENERIC:
            yield "type", _looked_up(self._type, name)
        if recognised is not None:
            yield "cause", _looked_up(self._cause, recognised.name)
        kind = categorize_failure(signature)
        if kind != "unknown":
            yield "nature", _looked_up(self._nature, kind)
        if signature.silent:
            yield "invariants", self._apart(frozenset(signature.invariants))
            yield (
                "schema",
                self._schema != (bool(signature.schema) or "missing_required_fields" in signature.invariants),
            )

    def _apart(self, families: frozenset[str]) -> Any:
        import numpy as np

        def jaccard(theirs: frozenset[str]) -> float:
            return 1 - len(families & theirs) / len(families | theirs) if families | theirs else 0.0

        return np.array([jaccard(frozenset(one.invariants)) for one in self._ones])


def _table(values_named: Sequence[Sequence[Any]]) -> dict[Any, Any]:
    """The distances of all structures from each value; under None, from a value that no structure names."""
    import numpy as np

    # An exemplar that names no value fits any, but says less than one that names it.
    default = np.array([1.0 if values else UNSAID for values in values_named])
    places: dict[Any, list[int]] = {}
    for place, values in enumerate(values_named):
        for value in values:
            places.setdefault(value, []).append(place)
    found: dict[Any, Any] = {None: default}
    for value, at in places.items():
        found[value] = default.copy()
        found[value][at] = 0.0
    return found


def _looked_up(table: dict[Any, Any], value: Any) -> Any:
    return table[value] if value in table else table[None]


def _structure(one: Exemplar) -> tuple[Any, ...]:
    families = tuple(sorted(one.invariants))
    return (
        one.status,
        one.types,
        one.cause,
        one.category,
        one.silent,
        families,
        one.breaks_schema,
        one.repeated,
        one.tools,
    )


def _firsts(group: NDArray[Any], count: int) -> list[int]:
    import numpy as np

    _, places = np.unique(group, return_index=True)
    assert len(places) == count
    found: list[int] = places.tolist()
    return found


def _covers(one: Exemplar, signature: Signature) -> bool:
    """Return whether one of an exemplar's messages has enough of a failure's words, and is not only a part of them."""
    stems = set(tokenize(_words(signature)))
    return not stems or max(len(stems & set(tokenize(mask))) for mask in one.masks) / len(stems) >= COVERED


def _words(signature: Signature) -> str:
    """The part of a failure that is compared as text."""
    if not signature.message and not signature.invariants:
        return _CAMEL.sub(" ", error_basename(signature.type))
    return " ".join([signature.message, *signature.invariants])
