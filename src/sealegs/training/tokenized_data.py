"""Rows turned into tokens once, and kept: a resumed run, or a second one on the same data, reads them from disk.

What is kept is named by everything that decides it: the data's hash, the template, the tokenizer, the context, packing.
A folder of tokens is there whole or not at all. During training rows come from memory-mapped files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.training.conversation_rows import BadRow, digest_files, parse_row, read_row_texts
from sealegs.training.encoding import IGNORED, encode

SHOWN = 10  # bad rows that a message names
VERSION = 2  # of the way from rows to tokens: what an older version left is made again


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about the tokens of a data set.

    Attributes:
        sha256: one hash over the files' bytes.
        rows: conversations.
        recovering: rows with at least one recovery token.
        sequences: rows after packing.
        tokens, assistant_tokens, recovery_tokens: after cutting.
        cut: rows that were longer than the context and lost their end.
        lost: rows that had no assistant's token left.
        crossing: tokens that cross the edge of a turn, and are not learned.
    """

    sha256: str
    rows: int
    recovering: int
    sequences: int
    tokens: int
    assistant_tokens: int
    recovery_tokens: int
    cut: int
    lost: int
    crossing: int


@dataclass(frozen=True, slots=True)
class SequenceSettings:
    """Settings for turning rows into sequences.

    Attributes:
        template: the chat template's text.
        context: tokens of a sequence at most.
        packing: rows are laid end to end.
        workers: processes.
    """

    template: str
    context: int
    packing: bool
    workers: int = 1


def prepare_tokens(files: Sequence[Path], tokenizer: Any, way: SequenceSettings, store: Path) -> tuple[Any, Facts]:
    """The data set of these files, from `store` if it is there, and what it is like.

    Raises:
        UserError: rows cannot be trained on; the message names the first of them.
    """
    from accelerate import PartialState
    from datasets import load_from_disk

    data_hash = digest_files(files)
    decided = [data_hash, way.template, way.context, way.packing, tokenizer.backend_tokenizer.to_str(), VERSION]
    place = store / hashlib.sha256(json.dumps(decided).encode()).hexdigest()[:16]
    state = PartialState()
    with state.main_process_first():
        if state.is_main_process:  # what another process finds may be what this one is about to write
            remove_unfinished(store)
        if not (place / "facts.json").is_file():
            _make(files, tokenizer, way, place, data_hash)
    facts = Facts(**json.loads((place / "facts.json").read_text("utf-8")))
    return load_from_disk(str(place)), facts


def remove_unfinished(store: Path) -> None:
    """Remove what was written aside, and stayed there because its run was killed or could not remove it."""
    for stale in store.glob(".*"):
        shutil.rmtree(stale, ignore_errors=True)


def _make(files: Sequence[Path], tokenizer: Any, way: SequenceSettings, place: Path, data_hash: str) -> None:
    """Write a data set aside, then put it in its place."""
    from datasets import Dataset, disable_progress_bars
    from trl import pack_dataset

    disable_progress_bars()
    aside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        raw = Dataset.from_generator(
            _raw, gen_kwargs={"files": tuple(files)}, cache_dir=str(aside / "raw"), fingerprint=data_hash[:32]
        )
        encoder = Encoder(tokenizer, way)
        several = way.workers if way.workers > 1 and len(raw) > way.workers else None
        rows = raw.map(
            encoder, remove_columns=["place", "text"], num_proc=several, new_fingerprint=f"{data_hash[:32]}e"
        )
        _refuse(rows)
        facts = _facts(rows, data_hash)
        kept = rows.filter(lambda lost: not lost, input_columns=["lost"])
        if not len(kept):
            raise UserError(f"no row has a token of the assistant within {way.context} tokens; raise `context`")
        kept = kept.select_columns(["input_ids", "labels", "recovery"])
        if way.packing:
            kept = pack_dataset(kept, way.context, "bfd")
        kept.save_to_disk(str(aside / "whole"))
        data = asdict(facts) | {"sequences": len(kept)}
        (aside / "whole" / "facts.json").write_text(json.dumps(data), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        (aside / "whole").rename(place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _raw(files: tuple[Path, ...]) -> Iterator[dict[str, str]]:
    for place, text in read_row_texts(files):
        yield {"place": place, "text": text}


@dataclass(frozen=True)
class Encoder:
    """One row's text as tokens, cut to the context; a bad row says what is wrong."""

    tokenizer: Any
    way: SequenceSettings

    def __call__(self, row: dict[str, str]) -> dict[str, Any]:
        """The columns of one row."""
        try:
            made = encode(parse_row(row["text"]), self.tokenizer, self.way.template)
        except BadRow as error:
            nothing: dict[str, Any] = {"input_ids": [], "labels": [], "recovery": [], "crossing": 0}
            return {**nothing, "cut": False, "lost": True, "problem": f"{row['place']} {error}"}
        upto = self.way.context
        labels = made.labels[:upto]
        return {
            "input_ids": made.input_ids[:upto],
            "labels": labels,
            "recovery": made.recovery[:upto],
            "crossing": made.crossing,
            "cut": len(made.input_ids) > upto,
            "lost": all(label == IGNORED for label in labels[1:]),  # the first token is nobody's prediction
            "problem": "",
        }


def _refuse(rows: Any) -> None:
    if not len(rows):
        raise UserError("the data holds no row")
    bad = [problem for problem in rows["problem"] if problem]
    if bad:
        more = [f"  and {len(bad) - SHOWN} more"] if len(bad) > SHOWN else []
        head = f"{len(bad)} of {len(rows)} rows cannot be trained on; fix or remove them:"
        raise UserError("\n".join([head, *(f"  {problem}" for problem in bad[:SHOWN]), *more]))


def _facts(rows: Any, data_hash: str) -> Facts:
    """Counts over the rows, a batch at a time."""
    tokens = spoken = recovering = recovery = 0
    for row in rows.select_columns(["labels", "recovery"]):
        tokens += len(row["labels"])
        spoken += sum(label != IGNORED for label in row["labels"])
        marked = sum(row["recovery"])
        recovery += marked
        recovering += marked > 0
    return Facts(
        sha256=data_hash,
        rows=len(rows),
        recovering=recovering,
        sequences=0,
        tokens=tokens,
        assistant_tokens=spoken,
        recovery_tokens=recovery,
        cut=sum(rows["cut"]),
        lost=sum(rows["lost"]),
        crossing=sum(rows["crossing"]),
    )
