"""Queries of a bank from the command line: what is nearest to a text, proposals from records, a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sealegs.faults.user_error import UserError
from sealegs.recovery.bank.adding import coverage, yaml_text
from sealegs.recovery.bank.exemplar import read_bank_file, shipped_exemplars
from sealegs.recovery.bank.exemplar_mining import ExemplarProposal
from sealegs.recovery.bank.index import Bank, Match
from sealegs.recovery.causes import causes
from sealegs.recovery.forms import read_failure
from sealegs.traces.record import Record, build_record
from sealegs.traces.store import StoreError, read_episodes


def nearest_exemplars(bank: Bank, text: str, count: int) -> tuple[Match, ...]:
    """The nearest exemplars of a failure's text.

    Raises:
        UserError: there is nothing in the text to look for.
    """
    reading = read_failure(text)
    if reading.signature is None:
        raise UserError("nothing seems to be wrong with this; give the tool's message, or words of it")
    return bank.nearest(reading.signature, reading.call if reading.call.tool else None, count)


def found_lines(found: Sequence[Match]) -> list[str]:
    """Exemplars with their distance, as text."""
    return [line for match in found for line in (f"{match.distance:.2f}  {match.exemplar.name}", _exemplar_line(match))]


def found_data(found: Sequence[Match]) -> dict[str, Any]:
    """The same as data."""
    return {"found": [{"distance": round(match.distance, 4), **match.exemplar.data()} for match in found]}


def records_of(paths: Iterable[Path], notes: list[str]) -> Iterator[Record]:
    """The finished episodes of files.

    Raises:
        UserError: a file cannot be read.
    """
    for path in paths:
        try:
            for events in read_episodes(path, notes):
                yield build_record(events)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}; give a file of records") from error
        except StoreError as error:
            raise UserError(str(error)) from error


def mined_lines(one: ExemplarProposal) -> list[str]:
    """A proposal as it is shown to a person."""
    done = ", ".join(call.tool for call in one.done)
    return [f"# {one.episode}: {one.failed.tool} failed; then {done}", yaml_text([one.exemplar]).rstrip()]


def mined_data(found: Sequence[ExemplarProposal], taken: Sequence[ExemplarProposal]) -> dict[str, Any]:
    """Proposals as data."""
    names = {one.exemplar.name for one in taken}
    return {
        "proposed": [
            {"episode": one.episode, "taken": one.exemplar.name in names, "exemplar": one.exemplar.data()}
            for one in found
        ]
    }


def check_bank_file(path: Path | None) -> dict[str, Any]:
    """The contents of a bank: counts of its exemplars by cause and by class, and their statuses.

    Raises:
        UserError: it is not a bank; the message holds everything that is wrong.
    """
    exemplars = shipped_exemplars() if path is None else read_bank_file(path).exemplars
    by_class = Counter(causes()[one.cause].failure_class for one in exemplars)
    return {
        "bank": "shipped" if path is None else str(path),
        "exemplars": len(exemplars),
        "causes": coverage(exemplars),
        "classes": dict(sorted(by_class.items())),
        "statuses": sorted({status for one in exemplars for status in one.status}),
    }


def print_bank_check(found: dict[str, Any], console: Console) -> None:
    """Print it."""
    console.print(f"{found['bank']}: sound, {found['exemplars']} exemplars", highlight=False, markup=False)
    table = Table("cause", "meaning", "published class", "exemplars", box=None)
    table.columns[0].overflow = "fold"  # names are never cut
    for name, count in found["causes"].items():
        one = causes()[name]
        table.add_row(name, one.meaning, one.failure_class, str(count))
    console.print(table)


def _exemplar_line(match: Match) -> str:
    return f"      {match.exemplar.text}"
