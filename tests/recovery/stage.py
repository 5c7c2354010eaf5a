"""A tool that answers by a script, under a recovery layer, with everything that was done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.traces import Recorder
from sealegs.traces.record import Record, build_record


@dataclass
class Stage:
    """Tools that answer by a script; the last answer of a script stays."""

    layer: RecoveryLayer
    scripts: Mapping[str, Iterable[Outcome]]
    specs: tuple[ToolSpec, ...] = ()
    made: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = VirtualClock()
        self.recorder = Recorder(self.clock)
        self.recorder.start("stage", {})
        self._left = {tool: list(script) for tool, script in self.scripts.items()}
        self.session = Session(
            layers=[self.layer],
            specs=self.specs,
            others=None,
            clock=self.clock,
            watcher=self.recorder,
            timeout=30,
        )

    def call(self, tool: str, **arguments: Any) -> Outcome:
        return self.session.call(tool, arguments, self._run)

    def _run(self, call: Call) -> Outcome:
        self.made.append((call.tool, dict(call.arguments)))
        script = self._left[call.tool]
        return script.pop(0) if len(script) > 1 else script[0]

    def end(self) -> Record:
        self.recorder.finish("answered", answer="done")
        return build_record(self.recorder.events)

    @property
    def actions(self) -> list[str]:
        return [event.action for event in self.recorder.events if event.type == "acted"]


BUSY = Failure("Service Unavailable", "ServiceUnavailable", 503)
GONE = Failure("Gone", "Gone", 410)
FINE = Value({"price": 2.5})
READS = ToolSpec(
    "price",
    effects=False,
    returns={"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
)
ACTS = ToolSpec("pay", effects=True)
