"""Golden texts of the kinds: what each fault asks for and shows, written out.

A file holds cases, one `key: JSON` a line, divided by empty lines. Given: `fault`, and where they matter `seed`,
`arguments`, `said` or `failed` (the tool's outcome; else the trip tool answers), `earlier` (answers), `same` (those to
the same arguments), `spec` (false: nothing is known of the tool), `used`, `model_api` (then it is no tool). Recorded:
`asked`, `shown`. After an intended change, `python -m tests.faults.golden` writes the recorded lines anew; read the
difference before you commit it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from sealegs.faults.call import Call, Failure, Outcome, Value, Wait, failure_body
from sealegs.faults.kinds import AnyFault, Fault
from sealegs.faults.spec import ToolSpec

from .driver import Driven, drive
from .trip import CALL, book_trip, setting, using

FOLDER = Path(__file__).with_name("golden")
RECORDED = ("asked", "shown")
FAULTS: TypeAdapter[Fault] = TypeAdapter(AnyFault)


@dataclass(frozen=True)
class Case:
    """One recorded injection."""

    given: dict[str, Any]
    recorded: dict[str, Any]

    def driven(self) -> Driven:
        """The fault at work now."""
        fault = FAULTS.validate_python(self.given["fault"])
        call = Call(CALL.tool, self.given.get("arguments", CALL.arguments), CALL.id, CALL.nth)
        spec = using(*self.given.get("used", ())) if self.given.get("spec", True) else None
        if "model_api" in self.given:
            spec = ToolSpec("model", effects=False, model_api=self.given["model_api"])
        earlier = tuple(Value(value) for value in self.given.get("earlier", ()))
        same = tuple(Value(value) for value in self.given.get("same", ()))
        return drive(fault.act(call, setting(self.given.get("seed", 0), spec, earlier, same)), self._answer)

    def now(self) -> dict[str, Any]:
        """What would be recorded now."""
        driven = self.driven()
        return {"asked": [_request(request) for request in driven.requests], "shown": _outcome(driven.shown)}

    def _answer(self, call: Call) -> Outcome:
        if "failed" in self.given:
            return Failure(**self.given["failed"])
        return Value(self.given["said"]) if "said" in self.given else book_trip(call)


def cases(kind: str) -> list[Case]:
    """The cases of a kind's file."""
    blocks = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8").strip().split("\n\n")
    found = []
    for block in blocks:
        entries = {key: json.loads(text) for key, _, text in (line.partition(": ") for line in block.splitlines())}
        recorded = {key: entries.pop(key) for key in RECORDED if key in entries}
        found.append(Case(entries, recorded))
    return found


def _request(request: Call | Wait) -> str:
    if isinstance(request, Wait):
        return f"wait {request.seconds:.6g}"
    run = "dry run" if request.dry else "run"
    return run if request.arguments == CALL.arguments else f"{run} {json.dumps(request.arguments)}"


def _outcome(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Value):
        return {"value": outcome.value}
    raised = {"raises": type(outcome.exception).__name__} if outcome.exception is not None else {}
    return {**failure_body(outcome), **raised}


def _rewrite(kind: str) -> None:
    blocks = []
    for case in cases(kind):
        entries = {**case.given, **case.now()}
        blocks.append("\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items()))
    (FOLDER / f"{kind}.txt").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.txt")):
        _rewrite(path.stem)
