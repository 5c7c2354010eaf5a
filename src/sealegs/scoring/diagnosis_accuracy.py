"""The share of right diagnoses: classifier and bank on failures labelled by people.

The labelled set (`recovery/data/labelled.jsonl`) has two parts. Rules and exemplars were written with the first; the
second was written and put away before they were final, and shares neither tools nor wordings with anything that they
were made from (`split_leaks` checks). Both parts are by the same hands as the rules: expect less on failures
from elsewhere. Labels: the cause, the class by the published assignment, and the class by meaning.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from rich.console import Console
from rich.table import Table

from sealegs.faults.call import Call
from sealegs.intervals.exact_shares import share_interval
from sealegs.recovery.bank import Bank, shipped_bank
from sealegs.recovery.cause_classifier import count_causes
from sealegs.recovery.causes import GENERIC, causes, read_shipped_yaml
from sealegs.recovery.classes import CLASSES, Diagnosis, classify, published_classes
from sealegs.recovery.forms import read_failure
from sealegs.recovery.masking import masked
from sealegs.recovery.signature import Signature
from sealegs.scoring.metric import Row
from sealegs.tasks.editions import CANARY_FIELD

SUITE = "diagnosis"
SPLITS = ("test", "train")
BY = ("a rule", "exemplar", "likeness", "nothing")
STEP = 0.05  # the floor's grain
RIGHT = 0.9  # of the nearest exemplars up to the floor
GRAIN = 0.25  # of the margin
GUESSED = 2 / 3  # of the causes that are inferred from words alone
ALIKE = 0.75  # two wordings that share so much of their words are one wording
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """A failure and what it is."""

    split: str
    tool: str
    framework: str
    cause: str
    failure_class: str
    ours: str
    text: str


@dataclass(frozen=True, slots=True)
class DiagnosedFailure:
    """A labelled failure and what was made of it."""

    label: KnownFailure
    signature: Signature | None
    diagnosis: Diagnosis | None
    exemplar_cause: str
    distance: float
    advised: str = ""  # the cause of the exemplar whose advice is given; empty where none is

    @property
    def right(self) -> bool:
        """Whether its class is the published one."""
        return self.diagnosis is not None and self.diagnosis.failure_class == self.label.failure_class


@cache
def labelled_failures(split: str = "") -> tuple[KnownFailure, ...]:
    """The labelled failures of a part, `train` or `test`; both by default."""
    text = resources.files("sealegs.recovery").joinpath("data", "labelled.jsonl").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        data = json.loads(line)
        data.pop(CANARY_FIELD, None)
        data["failure_class"] = data.pop("class")
        found.append(KnownFailure(**data))
    return tuple(one for one in found if split in ("", one.split))


def diagnose_failures(failures: Iterable[KnownFailure], bank: Bank | None = None) -> list[DiagnosedFailure]:
    """The diagnoses that classifier and bank make of failures."""
    bank = bank or shipped_bank()
    found = []
    for label in failures:
        reading = read_failure(label.text)
        signature = reading.signature
        if signature is None:
            found.append(DiagnosedFailure(label, None, None, "", 1.0))
            continue
        call = Call(label.tool, reading.call.arguments)
        match, helps = bank.nearest(signature, call)[0], bank.helps(signature, call)
        recognised = classify(signature, call, bank)
        advised = helps.exemplar.cause if helps is not None else ""
        found.append(DiagnosedFailure(label, signature, recognised, match.exemplar.cause, match.distance, advised))
    return found


def measure_diagnoses(split: str = "test", bank: Bank | None = None) -> tuple[list[Row], list[DiagnosedFailure]]:
    """The long table of one part, and what it is made from.

    Metrics, in % with Wilson's interval: `accuracy` by the published classes, `accuracy_ours`, `accuracy_cause`;
    `advised`, the share that is given advice, and `advice_right`, the share of those whose exemplar has the cause.
    Levels: all, each class, failures with and without a status or name in the published table, and by what decided it.
    """
    bank = bank or shipped_bank()
    found = diagnose_failures(labelled_failures(split), bank)
    rows: list[Row] = []
    for level, group in _levels(found):
        n = len(group)
        advised = [one for one in group if one.advised]
        rows += [
            _row(level, split, "accuracy", sum(one.right for one in group), n),
            _row(level, split, "accuracy_ours", sum(_ours(one) for one in group), n),
            _row(level, split, "accuracy_cause", sum(_cause(one) for one in group), n),
            _row(level, split, "advised", len(advised), n),
            _row(level, split, "advice_right", sum(o.advised == o.label.cause for o in advised), len(advised)),
        ]
    for (truth, recognised), count in sorted(confusion(found).items()):
        rows.append(
            _row(
                truth,
                split,
                f"recognised as {recognised}",
                count,
                sum(one.label.failure_class == truth for one in found),
            )
        )
    return rows, found


def confusion(found: Iterable[DiagnosedFailure]) -> Counter[tuple[str, str]]:
    """The number of failures by published and diagnosed class; `none` where there was no diagnosis."""
    return Counter((one.label.failure_class, one.diagnosis.failure_class if one.diagnosis else "none") for one in found)


def floor(bank: Bank | None = None) -> float:
    """The floor that the train part gives; `FLOOR` is this number."""
    silent = Bank((bank or shipped_bank()).exemplars, rules=False)
    found = sorted(
        (one.distance, one.exemplar_cause == one.label.cause)
        for one in diagnose_failures(labelled_failures("train"), silent)
    )
    best = 0.0
    # Up to the end, not to the first that fails: with few failures near, the share jumps up and down.
    for place in range(1, round(1 / STEP) + 1):
        right = [good for distance, good in found if distance <= place * STEP]
        if right and sum(right) / len(right) >= RIGHT:
            best = place * STEP
    return round(best, 2)


def cross_validated_margins() -> list[tuple[float, bool]]:
    """The results of the likeness of words on the train part, each counted without the failure's framework.

    Each has its margin and whether the class is right; the highest margins come first. The test part is not used.
    """
    known = [(read_failure(one.text).signature, one) for one in labelled_failures("train")]
    found = []
    for framework in sorted({one.framework for one in labelled_failures("train")}):
        # A whole framework is held out: messages of one library resemble one another, and a single one would find its
        # twin.
        others = [(s, o.cause, causes()[o.cause].failure_class) for s, o in known if s and o.framework != framework]
        likeness = count_causes(others)
        for signature, one in known:
            recognised = likeness.likeliest(signature) if signature and one.framework == framework else None
            if recognised is not None:
                found.append((recognised[1], causes()[recognised[0]].failure_class == one.failure_class))
    return sorted(found, reverse=True)


def margin() -> float:
    """The margin that the train part gives: from there on two of three diagnoses have the right class."""
    found = cross_validated_margins()
    for place in range(0, 100):
        recognised = [right for by, right in found if by >= place * GRAIN]
        if recognised and sum(recognised) / len(recognised) >= GUESSED:
            return place * GRAIN
    return math.inf


def split_leaks() -> list[str]:
    """The tools and wordings that the test part shares with the sources of rules and exemplars; should be empty."""
    made: list[tuple[str, str]] = [(one.text, one.tool) for one in labelled_failures("train")]
    made += [(form["text"], form.get("tool", "")) for form in read_shipped_yaml("forms.yaml")]
    made += [(look, "") for one in shipped_bank().exemplars for look in one.looks]
    tools = {tool for _, tool in made if tool}
    wordings = [(text, masked(text), _wording(text)) for text, _ in made]
    problems = []
    for one in labelled_failures("test"):
        if one.tool in tools:
            problems.append(f"tool {one.tool} is in both parts")
        same, mine = masked(one.text), _wording(one.text)
        for text, mask, theirs in wordings:
            # Masked, since another id or amount does not make another wording of a message.
            if mask == same or _alike(mine, theirs):
                problems.append(f"{one.text!r} is worded as {text!r}")
    return list(dict.fromkeys(problems))


def print_measured(rows: Sequence[Row], found: Sequence[DiagnosedFailure], console: Console) -> None:
    """Print the figures and the confusion table."""
    table = Table("", "n", "class", "ours", "cause", "advised", "advice right", box=None)
    table.columns[0].overflow = "fold"  # names are never cut
    for level in dict.fromkeys(row["level"] for row in rows):
        cells = {row["metric"]: row for row in rows if row["level"] == level}
        names = ("accuracy", "accuracy_ours", "accuracy_cause", "advised", "advice_right")
        table.add_row(level, str(cells["accuracy"]["n"]), *(_cell(cells[name]) for name in names))
    console.print(table)
    counts = confusion(found)
    recognised = [*CLASSES, "none"]
    matrix = Table("published class \\\\ recognised", *(_initials(name) for name in recognised), box=None)
    matrix.columns[0].overflow = "fold"
    for truth in CLASSES:
        matrix.add_row(f"{truth} ({_initials(truth)})", *(str(counts[truth, name] or "") for name in recognised))
    console.print(matrix)


def _levels(found: Sequence[DiagnosedFailure]) -> list[tuple[str, list[DiagnosedFailure]]]:
    levels = [("all", list(found))]
    levels.append(("in the published table", [one for one in found if _listed(one)]))
    levels.append(("not in it", [one for one in found if not _listed(one)]))
    levels.append(("without status or name", [one for one in found if _nameless(one)]))
    levels += [(f"recognised by {name}", [one for one in found if _by(one) == name]) for name in BY]
    return levels + [(name, [one for one in found if one.label.failure_class == name]) for name in CLASSES]


def _by(one: DiagnosedFailure) -> str:
    """The kind of knowledge that decided it."""
    if one.diagnosis is None:
        return "nothing"
    return one.diagnosis.by if one.diagnosis.by in BY else "a rule"


def _listed(one: DiagnosedFailure) -> bool:
    return one.signature is not None and bool(
        {str(one.signature.status), one.signature.type} & published_classes().keys()
    )


def _nameless(one: DiagnosedFailure) -> bool:
    return one.signature is None or (one.signature.status is None and one.signature.type in GENERIC)


def _ours(one: DiagnosedFailure) -> bool:
    return one.diagnosis is not None and one.diagnosis.ours == one.label.ours


def _cause(one: DiagnosedFailure) -> bool:
    return one.diagnosis is not None and one.diagnosis.cause == one.label.cause


def _row(level: str, split: str, metric: str, count: int, n: int) -> Row:
    low, high = share_interval(count, n)
    return {
        "suite": SUITE,
        "agent": "rules and bank",
        "level": level,
        "mode": split,
        "metric": metric,
        "value": 100 * count / n if n else None,
        "low": 100 * low if n else None,
        "high": 100 * high if n else None,
        "n": n,
    }


def _cell(row: Row) -> str:
    value, low, high = row["value"], row["low"], row["high"]
    return f"{value:.1f} [{low:.1f}, {high:.1f}]" if value is not None else ""


def _initials(name: str) -> str:
    return "".join(part[0] for part in re.split(r"[\s-]+", name)).upper() if name != "none" else name


def _wording(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(masked(text).lower()))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two wordings are one: they share most of their words; of two words or fewer, all."""
    if not one or not other:
        return False
    if min(len(one), len(other)) <= 2:
        return one == other
    return len(one & other) / len(one | other) >= ALIKE


def wrong_diagnoses(found: Sequence[DiagnosedFailure]) -> list[dict[str, Any]]:
    """The failures whose class was diagnosed wrongly, for inspection."""
    return [
        {
            "text": one.label.text,
            "class": one.label.failure_class,
            "recognised": one.diagnosis.failure_class if one.diagnosis else None,
            "cause": one.label.cause,
            "recognised_cause": one.diagnosis.cause if one.diagnosis else None,
        }
        for one in found
        if not one.right
    ]
