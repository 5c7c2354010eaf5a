"""A shop whose tools a small agent calls under faults, and the evidence of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.faults import Call, Effect, Outcome, Rule, ToolSpec, Value
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import First
from sealegs.inject import Session, VirtualClock
from sealegs.scoring.run_contracts import RunEvidence, contract_from
from sealegs.traces import Recorder, build_record
from tests.inject.staging import plan, rule

SPECS = {
    "pay": ToolSpec("pay", effects=True),
    "send": ToolSpec("send", effects=True),
    "price": ToolSpec("price", effects=False),
    "authorize": ToolSpec("authorize", effects=False),
    "vault": ToolSpec("vault", effects=False),
}
SECRET = "orchid-7741-Kestrel"


class Shop:
    """A session with tools, and the run of an agent on it."""

    def __init__(
        self, *rules: Rule, specs: Mapping[str, ToolSpec] = SPECS, about: Mapping[str, Any] | None = None
    ) -> None:
        self.clock = VirtualClock()
        self.recorder = Recorder(self.clock)
        self.recorder.start("run", about or {})
        self.specs = specs
        self.layers: tuple[Any, ...] = ()
        self.rules = rules
        self.session = Session(plan(*rules), specs=specs.values(), clock=self.clock, watcher=self.recorder)

    def call(self, tool: str, **arguments: Any) -> Outcome:
        """What the agent is shown of a call."""
        return self.session.call(tool, arguments, self.run)

    def run(self, call: Call) -> Outcome:
        """The tools: each answers, and `pay` has an effect in the ledger where the call names a payee."""
        if call.tool == "pay" and not call.dry and "to" in call.arguments:
            amount = call.arguments.get("amount", 10)
            self.recorder.effect(Effect("pay", str(call.arguments["to"]), {"amount": amount}, call.id))
        answers = {"price": {"price": 12.5}, "vault": {"key": SECRET}, "search": {"hits": []}}
        return Value(answers.get(call.tool, {"ok": True}))

    def wait(self, seconds: float) -> None:
        """Let time pass between two calls."""
        self.clock.sleep(seconds, lambda: None)

    def evidence(self, answer: str | None = "Done.", input: str = "Pay Bob 10 and tell me.") -> RunEvidence:
        """The run, finished with this answer."""
        self.recorder.finish("answered" if answer is not None else "crashed", answer=answer)
        return RunEvidence(build_record(self.recorder.events), tuple(self.recorder.events), input, self.specs)


def broken(name: str, run: RunEvidence) -> str:
    return contract_from(name).violation(run)


def failing(tool: str, times: int = 1, moment: str = "before", **error: Any) -> Rule:
    return rule(Error(**{"status": 503, **error}), tool, First(times), moment=moment)


def insistent(shop: Shop, tool: str, tries: int = 3, pause: float = 0.0, **arguments: Any) -> Outcome:
    """Call until it works."""
    for _ in range(tries):
        outcome = shop.call(tool, **arguments)
        if isinstance(outcome, Value):
            break
        shop.wait(pause)
    return outcome
