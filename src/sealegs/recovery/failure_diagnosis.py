"""One failure looked at from all sides: signature, class, nearest exemplar, advice."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.recovery.bank.index import Bank, Match, shipped_bank
from sealegs.recovery.causes import causes
from sealegs.recovery.classes import Diagnosis, classify
from sealegs.recovery.forms import FailureReading, read_failure
from sealegs.recovery.signature import Signature
from sealegs.traces.record_files import open_records

BROKEN = 0.1  # the share of characters that may be none


@dataclass(frozen=True, slots=True)
class DiagnosisResult:
    """The result of a diagnosis.

    Attributes:
        reading: as it was read.
        signature: its signature; None where nothing is visibly wrong.
        diagnosis: what it counts as; None where nothing is known.
        match: the exemplar that helps, else the nearest, however far; None where there is no signature.
        advice: what the exemplar says; empty where none is known to be about this failure.
    """

    reading: FailureReading
    signature: Signature | None
    diagnosis: Diagnosis | None
    match: Match | None
    advice: str

    def data(self) -> dict[str, Any]:
        """The diagnosis as JSON data: {class, signature, exemplar, distance, advice} and what explains them."""
        known = self.diagnosis
        call = self.reading.call
        return {
            "class": known.failure_class if known else None,
            "ours": known.ours if known else None,
            "because": known.because if known else "",
            "cause": known.cause if known else None,
            "by": known.by if known else None,
            "signature": self.signature.data() if self.signature else None,
            "exemplar": self.match.exemplar.name if self.match else None,
            "distance": round(self.match.distance, 4) if self.match else None,
            "advice": self.advice,
            "read_as": self.reading.shape,
            "call": {"tool": call.tool, "arguments": dict(call.arguments)} if call.tool else None,
        }

    def lines(self) -> list[str]:
        """The diagnosis as text for people."""
        if self.signature is None:
            return ["nothing is visibly wrong with this answer"]
        known, match = self.diagnosis, self.match
        tool = f" (of {self.reading.call.tool})" if self.reading.call.tool else ""
        lines = [f"signature{tool}", *_signature_lines(self.signature)]
        lines.append(f"class      {known.failure_class if known else 'not known'}")
        # The published class goes by a fixed table; where the meaning of the classes says another, both are shown.
        if known is not None and known.ours != known.failure_class:
            lines.append(f"truer      {known.ours}: {known.because}")
        if known is not None and known.cause:
            lines.append(f"cause      {known.cause}: {causes()[known.cause].meaning} (recognised by {known.by})")
        if match is not None:
            # The nearest exemplar is shown even if nothing is advised, so that one sees how far it was.
            far = "" if self.advice else ", too far or too vague to advise"
            lines.append(f"exemplar   {match.exemplar.name} at {match.distance:.2f}{far}")
        return [*lines, self.advice] if self.advice else lines


def diagnose_failure(text: str, bank: Bank | None = None) -> DiagnosisResult:
    """The diagnosis of a failure, from its text, JSON or record.

    Raises:
        UserError: there is nothing to read.
    """
    bank = bank or shipped_bank()
    reading = read_failure(text)
    signature = reading.signature
    if signature is None:
        return DiagnosisResult(reading, None, None, None, "")
    call = reading.call if reading.call.tool else None
    matches = bank.nearest(signature, call)
    match = matches[0] if matches else None
    helps = bank.helps(signature, call)
    # What is shown has to be the exemplar that the advice is from; that need not be the nearest.
    match = helps or match
    advice = helps.exemplar.advice_on(signature) if helps is not None else ""
    return DiagnosisResult(reading, signature, classify(signature, call, bank), match, advice)


def read_source(name: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        UserError: it cannot be read, or is not text.
    """
    try:
        raw = sys.stdin.buffer.read() if name == "-" else _contents(Path(name))
    except OSError as error:
        raise UserError(f"cannot read {name}: {error.strerror}; give a file, or - for standard input") from error
    text = raw.decode("utf-8-sig", "replace")
    # Tools say a broken byte here and there; what is full of them was never a message.
    if "\0" in text or text.count("\ufffd") > BROKEN * len(text):
        named = "standard input" if name == "-" else name
        raise UserError(f"{named} is not UTF-8 text; give a failure as text, JSON or a record")
    return text


def _contents(file: Path) -> bytes:
    with open_records(file) as data:
        return data.read()


def _signature_lines(signature: Signature) -> list[str]:
    return [
        f"  {name:<11}{'; '.join(map(str, value)) if isinstance(value, (list, tuple)) else value}"
        for name, value in signature.data().items()
        if name != "reasons"
    ]
